/** The counts of a result in groups, each with what it means: for people, in a terminal or on a page. */

import { ERRORS, type ErrorCode } from '../../errors.js';

/** Counts by name, as manifest.json has them. */
export type NamedCounts = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

/** A number and what it means. */
export interface CountLine {
  readonly count: number;
  /** Follows the number: `documents were compared`. */
  readonly text: string;
  /** What the number above is made of. */
  readonly isPart: boolean;
}

/** Counts about one thing. */
export interface CountGroup {
  readonly title: string;
  readonly lines: readonly CountLine[];
}

/** What a count means; `always`: 0 is worth saying, too. */
interface CountMeaning {
  readonly name: string;
  readonly text: string;
  readonly always?: true;
}

const MEANINGS: readonly (readonly [title: string, ...meanings: readonly CountMeaning[]])[] = [
  [
    'Documents',
    { name: 'documents', text: 'documents and places that were found', always: true },
    { name: 'read', text: 'of them were compared', always: true },
    { name: 'skipped', text: 'were skipped, and not compared', always: true },
    { name: 'left_out', text: 'symbolic links were left out; they are no documents' },
    { name: 'empty', text: 'compared ones have no token: they are in no pair' },
    { name: 'repaired', text: 'were repaired first: invalid characters replaced, runs of marks cut' },
    { name: 'ids_repeated', text: 'are called by their place, because another record has their id' },
    { name: 'ids_replaced', text: 'have an id that is not UTF-8, written with U+FFFD' },
    { name: 'unsketched', text: 'are too short for a sketch: only identical ones were found' },
  ],
  [
    'The same',
    { name: 'identical_documents', text: 'documents have the same tokens as another one', always: true },
    {
      name: 'identity_classes',
      text: 'classes of such documents; the first of each is compared with others',
      always: true,
    },
    { name: 'identical_pairs', text: 'pairs are the same byte for byte', always: true },
    { name: 'same_tokens_pairs', text: 'pairs differ in case, punctuation or layout alone', always: true },
    { name: 'same_tokens_pairs_of_code', text: 'of those look like code or numbers, where that may matter' },
  ],
  [
    'Nearly the same',
    {
      name: 'candidate_pairs',
      text: 'pairs shared a bucket, so that they were looked at (candidates)',
      always: true,
    },
    { name: 'verified_pairs', text: 'of them reach the threshold (near pairs)', always: true },
  ],
  [
    'Clusters',
    { name: 'clusters', text: 'clusters of two or more documents', always: true },
    { name: 'clustered_documents', text: 'documents are in one', always: true },
    {
      name: 'members_below_threshold',
      text: 'of them resemble the representative less than the threshold: chains',
    },
    {
      name: 'clusters_uncompared',
      text: 'clusters began without a comparison with all others that share fingerprints',
    },
  ],
  [
    'Drop list',
    { name: 'kept', text: 'documents are kept', always: true },
    { name: 'dropped', text: 'can be dropped: each has a kept one that it resembles', always: true },
    { name: 'kept_bytes', text: 'bytes of text are kept' },
    { name: 'dropped_bytes', text: 'bytes of text can be dropped' },
  ],
  [
    'How pairs were found',
    { name: 'shingle_occurrences', text: 'shingles were read, repeated ones too' },
    { name: 'eliminated_shingles', text: 'shingles were in too many documents, and left out' },
    { name: 'buckets', text: 'buckets hold two documents or more' },
    { name: 'largest_bucket', text: 'documents are in the largest bucket' },
    { name: 'hot_buckets', text: 'buckets are hot: too large for every pair of theirs to be looked at' },
    { name: 'rounds', text: 'rounds of pairing, because of hot buckets' },
    { name: 'pairs_skipped_at_most', text: 'pairs of hot buckets were not compared, at most' },
    { name: 'kept_uncompared', text: 'kept documents share a hot bucket with another kept one, uncompared' },
  ],
];

const KNOWN: ReadonlySet<string> = new Set(
  MEANINGS.flatMap(([, ...meanings]) => (meanings as CountMeaning[]).map(({ name }) => name)),
);

/** What a reason of skipping means. */
function reasonText(code: string): string {
  const known = ERRORS[code as ErrorCode] as { readonly text: string } | undefined;
  return known === undefined ? code : `${code}: ${known.text}`;
}

function linesOf(
  value: number | Readonly<Record<string, number>>,
  text: string,
  always: boolean,
): CountLine[] {
  if (typeof value === 'number') return value > 0 || always ? [{ count: value, text, isPart: false }] : [];
  const parts = Object.entries(value).sort(([x, some], [y, more]) => more - some || (x < y ? -1 : 1));
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0 && !always) return [];
  return [
    { count: total, text, isPart: false },
    ...parts.map(([code, count]) => ({ count, text: reasonText(code), isPart: true })),
  ];
}

/** For sets of elements instead of texts. */
function ofSetsText(text: string): string {
  return text
    .replace(/\bdocuments\b/g, 'sets')
    .replace(/the same tokens/g, 'the same elements')
    .replace('have no token', 'have no element')
    .replace('shingles were read', 'elements were read')
    .replace(/\bshingles\b/g, 'elements')
    .replace('are the same byte for byte', 'are equal sets')
    .replace(/bytes of text/g, 'bytes');
}

/**
 * The counts in groups; of what did not happen nothing is said. Counts that have no words here come last, by their
 * names.
 */
export function countGroups(counts: NamedCounts, ofSets = false): CountGroup[] {
  const worded = (text: string): string => (ofSets ? ofSetsText(text) : text);
  const groups = MEANINGS.map(([title, ...meanings]) => ({
    title,
    lines: (meanings as CountMeaning[]).flatMap(({ name, text, always = false }) => {
      // One round is what every run has.
      const value = name === 'rounds' && counts[name] === 1 ? undefined : counts[name];
      return value === undefined ? [] : linesOf(value, worded(text), always);
    }),
  }));
  const others = Object.entries(counts).filter(([name]) => !KNOWN.has(name));
  const rest = others.flatMap(([name, value]) => linesOf(value, name.replaceAll('_', ' '), false));
  return [...groups, { title: 'Other counts', lines: rest }].filter(({ lines }) => lines.length > 0);
}
