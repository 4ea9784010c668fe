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
 */
export function hotPairs(
  hot: HotMembers,
  slots: Uint32Array,
  digests: Uint32Array,
  sort: typeof sortByKey64 = sortByKey64,
): HotPairs {
  const count = hot.documents.length;
  const order = hotOrder(hot.buckets, slots, digests, sort);
  const firsts = firstMembers(hot);
  const a = new Uint32Array((HOT_PREDECESSORS + 1) * count);
  const b = new Uint32Array((HOT_PREDECESSORS + 1) * count);
  let made = 0;
  let all = 0;
  let start = 0;
  for (let p = 0; p < count; p++) {
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
