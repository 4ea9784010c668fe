/**
 * Reduce by bucket with groups: the pairs of documents of two groups, of buckets and of hot buckets, and samples of the pairs
 * that hot buckets skip.
 *
 * Works as reducers/candidatePairs.ts and reducers/hotPairs.ts do, on document numbers. Pairs within a group are never built:
 * every member knows the next one of another group, so one step passes a run of its own group.
 */

import type { Groups } from '../src/arrays/groupCounts.js';
import { Uint32Column } from '../src/arrays/growable.js';
import { firstWhere } from '../src/arrays/search.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import type { Stepwise } from '../src/arrays/stepwise.js';
import type { BandKeys, BucketPairs, HotMembers, PairSlice, Pairs } from '../src/blocks/pairs.js';
import { endOfBucket, hotMembers, keysOfEntries } from './candidatePairs.js';
import {
  type Drawing,
  type DrawnPairs,
  type DrawnPlaces,
  distinctDrawn,
  drawingOf,
  drawnNumber,
} from './drawnPairs.js';
import { HOT_PREDECESSORS, type HotPairs, type HotSlice, hotOrder } from './hotPairs.js';
import type { GroupedMembers } from './largeBuckets.js';

/** No position, or no document. */
const NONE = 0xffffffff;

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
 * Does what `bucketPairs` does, for pairs of two groups: only buckets with two groups or more count, and only such are hot. Apart
 * from sorting, time is linear in the documents and the pairs of the slice.
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

/** By bucket: the first member, and the first of another group than the first's; NONE: there is none. */
function firstTwo({ documents, buckets }: HotMembers, groups: Groups) {
  let names = 0;
  for (let i = 0; i < buckets.length; i++) names = Math.max(names, buckets[i]! + 1);
  const first = new Uint32Array(names).fill(NONE);
  const other = new Uint32Array(names).fill(NONE);
  for (let i = 0; i < documents.length; i++) {
    const [bucket, document] = [buckets[i]!, documents[i]!];
    if (first[bucket] === NONE) first[bucket] = document;
    else if (other[bucket] === NONE && groups.of[document] !== groups.of[first[bucket]!])
      other[bucket] = document;
  }
  return { first, other };
}

/**
 * Does what `hotPairs` does, for pairs of two groups, at most 9 a member: each member with its 8 nearest predecessors of other
 * groups, and with the bucket's first member of another group than its own. Distinct, not sorted. Linear, whatever the groups.
 */
export function crossHotPairs(
  hot: HotMembers,
  groups: Groups,
  slots: Uint32Array,
  idHashes: Uint32Array,
  sort: typeof sortByKey64 = sortByKey64,
  { from, to }: HotSlice = { from: 0, to: hot.documents.length },
): HotPairs {
  const order = hotOrder(hot.buckets, slots, idHashes, sort);
  const firsts = firstTwo(hot, groups);
  const walk = crossPredecessors(hot, groups, order);
  const a = new Uint32Array((HOT_PREDECESSORS + 1) * (to - from));
  const b = new Uint32Array((HOT_PREDECESSORS + 1) * (to - from));
  let [made, all] = [0, 0];
  const put = (x: number, y: number): void => {
    a[made] = Math.min(x, y);
    b[made++] = Math.max(x, y);
  };
  for (let p = from; p < to; p++) {
    all += walk.before[p]!;
    const [bucket, member] = [hot.buckets[order[p]!]!, hot.documents[order[p]!]!];
    const [first, other] = [firsts.first[bucket]!, firsts.other[bucket]!];
    // The first member makes no pairs: all pairs with it are made by the others.
    if (member === first || other === NONE) continue;
    const [group, ofFirst] = [walk.groupAt[p]!, groups.of[first]!];
    put(group === ofFirst ? other : first, member);
    let q = walk.previous[p]!;
    for (let step = 0; step < HOT_PREDECESSORS && q !== NONE; step++) {
      const one = hot.documents[order[q]!]!;
      // The pair was made with the bucket's first two already.
      const isMade =
        one === first ||
        (one === other && group === ofFirst) ||
        (member === other && walk.groupAt[q] === ofFirst);
      if (!isMade) put(one, member);
      q = walk.precedes(q, group);
    }
  }
  return { a, b, count: made, skipped: all - made };
}

/**
 * By position in an order of members: the group, the nearest earlier position of another group, and how many earlier members have
 * other groups.
 */
function crossPredecessors({ documents, buckets }: HotMembers, groups: Groups, order: Uint32Array) {
  const count = order.length;
  const groupAt = new Uint32Array(count);
  const previous = new Uint32Array(count).fill(NONE);
  const before = new Uint32Array(count);
  const met = new Uint32Array(groups.shared);
  const isStart = (p: number): boolean => p === 0 || buckets[order[p]!] !== buckets[order[p - 1]!];
  for (let p = 0, start = 0; p < count; p++) {
    groupAt[p] = groups.of[documents[order[p]!]!]!;
    const group = groupAt[p]!;
    if (isStart(p)) {
      for (let q = start; q < p; q++) if (groupAt[q]! < groups.shared) met[groupAt[q]!] = 0;
      start = p;
    } else previous[p] = groupAt[p - 1] === group ? previous[p - 1]! : p - 1;
    before[p] = p - start - (group < groups.shared ? met[group]!++ : 0);
  }
  /** The nearest position before `q` in its bucket that is not of `group`; NONE: there is none. */
  const precedes = (q: number, group: number): number => {
    if (isStart(q)) return NONE;
    return groupAt[q - 1] === group ? previous[q - 1]! : q - 1;
  };
  return { groupAt, previous, before, precedes };
}

/**
 * Does what `drawnPairs` does, for pairs of two groups: `population` counts only those. A drawn pair of two documents neither of
 * which relies on frequent fingerprints is not returned.
 */
export function* crossDrawnPairs(
  hot: readonly HotMembers[],
  groups: Groups,
  relies: Uint8Array | null,
  most: number,
  seed: number,
): Stepwise<DrawnPairs> {
  const drawing = yield* drawingOf(hot, groups.of.length, null);
  const members = byGroup(drawing, groups);
  const { offsets } = drawing;
  const places = crossDrawnPlaces(runsOf(drawing, members, groups), most, seed);
  const { population, drawn } = places;
  const keys = new Uint32Array(2 * drawn);
  for (let i = 0; i < drawn; i++) {
    const start = offsets[places.bucket[i]!]!;
    const [one, other] = [members[start + places.one[i]!]!, members[start + places.other[i]!]!];
    // A document paired with itself is left out later.
    const isAsked = relies === null || relies[one] === 1 || relies[other] === 1;
    keys[2 * i] = Math.max(one, other);
    keys[2 * i + 1] = isAsked ? Math.min(one, other) : Math.max(one, other);
  }
  return { ...distinctDrawn(keys, drawing, population === drawn), population, drawn };
}

/**
 * Sizes of the groups of buckets, bucket by bucket, in the order of groups: runs of `times` consecutive groups of `members` each.
 */
export interface GroupRuns {
  readonly bucket: Uint32Array;
  readonly members: Uint32Array;
  readonly times: Uint32Array;
}

/**
 * Does what `drawnPlaces` does, for pairs of two groups: places are positions among the members of a bucket, group by group, and
 * a member makes pairs with all members before its group.
 */
export function crossDrawnPlaces(runs: GroupRuns, most: number, seed: number): DrawnPlaces {
  const ends = endsOfRuns(runs);
  const population = ends.at(-1) ?? 0;
  const isAll = population <= most;
  const drawn = isAll ? population : most;
  const places = {
    bucket: new Uint32Array(drawn),
    one: new Float64Array(drawn),
    other: new Float64Array(drawn),
  };
  const starts = startsOfRuns(runs);
  const random = new Uint32Array(2);
  for (let i = 0, run = 0; i < drawn; i++) {
    let at = i;
    if (!isAll) {
      at = drawnNumber(random, i, seed, population);
      run = firstWhere(0, ends.length - 1, (n) => ends[n]! > at);
    } else while (ends[run]! <= at) run++;
    at -= run === 0 ? 0 : ends[run - 1]!;
    const members = runs.members[run]!;
    // Finds the group within the run: each group has `members` more before it than the group before.
    let before = starts[run]!;
    const group = firstWhere(0, runs.times[run]! - 1, (k) => pairsOfGroups(before, members, k + 1) > at);
    at -= pairsOfGroups(before, members, group);
    before += group * members;
    places.bucket[i] = runs.bucket[run]!;
    places.one[i] = before + Math.floor(at / before);
    places.other[i] = at % before;
  }
  return { population, drawn, ...places };
}

/** Pairs of `groups` groups of `members` each with all members before them; the first group has `before` members before it. */
function pairsOfGroups(before: number, members: number, groups: number): number {
  return members * (groups * before + (members * groups * (groups - 1)) / 2);
}

/** By run: how many members of its bucket come before it. */
function startsOfRuns({ bucket, members, times }: GroupRuns): Float64Array {
  const starts = new Float64Array(bucket.length);
  for (let i = 1; i < bucket.length; i++)
    if (bucket[i] === bucket[i - 1]) starts[i] = starts[i - 1]! + members[i - 1]! * times[i - 1]!;
  return starts;
}

/** By run: how many pairs there are up to its end. */
function endsOfRuns(runs: GroupRuns): Float64Array {
  const ends = startsOfRuns(runs);
  let sum = 0;
  for (let i = 0; i < ends.length; i++) {
    sum += pairsOfGroups(ends[i]!, runs.members[i]!, runs.times[i]!);
    ends[i] = sum;
  }
  return ends;
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

/** The sizes of groups, as runs. `members`: as from `byGroup`. */
function runsOf({ offsets }: Drawing, members: Uint32Array, groups: Groups): GroupRuns {
  const [bucket, sizes, times] = [new Uint32Column(), new Uint32Column(), new Uint32Column()];
  for (let b = 0; b + 1 < offsets.length; b++) {
    for (let from = offsets[b]!, to = from; from < offsets[b + 1]!; from = to) {
      while (to < offsets[b + 1]! && groups.of[members[to]!] === groups.of[members[from]!]) to++;
      const last = sizes.length - 1;
      if (last >= 0 && bucket.view[last] === b && sizes.view[last] === to - from) {
        times.view[last]!++;
        continue;
      }
      bucket.push(b);
      sizes.push(to - from);
      times.push(1);
    }
  }
  return { bucket: bucket.view, members: sizes.view, times: times.view };
}
