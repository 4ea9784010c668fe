/** The details of a run for `--verbose`: its inputs, the table of facts, and the drops of each source. */

import type { ReasonLeftOut } from '../blocks/documents.js';
import { formatNamed } from '../readers/list/formats.js';
import type { LeftOut, RootPlace } from '../readers/list/inputs.js';
import type { InputFormat } from '../sketch/formatNames.js';
import type { Amount } from './facts.js';
import { factText } from './factText.js';
import type { ReadAs } from './manifest.js';
import type { Report } from './report.js';
import { counted, grouped } from './wording/amounts.js';
import { wordingOf } from './wording/wording.js';

/** The most PATHs and sources listed; stats.json and manifest.json have all of them. */
const MOST_PATHS = 10;
const MOST_SOURCES = 5;

/** The details of a run, one string per line, without line ends. */
export function detailLines(report: Report): string[] {
  const { counts, numbers, parameters, readAs, leftOut } = report;
  const words = {
    things: wordingOf(parameters).documents,
    byContainment: parameters.measure === 'containment',
  };
  const left = leftOut === undefined ? '' : leftOutText(leftOut);
  return [
    ...titled('Inputs', [
      ...readAsLines(readAs),
      ...(left === '' ? [] : [`left out: ${left}`]),
      ...prefixLines(report),
    ]),
    ...factText({ counts, numbers }, words),
    '',
    ...titled('Dropped by source', sourceLines(report)),
  ];
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
}

/** `mail: 100 of 1,000 documents`, the sources with the most drops; none if there is only one source. */
function sourceLines({ numbers: { sources, kept, dropped }, parameters }: Report): string[] {
  if (sources.length < 2 || dropped.documents === 0) return [];
  const { document, documents } = wordingOf(parameters);
  const line = (name: string, lost: number, total: number): string =>
    `${name}: ${grouped(lost)} of ${counted(total, document, documents)}`;
  const listed = sources
    .filter((row) => row.source !== null && row.dropped.documents > 0)
    .slice(0, MOST_SOURCES);
  const lines = listed.map((row) =>
    line(row.source!, row.dropped.documents, row.kept.documents + row.dropped.documents),
  );
  const rest = (total: Amount, part: 'kept' | 'dropped'): number =>
    listed.reduce((left, row) => left - row[part].documents, total.documents);
  const [left, lost] = [rest(kept, 'kept'), rest(dropped, 'dropped')];
  if (left + lost > 0) lines.push(line('all others', lost, left + lost));
  return lines;
}

/** What the prefixes of locations mean; none if locations are plain paths below the only directory, or below the current one. */
function prefixLines({ inputs, parameters }: Report): string[] {
  const places = inputs?.places ?? [];
  const [first] = places;
  // The location of a set is its name.
  if (first === undefined || parameters.sets !== undefined) return [];
  if (places.length === 1 && (first.kind !== 'file' || first.path.replace(/^(\.\/+)+/, '') === first.prefix))
    return [];
  const lines = places.slice(0, MOST_PATHS).map(prefixText);
  const more = places.length - lines.length;
  return more > 0 ? [...lines, `${counted(more, 'more PATH')}: see places in stats.json`] : lines;
}

function prefixText({ prefix, path, kind }: RootPlace): string {
  if (kind === 'stdin') return '-#line is a line of standard input';
  if (kind === 'file') return `${prefix} is ${path}`;
  return `${prefix === '' ? '' : `${prefix}/`}... is below ${path}`;
}

/** `3 symbolic links (1 to files below the PATHs, 2 elsewhere), 1 hidden entry`; empty if nothing was skipped. */
export function leftOutText(
  { hidden, links: { inside, outside, broken }, unwanted }: LeftOut,
  flags = '--include and --exclude',
): string {
  const where: [number, string][] = [
    [inside, 'to files below the PATHs'],
    [outside, 'elsewhere'],
    [broken, 'broken'],
  ];
  const kinds = where.filter(([count]) => count > 0).map(([count, text]) => `${grouped(count)} ${text}`);
  const links =
    kinds.length === 0 ? '' : `${counted(inside + outside + broken, 'symbolic link')} (${kinds.join(', ')})`;
  return [
    links,
    hidden > 0 ? counted(hidden, 'hidden entry', 'hidden entries') : '',
    unwanted > 0 ? `${counted(unwanted, 'file')} by ${flags}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

const PASSED_WORDS: Readonly<Record<ReasonLeftOut, string>> = {
  'other types': 'not HTML and not text',
  'other statuses': 'without success (HTTP status 2xx)',
  revisits: 'pages seen before (revisits)',
  segments: 'continuations of another record (segments)',
};

/** `CSV file`. */
function fileWord(format: InputFormat): string {
  return `${formatNamed(format).word} file`.trimStart();
}

/**
 * Documents by format, and records that are not documents; no line if all files are plain texts.
 */
function readAsLines(readAs: ReadAs | undefined): string[] {
  if (readAs === undefined) return [];
  const { formats, passed_over: passed } = readAs;
  const lines: string[] = [];
  if (formats.some(({ format }) => format !== 'text')) {
    const parts = formats.map(({ format, documents, files, pages = 0 }) => {
      if (format === 'text') return counted(documents, 'text');
      if (format === 'html') return counted(documents, 'HTML page');
      const from = format === 'stdin' ? 'standard input' : counted(files, fileWord(format));
      const inside = pages > 0 ? ` (${counted(pages, 'text')} HTML)` : '';
      return `${counted(documents, format === 'sets' ? 'set' : 'record')} of ${from}${inside}`;
    });
    lines.push(`read as ${parts.join(', ')}`);
  }
  for (const [why, records] of Object.entries(passed))
    lines.push(`left out: ${counted(records, 'record')}, ${PASSED_WORDS[why as ReasonLeftOut]}`);
  return lines;
}
