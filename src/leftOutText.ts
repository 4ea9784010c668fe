/**
 * What a summary says of what was not read: links, hidden entries, results inside the corpus, and a corpus without a document.
 *
 * Floor 4. Pure.
 */
import { ERRORS, type ErrorCode } from './errors.js';
import { counted, grouped } from './promiseText.js';
import type { ResultParams } from './sketch/params.js';
import type { LeftOut } from './storage/inputs.js';
import { wordingOf } from './wording.js';

/** So many folders are named. */
const MOST_NAMED = 3;

/** `out1, b/out2 and 3 more`. */
function named(places: readonly string[]): string {
  const more = places.length - MOST_NAMED;
  return `${places.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `3 symbolic links (1 to what lies below the PATHs, 2 to other places, 0 broken)`. */
function linksText({ inside, outside, broken }: LeftOut['links']): string {
  const where = `${grouped(inside)} to what lies below the PATHs, ${grouped(outside)} to other places, ${grouped(broken)} broken`;
  return `${counted(inside + outside + broken, 'symbolic link')} (${where})`;
}

/** Counts of what lies below the PATHs and is no document; no line where there is nothing. Results of ours have a note. */
export function leftOutLines(leftOut: LeftOut | undefined): string[] {
  if (leftOut === undefined) return [];
  const { hidden, links, unwanted } = leftOut;
  const parts = [
    links.inside + links.outside + links.broken > 0 ? linksText(links) : '',
    hidden > 0 ? counted(hidden, 'hidden entry', 'hidden entries') : '',
    unwanted > 0 ? `${counted(unwanted, 'file')} by --include and --exclude` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [`Left out    ${parts.join(', ')}`];
}

/** Earlier results below a PATH; null where there is none. */
export function resultsText(leftOut: LeftOut | undefined): string | null {
  const results = leftOut?.results ?? [];
  if (results.length === 0) return null;
  const [holds, was] = results.length === 1 ? ['holds', 'was'] : ['hold', 'were'];
  const folders = counted(results.length, 'folder');
  return `${folders} below the PATHs that ${holds} a result of mr-minhash ${was} left out: ${named(results)}.`;
}

/** What other people have in the output folder; null where there is nothing. */
export function othersText(out: string, others: readonly string[] = []): string | null {
  if (others.length === 0) return null;
  const [is, it] = others.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const places = counted(others.length, 'file or folder', 'files or folders');
  return `${places} in ${out} that ${is} not of mr-minhash stayed there: ${named(others)}. verify will name ${it}, too.`;
}

/** Names of files that a kind of input looks for. */
function lookedFor({ input, include, exclude }: ResultParams): string {
  const kinds =
    input === 'auto'
      ? 'files of any name (.jsonl and .ndjson are read as lines of records, .json as records, all others as texts)'
      : `files of any name, read as ${input}`;
  const globs = [
    ...include.map((glob) => ` --include ${glob}`),
    ...exclude.map((glob) => ` --exclude ${glob}`),
  ];
  return globs.length === 0 ? kinds : `${kinds}, with${globs.join('')}`;
}

/** `2 BINARY: what it means (what to do)`, the most frequent reason first. */
function skippedText(skipped: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(skipped).sort(([x, some], [y, more]) => more - some || (x < y ? -1 : 1));
  return reasons
    .map(([code, count]) => {
      const { text, remedy } = ERRORS[code as ErrorCode];
      return `${counted(count, 'place')} ${code}, ${text} (${remedy})`;
    })
    .join('; ');
}

/**
 * What was looked for, what was left out or skipped and what can be done, where not one document was read.
 *
 * @param skipped how many places, by reason
 * @param leftOut undefined where no file was looked for: of standard input alone
 */
export function nothingReadText(
  skipped: Readonly<Record<string, number>>,
  parameters: ResultParams,
  leftOut: LeftOut | undefined,
): string {
  const { document, documents } = wordingOf(parameters);
  const reasons = skippedText(skipped);
  const all = reasons === '' ? '' : `, all that was found was skipped: ${reasons}`;
  if (leftOut === undefined) {
    return `no ${document} came on standard input${all || ', which was empty or held blank lines alone'}`;
  }
  const { hidden, links, unwanted, results } = leftOut;
  const parts = [
    unwanted > 0 ? `${counted(unwanted, 'file')} by --include and --exclude` : '',
    `${counted(hidden, 'hidden entry', 'hidden entries')} (names with a leading dot)`,
    linksText(links),
    `${counted(results.length, 'folder')} with a result of mr-minhash`,
  ];
  const advice = [
    all === '' && unwanted + hidden === 0 ? `name PATHs that hold ${documents}` : '',
    unwanted > 0
      ? 'other globs would let files in: without a slash they match names in any folder, with one paths relative to a PATH, ' +
        '* within a folder, ** across'
      : '',
    hidden > 0 ? 'a hidden file or folder is read where a PATH names it' : '',
  ].filter((part) => part !== '');
  return (
    `no ${document} was ${all === '' ? 'found' : 'read'}${all}; looked for: ${lookedFor(parameters)}; ` +
    [`left out: ${parts.filter((part) => part !== '').join(', ')}`, ...advice].join('; ')
  );
}
