/**
 * Reduce by hot bucket: buckets too large for all pairs are paired linearly.
 *
 * Floor 2. Works on document numbers, slots and digests; it never knows signatures, texts or ids. What makes
 * up for the pairs never made is in `hotRounds`.
 */
import type { HotMembers, Pairs } from '../src/sketch/pairs.js';
import { sortByKey64 } from '../src/sketch/radixSort.js';

/** Predecessors that each member of a hot bucket is paired with. */
export const HOT_PREDECESSORS = 8;

export interface HotPairs extends Pairs {
  /** Pairs of the buckets that were not made: n(n-1)/2 of each less `count`; exact below 2^53. */
  readonly skipped: number;
}

/** The members whose pairs with predecessors are made: those at positions [from, to) of the order. */
export interface HotSlice {
  readonly from: number;
  readonly to: number;
}

/**
 * Pairs of the hot buckets of one band, at most 9 a member: in the order of (slot, digest, number) each member
 * with its 8 predecessors, and each with the bucket's first member in id order. Distinct, not sorted.
 *
 * Members whose next slot after the band agrees too are the likeliest to be alike, hence the order by slot;
 * the digest of the id breaks its ties in a way that neighbouring ids cannot influence. The pairs with the
 * first member make a bucket of one page's copies collapse at once.
 *
 * @param slots the signature slot after the band's last, cyclically over N; one a member
 * @param digests the first 8 bytes of SHA-256 of the id as two big-endian uint32; one pair a member
 * @param slice the slices of an order have no pair in common, and together all pairs; what they skip adds up
 */
export function hotPairs(
  hot: HotMembers,
  slots: Uint32Array,
  digests: Uint32Array,
  sort: typeof sortByKey64 = sortByKey64,
  { from, to }: HotSlice = { from: 0, to: hot.documents.length },
): HotPairs {
  const order = hotOrder(hot.buckets, slots, digests, sort);
  const firsts = firstMembers(hot);
  const a = new Uint32Array((HOT_PREDECESSORS + 1) * (to - from));
  const b = new Uint32Array((HOT_PREDECESSORS + 1) * (to - from));
  let made = 0;
  let all = 0;
  let start = from;
  while (start > 0 && from < to && hot.buckets[order[start - 1]!] === hot.buckets[order[from]!]) start--;
  for (let p = from; p < to; p++) {
    const bucket = hot.buckets[order[p]!]!;
    if (bucket !== hot.buckets[order[start]!]) start = p;
    all += p - start;
    const member = hot.documents[order[p]!]!;
    const first = firsts[bucket]!;
    // Every pair with the first member is made here, so below they are left out and nothing comes twice.
    if (member === first) continue;
    a[made] = first;
    b[made++] = member;
    for (let q = Math.max(start, p - HOT_PREDECESSORS); q < p; q++) {
      const other = hot.documents[order[q]!]!;
      if (other === first) continue;
      a[made] = Math.min(other, member);
      b[made++] = Math.max(other, member);
    }
  }
  return { a, b, count: made, skipped: all - made };
}

/**
 * Rows in the order of (bucket, slot, digest, number): two stable sorts, the lesser key first.
 */
function hotOrder(
  buckets: Uint32Array,
  slots: Uint32Array,
  digests: Uint32Array,
  sort: typeof sortByKey64,
): Uint32Array {
  const count = buckets.length;
  const order = new Uint32Array(count);
  const keys = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    order[i] = i;
    keys[2 * i] = digests[2 * i + 1]!;
    keys[2 * i + 1] = digests[2 * i]!;
  }
  sort(keys, order, count);
  for (let p = 0; p < count; p++) {
    keys[2 * p] = slots[order[p]!]!;
    keys[2 * p + 1] = buckets[order[p]!]!;
  }
  sort(keys, order, count);
  return order;
}

/** The first member of each bucket. Buckets are numbered as their first members come. */
function firstMembers({ documents, buckets }: HotMembers): Uint32Array {
  const firsts: number[] = [];
  for (let i = 0; i < documents.length; i++) {
    if (firsts.length === buckets[i]!) firsts.push(documents[i]!);
  }
  return Uint32Array.from(firsts);
}

/**
 * The hot buckets that were found in several parts of a band's documents, each bucket in one, as one list: documents
 * ascend, and buckets are numbered anew as their first members come.
 */
export function unitedMembers(
  parts: readonly HotMembers[],
  sort: typeof sortByKey64 = sortByKey64,
): HotMembers {
  const filled = parts.filter(({ documents }) => documents.length > 0);
  if (filled.length === 0) return { documents: new Uint32Array(0), buckets: new Uint32Array(0) };
  if (filled.length === 1) return filled[0]!;
  const count = filled.reduce((sum, { documents }) => sum + documents.length, 0);
  const keys = new Uint32Array(2 * count);
  const buckets = new Uint32Array(count);
  let base = 0;
  let at = 0;
  for (const part of filled) {
    let names = 0;
    for (let i = 0; i < part.documents.length; i++, at++) {
      keys[2 * at] = part.documents[i]!;
      buckets[at] = base + part.buckets[i]!;
      names = Math.max(names, part.buckets[i]! + 1);
    }
    base += names;
  }
  sort(keys, buckets, count);
  const documents = new Uint32Array(count);
  const newNames = new Uint32Array(base).fill(UNNAMED);
  let named = 0;
  for (let i = 0; i < count; i++) {
    documents[i] = keys[2 * i]!;
    const bucket = buckets[i]!;
    if (newNames[bucket] === UNNAMED) newNames[bucket] = named++;
    buckets[i] = newNames[bucket]!;
  }
  return { documents, buckets };
}

/** A bucket without a number; a number is below 2^32 - 1, as there are two members for each. */
const UNNAMED = 0xffffffff;

/** The documents of the hot buckets of all bands, ascending and distinct, of `documents` in all. */
export function hotDocuments(bands: readonly HotMembers[], documents: number): Uint32Array {
  const hot = new Uint8Array(documents);
  let count = 0;
  for (const { documents: members } of bands) {
    for (let i = 0; i < members.length; i++) {
      count += 1 - hot[members[i]!]!;
      hot[members[i]!] = 1;
    }
  }
  const out = new Uint32Array(count);
  for (let d = 0, i = 0; i < count; d++) {
    if (hot[d] === 1) out[i++] = d;
  }
  return out;
}

/** The members that are kept, under the numbers of their buckets. */
export function keptMembers({ documents, buckets }: HotMembers, kept: Uint8Array): HotMembers {
  const left = { documents: new Uint32Array(documents.length), buckets: new Uint32Array(documents.length) };
  let count = 0;
  for (let i = 0; i < documents.length; i++) {
    if (kept[documents[i]!] === 0) continue;
    left.documents[count] = documents[i]!;
    left.buckets[count++] = buckets[i]!;
  }
  return { documents: left.documents.slice(0, count), buckets: left.buckets.slice(0, count) };
}
