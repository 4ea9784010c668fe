/**
 * The table of the facts of a run, one row each: name, unit, sentence, and where it is printed. The counts of manifest.json and their
 * types, `--json`, the summary, `--verbose`, `inspect` and the HTML pages derive from the rows, so that a stage that lacks a fact
 * does not compile.
 */

import { AS_TEXT, EMPTY, IGNORED, REPAIRED } from '../blocks/documents.js';
import type { ErrorCode } from '../errors.js';

/** The values of each compared document, as columns or rows. */
export type DocumentColumn = 'flags' | 'occurrences' | 'tokens' | 'textBytes';

/** A number of documents, with their bytes and tokens. */
export interface Amount {
  readonly documents: number;
  /** Bytes of their texts: decompressed, extracted from JSON, in UTF-8. Absent for sets. */
  readonly bytes?: number;
  /** Tokens of the unit of the shingles: words, characters, bytes or lines; for sets elements with their multiplicity. */
  readonly tokens: number;
}

/** The kept and the dropped documents of one source. */
export interface SourceNumbers {
  /** With several PATHs the prefix of its locations; otherwise their first directory; null for all sources without a row. */
  readonly source: string | null;
  readonly kept: Amount;
  readonly dropped: Amount;
}

/** The size of the drop list at another threshold, from the pairs of this run. */
export interface DropsAtThreshold {
  readonly threshold: number;
  readonly dropped: number;
}

/** Kept and dropped documents, by reason, by source and at other thresholds. */
interface Amounts {
  readonly kept: Amount;
  readonly dropped: Amount;
  /** The dropped documents, by the kind of their pair with the kept document. */
  readonly reasons: {
    /** The same text, byte for byte. */
    readonly identical: Amount;
    /** The same tokens in other bytes. */
    readonly same_tokens: Amount;
    readonly near: Amount;
  };
  /** At most 100 sources, those with the most dropped documents first, then all others as one row; empty for sets. */
  readonly sources: readonly SourceNumbers[];
  /** The number of sources in the last row; 0 if there is no such row. */
  readonly other_sources: number;
  /** In descending order, the threshold of the run last; empty if pairs were not verified. */
  readonly thresholds: readonly DropsAtThreshold[];
}

/** The words after a number; `[many|one]` if plural and singular differ. */
export type Words = string;

/** Headings, in their order. */
export const FACT_GROUPS = [
  'Documents',
  'The same',
  'Nearly the same',
  'Clusters',
  'Drop list',
  'How pairs were found',
] as const;

/** A number of a run. */
export interface Fact {
  readonly group: (typeof FACT_GROUPS)[number];
  /** What the number counts; bytes are shown as KB, MB and so on. */
  readonly unit:
    | ('places' | 'links' | 'texts' | 'documents' | 'groups' | 'clusters')
    | ('pairs' | 'buckets' | 'shingles' | 'tokens' | 'bytes');
  /** The words after the number in `inspect`, `--verbose` and the pages. */
  readonly text: Words;
  /** `text` if the run measures containment. */
  readonly contained?: Words;
  /** `text` for sets, if other nouns in `text` are not enough; not printed if empty. */
  readonly ofSets?: Words;
  /** Words after the number in a line of the summary; absent if the summary does not have it. */
  readonly brief?: { readonly line: 'drop' | 'recall'; readonly text: Words };
  /** The least number that is printed; 1 if absent. */
  readonly from?: 0;
  /** The beginning of the names of the files whose rows add up to this count. */
  readonly rows?: string;
  /** The value is a number per code of the table of errors; codes that did not occur are absent. */
  readonly byCode?: true;
  /** Only some runs have the fact. */
  readonly sometimes?: true;
  /**
   * How it is computed from documents: the sum of a column, the number of documents with a flag, or the lower median of the numbers
   * above 0 in a column. skipped.tsv lists each document with the flag, under `code`; for sets under the code for sets, if it differs.
   */
  readonly sum?: DocumentColumn;
  readonly flagged?: { readonly flag: number; readonly code: ErrorCode; readonly ofSets?: ErrorCode };
  readonly median?: DocumentColumn;
  /** A part of `numbers`; `counts` has all others except the medians. */
  readonly value?: (numbers: Amounts) => number;
}

/** The facts, in the order in which they are printed. */
const FACTS = {
  /** Documents and locations found: `read`, `left_alone` and all skipped. Documents of a reference are counted separately. */
  documents: {
    group: 'Documents',
    unit: 'places',
    text: '[documents and locations|document or location] found',
    from: 0,
  },
  /** Documents compared: those with a document number. */
  read: { group: 'Documents', unit: 'documents', text: 'of them [were|was] compared', from: 0 },
  /** By error code; codes that did not occur are absent. */
  skipped: {
    group: 'Documents',
    unit: 'places',
    text: '[were|was] skipped',
    byCode: true,
    brief: { line: 'recall', text: 'skipped' },
  },
  /** Documents with fewer tokens than --min-tokens, which are not compared and not dropped. Absent without --min-tokens. */
  left_alone: {
    group: 'Documents',
    unit: 'documents',
    text: '[were|was] skipped, with fewer tokens than --min-tokens',
    sometimes: true,
  },
  /** Documents that were divided into units, including those without a unit; all other counts are of units. Absent if documents are compared. */
  documents_cut: {
    group: 'Documents',
    unit: 'texts',
    text: 'whole [texts were|text was] divided into these',
    sometimes: true,
  },
  /** Documents of --against, to which the others are compared. Absent without a reference. */
  reference_documents: {
    group: 'Documents',
    unit: 'documents',
    text: '[are|is] of the reference (--against): not kept, dropped or written',
    sometimes: true,
  },
  /** Documents of the reference shorter than a shingle, which match only equal texts. Absent unless containment is measured. */
  reference_short: {
    group: 'Documents',
    unit: 'documents',
    text: 'of the reference [are|is] shorter than a shingle',
    sometimes: true,
  },
  /** Symbolic links, by code of the error table; codes that did not occur are absent. Links are not counted as documents. */
  left_out: {
    group: 'Documents',
    unit: 'links',
    text: 'symbolic [links were|link was] skipped',
    byCode: true,
  },
  /** Documents read without a token. */
  empty: {
    group: 'Documents',
    unit: 'documents',
    text: '[are|is] empty (without a token), and in no pair',
    brief: { line: 'recall', text: 'empty' },
    flagged: { flag: EMPTY, code: 'EMPTY', ofSets: 'SETS_EMPTY' },
  },
  /** Documents read whose shingles are all ignored. */
  ignored: {
    group: 'Documents',
    unit: 'documents',
    text: '[have|has] only shingles of --ignore, and [are|is] in no pair',
    flagged: { flag: IGNORED, code: 'IGNORED' },
  },
  /** Documents read with invalid sequences replaced or runs of marks cut. */
  repaired: {
    group: 'Documents',
    unit: 'documents',
    text: '[were|was] repaired: invalid characters replaced, runs of marks cut',
    flagged: { flag: REPAIRED, code: 'REPAIRED', ofSets: 'SETS_REPAIRED' },
  },
  /** Documents that are files of records without the text field, compared as plain text. */
  records_as_text: {
    group: 'Documents',
    unit: 'documents',
    text: '[are files|is a file] of records without the text field, compared as [texts|a text]',
    flagged: { flag: AS_TEXT, code: 'RECORDS_AS_TEXT' },
  },
  /** Documents with the id of an earlier one. */
  ids_repeated: {
    group: 'Documents',
    unit: 'documents',
    text: '[have|has] the id of an earlier one',
  },
  /** Documents in duplicate groups, the first of each included. */
  identical_documents: {
    group: 'The same',
    unit: 'documents',
    text: '[documents have|document has] the same tokens as another one',
  },
  /** Duplicate groups: two or more documents with the same tokens. */
  identity_classes: {
    group: 'The same',
    unit: 'groups',
    text: '[groups|group] of such documents; the first of each is compared with others',
  },
  /** Rows of pairs with the same text, byte for byte; for sets: of equal sets. */
  identical_pairs: {
    group: 'The same',
    unit: 'pairs',
    text: '[pairs are|pair is] identical byte for byte',
    ofSets: '[pairs are equal sets|pair is of equal sets]',
  },
  /** Rows of pairs with the same tokens in other bytes. */
  same_tokens_pairs: {
    group: 'The same',
    unit: 'pairs',
    text: '[pairs differ|pair differs] only in case, punctuation or layout',
  },
  /** Rows of `same_tokens_pairs` that differ in more than case and white space. */
  same_tokens_other_punctuation: {
    group: 'The same',
    unit: 'pairs',
    text: 'of those [differ|differs] in punctuation or symbols, which may matter',
  },
  candidate_pairs: {
    group: 'Nearly the same',
    unit: 'pairs',
    text: '[candidate pairs|candidate pair]',
  },
  /** Candidate pairs that `--candidates` lists; the others are only counted. Absent if no result is written. */
  candidates_listed: {
    group: 'Nearly the same',
    unit: 'pairs',
    text: 'of them [are|is] listed in candidates/',
    rows: 'candidates/part-',
    sometimes: true,
  },
  /** Accepted near pairs. */
  verified_pairs: {
    group: 'Nearly the same',
    unit: 'pairs',
    text: 'of them [reach|reaches] the threshold (near pairs)',
  },
  /** New documents with a near-duplicate in the reference, dropped or not. Absent without a reference. */
  reference_matches: {
    group: 'Nearly the same',
    unit: 'documents',
    text: 'new [documents resemble|document resembles] one of the reference',
    sometimes: true,
  },
  clusters: { group: 'Clusters', unit: 'clusters', text: '[clusters|cluster] of two or more documents' },
  /** Documents in clusters of two or more. */
  clustered_documents: {
    group: 'Clusters',
    unit: 'documents',
    text: '[documents are|document is] in one',
    rows: 'clusters/',
  },
  /** Documents in clusters whose similarity to their representative is below the threshold. */
  members_below_threshold: {
    group: 'Clusters',
    unit: 'documents',
    text: 'of them [resemble|resembles] the representative less than the threshold (chains)',
  },
  kept: { group: 'Drop list', unit: 'documents', text: '[documents are|document is] kept' },
  dropped: {
    group: 'Drop list',
    unit: 'documents',
    text: 'can be dropped: each resembles a kept one',
    contained: 'can be dropped: each is contained in a kept one',
    from: 0,
    rows: 'duplicates.',
  },
  /** The dropped documents, by their pair with the kept document: the same text, the same tokens in other bytes, or a near pair. */
  dropped_identical: {
    group: 'Drop list',
    unit: 'documents',
    text: 'of them [are|is] identical to the kept one, byte for byte',
    ofSets: 'of them [are|is] equal to the kept one',
    brief: { line: 'drop', text: 'identical' },
    value: ({ reasons }) => reasons.identical.documents,
  },
  dropped_same_tokens: {
    group: 'Drop list',
    unit: 'documents',
    text: 'of them [have|has] the same tokens as the kept one',
    brief: { line: 'drop', text: 'same words' },
    value: ({ reasons }) => reasons.same_tokens.documents,
  },
  dropped_near: {
    group: 'Drop list',
    unit: 'documents',
    text: 'of them [are|is] similar to the kept one',
    brief: { line: 'drop', text: 'similar' },
    value: ({ reasons }) => reasons.near.documents,
  },
  /** Bytes of the texts of kept and of dropped documents: decompressed, extracted from JSON, in UTF-8. Absent for sets. */
  kept_bytes: { group: 'Drop list', unit: 'bytes', text: 'of text [are|is] kept', sometimes: true },
  dropped_bytes: { group: 'Drop list', unit: 'bytes', text: 'of text can be dropped', sometimes: true },
  kept_tokens: {
    group: 'Drop list',
    unit: 'tokens',
    text: '[tokens are|token is] kept',
    value: ({ kept }) => kept.tokens,
  },
  dropped_tokens: {
    group: 'Drop list',
    unit: 'tokens',
    text: '[tokens|token] can be dropped',
    value: ({ dropped }) => dropped.tokens,
  },
  /** Shingles of all documents read, repeated ones counted every time. */
  shingle_occurrences: {
    group: 'How pairs were found',
    unit: 'shingles',
    text: '[shingles were|shingle was] read, repeated ones too',
    sum: 'occurrences',
  },
  /** The size of the largest bucket in which all pairs are compared: chosen by the run or set. Absent if nothing is paired. */
  hot_bucket: {
    group: 'How pairs were found',
    unit: 'documents',
    text: '[documents are|document is] the largest bucket in which all pairs are compared',
    sometimes: true,
  },
  /** Larger buckets, over all bands, and their members, which are compared with leaders only. */
  hot_buckets: {
    group: 'How pairs were found',
    unit: 'buckets',
    text: '[buckets are|bucket is] larger',
  },
  hot_members: {
    group: 'How pairs were found',
    unit: 'documents',
    text: '[documents|document] of them [were|was] compared with at most 64 others, once per bucket',
    brief: { line: 'recall', text: 'documents of large buckets (compared with at most 64 others each)' },
  },
  /** Members that reached the threshold with no leader when the list of leaders was full. */
  hot_unmatched: {
    group: 'How pairs were found',
    unit: 'documents',
    text: 'of those reached the threshold with none of them',
  },
  /** Medians of shingles (repeated ones counted every time) and tokens, without documents of a reference. */
  median_shingles: {
    group: 'Documents',
    unit: 'shingles',
    text: '[shingles|shingle] in the median document',
    median: 'occurrences',
  },
  median_tokens: {
    group: 'Documents',
    unit: 'tokens',
    text: '[tokens|token] in the median document',
    ofSets: '',
    median: 'tokens',
  },
} as const satisfies Readonly<Record<string, Fact>>;

type Rows = typeof FACTS;
export type FactName = keyof Rows;
type Median = { readonly median: DocumentColumn };
type PartOfNumbers = { readonly value: unknown };
type Sometimes = { readonly sometimes: true };
type ByCode = { readonly byCode: true };

/** All counts of a run. They include the numbers of rows, so that they can be checked against the files. */
export type ManifestCounts = {
  readonly [Name in FactName as Rows[Name] extends Median | PartOfNumbers | Sometimes | ByCode
    ? never
    : Name]: number;
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

/** `numbers` of a manifest; a median is null if no document has a value. */
export type ReportedNumbers = Amounts & Medians;

/** The counts that are computed from single documents. */
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

/** The counts that are the sum of a column of the documents. */
export const SUMS_OF_DOCUMENTS = ALL_FACTS.flatMap(([name, { sum }]) =>
  sum === undefined ? [] : [{ name: name as keyof DocumentCounts, column: sum }],
);

/** The flags of documents that are counted and listed in skipped.tsv, in the order of their rows. */
export const LISTED_FLAGS = ALL_FACTS.flatMap(([name, { flagged }]) =>
  flagged === undefined ? [] : [{ name: name as keyof DocumentCounts, ...flagged }],
);

export const LISTED_BITS = LISTED_FLAGS.reduce((bits, { flag }) => bits | flag, 0);

/** The number of rows of skipped.tsv about documents that were read. */
export function listedRows(counts: DocumentCounts): number {
  return LISTED_FLAGS.reduce((sum, { name }) => sum + counts[name], 0);
}

/** The medians of the table. */
export const MEDIANS_OF_DOCUMENTS = ALL_FACTS.flatMap(([name, { median }]) =>
  median === undefined ? [] : [{ name: name as keyof Medians, column: median }],
);

/** The sum of counts by code. */
export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
