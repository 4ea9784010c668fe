/**
 * Reduce by bucket: documents whose signatures are equal in one band become candidate pairs.
 *
 * Works on columns of document numbers. The promise is the S-curve of the banding and nothing more (Mining of
 * Massive Datasets, section 3.4); for buckets too large for all pairs only the members are emitted
 * (reducers/hotPairs.ts).
 *
 * Here for documents with groups, where only documents of two groups are a pair; without groups the kernel makes the pairs, in a
 * third of the time. Pairs within a group are never built: every member knows the next one of another group, so one step passes a
 * run of its own group.
 */

import type { Groups } from '../src/arrays/groupCounts.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import type { BandKeys, BucketPairs, HotMembers, PairSlice, Pairs } from '../src/blocks/pairs.js';

/** No position, or no hot bucket. */
const NONE = 0xffffffff;

/** A copy of the keys, one an entry. `roomOf`: memory for the copy (room 0) and for the keys of all columns (room 1). */
function keysOfEntries(
  { blocks, places }: BandKeys,
  count: number,
  roomOf: (room: 0 | 1, length: number) => Uint32Array,
): Uint32Array {
  const columns = blocks.reduce((sum, block) => sum + block.length, 0);
  const isOne = blocks.length === 1 && places !== null;
  const all = isOne ? blocks[0]! : roomOf(places === null ? 0 : 1, columns);
  let at = 0;
  for (const block of isOne ? [] : blocks) {
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

/** End (exclusive) of the bucket that starts at `from` in sorted keys. */
function endOfBucket(keys: Uint32Array, from: number, count: number): number {
  const low = keys[2 * from];
  const high = keys[2 * from + 1];
  let to = from + 1;
  while (to < count && keys[2 * to] === low && keys[2 * to + 1] === high) to++;
  return to;
}

/** The members of hot buckets, from the first entry of each entry's bucket. */
function hotMembers(headOf: Uint32Array, documents: Uint32Array, count: number): HotMembers {
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

/** Memory that the bands of a worker reuse: new memory for each band would be left to the garbage collector. */
export class CrossRooms {
  private readonly rooms: Uint32Array[] = [];

  /** A room by its number, with its old content; zeros where it is new. */
  take(room: number, length: number): Uint32Array {
    const known = this.rooms[room];
    if (known !== undefined && known.length >= length) return known.subarray(0, length);
    const larger = new Uint32Array(length);
    this.rooms[room] = larger;
    return larger;
  }
}

/** The entries of a band, bucket by bucket, and the number of pairs that each entry makes with later ones. */
class CrossBuckets {
  readonly sizes = { buckets: 0, largestBucket: 0, hotBuckets: 0, hotMembers: 0 };
  /** By entry: the first entry of its bucket, if the bucket is hot; else NONE. */
  readonly headOf: Uint32Array;
  /** By entry: how many later entries of its bucket are of another group; 0 in hot buckets. */
  readonly degree: Uint32Array;
  total = 0;
  /** Entries by position, and positions by entry. */
  private readonly entries: Uint32Array;
  private readonly placeOf: Uint32Array;
  /** By position: the group, and the next position of another group in the bucket. */
  private readonly groupAt: Uint32Array;
  private readonly nextOther: Uint32Array;
  private readonly documents: Uint32Array;
  private readonly groups: Groups;
  /** By group: members counted in the current bucket; all 0 between buckets. */
  private readonly met: Uint32Array;

  constructor(entries: Uint32Array, documents: Uint32Array, groups: Groups, rooms: CrossRooms) {
    const count = entries.length;
    this.entries = entries;
    this.documents = documents;
    this.groups = groups;
    this.headOf = rooms.take(3, count).fill(NONE);
    this.degree = rooms.take(4, count).fill(0);
    this.placeOf = rooms.take(5, count);
    this.groupAt = rooms.take(6, count);
    this.nextOther = rooms.take(7, count);
    this.met = rooms.take(8, groups.shared);
  }

  /** Adds the bucket of the entries at positions [from, to). A bucket of a single group does not count. */
  add(from: number, to: number, hotBucket: number): void {
    const { sizes, entries, headOf } = this;
    sizes.largestBucket = Math.max(sizes.largestBucket, 1);
    if (to - from < 2 || !this.hasTwoGroups(from, to)) return;
    sizes.buckets++;
    sizes.largestBucket = Math.max(sizes.largestBucket, to - from);
    if (to - from > hotBucket) {
      sizes.hotBuckets++;
      sizes.hotMembers += to - from;
      for (let p = from; p < to; p++) headOf[entries[p]!] = entries[from]!;
    } else this.countPairs(from, to);
  }

  private hasTwoGroups(from: number, to: number): boolean {
    const { groupAt, entries, documents, groups } = this;
    let isMixed = false;
    for (let p = from; p < to; p++) {
      groupAt[p] = groups.of[documents[entries[p]!]!]!;
      if (groupAt[p] !== groupAt[from]) isMixed = true;
    }
    return isMixed;
  }

  private countPairs(from: number, to: number): void {
    const { groupAt, nextOther, entries, degree, placeOf, met, groups } = this;
    for (let p = to - 1; p >= from; p--) {
      const group = groupAt[p]!;
      nextOther[p] = p + 1 === to ? NONE : groupAt[p + 1] === group ? nextOther[p + 1]! : p + 1;
      const later = to - 1 - p - (group < groups.shared ? met[group]!++ : 0);
      degree[entries[p]!] = later;
      placeOf[entries[p]!] = p;
      this.total += later;
    }
    for (let p = from; p < to; p++) if (groupAt[p]! < groups.shared) met[groupAt[p]!] = 0;
  }

  /** The pairs of a slice, sorted by (a, b). */
  pairs({ from, most }: PairSlice): Pairs {
    const { degree, documents } = this;
    const first = Math.min(from, this.total);
    const count = Math.min(this.total - first, most);
    const a = new Uint32Array(count);
    const b = new Uint32Array(count);
    let passed = 0;
    for (let entry = 0, made = 0; made < count; entry++) {
      const own = degree[entry]!;
      passed += own;
      if (own === 0 || passed <= first) continue;
      const skipped = Math.max(0, first - (passed - own));
      const end = made + Math.min(own - skipped, count - made);
      a.fill(documents[entry]!, made, end);
      this.putLater(entry, skipped, b, made, end);
      made = end;
    }
    return { a, b, count };
  }

  /** Writes the partners of an entry to [at, end), without the first `skipped`. */
  private putLater(entry: number, skipped: number, b: Uint32Array, at: number, end: number): void {
    const { groupAt, nextOther, entries, documents, placeOf } = this;
    const group = groupAt[placeOf[entry]!]!;
    for (let p = nextOther[placeOf[entry]!]!, left = skipped; at < end; ) {
      if (left > 0) left--;
      else b[at++] = documents[entries[p]!]!;
      p++;
      if (at < end && groupAt[p] === group) p = nextOther[p]!;
    }
  }
}

/**
 * All pairs of documents of two groups that share a bucket of at most `hotBucket` documents, sorted by (a, b); of larger buckets
 * only the members. Only buckets with two groups or more count, and only such are hot. Apart from sorting, time is linear in the
 * documents and the pairs of the slice. `slice`: which of the pairs; absent: all.
 *
 * Entry i of the band is `documents[i]`; they ascend. Neither keys nor documents are changed.
 */
export function crossBucketPairs(
  keys: BandKeys,
  documents: Uint32Array,
  groups: Groups,
  hotBucket: number,
  slice: PairSlice = { from: 0, most: Number.POSITIVE_INFINITY },
  sort: typeof sortByKey64 = sortByKey64,
  rooms: CrossRooms = new CrossRooms(),
): BucketPairs {
  const count = documents.length;
  const sortedKeys = keysOfEntries(keys, count, (room, length) => rooms.take(room, length));
  const entries = rooms.take(2, count);
  for (let i = 0; i < count; i++) entries[i] = i;
  sort(sortedKeys, entries, count);
  const found = new CrossBuckets(entries, documents, groups, rooms);
  for (let from = 0, to = 0; from < count; from = to) {
    to = endOfBucket(sortedKeys, from, count);
    found.add(from, to, hotBucket);
  }
  const { buckets, largestBucket, hotBuckets, hotMembers: rows } = found.sizes;
  const hot = hotMembers(found.headOf, documents, rows);
  return { ...found.pairs(slice), total: found.total, buckets, largestBucket, hotBuckets, hot };
}
