/**
 * The table of the facts of a run, a row each: the fact's name in manifest.json, its words in the summary, `inspect` and the
 * report, and, for a count of documents, how it is computed. The types of the counts and numbers of a manifest follow from the
 * rows, so that a stage that lacks one does not compile.
 */

import { AS_TEXT, EMPTY, IGNORED, REPAIRED } from '../blocks/documents.js';
import type { ErrorCode } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { grouped } from './wording/amounts.js';

/** The values of each compared document, in columns or row after row. */
export type DocumentColumn = 'flags' | 'occurrences' | 'tokens' | 'textBytes';

/** The words behind a number, with `[many|one]` where plural and singular differ. */
type Words = string;

/** Headings, in their order. */
export const FACT_GROUPS = [
  'Documents',
  'The same',
  'Nearly the same',
  'Clusters',
  'Drop list',
  'How pairs were found',
] as const;

/** A number of a run. `counts` of a manifest holds whole numbers; `numbers` holds the medians, null where no document has a value. */
export interface Fact {
  readonly group: (typeof FACT_GROUPS)[number];
  /** The words behind the number in `inspect` and the report; absent: they do not show it. */
  readonly text?: Words;
  /** `text` of a run that measures containment. */
  readonly contained?: Words;
  /** `text` of sets, where other nouns in `text` are not enough. */
  readonly ofSets?: Words;
  /** The least number that is shown; 1 where absent. */
  readonly from?: 0 | 2;
  /** The line of the summary that shows it, which may be its own, and its words there; absent: the summary does not show it. */
  readonly told?: { readonly line: string; readonly text: Words | ((parameters: ResultParams) => Words) };
  /** The beginning of the names of the files whose rows together are this count. */
  readonly rows?: string;
  /** It is a number for each code of the table of errors; codes that did not occur are absent. */
  readonly byCode?: true;
  /** Only some runs have it. */
  readonly sometimes?: true;
  /**
   * How it is computed from documents: the sum of a column, the number of documents with a flag, or the lower median of a
   * column's numbers above 0. skipped.tsv lists each document with the flag, by the code, or that for sets where it differs.
   */
  readonly sum?: DocumentColumn;
  readonly flagged?: { readonly flag: number; readonly code: ErrorCode; readonly ofSets?: ErrorCode };
  readonly median?: DocumentColumn;
}

/** The facts, in the order in which they are shown. */
const FACTS = {
  /** Documents and places found: `read`, `left_alone` and all skipped. */
  documents: { group: 'Documents', text: '[documents and places|document or place] found', from: 0 },
  /** Documents compared: those with a document number. */
  read: { group: 'Documents', text: 'of them [were|was] compared', from: 0 },
  /** By error code; codes that did not occur are absent. */
  skipped: { group: 'Documents', text: '[were|was] skipped, and not compared', from: 0, byCode: true },
  /** Documents with fewer tokens than --min-tokens: neither compared nor dropped. Absent without --min-tokens. */
  left_alone: {
    group: 'Documents',
    text: '[were|was] left out, having fewer tokens than --min-tokens',
    told: {
      line: 'Documents',
      text: ({ minTokens: least }) =>
        `left out (${least <= 1 ? 'without a token' : `fewer than ${grouped(least)} tokens`})`,
    },
    sometimes: true,
  },
  /** Documents that were cut into units, also those without a unit; all other counts are of units. Absent where documents are compared. */
  documents_cut: {
    group: 'Documents',
    text: 'whole [texts were|text was] cut into these',
    sometimes: true,
  },
  /** Documents of --against, with which the others are compared. Absent without a reference. */
  reference_documents: {
    group: 'Documents',
    text: 'of the compared ones [are|is] of the reference (--against): kept, and not written again',
    sometimes: true,
  },
  /** Documents of the reference shorter than a shingle, which only equal texts contain. Absent unless containment is measured. */
  reference_short: {
    group: 'Documents',
    text: 'of the reference [are|is] shorter than a shingle',
    sometimes: true,
  },
  /** Symbolic links, by code of the error table; codes that did not occur are absent. Links are not documents. */
  left_out: {
    group: 'Documents',
    text: 'symbolic [links were|link was] left out, being no [documents|document]',
    byCode: true,
  },
  /** Documents read without a token. */
  empty: {
    group: 'Documents',
    text: 'compared [ones have|one has] no token, and so no pair',
    told: { line: 'Documents', text: 'empty' },
    flagged: { flag: EMPTY, code: 'EMPTY', ofSets: 'SETS_EMPTY' },
  },
  /** Documents read whose shingles are all ignored. */
  ignored: {
    group: 'Documents',
    text: 'compared [ones have|one has] no shingle but those of --ignore, and so no pair',
    told: { line: 'Documents', text: 'ignored' },
    flagged: { flag: IGNORED, code: 'IGNORED' },
  },
  /** Documents read with invalid sequences replaced or runs of marks cut. */
  repaired: {
    group: 'Documents',
    text: '[were|was] repaired first: invalid characters replaced, runs of marks cut',
    told: { line: 'Documents', text: 'repaired' },
    flagged: { flag: REPAIRED, code: 'REPAIRED', ofSets: 'SETS_REPAIRED' },
  },
  /** Documents read that are files of records without the text field, compared as plain text. */
  records_as_text: {
    group: 'Documents',
    text: '[are files|is a file] of records without the text field, compared as [texts|a text]',
    told: { line: 'Documents', text: 'of records without the text field, compared as [texts|a text]' },
    flagged: { flag: AS_TEXT, code: 'RECORDS_AS_TEXT' },
  },
  /** Documents whose id is their location, because another record has the same id. */
  ids_repeated: {
    group: 'Documents',
    text: '[are called by their location|is called by its location], because another record has the same id',
  },
  /** Documents in groups of two or more with the same tokens, the first of each included. */
  identical_documents: {
    group: 'The same',
    text: '[documents have|document has] the same tokens as another one',
    from: 0,
  },
  /** Groups of two or more documents with the same tokens. */
  identity_classes: {
    group: 'The same',
    text: '[classes|class] of such documents; the first of each is compared with others',
    from: 0,
  },
  /** Rows of pairs with the same text, byte for byte; for sets: of equal sets. */
  identical_pairs: {
    group: 'The same',
    text: '[pairs are|pair is] the same byte for byte',
    ofSets: '[pairs are equal sets|pair is of equal sets]',
    from: 0,
  },
  /** Rows of pairs with the same tokens in other bytes. */
  same_tokens_pairs: {
    group: 'The same',
    text: '[pairs differ|pair differs] in case, punctuation or layout alone',
    from: 0,
  },
  /** Rows of `same_tokens_pairs` whose two documents look like code or numbers. */
  same_tokens_pairs_of_code: {
    group: 'The same',
    text: 'of those [look|looks] like code or numbers, where that may matter',
  },
  candidate_pairs: {
    group: 'Nearly the same',
    text: '[pairs were|pair was] alike enough in sketches to be looked at (candidates)',
    from: 0,
  },
  /** Candidate pairs that `--candidates` lists; the others are only counted. Absent where no result is written. */
  candidates_listed: {
    group: 'Nearly the same',
    text: 'of them [are|is] listed in candidates/',
    from: 0,
    rows: 'candidates/part-',
    sometimes: true,
  },
  /** Accepted near pairs. */
  verified_pairs: {
    group: 'Nearly the same',
    text: 'of them [reach|reaches] the threshold (near pairs)',
    from: 0,
  },
  /** New documents with a near-duplicate in the reference, dropped or not. Absent without a reference. */
  reference_matches: {
    group: 'Nearly the same',
    text: 'new [documents are|document is] alike one of the reference',
    sometimes: true,
  },
  clusters: { group: 'Clusters', text: '[clusters|cluster] of two or more documents', from: 0 },
  /** Documents in clusters of two or more. */
  clustered_documents: {
    group: 'Clusters',
    text: '[documents are|document is] in one',
    from: 0,
    rows: 'clusters/',
  },
  /** Documents in clusters whose similarity to their representative is below the threshold. */
  members_below_threshold: {
    group: 'Clusters',
    text: 'of them [resemble|resembles] the representative less than the threshold: chains',
  },
  kept: { group: 'Drop list', text: '[documents are|document is] kept', from: 0 },
  dropped: {
    group: 'Drop list',
    text: 'can be dropped: each has a kept one that it resembles',
    contained: 'can be dropped: each has a kept one that contains it',
    from: 0,
    rows: 'duplicates.',
  },
  /** Bytes of the texts of kept and of dropped documents: unpacked, taken from their JSON, in UTF-8. Absent for sets. */
  kept_bytes: { group: 'Drop list', text: '[bytes|byte] of text [are|is] kept', sometimes: true },
  dropped_bytes: { group: 'Drop list', text: '[bytes|byte] of text can be dropped', sometimes: true },
  /** Shingles of all documents read, repeated ones counted every time. */
  shingle_occurrences: {
    group: 'How pairs were found',
    text: '[shingles were|shingle was] read, repeated ones too',
    sum: 'occurrences',
  },
  /** The most documents of a bucket that were paired all with all: chosen by the run or given. Absent where nothing is paired. */
  hot_bucket: {
    group: 'How pairs were found',
    text: '[documents|document] of a bucket [were|was] paired all with all, at most',
    sometimes: true,
  },
  /** Larger buckets, over all bands, and their members: each was compared with leaders only. */
  hot_buckets: {
    group: 'How pairs were found',
    text: '[buckets are|bucket is] larger: too large for every pair in [them|it] to be looked at',
  },
  hot_members: {
    group: 'How pairs were found',
    text: '[documents|document] of them [were|was] compared with at most 64 others, once per bucket',
  },
  /** Members that reached the threshold with no leader when the list of leaders was full. */
  hot_unmatched: {
    group: 'How pairs were found',
    text: 'of those reached the threshold with none of them',
  },
  /** The median of the shingles of a document, repeated ones counted every time. Documents of a reference do not count. */
  median_shingles: { group: 'Documents', median: 'occurrences' },
  median_tokens: { group: 'Documents', median: 'tokens' },
} as const satisfies Readonly<Record<string, Fact>>;

type Rows = typeof FACTS;
export type FactName = keyof Rows;
type Median = { readonly median: DocumentColumn };
type Sometimes = { readonly sometimes: true };
type ByCode = { readonly byCode: true };

/** All counts of a run. They include the numbers of rows, so that the counts can be checked against the files. */
export type ManifestCounts = {
  readonly [Name in FactName as Rows[Name] extends Median | Sometimes | ByCode ? never : Name]: number;
} & {
  readonly [Name in FactName as Rows[Name] extends ByCode ? Name : never]: Readonly<Record<string, number>>;
} & {
  readonly [Name in FactName as Rows[Name] extends Median
    ? never
    : Rows[Name] extends Sometimes
      ? Name
      : never]?: number;
};

/** The medians of a run. */
export type Medians = {
  readonly [Name in FactName as Rows[Name] extends Median ? Name : never]: number | null;
};

/** The counts that are computed from documents one by one. */
export type DocumentCounts = {
  -readonly [Name in FactName as Rows[Name] extends { readonly sum: string } | { readonly flagged: object }
    ? Name
    : never]: number;
};

/** The rows, with their names. */
export const ALL_FACTS: readonly (readonly [name: FactName, fact: Fact])[] = Object.entries(FACTS) as [
  FactName,
  Fact,
][];

/** The words for a number: `[clusters|cluster]` is one of the two. */
export function worded(words: Words, value: number): string {
  return words.replace(/\[([^|\]]*)\|([^\]]*)\]/g, (_, many: string, one: string) =>
    value === 1 ? one : many,
  );
}

/** The counts that are the sum of a column of the documents. */
export const SUMS_OF_DOCUMENTS = ALL_FACTS.flatMap(([name, { sum }]) =>
  sum === undefined ? [] : [{ name: name as keyof DocumentCounts, column: sum }],
);

/** The flags of documents that are counted, and listed in skipped.tsv, in the order of their rows. */
export const LISTED_FLAGS = ALL_FACTS.flatMap(([name, { flagged }]) =>
  flagged === undefined ? [] : [{ name: name as keyof DocumentCounts, ...flagged }],
);

export const LISTED_BITS = LISTED_FLAGS.reduce((bits, { flag }) => bits | flag, 0);

/** How many rows of skipped.tsv are of documents that were read. */
export function listedRows(counts: DocumentCounts): number {
  return LISTED_FLAGS.reduce((sum, { name }) => sum + counts[name], 0);
}

/** The medians of the table. */
export const MEDIANS_OF_DOCUMENTS = ALL_FACTS.flatMap(([name, { median }]) =>
  median === undefined ? [] : [{ name: name as keyof Medians, column: median }],
);
