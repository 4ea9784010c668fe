/**
 * Reduce hot buckets to a sample of their pairs, from which the loss by skipping most pairs is estimated.
 *
 * The sizes of buckets alone decide which pairs are drawn, and ids decide which of them are verified: so the draw needs no table
 * of the members.
 */

import { type Groups, rowsByKey } from '../src/arrays/groupCounts.js';
import { numbersBelow, Uint32Column } from '../src/arrays/growable.js';
import { writeFmix64 } from '../src/arrays/hashing.js';
import { firstWhere } from '../src/arrays/search.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import type { Stepwise } from '../src/arrays/stepwise.js';
import type { HotMembers, Pairs } from '../src/blocks/pairs.js';
import { byGroup, membersOfBands } from './largeBuckets.js';

/** Drawn pairs, sorted by (a, b), distinct. */
export interface DrawnPairs extends Pairs {
  /** How often each pair was drawn, and how many buckets it shares; 1 and 1 where all pairs are returned. */
  readonly times: Uint32Array;
  readonly shared: Uint32Array;
  /** Number of pairs of all buckets, and of draws; equal: all pairs are returned. */
  readonly population: number;
  readonly drawn: number;
}

/** The buckets of each document, ascending: those of document d are `bucketsOf[startOf[d] .. startOf[d + 1])`. */
interface BucketsOfDocuments {
  readonly startOf: Uint32Array;
  readonly bucketsOf: Uint32Array;
}

/** The same, and the documents bucket by bucket, those that rely on frequent fingerprints first. */
interface Drawing extends BucketsOfDocuments {
  readonly offsets: Uint32Array;
  readonly members: Uint32Array;
  readonly relying: Uint32Array;
}

/**
 * Pairs of hot buckets or fingerprints, drawn evenly, to estimate the loss from skipping most of them. A pair
 * that shares several buckets is drawn more often, and counts for less. If there are few pairs, all are
 * returned.
 *
 * @param hot members of buckets, by band or group
 * @param documents number of documents of the corpus
 * @param groups null: documents have none; else only pairs of two groups count
 * @param relies by document, 1: two documents with 0 are never paired; null: all may be. With groups such pairs are drawn, too, but
 *     not returned
 * @param most number of pairs to draw
 */
export function* drawnPairs(
  hot: readonly HotMembers[],
  documents: number,
  groups: Groups | null,
  relies: Uint8Array | null,
  most: number,
  seed: number,
): Stepwise<DrawnPairs> {
  const drawing = yield* drawingOf(hot, documents, groups === null ? relies : null);
  const { offsets, relying } = drawing;
  const members = groups === null ? drawing.members : byGroup(drawing, groups);
  const sizes = Float64Array.from(relying, (_, bucket) => offsets[bucket + 1]! - offsets[bucket]!);
  const { population, drawn, bucket, one, other } =
    groups === null
      ? drawnPlaces(sizes, relying, most, seed)
      : crossDrawnPlaces(runsOf(drawing, members, groups), most, seed);
  const keys = new Uint32Array(2 * drawn);
  for (let i = 0; i < drawn; i++) {
    const start = offsets[bucket[i]!]!;
    const [x, y] = [members[start + one[i]!]!, members[start + other[i]!]!];
    // A document paired with itself is left out later.
    const isAsked = groups === null || relies === null || relies[x] === 1 || relies[y] === 1;
    keys[2 * i] = Math.max(x, y);
    keys[2 * i + 1] = isAsked ? Math.min(x, y) : Math.max(x, y);
  }
  return { ...distinctDrawn(keys, drawing, population === drawn), population, drawn };
}

export interface DrawnPlaces {
  /** Number of pairs of all buckets, and of draws; equal: all pairs are drawn. */
  readonly population: number;
  readonly drawn: number;
  /** By draw: the bucket, and the places of two members in it, where relying members come first. */
  readonly bucket: Uint32Array;
  readonly one: Float64Array;
  readonly other: Float64Array;
}

/** Draws like `drawnPairs`, from buckets of any size: the draw follows from their order and sizes alone. */
function drawnPlaces(
  sizes: Float64Array,
  relying: Uint32Array | Float64Array,
  most: number,
  seed: number,
): DrawnPlaces {
  const ends = new Float64Array(sizes.length);
  let population = 0;
  for (let bucket = 0; bucket < ends.length; bucket++) {
    population += pairsInQuestion(sizes[bucket]!, relying[bucket]!);
    ends[bucket] = population;
  }
  return drawnOf(ends, most, seed, (places, i, bucket, at) => {
    places.bucket[i] = bucket;
    putPlaces(places, i, sizes[bucket]!, relying[bucket]!, at);
  });
}

/**
 * Draws evenly from numbered pairs; where there are at most `most`, all of them.
 *
 * @param ends by part of the pairs: their number up to its end
 * @param put writes the places of draw i: pair number `at` of `part`
 */
function drawnOf(
  ends: Float64Array,
  most: number,
  seed: number,
  put: (places: Omit<DrawnPlaces, 'population' | 'drawn'>, i: number, part: number, at: number) => void,
): DrawnPlaces {
  const population = ends.at(-1) ?? 0;
  const isAll = population <= most;
  const drawn = isAll ? population : most;
  const places = {
    bucket: new Uint32Array(drawn),
    one: new Float64Array(drawn),
    other: new Float64Array(drawn),
  };
  const random = new Uint32Array(2);
  for (let i = 0, part = 0; i < drawn; i++) {
    let at = i;
    if (!isAll) {
      at = drawnNumber(random, i, seed, population);
      part = firstWhere(0, ends.length - 1, (n) => ends[n]! > at);
    } else while (ends[part]! <= at) part++;
    put(places, i, part, at - (part === 0 ? 0 : ends[part - 1]!));
  }
  return { population, drawn, ...places };
}

/** Number i drawn evenly from those below `population`; `random` has two words of room. */
function drawnNumber(random: Uint32Array, i: number, seed: number, population: number): number {
  writeFmix64(random, 0, i, Math.imul(seed, 0x9e3779b1) ^ Math.floor(seed / 2 ** 32));
  // As many bits as a double holds exactly.
  const share = ((random[1]! >>> 5) * 2 ** 26 + (random[0]! >>> 6)) / 2 ** 53;
  return Math.min(population - 1, Math.floor(share * population));
}

function* drawingOf(
  hot: readonly HotMembers[],
  documents: number,
  relies: Uint8Array | null,
): Stepwise<Drawing> {
  const { buckets, each } = membersOfBands(hot);
  const { starts, rows: members } = rowsByKey(2 * buckets, (give) =>
    each((document, bucket) => give(2 * bucket + (relies === null ? 0 : 1 - relies[document]!), document)),
  );
  yield;
  const { starts: startOf, rows: bucketsOf } = rowsByKey(documents, (give) => each(give));
  const offsets = Uint32Array.from({ length: buckets + 1 }, (_, bucket) => starts[2 * bucket]!);
  const relying = Uint32Array.from({ length: buckets }, (_, b) => starts[2 * b + 1]! - starts[2 * b]!);
  return { offsets, members, relying, startOf, bucketsOf };
}

/**
 * Pair number `at` of a bucket: first those of two relying documents, then those of one with each of the
 * others.
 */
function putPlaces(
  { one, other }: Pick<DrawnPlaces, 'one' | 'other'>,
  i: number,
  size: number,
  relying: number,
  at: number,
): void {
  const others = size - relying;
  const both = (relying * (relying - 1)) / 2;
  if (at >= both) {
    one[i] = Math.floor((at - both) / others);
    other[i] = relying + ((at - both) % others);
    return;
  }
  // The root is a double: it may be one off.
  let y = Math.floor((1 + Math.sqrt(1 + 8 * at)) / 2);
  if ((y * (y - 1)) / 2 > at) y--;
  if ((y * (y + 1)) / 2 <= at) y++;
  // Numbers beyond 2^53 are rounded, but the places still make a pair.
  one[i] = Math.min(y - 1, at - (y * (y - 1)) / 2);
  other[i] = y;
}

/** The distinct pairs. `keys`: pairs, the later document first; `drawing` is unused where all pairs are returned. */
function distinctDrawn(keys: Uint32Array, drawing: BucketsOfDocuments, isAll: boolean) {
  const drawn = keys.length / 2;
  sortByKey64(keys, new Uint32Array(drawn), drawn);
  const [a, b, times] = [new Uint32Array(drawn), new Uint32Array(drawn), new Uint32Array(drawn)];
  let count = 0;
  for (let i = 0; i < drawn; i++) {
    const [x, y] = [keys[2 * i + 1]!, keys[2 * i]!];
    if (x === y) continue;
    if (count > 0 && a[count - 1] === x && b[count - 1] === y) {
      if (!isAll) times[count - 1]!++;
      continue;
    }
    a[count] = x;
    b[count] = y;
    times[count++] = 1;
  }
  const shared = new Uint32Array(count).fill(1);
  if (!isAll) for (let i = 0; i < count; i++) shared[i] = sharedBuckets(drawing, a[i]!, b[i]!);
  return { a: a.slice(0, count), b: b.slice(0, count), count, times: times.slice(0, count), shared };
}

function sharedBuckets({ startOf, bucketsOf }: BucketsOfDocuments, a: number, b: number): number {
  let shared = 0;
  let [i, j] = [startOf[a]!, startOf[b]!];
  while (i < startOf[a + 1]! && j < startOf[b + 1]!) {
    const difference = bucketsOf[i]! - bucketsOf[j]!;
    if (difference === 0) shared++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return shared;
}

/**
 * At most `most` rows of a list of pairs, evenly chosen, ascending. Chosen by hashes of ids, because only one machine has
 * document numbers without gaps.
 *
 * @param one, other the 64-bit hashes of the ids of a row's two documents, low half first; `one`: the document that is first in
 * the input
 */
export function someRows(one: Uint32Array, other: Uint32Array, most: number): Uint32Array {
  const count = one.length / 2;
  const rows = numbersBelow(count);
  const keys = new Uint32Array(2 * count);
  for (let row = 0; row < count; row++)
    writeFmix64(keys, 2 * row, one[2 * row]! ^ other[2 * row]!, one[2 * row + 1]! ^ other[2 * row + 1]!);
  if (count > most) sortByKey64(keys, rows, count);
  return rows.slice(0, Math.min(most, count)).sort();
}

/** The number of possible pairs of `documents`, of which `relying` rely on frequent fingerprints. */
function pairsInQuestion(documents: number, relying: number): number {
  const pairsOf = (count: number): number => (count * (count - 1)) / 2;
  return pairsOf(documents) - pairsOf(documents - relying);
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
function crossDrawnPlaces(runs: GroupRuns, most: number, seed: number): DrawnPlaces {
  const starts = startsOfRuns(runs);
  return drawnOf(endsOfRuns(runs), most, seed, (places, i, run, number) => {
    const members = runs.members[run]!;
    // Finds the group within the run: each group has `members` more before it than the group before.
    let before = starts[run]!;
    const group = firstWhere(0, runs.times[run]! - 1, (k) => pairsOfGroups(before, members, k + 1) > number);
    const at = number - pairsOfGroups(before, members, group);
    before += group * members;
    places.bucket[i] = runs.bucket[run]!;
    places.one[i] = before + Math.floor(at / before);
    places.other[i] = at % before;
  });
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
