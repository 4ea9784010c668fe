/**
 * Reduce by hot fingerprint: the documents that rely on it are paired linearly, or all with all once they are few.
 *
 * Floor 2. The rule is that of hotBuckets. Neighbours are documents with the same next hot fingerprint, hence the same
 * boilerplate, and with about as many fingerprints of their own, the barest first: of two pages that have a header in common
 * and nothing else the shorter ones are the more alike.
 */
import type { HotMembers, Pairs } from '../src/sketch/pairs.js';
import { sortByKey64 } from '../src/sketch/radixSort.js';
import { type HotSlice, hotPairs } from './hotBuckets.js';

/** What the pairing goes by, by document. */
export interface Bareness {
  /** Fingerprints of its sample that are not frequent. */
  readonly own: Uint32Array;
  /** 1: relies on frequent fingerprints. Pairs of two that do not are none. */
  readonly relies: Uint8Array;
}

export interface FrequentPairs extends Pairs {
  /** Pairs in question that were not made, by fingerprint: a pair can be counted by several. Those of all slices add up. */
  readonly skipped: number;
}

/**
 * The pairs of hot fingerprints, not sorted, with repetitions; `members`: a document's rows ascend by bucket. `slice`: of the
 * rows of those that are paired linearly; the first slice has all others, too.
 */
export function frequentPairs(
  members: HotMembers,
  { own, relies }: Bareness,
  hotBucket: number,
  sort: typeof sortByKey64 = sortByKey64,
  slice: HotSlice = { from: 0, to: members.documents.length },
): FrequentPairs {
  const { sizes, relying } = sizesOf(members, relies);
  const isHot = (bucket: number): boolean => sizes[bucket]! > hotBucket;
  const isFirst = slice.from === 0;
  const few = rowsOf(members, (bucket) => isFirst && !isHot(bucket));
  const many = rowsOf(members, isHot);
  const all = fullPairs(few, relies, sort);
  const some = linearPairs(many, { own, relies }, sort, slice);
  const a = new Uint32Array(all.count + some.count);
  const b = new Uint32Array(all.count + some.count);
  a.set(all.a);
  b.set(all.b);
  a.set(some.a.subarray(0, some.count), all.count);
  b.set(some.b.subarray(0, some.count), all.count);
  let asked = 0;
  for (let bucket = 0; isFirst && bucket < sizes.length; bucket++) {
    if (isHot(bucket)) asked += pairsInQuestion(sizes[bucket]!, relying[bucket]!);
  }
  return { a, b, count: a.length, skipped: asked - some.count };
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2;

/** Pairs that could be made of documents, of which so many rely on frequent fingerprints. */
export function pairsInQuestion(documents: number, relying: number): number {
  return pairsOf(documents) - pairsOf(documents - relying);
}

function sizesOf({ documents, buckets }: HotMembers, relies: Uint8Array) {
  const count = buckets.reduce((most, bucket) => Math.max(most, bucket + 1), 0);
  const sizes = new Uint32Array(count);
  const relying = new Uint32Array(count);
  for (let i = 0; i < buckets.length; i++) {
    sizes[buckets[i]!]!++;
    relying[buckets[i]!]! += relies[documents[i]!]!;
  }
  return { sizes, relying };
}

/** The rows of some buckets, which are numbered anew as they come. */
function rowsOf({ documents, buckets }: HotMembers, isWanted: (bucket: number) => boolean): HotMembers {
  const rows = { documents: new Uint32Array(documents.length), buckets: new Uint32Array(documents.length) };
  const numbers = new Map<number, number>();
  let count = 0;
  for (let i = 0; i < documents.length; i++) {
    const bucket = buckets[i]!;
    if (!isWanted(bucket)) continue;
    if (!numbers.has(bucket)) numbers.set(bucket, numbers.size);
    rows.documents[count] = documents[i]!;
    rows.buckets[count++] = numbers.get(bucket)!;
  }
  return { documents: rows.documents.subarray(0, count), buckets: rows.buckets.subarray(0, count) };
}

/** All pairs of each bucket of which a document relies on frequent fingerprints. */
function fullPairs({ documents, buckets }: HotMembers, relies: Uint8Array, sort: typeof sortByKey64): Pairs {
  const count = documents.length;
  const keys = new Uint32Array(2 * count);
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    keys[2 * i + 1] = buckets[i]!;
    order[i] = i;
  }
  sort(keys, order, count);
  const made = (write: (x: number, y: number) => void): void => {
    for (let from = 0, to = 0; from < count; from = to) {
      while (to < count && buckets[order[to]!] === buckets[order[from]!]) to++;
      for (let i = from; i < to; i++) {
        for (let j = i + 1; j < to; j++) {
          const [x, y] = [documents[order[i]!]!, documents[order[j]!]!];
          if (relies[x] === 1 || relies[y] === 1) write(x, y);
        }
      }
    }
  };
  let pairs = 0;
  made(() => pairs++);
  const [a, b] = [new Uint32Array(pairs), new Uint32Array(pairs)];
  let at = 0;
  made((x, y) => {
    a[at] = x;
    b[at++] = y;
  });
  return { a, b, count: pairs };
}

function linearPairs(
  members: HotMembers,
  { own, relies }: Bareness,
  sort: typeof sortByKey64,
  { from: first, to: end }: HotSlice,
): Pairs {
  const { documents, buckets } = members;
  const next = new Uint32Array(documents.length);
  const barest = new Uint32Array(2 * documents.length);
  for (let from = 0, to = 0; from < documents.length; from = to) {
    const document = documents[from]!;
    while (to < documents.length && documents[to] === document) to++;
    for (let i = from; i < to; i++) {
      next[i] = buckets[i + 1 < to ? i + 1 : from]!;
      barest[2 * i] = own[document]!;
      barest[2 * i + 1] = document;
    }
  }
  const last = Math.min(end, documents.length);
  const { a, b, count } = hotPairs(members, next, barest, sort, { from: Math.min(first, last), to: last });
  let made = 0;
  for (let i = 0; i < count; i++) {
    if (relies[a[i]!] === 0 && relies[b[i]!] === 0) continue;
    a[made] = a[i]!;
    b[made++] = b[i]!;
  }
  return { a, b, count: made };
}

/** Hot fingerprints in groups of at most so many rows, but for those with more alone: each group a task. */
export function groupedMembers({ documents, buckets }: HotMembers, mostRows: number): HotMembers[] {
  const sizes = sizesOf({ documents, buckets }, new Uint8Array(0)).sizes;
  const groupOf = new Uint32Array(sizes.length);
  let [groups, rows] = [0, 0];
  for (let bucket = 0; bucket < sizes.length; bucket++) {
    if (rows > 0 && rows + sizes[bucket]! > mostRows) [groups, rows] = [groups + 1, 0];
    groupOf[bucket] = groups;
    rows += sizes[bucket]!;
  }
  if (sizes.length === 0) return [];
  return Array.from({ length: groups + 1 }, (_, group) => {
    const own = rowsOf({ documents, buckets }, (bucket) => groupOf[bucket] === group);
    return { documents: own.documents.slice(), buckets: own.buckets.slice() };
  });
}

/**
 * Kept members that share a hot fingerprint with a kept one they may never have been compared with: all of a fingerprint that
 * the last pairing did not pair all with all, or of which it did not have one that is kept now.
 *
 * @param paired 1: the last pairing had it
 */
export function keptUnpaired(
  groups: readonly HotMembers[],
  kept: Uint8Array,
  paired: Uint8Array,
  relies: Uint8Array,
  hotBucket: number,
): number {
  const left = new Uint8Array(kept.length);
  for (const { documents, buckets } of groups) {
    const count = buckets.reduce((most, bucket) => Math.max(most, bucket + 1), 0);
    const [now, then, new_] = [new Uint32Array(count), new Uint32Array(count), new Uint8Array(count)];
    for (let i = 0; i < documents.length; i++) {
      const [document, bucket] = [documents[i]!, buckets[i]!];
      now[bucket]! += kept[document]!;
      then[bucket]! += paired[document]!;
      if (kept[document] === 1 && paired[document] === 0) new_[bucket] = 1;
    }
    for (let i = 0; i < documents.length; i++) {
      const bucket = buckets[i]!;
      if (now[bucket]! < 2 || (then[bucket]! <= hotBucket && new_[bucket] === 0)) continue;
      left[documents[i]!] = kept[documents[i]!]! & relies[documents[i]!]!;
    }
  }
  return left.reduce((sum, one) => sum + one, 0);
}
