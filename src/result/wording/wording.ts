/**
 * The wording of summaries and reports, for documents of shingles and for sets of elements. Counts in
 * manifest.json are named after documents in both cases.
 */

import type { ReasonLeftOut } from '../../blocks/documents.js';
import { ERRORS, type ErrorCode } from '../../errors.js';
import { formatNamed } from '../../readers/list/formats.js';
import type { LeftOut, RootPlace } from '../../readers/list/inputs.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import type { InputFormat } from '../../sketch/formatNames.js';
import {
  type KeepRule,
  type ResultParams,
  type RowRuleParams,
  rowRuleOf,
  type Unit,
} from '../../sketch/params.js';
import type { ShingleParams } from '../../text/shingles.js';
import type { ManifestCounts } from '../facts.js';
import { acceptedPairs, type ReadAs, type SCurveFacts } from '../manifest.js';
import { counted, grouped } from './amounts.js';

/** The words for the compared documents or sets, in singular and plural. */
export interface Wording {
  readonly document: string;
  readonly documents: string;
  readonly shingle: string;
  readonly shingles: string;
  /** The unit of a size. */
  readonly distinct: string;
  /** `distinct` at its first mention. */
  readonly distinctInFull: string;
  /** Members of one exact-duplicate group, which are found without a sketch. */
  readonly alike: string;
  /** Documents with few elements. */
  readonly short: string;
}

const OF_TEXTS: Wording = {
  document: 'document',
  documents: 'documents',
  shingle: 'shingle',
  shingles: 'shingles',
  distinct: 'distinct shingles',
  distinctInFull: 'distinct shingles',
  alike: 'documents with the same tokens',
  short: 'short',
};

function ofUnits(unit: Unit): Wording {
  return { ...OF_TEXTS, document: unit, documents: `${unit}s`, alike: `${unit}s with the same tokens` };
}

const OF_SETS: Wording = {
  document: 'set',
  documents: 'sets',
  shingle: 'element',
  shingles: 'elements',
  distinct: 'elements',
  distinctInFull: 'elements',
  alike: 'identical sets',
  short: 'small',
};

const OF_BAGS: Wording = { ...OF_SETS, distinctInFull: 'elements, copies counted' };

export function wordingOf(params: RowRuleParams & Pick<ResultParams, 'unit'>): Wording {
  if (params.sets === undefined) return ofUnits(params.unit);
  const rule = rowRuleOf(params);
  return rule === 'bag' || rule === 'stars' ? OF_BAGS : OF_SETS;
}

/** A threshold with at least two decimals, and no more than it has, up to six: 0.8 is `0.80`, 0.8125 stays. */
export function thresholdText(threshold: number): string {
  const text = String(Number(threshold.toFixed(6)));
  return /^\d(\.\d)?$/.test(text) ? threshold.toFixed(2) : text;
}

/** A probability truncated to `digits` decimals: a guarantee is never rounded up. */
function probabilityText(probability: number, digits: number): string {
  // In millionths, as in the manifest: in doubles 0.57 * 100 is 56.99999999999999, which would be truncated to 0.56.
  const millionths = Math.round(probability * 1e6);
  const unit = 10 ** (6 - digits);
  return (Math.floor(millionths / unit) / 10 ** digits).toFixed(digits);
}

/** The facts behind the line about the expected recall. */
interface Promised {
  readonly parameters: ResultParams;
  readonly sCurve: SCurveFacts;
}

/** The expected recall; in signature mode multiplied by the probability that the signature similarity reaches the threshold. */
export function promiseLine(report: Promised): string {
  const { parameters, sCurve } = report;
  if (parameters.exactDuplicates) {
    return `all ${wordingOf(parameters).alike} are found; near-duplicates were not looked for (--exact-duplicates)`;
  }
  const { banding } = parameters;
  const { bands, rows } = banding;
  const pair = `a pair at ${thresholdText(parameters.threshold)}`;
  const candidate = sCurve.probability_at_threshold;
  const share = sCurve.agreement_share;
  const end = `(${counted(bands, 'band')} of ${counted(rows, 'row')})`;
  if (share !== null) {
    const { agree } = parameters;
    const slots = sketchFamilyOf(parameters).units;
    const passes =
      agree === null ? 'its signature similarity reaches the threshold' : `${agree} of ${slots} slots agree`;
    return (
      `${pair} is found with probability ${probabilityText(candidate * share, 2)}: ` +
      `${probabilityText(candidate, 3)} to become a candidate ${end}, ` +
      `times ${probabilityText(share, 3)} that ${passes}`
    );
  }
  const found = parameters.verify === 'none' ? 'becomes a candidate' : 'is found';
  return `${pair} ${found} with probability ${probabilityText(candidate, 3)} ${end}`;
}

const MOST_NAMED = 3;

/** `out1, b/out2 and 3 more`. */
function named(places: readonly string[]): string {
  const more = places.length - MOST_NAMED;
  return `${places.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `3 symbolic links (1 to what lies below the PATHs, 2 to other places)`. */
function linksText({ inside, outside, broken }: LeftOut['links']): string {
  const where = [
    inside > 0 ? `${grouped(inside)} to what lies below the PATHs` : '',
    outside > 0 ? `${grouped(outside)} to other places` : '',
    broken > 0 ? `${grouped(broken)} broken` : '',
  ].filter((part) => part !== '');
  return `${counted(inside + outside + broken, 'symbolic link')} (${where.join(', ')})`;
}

/**
 * Counts of entries below the PATHs that are not documents; no line if there are none. Our own results have a
 * note.
 */
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

function fileWord(format: InputFormat): string {
  return `${formatNamed(format).word} file`.trimStart();
}

const PASSED_WORDS: Readonly<Record<ReasonLeftOut, string>> = {
  'other types': 'that are neither page nor text',
  'other statuses': 'of answers that are no success (HTTP 2xx)',
  revisits: 'of pages that were met before (revisits)',
  segments: 'that go on with another one (segments)',
};

/**
 * The lines of documents by format, of the fields of a file of records that was read as plain text, and of records that are no
 * documents; no line if all files are plain texts.
 */
export function readAsLines(readAs: ReadAs | undefined): string[] {
  if (readAs === undefined) return [];
  const { formats, as_text: text, passed_over } = readAs;
  const lines: string[] = [];
  if (formats.some(({ format }) => format !== 'text')) {
    const parts = formats.map(({ format, documents, files, pages = 0 }) => {
      if (format === 'text') return counted(documents, 'text');
      if (format === 'html') return counted(documents, 'HTML page');
      const inside = pages > 0 ? ` (${counted(pages, 'text')} HTML)` : '';
      if (format === 'stdin') return `${counted(documents, 'record')} of standard input${inside}`;
      if (format === 'sets') return `${counted(documents, 'set')} of ${counted(files, fileWord(format))}`;
      return `${counted(documents, 'record')} of ${counted(files, fileWord(format))}${inside}`;
    });
    lines.push(`Read as     ${parts.join(', ')}`);
  }
  if (text !== undefined) {
    const fields = text.fields.map((name) => JSON.stringify(name)).join(', ');
    lines.push(
      `As a text   ${text.place}: among its fields ${text.fields.length === 1 ? 'is' : 'are'} ${fields} (--text-field)`,
    );
  }
  const passed = Object.entries(passed_over);
  if (passed.length > 0) {
    const total = passed.reduce((sum, [, records]) => sum + records, 0);
    const parts = passed.map(([why, records]) => `${grouped(records)} ${PASSED_WORDS[why as ReasonLeftOut]}`);
    lines.push(`Left out ${counted(total, 'record')}: ${parts.join(', ')}`);
  }
  return lines;
}

/** The text about earlier results below a PATH; null if there are none. */
export function resultsText(leftOut: LeftOut | undefined): string | null {
  const results = leftOut?.results ?? [];
  if (results.length === 0) return null;
  const [holds, was] = results.length === 1 ? ['holds', 'was'] : ['hold', 'were'];
  const folders = counted(results.length, 'folder');
  return `${folders} below the PATHs that ${holds} a result of mr-minhash ${was} left out: ${named(results)}.`;
}

/** The text about other people's files in the output folder; null if there are none. */
export function othersText(out: string, others: readonly string[] = []): string | null {
  if (others.length === 0) return null;
  const [is, it] = others.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const places = counted(others.length, 'file or folder', 'files or folders');
  return `${places} in ${out} that ${is} not of mr-minhash stayed there: ${named(others)}. verify will name ${it}, too.`;
}

/** The names of files that an input kind matches. */
function lookedFor({ input, include, exclude }: ResultParams): string {
  const kinds =
    input === 'auto'
      ? 'files of any name (records in .jsonl, .json, .csv, .tsv and .parquet, pages in .html and .warc, all others are texts)'
      : `files of any name, read as ${input}`;
  const globs = [
    ...include.map((glob) => ` --include ${glob}`),
    ...exclude.map((glob) => ` --exclude ${glob}`),
  ];
  return globs.length === 0 ? kinds : `${kinds}, with${globs.join('')}`;
}

/** `2 BINARY: its meaning (its remedy)`, the most frequent reason first. */
function skippedText(skipped: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(skipped).sort(([x, some], [y, more]) => more - some || (x < y ? -1 : 1));
  return reasons
    .map(([code, count]) => {
      const { text, remedy } = ERRORS[code as ErrorCode];
      return `${counted(count, 'place')} ${code}, ${text} (${remedy})`;
    })
    .join('; ');
}

/** The word for what a file without a document lacks. */
const LACKED_WORDS = { text: 'record', records: 'record', either: 'record', texts: 'document', rows: 'row' };

/** `1 CSV file without a record`, with the words before it. */
function emptyFilesText(files: ReadonlyMap<InputFormat, number>): string {
  const parts = [...files].map(
    ([format, number]) =>
      `${counted(number, fileWord(format))} without a ${LACKED_WORDS[formatNamed(format).holds]}`,
  );
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/** The text about standard input with no document, and nothing that was skipped. */
function emptyInputText({ input }: ResultParams): string {
  const isTable = input === 'csv' || input === 'tsv';
  return `, which was empty or held ${isTable ? 'a header or ' : ''}blank lines alone`;
}

/**
 * The text of a run that read no document: what was searched, left out or skipped, and what the user can do.
 *
 * @param skipped number of places, by reason
 * @param leftOut undefined if no files were searched: for standard input alone
 * @param empty number of files in which nothing was found, by format
 */
export function nothingReadText(
  skipped: Readonly<Record<string, number>>,
  parameters: ResultParams,
  leftOut: LeftOut | undefined,
  empty: ReadonlyMap<InputFormat, number> = new Map(),
): string {
  const { document, documents } = wordingOf(parameters);
  const reasons = skippedText(skipped);
  const all = reasons === '' ? '' : `, all that was found was skipped: ${reasons}`;
  if (leftOut === undefined) {
    return `no ${document} came on standard input${all || emptyInputText(parameters)}`;
  }
  const { hidden, links, unwanted, results } = leftOut;
  const parts = [
    unwanted > 0 ? `${counted(unwanted, 'file')} by --include and --exclude` : '',
    hidden > 0 ? `${counted(hidden, 'hidden entry', 'hidden entries')} (names with a leading dot)` : '',
    links.inside + links.outside + links.broken > 0 ? linksText(links) : '',
    results.length > 0 ? `${counted(results.length, 'folder')} with a result of mr-minhash` : '',
  ].filter((part) => part !== '');
  const advice = [
    all === '' && unwanted + hidden === 0 ? `name PATHs that hold ${documents}` : '',
    unwanted > 0
      ? 'other globs would let files in: without a slash they match names in any folder, with one paths relative to a PATH, ' +
        '* within a folder, ** across'
      : '',
    hidden > 0 ? 'a hidden file or folder is read where a PATH names it' : '',
  ].filter((part) => part !== '');
  return [
    `no ${document} was ${all === '' ? `found${emptyFilesText(empty)}` : `read${all}`}`,
    `looked for: ${lookedFor(parameters)}`,
    ...(parts.length === 0 ? [] : [`left out: ${parts.join(', ')}`]),
    ...advice,
  ].join('; ');
}

/** A warning about buckets whose members were compared with leaders only; none if there were none. */
export function largeBucketWarnings(counts: ManifestCounts, parameters: ResultParams): string[] {
  const { hot_buckets: buckets, hot_members: members, hot_unmatched: unmatched } = counts;
  if (buckets === 0) return [];
  const { documents } = wordingOf(parameters);
  const left = unmatched === 0 ? '' : `; ${grouped(unmatched)} reached the threshold with none of them`;
  return [
    `${grouped(members)} ${documents} of ${counted(buckets, 'large bucket')} were compared with at most 64 others${left}`,
  ];
}

/** `61 documents in 16 classes, 45 rows`; by kind if there are both. */
export function identityText(counts: ManifestCounts, parameters: ResultParams): string {
  if (counts.identity_classes === 0) return 'none';
  const { identical_pairs: identical, same_tokens_pairs: sameTokens } = counts;
  const kinds =
    sameTokens === 0 ? '' : `: ${grouped(identical)} identical, ${grouped(sameTokens)} same-tokens`;
  return (
    `${counted(counts.identical_documents, wordingOf(parameters).document)} in ` +
    `${counted(counts.identity_classes, 'class', 'classes')}, ${counted(identical + sameTokens, 'row')}${kinds}`
  );
}

/**
 * The least number of pairs for a warning, and their least share of the accepted pairs: fewer pairs are better inspected one by
 * one, and a smaller share does not characterise the corpus.
 */
const FEW = 10;
const SHARE = 0.01;

/**
 * How two texts with the same tokens differ, and the shingles that distinguish them. With shingles of 16 characters, a
 * comparison turned round in a function of four lines leaves a resemblance of a half, and in a file of 150
 * lines one of 0.99.
 */
const REMEDIES: Readonly<Record<'words' | 'other', readonly [differ: string, remedy: string]>> = {
  words: [
    'punctuation, case or layout',
    '--shingle chars:16 compares punctuation too, --shingle bytes:16 also case and layout',
  ],
  other: ['case or layout', '--shingle bytes:16 compares them too'],
};

function remedyOf({ unit }: ShingleParams): readonly [string, string] {
  return unit === 'words' || unit === 'stopwords' ? REMEDIES.words : REMEDIES.other;
}

/** Number of records that are no JSON, per document, from which on the file is hardly damaged JSON, but of another format. */
const BROKEN_BESIDE_ONE = 9;

/** A warning where nearly no record that was read as JSON is JSON. */
export function brokenWarnings({ read, skipped }: Pick<ManifestCounts, 'read' | 'skipped'>): string[] {
  const broken = skipped.JSON_BROKEN ?? 0;
  if (broken < BROKEN_BESIDE_ONE * Math.max(1, read)) return [];
  return [
    `${counted(broken, 'record is', 'records are')} not valid JSON, and only ${counted(read, 'document was', 'documents were')} ` +
      'read: a table is read by --input csv or --input tsv.',
  ];
}

/** Warnings where the difference that tokens ignore may matter. */
export function sameTokensWarnings(counts: ManifestCounts, { shingle }: ResultParams): string[] {
  const ofCode = counts.same_tokens_pairs_of_code;
  const accepted = acceptedPairs(counts);
  if (ofCode < FEW || ofCode < SHARE * accepted) return [];
  const [differ, remedy] = remedyOf(shingle);
  return [
    `${grouped(ofCode)} of ${counted(accepted, 'accepted pair is', 'accepted pairs are')} of kind same-tokens in documents ` +
      `that look like code, markup or numbers: they differ in ${differ} alone, which may matter there ` +
      `("age >= limit", "age < limit"): ${remedy}.`,
  ];
}

/** The most PATHs and globs that a line names; more are counted. */
const MOST_SOURCES = 6;

export function listed(names: readonly string[]): string {
  const more = names.length - MOST_SOURCES;
  return names.slice(0, MOST_SOURCES).join(', ') + (more > 0 ? ` and ${grouped(more)} more` : '');
}

/** The words for the document of a pair or class that --keep keeps. */
function keptText({ by, field, best }: KeepRule): string {
  switch (by) {
    case 'first':
    case 'last':
      return `the ${by} in the input`;
    case 'newest':
    case 'oldest':
      return `that of the ${by} file`;
    case 'field':
      return `that with the ${best === 'max' ? 'greatest' : 'least'} ${JSON.stringify(field)}`;
    default:
      return `the ${by}`;
  }
}

/** The parameters that decide the order of survivors, of a run or of a manifest. */
type SurvivorParams = RowRuleParams &
  Pick<ResultParams, 'groups' | 'keep' | 'measure' | 'verify' | 'exactDuplicates' | 'unit'>;

/**
 * Which of near-duplicates is kept, in words: `of near-duplicates the first in the input, the PATHs in their order, a/, b/`.
 *
 * @param places the prefixes of the places of several PATHs, in their order; empty for one PATH
 */
export function survivorsText(parameters: SurvivorParams, places: readonly string[]): string {
  const { groups, keep, measure, verify, exactDuplicates } = parameters;
  const wording = wordingOf(parameters);
  if (measure === 'containment') return `those that contain no ${wording.document} of the reference`;
  const of = `of ${exactDuplicates || verify === 'none' ? wording.alike : 'near-duplicates'}`;
  const paths =
    keep.by === 'first' && places.length > 1 ? `, the PATHs in their order, ${listed(places)}` : '';
  const first = groups === null ? '' : '; before that: what --against names';
  return `${of} ${keptText(keep)}${paths}${first}`;
}

/** Warnings about a keep order without an effect. */
export function survivorWarnings(
  { keep }: Pick<ResultParams, 'keep'>,
  places: readonly RootPlace[],
): string[] {
  const isByTime = keep.by === 'newest' || keep.by === 'oldest';
  if (!isByTime || places.length !== 1 || places[0]!.kind === 'folder') return [];
  return [
    `Records of one file are equally new, so --keep ${keep.by} has no effect on them; --keep field:NAME goes by a field.`,
  ];
}
