/** Columns of pairs and buckets of documents, as reducers and kernels exchange them. */
import { agreementOf } from '../sketch/probability.js';

/** Pairs a[i] < b[i] for i in [0, count); the columns may be longer than `count`. */
export interface Pairs {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly count: number;
}

/** Members of hot buckets of one band: row i says that `documents[i]` is in bucket `buckets[i]`. */
export interface HotMembers {
  /** Ascending. */
  readonly documents: Uint32Array;
  /** Buckets are numbered from 0 in the order of their first members. */
  readonly buckets: Uint32Array;
  /** Of hot fingerprints, by row: the number of the document's next frequent fingerprint, or of its first one after the last. */
  readonly next?: Uint32Array;
}

/** A slice of the sorted pairs: at most `most` pairs from number `from` on. */
export interface PairSlice {
  readonly from: number;
  readonly most: number;
}

export interface BucketPairs extends Pairs {
  /** Number of pairs of all buckets that are not hot, including those outside the slice. */
  readonly total: number;
  /** Number of buckets with at least two documents, hot ones included. */
  readonly buckets: number;
  /** Number of documents in the largest bucket; 0 when there is no document, 1 when no two share a bucket. */
  readonly largestBucket: number;
  readonly hotBuckets: number;
  readonly hot: HotMembers;
}

/** States of a document in a band: its bucket is small, large, or so large that not all of its pairs are made (capped). */
export const SMALL = 0;
export const LARGE = 1;
export const CAPPED = 2;

/** Members of buckets in rows: their documents, signatures of `stride` slots, and states, a byte per band. */
export interface MemberRows {
  readonly documents: Uint32Array;
  readonly signatures: Uint32Array;
  readonly stride: number;
  readonly states: Uint8Array;
}

/** Rows [from, to). */
export interface RowSpan {
  readonly from: number;
  readonly to: number;
}

/** Pairs of members of one bucket: every two rows of a span (`one` is `other`), or each row of one span with each row of a later span. */
export interface SpanPair {
  readonly one: RowSpan;
  readonly other: RowSpan;
}

/** The parameters by which members of buckets become pairs. */
export interface LargeRule {
  /** The band whose buckets have the members. */
  readonly band: number;
  readonly bands: number;
  readonly rows: number;
  readonly hashes: number;
  /** Least number of matching slots of a pair that is emitted. */
  readonly least: number;
}

/** Takes the first `count` pairs of columns, which are valid until it returns. */
export type TakeAgreeing = (a: Uint32Array, b: Uint32Array, agreement: Uint16Array, count: number) => void;

/**
 * Compares members of buckets. A pair is made here if its documents share no small bucket and no earlier large one. A pair that
 * agrees in `least` slots, or shares a capped bucket, is emitted, in any order; the others are counted by matching slots.
 *
 * @param counts by matching slots, the number of pairs made and not emitted, which is increased
 */
export type CompareMembers = (
  members: MemberRows,
  spans: readonly SpanPair[],
  rule: LargeRule,
  counts: Float64Array,
  take: TakeAgreeing,
) => void;

/** Bucket keys of a band: 64-bit keys as pairs (low, high), one document batch after the other. */
export interface BandKeys {
  readonly blocks: readonly Uint32Array[];
  /** Entry i of the band has the key with number `places[i]`, counted over all blocks; null: the key with number i. */
  readonly places: Uint32Array | null;
}

/**
 * The signatures of documents: document d has column `columnOf[d]` of block `blockOf[d]`, `stride` slots per
 * column.
 */
export interface SignatureBlocks {
  readonly blocks: readonly Uint32Array[];
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  readonly stride: number;
  /** Number of slots in use, at most `stride` and at most 65,535. */
  readonly hashes: number;
}

/**
 * Matching slots of the signatures of every pair, which are compared where they lie: most pairs are of small buckets, so a signature is
 * in few of them, and copies for the kernel would cost as much as they save.
 */
export function agreements({ a, b, count }: Pairs, signatures: SignatureBlocks): Uint16Array {
  const { blocks, blockOf, columnOf, stride, hashes } = signatures;
  const out = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y] = [a[i]!, b[i]!];
    const [inX, inY] = [blocks[blockOf[x]!]!, blocks[blockOf[y]!]!];
    out[i] = agreementOf(inX, columnOf[x]! * stride, inY, columnOf[y]! * stride, hashes);
  }
  return out;
}

/**
 * Similarities of sketches: numbers of matching slots for signatures (u16); estimates, shares 0..1, for samples (f64).
 */
export type Agreements = Uint16Array | Float64Array;

/** Pairs with the similarities of their sketches. */
export interface AgreeingPairs extends Pairs {
  readonly agreement: Agreements;
  /** By pair, 1 where the similarity reaches the required least value. */
  readonly accepted: Uint8Array;
}
