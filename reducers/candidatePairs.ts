/**
 * Reduce by bucket: documents whose signatures are equal in one band become candidate pairs.
 *
 * Floor 2. Works on columns of document numbers; it never knows signatures, texts or similarities. The
 * promise is the S-curve of the banding and nothing more (Mining of Massive Datasets, section 3.4); buckets
 * too large for all pairs are handed on untouched to `hotBuckets`.
 */
import { sortByKey64, sortPairs } from '../src/sketch/radixSort.js';

/** Pairs a[i] < b[i] for i in [0, count); the columns may be longer than `count`. */
export interface Pairs {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly count: number;
}

export interface BucketPairs extends Pairs {
  /** Buckets with at least two documents, hot ones too. */
  readonly buckets: number;
  /** Documents in the largest bucket; 0 when there is no document, 1 when no two share a bucket. */
  readonly largestBucket: number;
  /**
   * Hot bucket h holds `hotMembers[hotOffsets[h] .. hotOffsets[h + 1])`, ascending. One more entry than hot
   * buckets.
   */
  readonly hotOffsets: Uint32Array;
  readonly hotMembers: Uint32Array;
}

/**
 * All pairs of documents that share a bucket of at most `hotBucket` documents; larger buckets are returned
 * unpaired.
 *
 * `keys` holds one 64-bit bucket key (low, high) for each entry of `documents`, which ascends; neither is
 * changed. Pairs come bucket by bucket in the order of keys, so they are distinct but not sorted.
 */
export function bucketPairs(keys: Uint32Array, documents: Uint32Array, hotBucket: number): BucketPairs {
  const count = documents.length;
  const sortedKeys = keys.slice(0, 2 * count);
  const sorted = documents.slice();
  // Stable, so documents ascend within a bucket and a < b comes for free.
  sortByKey64(sortedKeys, sorted, count);
  const sizes = bucketSizes(sortedKeys, count, hotBucket);
  const a = new Uint32Array(sizes.pairs);
  const b = new Uint32Array(sizes.pairs);
  const hotOffsets = new Uint32Array(sizes.hotBuckets + 1);
  const hotMembers = new Uint32Array(sizes.hotMembers);
  let made = 0;
  let hot = 0;
  for (let from = 0; from < count; ) {
    const to = endOfBucket(sortedKeys, from, count);
    if (to - from > hotBucket) {
      hotMembers.set(sorted.subarray(from, to), hotOffsets[hot]!);
      hotOffsets[hot + 1] = hotOffsets[hot]! + (to - from);
      hot++;
    } else {
      made = pairAll(sorted, from, to, a, b, made);
    }
    from = to;
  }
  const { buckets, largestBucket } = sizes;
  return { a, b, count: made, buckets, largestBucket, hotOffsets, hotMembers };
}

interface BucketSizes {
  buckets: number;
  largestBucket: number;
  pairs: number;
  hotBuckets: number;
  hotMembers: number;
}

/** Counts first, so that every column is made once and in its size. */
function bucketSizes(keys: Uint32Array, count: number, hotBucket: number): BucketSizes {
  const sizes: BucketSizes = { buckets: 0, largestBucket: 0, pairs: 0, hotBuckets: 0, hotMembers: 0 };
  for (let from = 0; from < count; ) {
    const to = endOfBucket(keys, from, count);
    const size = to - from;
    if (size > sizes.largestBucket) sizes.largestBucket = size;
    if (size > 1) {
      sizes.buckets++;
      if (size > hotBucket) {
        sizes.hotBuckets++;
        sizes.hotMembers += size;
      } else {
        sizes.pairs += (size * (size - 1)) / 2;
      }
    }
    from = to;
  }
  return sizes;
}

/** End (exclusive) of the bucket that starts at `from` in sorted keys. */
function endOfBucket(keys: Uint32Array, from: number, count: number): number {
  const low = keys[2 * from];
  const high = keys[2 * from + 1];
  let to = from + 1;
  while (to < count && keys[2 * to] === low && keys[2 * to + 1] === high) to++;
  return to;
}

/** Writes all pairs of documents[from, to) from position `at` on; returns the position after the last. */
function pairAll(
  documents: Uint32Array,
  from: number,
  to: number,
  a: Uint32Array,
  b: Uint32Array,
  at: number,
): number {
  for (let i = from; i < to - 1; i++) {
    for (let j = i + 1; j < to; j++) {
      a[at] = documents[i]!;
      b[at++] = documents[j]!;
    }
  }
  return at;
}

/**
 * The union of lists of pairs, sorted by (a, b) and distinct: a pair found in several bands is one candidate.
 */
export function distinctPairs(lists: readonly Pairs[]): Pairs {
  let total = 0;
  for (const list of lists) total += list.count;
  const a = new Uint32Array(total);
  const b = new Uint32Array(total);
  let at = 0;
  for (const list of lists) {
    a.set(list.a.subarray(0, list.count), at);
    b.set(list.b.subarray(0, list.count), at);
    at += list.count;
  }
  return { a, b, count: sortPairs(a, b, total) };
}

/** The pairs that are not in `known`; both lists, and the result, are sorted by (a, b) and distinct. */
export function withoutKnown(pairs: Pairs, known: Pairs): Pairs {
  const a = new Uint32Array(pairs.count);
  const b = new Uint32Array(pairs.count);
  let left = 0;
  let k = 0;
  for (let i = 0; i < pairs.count; i++) {
    const x = pairs.a[i]!;
    const y = pairs.b[i]!;
    while (k < known.count && (known.a[k]! < x || (known.a[k] === x && known.b[k]! < y))) k++;
    if (k < known.count && known.a[k] === x && known.b[k] === y) continue;
    a[left] = x;
    b[left++] = y;
  }
  // Cut to size: few are left in later rounds, and what is left is held for a whole round.
  return { a: a.slice(0, left), b: b.slice(0, left), count: left };
}
