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

/** What a count means, where `[many|one]` is for numbers; `always`: 0 is worth saying, too. */
interface CountMeaning {
  readonly name: string;
  readonly text: string;
  readonly always?: true;
}

const MEANINGS: readonly (readonly [title: string, ...meanings: readonly CountMeaning[]])[] = [
  [
    'Documents',
    { name: 'documents', text: '[documents and places|document or place] found', always: true },
    { name: 'read', text: 'of them [were|was] compared', always: true },
    { name: 'skipped', text: '[were|was] skipped, and not compared', always: true },
    { name: 'left_alone', text: '[were|was] left alone, having fewer tokens than --min-tokens' },
    { name: 'documents_cut', text: 'whole [texts were|text was] cut into these' },
    { name: 'groups', text: '[groups|group] of documents: only pairs of two groups are looked for' },
    {
      name: 'reference_documents',
      text: 'of the compared ones [are|is] of the reference (--against): kept, and not written again',
    },
    { name: 'left_out', text: 'symbolic [links were|link was] left out, being no [documents|document]' },
    { name: 'empty', text: 'compared [ones have|one has] no token, and so no pair' },
    { name: 'repaired', text: '[were|was] repaired first: invalid characters replaced, runs of marks cut' },
    {
      name: 'ids_repeated',
      text: '[are called by their place|is called by its place], because another record has the same id',
    },
    { name: 'ids_replaced', text: '[have|has] an id that is not UTF-8, written with U+FFFD' },
    { name: 'unsketched', text: '[are|is] too short for a sketch: only identical ones were found' },
  ],
  [
    'The same',
    {
      name: 'identical_documents',
      text: '[documents have|document has] the same tokens as another one',
      always: true,
    },
    {
      name: 'identity_classes',
      text: '[classes|class] of such documents; the first of each is compared with others',
      always: true,
    },
    { name: 'identical_pairs', text: '[pairs are|pair is] the same byte for byte', always: true },
    {
      name: 'same_tokens_pairs',
      text: '[pairs differ|pair differs] in case, punctuation or layout alone',
      always: true,
    },
    {
      name: 'same_tokens_pairs_of_code',
      text: 'of those [look|looks] like code or numbers, where that may matter',
    },
  ],
  [
    'Nearly the same',
    {
      name: 'candidate_pairs',
      text: '[pairs were|pair was] alike enough in sketches to be looked at (candidates)',
      always: true,
    },
    { name: 'verified_pairs', text: 'of them [reach|reaches] the threshold (near pairs)', always: true },
    { name: 'reference_matches', text: 'new [documents are|document is] alike one of the reference' },
  ],
  [
    'Clusters',
    { name: 'clusters', text: '[clusters|cluster] of two or more documents', always: true },
    { name: 'clustered_documents', text: '[documents are|document is] in one', always: true },
    {
      name: 'members_below_threshold',
      text: 'of them [resemble|resembles] the representative less than the threshold: chains',
    },
    {
      name: 'clusters_uncompared',
      text: '[clusters|cluster] began without a comparison with all others that share fingerprints',
    },
  ],
  [
    'Drop list',
    { name: 'kept', text: '[documents are|document is] kept', always: true },
    { name: 'dropped', text: 'can be dropped: each has a kept one that it resembles', always: true },
    {
      name: 'protected_pairs',
      text: '[pairs stay|pair stays] among the kept although alike, because they are protected',
    },
    { name: 'kept_bytes', text: '[bytes|byte] of text [are|is] kept' },
    { name: 'dropped_bytes', text: '[bytes|byte] of text can be dropped' },
  ],
  [
    'How pairs were found',
    { name: 'shingle_occurrences', text: '[shingles were|shingle was] read, repeated ones too' },
    { name: 'eliminated_shingles', text: '[shingles were|shingle was] in too many documents, and left out' },
    { name: 'buckets', text: '[buckets hold|bucket holds] two documents or more' },
    { name: 'largest_bucket', text: '[documents are|document is] in the largest bucket' },
    {
      name: 'hot_buckets',
      text: '[buckets are|bucket is] hot: too large for every pair in [them|it] to be looked at',
    },
    { name: 'rounds', text: 'rounds of pairing, because of hot buckets' },
    { name: 'pairs_skipped_at_most', text: '[pairs|pair] of hot buckets [were|was] not compared, at most' },
    {
      name: 'kept_uncompared',
      text: 'kept [documents share|document shares] a hot bucket with another kept one, uncompared',
    },
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
  if (typeof value === 'number')
    return value > 0 || always ? [{ count: value, text: numbered(text, value), isPart: false }] : [];
  const parts = Object.entries(value).sort(([x, some], [y, more]) => more - some || (x < y ? -1 : 1));
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0 && !always) return [];
  return [
    { count: total, text: numbered(text, total), isPart: false },
    ...parts.map(([code, count]) => ({ count, text: reasonText(code), isPart: true })),
  ];
}

/** What was compared, and by what. */
interface CountWords {
  /** `documents`, `sets`, `paragraphs` or `lines`. */
  readonly things: string;
  readonly byContainment: boolean;
}

/** Containment is found by samples of fingerprints, which have no buckets. */
function containmentText(text: string): string {
  return text
    .replace('that it resembles', 'that contains it')
    .replace(
      '[buckets hold|bucket holds] two documents',
      '[fingerprints are|fingerprint is] in two documents',
    )
    .replace(
      '[documents are|document is] in the largest bucket',
      '[documents share|document has] the most frequent fingerprint',
    )
    .replace('[buckets are|bucket is] hot: too large', '[fingerprints are|fingerprint is] hot: too frequent')
    .replace('every pair in [them|it]', 'every pair that shares [them|it]')
    .replace('hot bucket', 'hot fingerprint');
}

/** The text in the words of a run. */
function worded(text: string, { things, byContainment }: CountWords): string {
  const measured = byContainment ? containmentText(text) : text;
  const named = measured.replace(/\bdocuments\b/g, things).replace(/\bdocument\b/g, things.replace(/s$/, ''));
  if (things !== 'sets') return named;
  return named
    .replace(/the same tokens/g, 'the same elements')
    .replace('no token', 'no element')
    .replace(/\bshingle(s?)\b/g, 'element$1')
    .replace(/are\|pair is\] the same byte for byte/, 'are equal sets|pair is of equal sets]')
    .replace(' of text', '');
}

/** `[clusters|cluster]` in a text: the word for a count. */
function numbered(text: string, count: number): string {
  return text.replace(/\[([^|\]]*)\|([^\]]*)\]/g, (_, many: string, one: string) =>
    count === 1 ? one : many,
  );
}

/**
 * The counts in groups; of what did not happen nothing is said. Counts that have no words here come last, by their
 * names.
 */
export function countGroups(counts: NamedCounts, words: CountWords): CountGroup[] {
  const groups = MEANINGS.map(([title, ...meanings]) => ({
    title,
    lines: (meanings as CountMeaning[]).flatMap(({ name, text, always = false }) => {
      // One round is what every run has.
      const value = name === 'rounds' && counts[name] === 1 ? undefined : counts[name];
      return value === undefined ? [] : linesOf(value, worded(text, words), always);
    }),
  }));
  const others = Object.entries(counts).filter(([name]) => !KNOWN.has(name));
  const rest = others.flatMap(([name, value]) => linesOf(value, name.replaceAll('_', ' '), false));
  return [...groups, { title: 'Other counts', lines: rest }].filter(({ lines }) => lines.length > 0);
}
