/**
 * Reduce by large bucket: pairs of members, whose signatures are in memory together, become candidate pairs with their
 * agreements. Each pair is made in the first band in which it agrees, so that no list of pairs must be made distinct.
 *
 * The bucket of a document in a band has a state: reducers/candidatePairs.ts pairs small buckets, reducers/hotPairs.ts capped
 * ones.
 */

import {
  CAPPED,
  type CompareMembers,
  type HotMembers,
  LARGE,
  type LargeRule,
  type MemberRows,
  type RowSpan,
  SMALL,
  type SpanPair,
} from '../src/blocks/pairs.js';
import { agreementOf } from '../src/sketch/probability.js';

/** The reference implementation, without the kernel. */
export const compareMembers: CompareMembers = (members, spans, rule, counts, take) => {
  const { documents, signatures, stride } = members;
  const [a, b, agreement] = [new Uint32Array(1), new Uint32Array(1), new Uint16Array(1)];
  const compare = (i: number, j: number): void => {
    const made = madeHere(members, i, j, rule);
    if (made === 'elsewhere') return;
    const equal = agreementOf(signatures, i * stride, signatures, j * stride, rule.hashes);
    if (equal < rule.least && made !== 'capped') {
      counts[equal]!++;
      return;
    }
    [a[0], b[0], agreement[0]] = [documents[i]!, documents[j]!, equal];
    take(a, b, agreement, 1);
  };
  for (const { one, other } of spans) {
    for (let i = one.from; i < one.to; i++) {
      for (let j = Math.max(i + 1, other.from); j < other.to; j++) compare(i, j);
    }
  }
};

function madeHere(
  { signatures, stride, states }: MemberRows,
  i: number,
  j: number,
  { band, bands, rows }: LargeRule,
): 'here' | 'elsewhere' | 'capped' {
  let made: 'here' | 'capped' = 'here';
  for (let k = 0; k < bands; k++) {
    if (k === band || !agreesIn(signatures, i * stride + k * rows, j * stride + k * rows, rows)) continue;
    const state = states[i * bands + k]!;
    if (state === SMALL || (state === LARGE && k < band)) return 'elsewhere';
    if (state === CAPPED) made = 'capped';
  }
  return made;
}

function agreesIn(slots: Uint32Array, x: number, y: number, rows: number): boolean {
  for (let r = 0; r < rows; r++) if (slots[x + r] !== slots[y + r]) return false;
  return true;
}

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

/** How many members each bucket has. */
export function bucketSizesOf({ buckets }: HotMembers): Uint32Array {
  let count = 0;
  for (let i = 0; i < buckets.length; i++) count = Math.max(count, buckets[i]! + 1);
  const sizes = new Uint32Array(count);
  for (let i = 0; i < buckets.length; i++) sizes[buckets[i]!]!++;
  return sizes;
}

/**
 * Splits buckets by size: members of buckets of at most `most`, bucket by bucket, and those of larger buckets, renumbered without
 * gaps.
 */
export function partedMembers(
  members: HotMembers,
  sizes: Uint32Array,
  most: number,
): { readonly large: GroupedMembers; readonly capped: HotMembers } {
  const { documents, buckets } = members;
  // By bucket: where its next member goes, or its new number.
  const next = new Uint32Array(sizes.length);
  let [largeBuckets, largeMembers, cappedBuckets] = [0, 0, 0];
  for (let k = 0; k < sizes.length; k++) {
    if (sizes[k]! > most) next[k] = cappedBuckets++;
    else {
      next[k] = largeMembers;
      largeMembers += sizes[k]!;
      largeBuckets++;
    }
  }
  const offsets = new Uint32Array(largeBuckets + 1);
  for (let k = 0, at = 0; k < sizes.length; k++) {
    if (sizes[k]! > most) continue;
    offsets[at + 1] = offsets[at]! + sizes[k]!;
    at++;
  }
  const large = { offsets, members: new Uint32Array(largeMembers) };
  const count = documents.length - largeMembers;
  const capped = { documents: new Uint32Array(count), buckets: new Uint32Array(count) };
  for (let i = 0, row = 0; i < documents.length; i++) {
    const bucket = buckets[i]!;
    if (sizes[bucket]! > most) {
      capped.documents[row] = documents[i]!;
      capped.buckets[row++] = next[bucket]!;
    } else large.members[next[bucket]!++] = documents[i]!;
  }
  return { large, capped };
}
