/**
 * The rows of a result as data: their columns by name, in any format.
 *
 * Floor 2. Ids come out as binary strings. Which files there are is in resultNames.ts, how a file is cut into rows in
 * rowReader.ts.
 */
import { type ErrorCode, SKIP_CODES } from '../../errors.js';
import type { ResultFormat } from '../../sketch/params.js';
import { unescapeBytes, unescapePlace } from './escaping.js';
import { PAIR_KINDS } from './pairParts.js';
import type { WantedColumns } from './rowReader.js';

/** What a pair is: the same text byte for byte, the same canonical tokens in other bytes, or alike by the measure of the run. */
export type PairKind = (typeof PAIR_KINDS)[number];

/** A row of `pairs/`: an accepted pair, a before b in the byte order of ids. Null is the empty cell. */
export interface PairRow {
  readonly a: string;
  readonly b: string;
  /** Jaccard resemblance, 0..1; in a result verified by signature the agreement. */
  readonly jaccard: number | null;
  /** Share of equal signature slots, 0..1; of samples of fingerprints the estimate. Null where nothing was sketched. */
  readonly agreement: number | null;
  /** The share of a's shingles that b has, 0..1. Null unless the run verified exactly. */
  readonly containmentAInB: number | null;
  /** The share of b's shingles that a has, 0..1. Null unless the run verified exactly. */
  readonly containmentBInA: number | null;
  readonly kind: PairKind;
}

/** A row of `candidates/`: a pair that was looked at. Null is the empty cell. */
export interface CandidateRow {
  readonly a: string;
  readonly b: string;
  /** Share of equal signature slots, 0..1. */
  readonly agreement: number | null;
  /** Exact Jaccard resemblance, where it was calculated. */
  readonly jaccard: number | null;
  readonly accepted: boolean;
}

/** A row of `clusters/`: one document of one cluster. */
export interface ClusterRow {
  /** From 1. */
  readonly cluster: number;
  readonly document: string;
  readonly role: 'representative' | 'member';
  /** To the representative, 0..1; 1 for itself. */
  readonly similarity: number | null;
  /** `estimate` where this very pair was never verified exactly. */
  readonly basis: 'exact' | 'estimate';
  /** Where the document is: its path, or `path#record`. Absent where the result has no such column. */
  readonly place?: string;
}

/** A row of the drop list: a document that can go, and the one that stands for it. */
export interface DropRow {
  readonly document: string;
  readonly kept: string;
  /** Their Jaccard resemblance, 0..1; null where the run measured containment. */
  readonly jaccard: number | null;
  /** How much of the document is in the kept one, 0..1; null where the run measured resemblance. */
  readonly containment: number | null;
  /** What to delete: its path, or `path#record`. Absent where the result has no such column. */
  readonly place?: string;
}

/** A row of `skipped`: something that was not compared, or not as it stands, and why. */
export interface SkippedRow {
  /** An id, or a place in a file. */
  readonly document: string;
  /** As in the error table; null for a row without one. */
  readonly code: ErrorCode | null;
  /** As it stands in the file: the code and its text. */
  readonly reason: string;
  /** What became of it, such as `skipped`; absent where the result has no such column. */
  readonly kind?: string;
}

/** How the rows of a file become data. */
export interface RowReading<Row> {
  readonly columns: WantedColumns;
  /** Cells in the order of the columns; null: not as we write them. */
  rowOf(cells: readonly string[], format: ResultFormat): Row | null;
}

const numberOf = (cell: string): number | null => (cell === '' ? null : Number(cell));
/** An optional cell, as a property or none. */
const given = <Key extends string>(key: Key, text: string): { readonly [K in Key]?: string } =>
  (text === '' ? {} : { [key]: text }) as { readonly [K in Key]?: string };

const KINDS: readonly string[] = PAIR_KINDS;

export const PAIRS: RowReading<PairRow> = {
  columns: {
    names: ['a', 'b', 'jaccard', 'agreement', 'containment_a_in_b', 'containment_b_in_a', 'kind'],
  },
  rowOf(cells, format) {
    if (!KINDS.includes(cells[6]!)) return null;
    return {
      a: unescapeBytes(cells[0]!, format),
      b: unescapeBytes(cells[1]!, format),
      jaccard: numberOf(cells[2]!),
      agreement: numberOf(cells[3]!),
      containmentAInB: numberOf(cells[4]!),
      containmentBInA: numberOf(cells[5]!),
      kind: cells[6] as PairKind,
    };
  },
};

export const CANDIDATES: RowReading<CandidateRow> = {
  columns: { names: ['a', 'b', 'agreement', 'jaccard', 'accepted'] },
  rowOf: (cells, format) => ({
    a: unescapeBytes(cells[0]!, format),
    b: unescapeBytes(cells[1]!, format),
    agreement: numberOf(cells[2]!),
    jaccard: numberOf(cells[3]!),
    accepted: cells[4] === 'yes',
  }),
};

export const CLUSTERS: RowReading<ClusterRow> = {
  columns: { names: ['cluster', 'document', 'role', 'similarity', 'basis'], optional: ['place'] },
  rowOf: (cells, format) => ({
    cluster: Number(cells[0]),
    document: unescapeBytes(cells[1]!, format),
    role: cells[2] === 'representative' ? 'representative' : 'member',
    similarity: numberOf(cells[3]!),
    basis: cells[4] === 'estimate' ? 'estimate' : 'exact',
    ...given('place', unescapePlace(cells[5]!, format)),
  }),
};

export const DROPS: RowReading<DropRow> = {
  columns: { names: ['document', 'kept'], optional: ['jaccard', 'containment', 'place'] },
  rowOf: (cells, format) => ({
    document: unescapeBytes(cells[0]!, format),
    kept: unescapeBytes(cells[1]!, format),
    jaccard: numberOf(cells[2]!),
    containment: numberOf(cells[3]!),
    ...given('place', unescapePlace(cells[4]!, format)),
  }),
};

export const SKIPPED: RowReading<SkippedRow> = {
  columns: { names: ['document', 'reason'], optional: ['kind'] },
  rowOf(cells, format) {
    const reason = cells[1]!;
    const code = reason.slice(0, Math.max(0, reason.indexOf(':')));
    return {
      document: unescapeBytes(cells[0]!, format),
      code: SKIP_CODES.find((known) => known === code) ?? null,
      reason,
      ...given('kind', cells[2]!),
    };
  },
};
