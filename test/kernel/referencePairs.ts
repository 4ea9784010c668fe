/** Pairs of buckets, plainly: the oracles that the kernel equals. */
import type { Groups } from '../../src/arrays/groupCounts.js';
import { concatenated, Uint32Column } from '../../src/arrays/growable.js';
import { sortPairs } from '../../src/arrays/sort.js';
import {
  type BandKeys,
  type BucketPairs,
  CAPPED,
  type CompareMembers,
  LARGE,
  type LargeRule,
  type MemberRows,
  type PairSlice,
  type Pairs,
  SMALL,
} from '../../src/blocks/pairs.js';
import { agreementOf } from '../../src/sketch/probability.js';

/**
 * All pairs of documents that share a bucket of at most `hotBucket` documents, sorted by (a, b); of larger
 * buckets only the members. Entry i of the band is `documents[i]`; they ascend. Only documents of two groups are a pair, and only
 * buckets with two groups count.
 */
export function bucketPairs(
  { blocks, places }: BandKeys,
  documents: Uint32Array,
  hotBucket: number,
  slice: PairSlice = { from: 0, most: Number.POSITIVE_INFINITY },
  groups: Groups | null = null,
): BucketPairs {
  const groupOf = (document: number): number => groups?.of[document] ?? document;
  const keys = concatenated(blocks);
  const buckets = new Map<string, number[]>();
  documents.forEach((document, i) => {
    const place = places?.[i] ?? i;
    const key = `${keys[2 * place]} ${keys[2 * place + 1]}`;
    const members = buckets.get(key);
    if (members === undefined) buckets.set(key, [document]);
    else members.push(document);
  });
  const all = [...buckets.values()];
  const shared = all.filter((bucket) => bucket.some((document) => groupOf(document) !== groupOf(bucket[0]!)));
  const hot = shared.filter(({ length }) => length > hotBucket);
  const bucketOf = new Map(
    hot.flatMap((members, bucket) => members.map((document) => [document, bucket] as const)),
  );
  const members = documents.filter((document) => bucketOf.has(document));
  const small = shared.filter(({ length }) => length <= hotBucket);
  const [one, other] = [new Uint32Column(), new Uint32Column()];
  for (const bucket of small) {
    for (let i = 0; i < bucket.length; i++) {
      for (let j = i + 1; j < bucket.length; j++) {
        if (groupOf(bucket[i]!) === groupOf(bucket[j]!)) continue;
        one.push(bucket[i]!);
        other.push(bucket[j]!);
      }
    }
  }
  const [a, b] = [one.view, other.view];
  const total = sortPairs(a, b, a.length);
  const from = Math.min(slice.from, total);
  const to = Math.min(total, from + slice.most);
  return {
    ...{ a: a.subarray(from, to), b: b.subarray(from, to), count: to - from, total },
    buckets: shared.length,
    largestBucket: shared.reduce((most, { length }) => Math.max(most, length), Math.min(all.length, 1)),
    hotBuckets: hot.length,
    hot: { documents: members, buckets: members.map((document) => bucketOf.get(document)!) },
  };
}

/**
 * The union of lists of pairs without those of `known`, sorted by (a, b) and distinct: a pair found in
 * several bands is one candidate.
 */
export function distinctPairs(lists: readonly Pairs[], known: readonly Pairs[] = []): Pairs {
  const columnOf = (side: 'a' | 'b') => concatenated(lists.map((list) => list[side].subarray(0, list.count)));
  const [a, b] = [columnOf('a'), columnOf('b')];
  const count = sortPairs(a, b, a.length);
  const isKnown = new Set(
    known.flatMap((list) => Array.from({ length: list.count }, (_, i) => `${list.a[i]} ${list.b[i]}`)),
  );
  const rows = Uint32Array.from({ length: count }, (_, i) => i).filter(
    (i) => !isKnown.has(`${a[i]} ${b[i]}`),
  );
  return { a: rows.map((i) => a[i]!), b: rows.map((i) => b[i]!), count: rows.length };
}

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
