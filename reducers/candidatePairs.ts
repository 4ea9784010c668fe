/**
 * Reduce by bucket: documents whose signatures are equal in one band become candidate pairs.
 *
 * Works on columns of document numbers. The promise is the S-curve of the banding and nothing more (Mining of
 * Massive Datasets, section 3.4); for buckets too large for all pairs only the members are emitted
 * (reducers/hotPairs.ts).
 */

import { sortByKey64, sortPairs } from '../src/arrays/sort.js';
import type { BandKeys, BucketPairs, HotMembers, PairSlice, Pairs } from '../src/blocks/pairs.js';

export type { BandKeys, BucketPairs, HotMembers, Pairs };

/**
 * All pairs of documents that share a bucket of at most `hotBucket` documents, sorted by (a, b); of larger
 * buckets only the members. `slice`: which of the pairs; absent: all.
 *
 * Entry i of the band is `documents[i]`; they ascend. Neither keys nor documents are changed.
 */
export function bucketPairs(
  keys: BandKeys,
  documents: Uint32Array,
  hotBucket: number,
  slice: PairSlice = { from: 0, most: Number.POSITIVE_INFINITY },
): BucketPairs {
  const count = documents.length;
  const sortedKeys = keysOfEntries(keys, count);
  const entries = new Uint32Array(count);
  for (let i = 0; i < count; i++) entries[i] = i;
  // The sort is stable, so entries and with them documents ascend within a bucket: a < b holds without a
  // check.
  sortByKey64(sortedKeys, entries, count);
  const sizes = bucketSizes(sortedKeys, count, hotBucket);
  const a = new Uint32Array(sizes.pairs);
  const b = new Uint32Array(sizes.pairs);
  const headOf = new Uint32Array(count).fill(NONE);
  let made = 0;
  for (let from = 0; from < count; ) {
    const to = endOfBucket(sortedKeys, from, count);
    if (to - from > 1 && to - from > hotBucket) {
      for (let i = from; i < to; i++) headOf[entries[i]!] = entries[from]!;
    } else {
      made = pairAll(entries, documents, from, to, a, b, made);
    }
    from = to;
  }
  const total = sortPairs(a, b, made);
  const { buckets, largestBucket, hotBuckets } = sizes;
  const hot = hotMembers(headOf, documents, sizes.hotMembers);
  const from = Math.min(slice.from, total);
  const to = Math.min(total, from + slice.most);
  const pairs = { a: a.subarray(from, to), b: b.subarray(from, to), count: to - from };
  return { ...pairs, total, buckets, largestBucket, hotBuckets, hot };
}

/** Marks an entry in no hot bucket. */
const NONE = 0xffffffff;

/** A copy of the keys, one an entry. `roomOf`: memory for the copy (room 0) and for the keys of all columns (room 1). */
export function keysOfEntries(
  { blocks, places }: BandKeys,
  count: number,
  roomOf: (room: 0 | 1, length: number) => Uint32Array = (_, length) => new Uint32Array(length),
): Uint32Array {
  const columns = blocks.reduce((sum, block) => sum + block.length, 0);
  const all = roomOf(places === null ? 0 : 1, columns);
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  if (places === null) return all;
  const keys = roomOf(0, 2 * count);
  for (let i = 0; i < count; i++) {
    keys[2 * i] = all[2 * places[i]!]!;
    keys[2 * i + 1] = all[2 * places[i]! + 1]!;
  }
  return keys;
}

interface BucketSizes {
  buckets: number;
  largestBucket: number;
  pairs: number;
  hotBuckets: number;
  hotMembers: number;
}

/** Counts first, so that every column is allocated once, in its final size. */
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
export function endOfBucket(keys: Uint32Array, from: number, count: number): number {
  const low = keys[2 * from];
  const high = keys[2 * from + 1];
  let to = from + 1;
  while (to < count && keys[2 * to] === low && keys[2 * to + 1] === high) to++;
  return to;
}

/** Writes all pairs of entries[from, to) from position `at` on; returns the position after the last. */
function pairAll(
  entries: Uint32Array,
  documents: Uint32Array,
  from: number,
  to: number,
  a: Uint32Array,
  b: Uint32Array,
  at: number,
): number {
  for (let i = from; i < to - 1; i++) {
    for (let j = i + 1; j < to; j++) {
      a[at] = documents[entries[i]!]!;
      b[at++] = documents[entries[j]!]!;
    }
  }
  return at;
}

/** The members of hot buckets, from the first entry of each entry's bucket. */
export function hotMembers(headOf: Uint32Array, documents: Uint32Array, count: number): HotMembers {
  const hot = { documents: new Uint32Array(count), buckets: new Uint32Array(count) };
  const nameOf = new Uint32Array(headOf.length);
  let named = 0;
  for (let entry = 0, row = 0; entry < headOf.length; entry++) {
    const head = headOf[entry]!;
    if (head === NONE) continue;
    if (head === entry) nameOf[entry] = named++;
    hot.documents[row] = documents[entry]!;
    hot.buckets[row++] = nameOf[head]!;
  }
  return hot;
}

/**
 * The union of lists of pairs without those of `known`, sorted by (a, b) and distinct: a pair found in
 * several bands is one candidate. Each list of `known` is sorted and distinct.
 */
export function distinctPairs(lists: readonly Pairs[], known: readonly Pairs[] = []): Pairs {
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
  let pairs: Pairs = { a, b, count: sortPairs(a, b, total) };
  for (const list of known) pairs = withoutKnown(pairs, list);
  return pairs;
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
  return { a: a.subarray(0, left), b: b.subarray(0, left), count: left };
}
