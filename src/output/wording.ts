/**
 * What is compared, in the words of who compares it: documents of shingles, or sets of elements.
 *
 * Pure. Counts in manifest.json are named after documents always.
 */

import type { LeftOut } from '../readers/list/inputs.js';
import { type ResultParams, rowRuleOf, type SampleParams } from '../sketch/params.js';
import { agreementUnits, sampleParams, signatureParams } from '../sketch/sketcher.js';
import type { ManifestCounts, SampleRuleFacts, SCurveFacts } from './manifest.js';

export interface Wording {
  readonly document: string;
  readonly documents: string;
  readonly shingle: string;
  readonly shingles: string;
  /** What a size counts. */
  readonly distinct: string;
  /** The same where it is said first. */
  readonly distinctInFull: string;
  /** Of few elements. */
  readonly short: string;
}

const OF_TEXTS: Wording = {
  document: 'document',
  documents: 'documents',
  shingle: 'shingle',
  shingles: 'shingles',
  distinct: 'distinct shingles',
  distinctInFull: 'distinct shingles',
  short: 'short',
};

const OF_SETS: Wording = {
  document: 'set',
  documents: 'sets',
  shingle: 'element',
  shingles: 'elements',
  distinct: 'elements',
  distinctInFull: 'elements',
  short: 'small',
};

const OF_BAGS: Wording = { ...OF_SETS, distinctInFull: 'elements, copies counted' };

export function wordingOf(params: Pick<ResultParams, 'sets' | 'shingle'>): Wording {
  if (params.sets === undefined) return OF_TEXTS;
  const rule = rowRuleOf(params);
  return rule === 'bag' || rule === 'stars' ? OF_BAGS : OF_SETS;
}

/*
 * What a summary says of samples of fingerprints: the rule of candidates, what it promises, and what was eliminated.
 *
 * Pure. Numbers come from the manifest's facts.
 */

/** `pairs that share at least 95 of 128 fingerprints`, and which fingerprints these are. */
export function sampleRuleText(
  params: SampleParams,
  rule: SampleRuleFacts,
  { document, documents, distinctInFull }: Wording,
): string {
  const shared = `at least ${rule.least_shared} of ${rule.fingerprints} fingerprints shared`;
  if (params.sketch === 'min-s') return `${shared}, the smallest of each ${document}`;
  if (params.modulus === 1) return `${shared}, and other numbers likewise; all are kept`;
  return (
    `${shared}, and other numbers likewise; one in ${params.modulus} is kept, ` +
    `all of ${documents} with fewer than ${params.wholeBelow} ${distinctInFull}`
  );
}

/** Cut, not rounded: a promise is never rounded up. */
function chance(probability: number): string {
  return (Math.floor(Math.round(probability * 1e6) / 1000) / 1000).toFixed(3);
}

/** What is left to chance: short documents in long ones; null where nothing is. */
export function smallText(
  threshold: string,
  { small, whole_below }: SampleRuleFacts,
  { document, short, distinct, distinctInFull }: Wording,
): string | null {
  if (small.length === 0) return null;
  const told = small.filter(({ shingles }) => [10, 20, 50].includes(shingles));
  const chances = told.map(({ shingles, wholly, at_threshold: at }, i) => {
    const what =
      i === 0 ? ` ${distinct} and all of them are there (${chance(at)} at ${threshold})` : ` (${chance(at)})`;
    return `${chance(wholly)} if it has ${shingles}${what}`;
  });
  return (
    `A ${short} ${document} (fewer than ${whole_below} ${distinctInFull}) in one that is not ${short} is found with ` +
    `probability ${chances.join(', ')}; manifest.json has more, --modulus 1 finds all.`
  );
}

/** What was eliminated from pairing; none where nothing was. */
export function eliminationWarnings(
  counts: ManifestCounts,
  parameters: ResultParams,
  grouped: (value: number) => string,
): string[] {
  const { hot_buckets: eliminated, eliminated_documents: left = 0 } = counts;
  if (eliminated === 0) return [];
  const { document, documents } = wordingOf(parameters);
  const one = eliminated === 1;
  const none = left === 1 ? `1 ${document} has no other` : `${grouped(left)} ${documents} have no other`;
  return [
    `${grouped(eliminated)} ${one ? 'fingerprint' : 'fingerprints'} in more than ${grouped(parameters.hotBucket)} ` +
      `${documents} (the most frequent: in ${grouped(counts.largest_bucket)}) paired none of them: ${documents} that ` +
      `share no other fingerprint are not found, and ${none}.`,
  ];
}

/*
 * The promise of a run as a sentence, and how its numbers are written.
 *
 * Pure.
 */

/** A whole number with a comma every three digits: 1234567 is `1,234,567`, on every machine. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function counted(value: number, one: string, many = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
}

/** A threshold with at least two decimals, and no more than it has, up to six: 0.8 is `0.80`, 0.8125 stays. */
export function thresholdText(threshold: number): string {
  const text = String(Number(threshold.toFixed(6)));
  return /^\d(\.\d)?$/.test(text) ? threshold.toFixed(2) : text;
}

/** A probability cut to `digits` decimals: a promise is never rounded up. */
function probabilityText(probability: number, digits: number): string {
  // In millionths, as the manifest has it: 0.57 * 100 is 56.99999999999999 in doubles, and would be cut to 0.56.
  const millionths = Math.round(probability * 1e6);
  const unit = 10 ** (6 - digits);
  return (Math.floor(millionths / unit) / 10 ** digits).toFixed(digits);
}

/** What a promise is told from. */
export interface Promised {
  readonly parameters: ResultParams;
  readonly sCurve: SCurveFacts;
  readonly sampleRule?: SampleRuleFacts;
}

/** "a pair at 0.80 is found with probability 0.985", in signature mode times the agreement's share. */
export function promiseLine(report: Promised): string {
  const { parameters, sCurve } = report;
  if (parameters.exactDuplicates) {
    return `all identical ${wordingOf(parameters).documents} are found; near-duplicates were not looked for (--exact-duplicates)`;
  }
  const samples = sampleParams(parameters);
  const words = wordingOf(parameters);
  if (samples !== null) return samplePromiseLine(report, sampleRuleText(samples, report.sampleRule!, words));
  const { bands, rows } = signatureParams(parameters).banding;
  const isThinned = parameters.sample > 1 || parameters.maxShingleDocuments !== null;
  const sampled = isThinned ? ` whose sketched ${words.shingles} are` : '';
  const pair = `a pair${sampled} at ${thresholdText(parameters.threshold)}`;
  const candidate = sCurve.probability_at_threshold;
  const share = sCurve.agreement_share;
  const end = `(${counted(bands, 'band')} of ${counted(rows, 'row')})`;
  if (share !== null) {
    const { agree } = parameters;
    const slots = agreementUnits(parameters);
    const passes =
      agree === null ? 'its agreement reaches the threshold' : `${agree} of ${slots} slots agree`;
    return (
      `${pair} is found with probability ${probabilityText(candidate * share, 2)}: ` +
      `${probabilityText(candidate, 3)} to become a candidate ${end}, ` +
      `times ${probabilityText(share, 3)} that ${passes}`
    );
  }
  const found = parameters.verify === 'none' ? 'becomes a candidate' : 'is found';
  return `${pair} ${found} with probability ${probabilityText(candidate, 3)} ${end}`;
}

/** The same of samples; what passes the estimate passed the rule before, so there is nothing to multiply. */
function samplePromiseLine({ parameters, sCurve }: Promised, rule: string): string {
  const { measure, verify } = parameters;
  const pair = `a pair at ${thresholdText(parameters.threshold)}${measure === 'containment' ? ' (containment)' : ''}`;
  const share = sCurve.agreement_share;
  if (share !== null) return `${pair} is found with probability about ${probabilityText(share, 2)} (${rule})`;
  const found = verify === 'none' ? 'becomes a candidate' : 'is found';
  return `${pair} ${found} with probability ${probabilityText(sCurve.probability_at_threshold, 3)} or more (${rule})`;
}

/*
 * What a summary says of what was not read: results inside the corpus, and a corpus without a document.
 *
 * Pure.
 */

/** So many folders are named. */
const MOST_NAMED = 3;

/** `out1, b/out2 and 3 more`. */
function named(places: readonly string[]): string {
  const more = places.length - MOST_NAMED;
  return `${places.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
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

/**
 * What was looked for, what was left out and what can be done, where not one document was read.
 *
 * @param leftOut undefined where no file was looked for: of standard input alone
 */
export function nothingReadText(
  counts: ManifestCounts,
  parameters: ResultParams,
  leftOut: LeftOut | undefined,
): string {
  const { document, documents } = wordingOf(parameters);
  if (counts.documents > 0) {
    return (
      `No ${document} was read: everything that was found was skipped, for the reasons counted; ` +
      `skipped.${parameters.format} names each place.`
    );
  }
  if (leftOut === undefined) return `No ${document} was found in what was given.`;
  const { hidden, links, unwanted, results } = leftOut;
  const parts = [
    unwanted > 0 ? `${counted(unwanted, 'file')} by --include and --exclude` : '',
    `${counted(hidden, 'hidden entry', 'hidden entries')} (names with a leading dot)`,
    `${counted(links, 'link')} to folders or out of the tree`,
    `${counted(results.length, 'folder')} with a result of mr-minhash`,
  ];
  const globs =
    unwanted > 0 ? ', or other globs: they match paths relative to a PATH, * within a folder, ** across' : '';
  return (
    `No ${document} was found. Looked for: ${lookedFor(parameters)}. ` +
    `Left out: ${parts.filter((part) => part !== '').join(', ')}. Name PATHs that hold ${documents}${globs}.`
  );
}
