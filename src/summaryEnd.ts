/**
 * How a summary ends: what is kept and what can go, and the command to type next; and for which documents the promise of
 * a run does not hold.
 *
 * Floor 4. Pure.
 */
import { shellPath } from './options/shellWord.js';
import { counted, grouped, thresholdText } from './promiseText.js';
import type { ResultParams } from './sketch/params.js';
import { sizeText } from './storage/diskRoom.js';
import { type ManifestCounts, skippedTotal } from './storage/results/manifest.js';
import { wordingOf } from './wording.js';

/** Where the documents of a run came from, for the command to type next. */
export interface ReportedInputs {
  /** The one PATH as typed; null where there are several. */
  readonly path: string | null;
  /** What it is; `lines`: a file of which records are lines as they stand there. */
  readonly kind: 'stdin' | 'folder' | 'file' | 'lines' | null;
  /** Of a file. */
  readonly id: string | null;
}

/** What the end of a summary is told from. */
export interface Ended {
  readonly out: string;
  readonly parameters: ResultParams;
  readonly counts: ManifestCounts;
  /** Absent: nobody knows. */
  readonly inputs?: ReportedInputs;
}

/** `; it does not hold for ...`; empty where the promise holds for all that was found. */
export function exceptionsText({ counts, parameters }: Pick<Ended, 'counts' | 'parameters'>): string {
  const { document, documents } = wordingOf(parameters);
  const skipped = skippedTotal(counts);
  const exceptions: [count: number, text: string][] = [
    [
      counts.pairs_skipped_at_most,
      `pairs of hot buckets that were not compared (at most ${grouped(counts.pairs_skipped_at_most)})`,
    ],
    [
      counts.kept_uncompared,
      `${counted(counts.kept_uncompared, `kept ${document} that shares`, `kept ${documents} that share`)} a hot bucket ` +
        'with another uncompared',
    ],
    [
      counts.eliminated_documents ?? 0,
      `${counted(counts.eliminated_documents ?? 0, document, documents)} of which every fingerprint was eliminated`,
    ],
    [
      counts.unsketched,
      `${counted(counts.unsketched, document, documents)} without a sketch (but to identical ones)`,
    ],
    [counts.empty, `${grouped(counts.empty)} empty, which ${counts.empty === 1 ? 'is' : 'are'} in no pair`],
    [skipped, `${grouped(skipped)} skipped`],
  ];
  const told = exceptions.filter(([count]) => count > 0).map(([, text]) => text);
  return told.length === 0 ? '' : `; it does not hold for ${told.join('; ')}`;
}

/** Why a dropped document can go, in the words of how pairs were found. */
function droppedText({ counts, parameters }: Ended): string {
  const { document } = wordingOf(parameters);
  const { verify, exactDuplicates, measure, threshold } = parameters;
  if (counts.dropped === 0) return '';
  const each = counts.dropped === 1 ? 'it' : 'each';
  if (exactDuplicates || verify === 'none')
    return `: ${each} has an identical kept ${document}, which is named`;
  if (measure === 'containment') {
    return `: ${each} is in a kept ${document}, to ${thresholdText(threshold)} or more, which is named with how much`;
  }
  const similarity = verify === 'signature' ? 'estimated similarity' : 'similarity';
  return `: ${each} has a kept near-duplicate, named with its ${similarity}`;
}

function amount(count: number, bytes: number | undefined, { parameters }: Ended): string {
  const { document, documents } = wordingOf(parameters);
  const text = counted(count, document, documents);
  if (bytes === undefined) return text;
  return `${text}, ${bytes < 1e5 ? counted(bytes, 'byte') : sizeText(bytes)} of text`;
}

function dropListOf({ out, parameters }: Ended): string {
  return shellPath(`${out.replace(/\/+$/, '')}/duplicates.${parameters.format}`);
}

/** What to type next: a command, and what it does as a comment of the shell. */
function nextCommands(report: Ended): string[] {
  const { out, parameters, counts } = report;
  const inspect = `mr-minhash inspect ${shellPath(out)}`;
  const listing = listingCommand(report);
  if (counts.dropped === 0 || listing === null) return [inspect];
  if (parameters.sets !== undefined) return [`${listing}   # the sets to remove, by name`, inspect];
  return [cleaningCommand(report) ?? `${listing}   # ${whatIsListed(report)}`, inspect];
}

function listingCommand(report: Ended): string | null {
  const { format } = report.parameters;
  if (format === 'jsonl') return `jq -r .place ${dropListOf(report)}`;
  return format === 'tsv' ? `tail -n +2 ${dropListOf(report)} | cut -f4` : null;
}

function whatIsListed({ inputs }: Ended): string {
  if (inputs?.kind === 'stdin') return 'what to remove, by place: -#line, from 1';
  const below = inputs?.kind === 'folder' ? `, below ${shellPath(inputs.path!)}` : '';
  return `what to remove, by place: path or path#record${below}`;
}

/** Ids that awk and a shell take as they are, and that a TSV file does not escape. */
const PLAIN_ID = /^[\w.,:=@%+ -]+$/;

/** The lines that stay, where all documents are lines of one file. */
function cleaningCommand(report: Ended): string | null {
  const { inputs, parameters } = report;
  if (inputs?.kind !== 'lines' || parameters.format !== 'tsv' || !PLAIN_ID.test(inputs.id!)) return null;
  // The first file is the drop list: where its rows end, numbers of lines begin anew.
  const program = `NR == FNR { drop[$4]; next } !(("${inputs.id}#" FNR) in drop)`;
  // What has a = is no file to awk, unless it begins with a folder.
  const asFile = (path: string): string => (/^[./]/.test(path) ? path : path.replace(/^(?=.*=)/, './'));
  const list = asFile(dropListOf(report));
  return `awk -F '\\t' '${program}' ${list} ${asFile(shellPath(inputs.path!))}   # the lines that stay`;
}

/** The last lines of a summary: what stays, what can go, and what to type next. */
export function endLines(report: Ended): string[] {
  const { counts } = report;
  return [
    `Keep        ${amount(counts.kept, counts.kept_bytes, report)}`,
    `Drop        ${amount(counts.dropped, counts.dropped_bytes, report)}${droppedText(report)}`,
    ...nextCommands(report).map((command, i) => `${i === 0 ? 'Next  ' : '      '}      ${command}`),
  ];
}

/** What the user must know of ids, as sentences. */
export function idWarnings({ counts, parameters }: Pick<Ended, 'counts' | 'parameters'>): string[] {
  const { document, documents } = wordingOf(parameters);
  const { ids_repeated: repeated, ids_replaced: replaced } = counts;
  const warnings: string[] = [];
  if (repeated > 0) {
    const [has, is] = repeated === 1 ? [`${document} has`, 'is'] : [`${documents} have`, 'are'];
    warnings.push(
      `${grouped(repeated)} ${has} an id that another one has, and ${is} called by the place instead: ` +
        'to remove by id would remove others, so remove by the column place.',
    );
  }
  if (replaced > 0) {
    const are = replaced === 1 ? 'id is' : 'ids are';
    warnings.push(
      `${grouped(replaced)} ${are} not UTF-8, and U+FFFD stands there for the bytes that are not; ` +
        `${parameters.sets === undefined ? 'the column place has them as \\xNN' : '--format tsv has them as \\xNN'}.`,
    );
  }
  return warnings;
}
