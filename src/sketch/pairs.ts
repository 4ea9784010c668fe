/**
 * Columns of pairs and buckets of documents, as reducers make them and kernels hand them on.
 *
 * Floor 0: types only.
 */

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
}

/** Which of many sorted pairs are handed out: at most `most` from number `from` on. */
export interface PairSlice {
  readonly from: number;
  readonly most: number;
}

export interface BucketPairs extends Pairs {
  /** Pairs of all buckets that are not hot, those that were not handed out too. */
  readonly total: number;
  /** Buckets with at least two documents, hot ones too. */
  readonly buckets: number;
  /** Documents in the largest bucket; 0 when there is no document, 1 when no two share a bucket. */
  readonly largestBucket: number;
  readonly hotBuckets: number;
  readonly hot: HotMembers;
}

/** Bucket keys of a band in column blocks: 64-bit keys as pairs (low, high), block behind block. */
export interface BandKeys {
  readonly blocks: readonly Uint32Array[];
  /** Entry i of the band has key `places[i]`, counted over all blocks; null: entry i has key i. */
  readonly places: Uint32Array | null;
}

/**
 * Where the signatures are: document d has column `columnOf[d]` of block `blockOf[d]`, `stride` slots a
 * column.
 */
export interface SignatureBlocks {
  readonly blocks: readonly Uint32Array[];
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  readonly stride: number;
  /** Slots that count, at most `stride` and at most 65,535. */
  readonly hashes: number;
  /** Most bytes of signatures that are copied out of the blocks to stay; absent: as many as there is room for. */
  readonly copied?: number;
}

/** Pairs with the equal slots of their signatures. */
export interface AgreeingPairs extends Pairs {
  readonly agreement: Uint16Array;
  /** 1 where the agreement is at least what was asked for. */
  readonly accepted: Uint8Array;
}
