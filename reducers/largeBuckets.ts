/**
 * Reduce by large bucket: members, whose signatures are in memory together, in the order and the spans in which the kernel makes
 * candidate pairs of them with their agreements (`CompareMembers`). Each pair is made in the first band in which it agrees, so
 * that no list of pairs must be made distinct.
 */

import { type Groups, rowsByKey } from '../src/arrays/groupCounts.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import type { HotMembers, RowSpan, SpanPair } from '../src/blocks/pairs.js';

/**
 * The pairs of rows of two groups, as spans: those of two rows of `one`, where `other` is the same span, else of a row of `one`
 * and one of `other`, which is behind it. Rows of a group follow one another. `groups`: by row; null: every row is a group.
 */
export function* spansOf(
  one: RowSpan,
  other: RowSpan,
  groups: ArrayLike<number> | null,
): Generator<SpanPair> {
  if (one.to === one.from || other.to === other.from) return;
  if (groups === null) yield { one, other };
  else if (one.from === other.from) yield* spansWithin(one, groups);
  else {
    // Only the last group of `one` can go on in `other`.
    let [last, next] = [one.to, other.from];
    while (last > one.from && groups[last - 1] === groups[other.from]) last--;
    while (last < one.to && next < other.to && groups[next] === groups[other.from]) next++;
    if (last > one.from) yield { one: { from: one.from, to: last }, other };
    if (last < one.to && next < other.to)
      yield { one: { from: last, to: one.to }, other: { from: next, to: other.to } };
  }
}

function* spansWithin({ from, to }: RowSpan, groups: ArrayLike<number>): Generator<SpanPair> {
  const endOf = (row: number): number => {
    let end = row + 1;
    while (end < to && groups[end] === groups[row]) end++;
    return end;
  };
  for (let row = from, end = from; row < to; row = end) {
    end = endOf(row);
    const isAlone = end === row + 1;
    // Groups of one row each pair with one another, too.
    while (isAlone && end < to && endOf(end) === end + 1) end++;
    const other = { from: isAlone ? row : end, to };
    if (other.from < to - (isAlone ? 1 : 0)) yield { one: { from: row, to: end }, other };
  }
}

/** Members bucket by bucket: those of bucket k are `members[offsets[k] .. offsets[k + 1])`. */
export interface GroupedMembers {
  readonly offsets: Uint32Array;
  readonly members: Uint32Array;
}

/** The number of buckets, which are numbered from 0. */
export function countOfBuckets(buckets: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < buckets.length; i++) count = Math.max(count, buckets[i]! + 1);
  return count;
}

export function bucketSizesOf({ buckets }: HotMembers): Uint32Array {
  const sizes = new Uint32Array(countOfBuckets(buckets));
  for (let i = 0; i < buckets.length; i++) sizes[buckets[i]!]!++;
  return sizes;
}

/**
 * Splits buckets by size: members of buckets of at most `most`, bucket by bucket, and those of larger buckets, renumbered without
 * gaps.
 */
export function partedMembers(
  { documents, buckets }: HotMembers,
  sizes: Uint32Array,
  most: number,
): { readonly large: GroupedMembers; readonly capped: HotMembers } {
  // By bucket: its number among those of its kind.
  const numbers = new Uint32Array(sizes.length);
  let [largeBuckets, cappedBuckets, cappedMembers] = [0, 0, 0];
  for (let k = 0; k < sizes.length; k++) {
    if (sizes[k]! > most) cappedMembers += sizes[k]!;
    numbers[k] = sizes[k]! > most ? cappedBuckets++ : largeBuckets++;
  }
  const { starts, rows } = rowsByKey(largeBuckets, (give) => {
    for (let i = 0; i < documents.length; i++)
      if (sizes[buckets[i]!]! <= most) give(numbers[buckets[i]!]!, documents[i]!);
  });
  const capped = { documents: new Uint32Array(cappedMembers), buckets: new Uint32Array(cappedMembers) };
  for (let i = 0, row = 0; row < cappedMembers; i++) {
    if (sizes[buckets[i]!]! <= most) continue;
    capped.documents[row] = documents[i]!;
    capped.buckets[row++] = numbers[buckets[i]!]!;
  }
  return { large: { offsets: starts, members: rows }, capped };
}

/** Members of the buckets of several bands, whose buckets are numbered one band after the other. */
export interface MembersOfBands {
  readonly buckets: number;
  /** Visits the members of one band after the other. */
  each(visit: (document: number, bucket: number) => void): void;
}

export function membersOfBands(bands: readonly HotMembers[]): MembersOfBands {
  const bases: number[] = [];
  let count = 0;
  for (const { buckets } of bands) {
    bases.push(count);
    count += countOfBuckets(buckets);
  }
  return {
    buckets: count,
    each(visit) {
      bands.forEach(({ documents, buckets }, band) => {
        for (let i = 0; i < documents.length; i++) visit(documents[i]!, bases[band]! + buckets[i]!);
      });
    },
  };
}

/** The members of buckets in the order of (bucket, group). */
export function byGroup({ offsets, members }: GroupedMembers, groups: Groups): Uint32Array {
  const count = members.length;
  const keys = new Uint32Array(2 * count);
  const ordered = members.slice();
  for (let bucket = 0; bucket + 1 < offsets.length; bucket++) {
    for (let i = offsets[bucket]!; i < offsets[bucket + 1]!; i++) {
      keys[2 * i] = groups.of[members[i]!]!;
      keys[2 * i + 1] = bucket;
    }
  }
  sortByKey64(keys, ordered, count);
  return ordered;
}
