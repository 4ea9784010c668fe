/**
 * The facts of a run, a row each: its name in manifest.json, the words that a summary, `inspect` and the report have for it, and,
 * where it is told of documents one by one, how it is made. The types of the counts and numbers of a manifest follow from the
 * rows, and with them what each maker has to give.
 */

import { AS_TEXT, EMPTY, REPAIRED } from '../blocks/documents.js';
import type { ErrorCode } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { grouped } from './wording/amounts.js';

/** What is known of each compared document, in columns or row after row. */
export type DocumentColumn = 'flags' | 'occurrences' | 'tokens' | 'textBytes';

/** Words for a number: `[many|one]` follows it. */
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

/** A number of a run. Those of `counts` are whole; a median stands among `numbers`, and is null where it is of nothing. */
export interface Fact {
  readonly group: (typeof FACT_GROUPS)[number];
  /** What it means, behind the number, for `inspect` and the report; absent: they do not tell it. */
  readonly text?: Words;
  /** The same where fingerprints are compared for containment. */
  readonly contained?: Words;
  /** The same of sets, where it is not the same with other nouns. */
  readonly ofSets?: Words;
  /** The least number that is worth saying; 1 where absent. */
  readonly from?: 0 | 2;
  /** It is told in the summary, on the line of the documents or on one of its own that is called so. */
  readonly told?: { readonly line: string; readonly text: Words | ((parameters: ResultParams) => Words) };
  /** Files that hold as many rows as it says begin with this name. */
  readonly rows?: string;
  /** A number by code, each one of the table of errors; codes that did not occur are absent. */
  readonly byCode?: true;
  /** Of some runs only. */
  readonly sometimes?: true;
  /** How it is made of documents: a column added up, those that have a flag, or the lower median of a column's numbers above 0. */
  readonly sum?: DocumentColumn;
  readonly flag?: number;
  readonly median?: DocumentColumn;
  /** skipped.tsv lists each, by its code in the table of errors; sets have one of their own. */
  readonly listed?: { readonly code: ErrorCode; readonly ofSets?: ErrorCode };
}

/** In the order in which they are told. */
const FACTS = {
  /** Documents and places found: `read`, `left_alone` and all skipped. */
  documents: { group: 'Documents', text: '[documents and places|document or place] found', from: 0 },
  /** Documents compared: those with a document number. */
  read: { group: 'Documents', text: 'of them [were|was] compared', from: 0 },
  /** By error code; codes that did not occur are absent. */
  skipped: { group: 'Documents', text: '[were|was] skipped, and not compared', from: 0, byCode: true },
  /** With fewer tokens than --min-tokens: neither compared nor dropped. Absent: none was looked for. */
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
  /** Where units are compared, which all other counts are of: documents that were cut into them, those without a unit too. */
  documents_cut: {
    group: 'Documents',
    text: 'whole [texts were|text was] cut into these',
    sometimes: true,
  },
  /** Groups of documents, of which only pairs of two are looked for. Absent where there are none, and of a reference. */
  groups: {
    group: 'Documents',
    text: '[groups|group] of documents: only pairs of two groups are looked for',
    sometimes: true,
  },
  /** Documents of --against, with which the others are compared. Absent without a reference. */
  reference_documents: {
    group: 'Documents',
    text: 'of the compared ones [are|is] of the reference (--against): kept, and not written again',
    sometimes: true,
  },
  /** Symbolic links, by code of the error table; codes that did not occur are absent. Links are not documents. */
  left_out: {
    group: 'Documents',
    text: 'symbolic [links were|link was] left out, being no [documents|document]',
    byCode: true,
  },
  /** Of those read: without a token. */
  empty: {
    group: 'Documents',
    text: 'compared [ones have|one has] no token, and so no pair',
    told: { line: 'Documents', text: 'empty' },
    flag: EMPTY,
    listed: { code: 'EMPTY', ofSets: 'SETS_EMPTY' },
  },
  /** Of those read: with invalid sequences replaced or runs of marks cut. */
  repaired: {
    group: 'Documents',
    text: '[were|was] repaired first: invalid characters replaced, runs of marks cut',
    told: { line: 'Documents', text: 'repaired' },
    flag: REPAIRED,
    listed: { code: 'REPAIRED', ofSets: 'SETS_REPAIRED' },
  },
  /** Of those read: files of records without the text field, compared as they stand. */
  records_as_text: {
    group: 'Documents',
    text: '[are files|is a file] of records without the text field, compared as [texts|a text]',
    told: { line: 'Documents', text: 'of records without the text field, compared as [texts|a text]' },
    flag: AS_TEXT,
    listed: { code: 'RECORDS_AS_TEXT' },
  },
  /** Of those read: named by their place, because another record has the same id. */
  ids_repeated: {
    group: 'Documents',
    text: '[are called by their place|is called by its place], because another record has the same id',
  },
  /** Of those read: with tokens, but without a shingle in their sketch; only identical ones are found. */
  unsketched: {
    group: 'Documents',
    text: '[are|is] too short for a sketch: only identical ones were found',
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
  /** Those of two documents that look like code or numbers. */
  same_tokens_pairs_of_code: {
    group: 'The same',
    text: 'of those [look|looks] like code or numbers, where that may matter',
  },
  candidate_pairs: {
    group: 'Nearly the same',
    text: '[pairs were|pair was] alike enough in sketches to be looked at (candidates)',
    from: 0,
  },
  /** Those that `--candidates` lists; the others are counted alone. Absent in results of earlier versions, which list all. */
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
  /** New documents that are alike one of the reference, dropped or not. Absent without a reference. */
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
  /** Greedy clusters founded without a comparison with every representative that has the same fingerprints. */
  clusters_uncompared: {
    group: 'Clusters',
    text: '[clusters|cluster] began without a comparison with all others that share fingerprints',
  },
  kept: { group: 'Drop list', text: '[documents are|document is] kept', from: 0 },
  dropped: {
    group: 'Drop list',
    text: 'can be dropped: each has a kept one that it resembles',
    contained: 'can be dropped: each has a kept one that contains it',
    from: 0,
    rows: 'duplicates.',
  },
  /** Pairs of documents that both stay although they are alike, because they are protected. Absent where none is protected. */
  protected_pairs: {
    group: 'Drop list',
    text: '[pairs stay|pair stays] among the kept although alike, because they are protected',
    sometimes: true,
  },
  /** Of decisions. Absent where none were given. */
  pairs_told_apart: {
    group: 'Drop list',
    text: '[pairs stay|pair stays] among the kept although alike, because a decision tells them apart',
    sometimes: true,
  },
  decisions_unmet: {
    group: 'Drop list',
    text: '[documents stay|document stays] although decided to go, because no kept one is alike',
    sometimes: true,
  },
  decisions_unknown: {
    group: 'Drop list',
    text: '[decisions name|decision names] a document that is not here',
    sometimes: true,
  },
  /** Bytes of their texts: unpacked, out of their JSON, in UTF-8. Absent for sets. */
  kept_bytes: { group: 'Drop list', text: '[bytes|byte] of text [are|is] kept', sometimes: true },
  dropped_bytes: { group: 'Drop list', text: '[bytes|byte] of text can be dropped', sometimes: true },
  /** Of all documents read. */
  shingle_occurrences: {
    group: 'How pairs were found',
    text: '[shingles were|shingle was] read, repeated ones too',
    sum: 'occurrences',
  },
  /** Shingles in too many documents, removed from every sketch. */
  eliminated_shingles: {
    group: 'How pairs were found',
    text: '[shingles were|shingle was] in too many documents, and left out',
    rows: 'eliminated.',
  },
  /** Buckets with at least two documents, over all bands; for samples fingerprints in as many. */
  buckets: {
    group: 'How pairs were found',
    text: '[buckets hold|bucket holds] two documents or more',
    contained: '[fingerprints are|fingerprint is] in two documents or more',
  },
  /** For samples: documents with the most frequent fingerprint. */
  largest_bucket: {
    group: 'How pairs were found',
    text: '[documents are|document is] in the largest bucket',
    contained: '[documents share|document has] the most frequent fingerprint',
  },
  /** Documents of a bucket that were paired all with all, at most: chosen or given. Absent in results of earlier versions. */
  hot_bucket: {
    group: 'How pairs were found',
    text: '[documents|document] of a bucket [were|was] paired all with all, at most',
    contained: '[documents|document] with the same fingerprint [were|was] paired all with all, at most',
    sometimes: true,
  },
  /** For samples: fingerprints that too many documents rely on, which were paired linearly. */
  hot_buckets: {
    group: 'How pairs were found',
    text: '[buckets are|bucket is] hot: too large for every pair in [them|it] to be looked at',
    contained:
      '[fingerprints are|fingerprint is] hot: too frequent for every pair that shares [them|it] to be looked at',
  },
  /** Rounds of pairing: 1 without hot buckets. */
  rounds: {
    group: 'How pairs were found',
    text: 'rounds of pairing, because of hot buckets',
    contained: 'rounds of pairing, because of hot fingerprints',
    from: 2,
  },
  /** An upper bound: buckets overlap. */
  pairs_skipped_at_most: {
    group: 'How pairs were found',
    text: '[pairs|pair] of hot buckets [were|was] not compared, at most',
    contained: '[pairs|pair] of hot fingerprints [were|was] not compared, at most',
  },
  kept_uncompared: {
    group: 'How pairs were found',
    text: 'kept [documents share|document shares] a hot bucket with another kept one, uncompared',
    contained: 'kept [documents share|document shares] a hot fingerprint with another kept one, uncompared',
  },
  /** Shingles of a document, repeated ones counted every time. Where there is a reference, of the other documents alone. */
  median_shingles: { group: 'Documents', median: 'occurrences' },
  /** The same of tokens. Absent in results of earlier versions. */
  median_tokens: { group: 'Documents', median: 'tokens', sometimes: true },
} as const satisfies Readonly<Record<string, Fact>>;

type Rows = typeof FACTS;
export type FactName = keyof Rows;
type Median = { readonly median: DocumentColumn };
type Sometimes = { readonly sometimes: true };
type ByCode = { readonly byCode: true };

/** All counts of a run. They include the rows of files, so that the counts can be checked against the files. */
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
  readonly [Name in FactName as Rows[Name] extends Median
    ? Rows[Name] extends Sometimes
      ? never
      : Name
    : never]: number | null;
} & {
  readonly [Name in FactName as Rows[Name] extends Median & Sometimes ? Name : never]?: number | null;
};

/** The counts that are made of documents one by one. */
export type DocumentCounts = {
  -readonly [Name in FactName as Rows[Name] extends { readonly sum: string } | { readonly flag: number }
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

/** What is told of a result by name: all counts, and the medians that have words. */
export function toldNumbers({
  counts,
  numbers = {},
}: {
  readonly counts: ManifestCounts;
  readonly numbers?: object;
}): Readonly<Record<string, number | Readonly<Record<string, number>>>> {
  const values: Readonly<Record<string, unknown>> = { ...numbers };
  const medians = ALL_FACTS.flatMap(([name, { median, text }]) => {
    const value = values[name];
    return median !== undefined && text !== undefined && typeof value === 'number' ? [[name, value]] : [];
  });
  return { ...counts, ...Object.fromEntries(medians) };
}

interface CountOfDocuments {
  readonly name: keyof DocumentCounts;
  readonly column: DocumentColumn;
  /** What the count is with one document more, by its number in the column; 0 of none, and the same in any order. */
  readonly with: (count: number, value: number) => number;
}

/** How the table counts documents. */
export const COUNTS_OF_DOCUMENTS = ALL_FACTS.flatMap(([name, { sum, flag }]): CountOfDocuments[] => {
  const made = name as keyof DocumentCounts;
  if (sum !== undefined) return [{ name: made, column: sum, with: (count, value) => count + value }];
  if (flag === undefined) return [];
  return [{ name: made, column: 'flags', with: (count, flags) => count + ((flags & flag) === 0 ? 0 : 1) }];
});

/** The flags of documents that skipped.tsv lists, in the order of their rows. */
export const LISTED_FLAGS = ALL_FACTS.flatMap(([name, { flag, listed }]) =>
  flag === undefined || listed === undefined ? [] : [{ name: name as keyof DocumentCounts, flag, ...listed }],
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
