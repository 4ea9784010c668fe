/**
 * Reduce hot buckets to a sample of their pairs, from which the loss by skipping most pairs is estimated.
 *
 * The sizes of buckets alone decide which pairs are drawn, and ids decide which of them are verified: so the draw needs no table
 * of the members.
 */

import { writeFmix64 } from '../src/arrays/hashing.js';
import { firstWhere } from '../src/arrays/search.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import type { Stepwise } from '../src/arrays/stepwise.js';
import type { HotMembers, Pairs } from '../src/blocks/pairs.js';

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
export interface Drawing extends BucketsOfDocuments {
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
 * @param relies by document, 1: two documents with 0 are never paired; null: all may be
 * @param most number of pairs to draw
 */
export function* drawnPairs(
  hot: readonly HotMembers[],
  documents: number,
  relies: Uint8Array | null,
  most: number,
  seed: number,
): Stepwise<DrawnPairs> {
  const drawing = yield* drawingOf(hot, documents, relies);
  const { offsets, relying, members } = drawing;
  const sizes = Float64Array.from(relying, (_, bucket) => offsets[bucket + 1]! - offsets[bucket]!);
  const { population, drawn, bucket, one, other } = drawnPlaces(sizes, relying, most, seed);
  const keys = new Uint32Array(2 * drawn);
  for (let i = 0; i < drawn; i++) {
    const start = offsets[bucket[i]!]!;
    const [x, y] = [members[start + one[i]!]!, members[start + other[i]!]!];
    keys[2 * i] = Math.max(x, y);
    keys[2 * i + 1] = Math.min(x, y);
  }
  return { ...distinctDrawn(keys, drawing, population === drawn), population, drawn };
}

/** The drawn pairs as places in buckets. */
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
export function drawnPlaces(
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
  const isAll = population <= most;
  const drawn = isAll ? population : most;
  const places = {
    bucket: new Uint32Array(drawn),
    one: new Float64Array(drawn),
    other: new Float64Array(drawn),
  };
  const random = new Uint32Array(2);
  for (let i = 0, bucket = 0; i < drawn; i++) {
    let at = i;
    if (!isAll) {
      at = drawnNumber(random, i, seed, population);
      bucket = firstWhere(0, ends.length - 1, (n) => ends[n]! > at);
    } else while (ends[bucket]! <= at) bucket++;
    places.bucket[i] = bucket;
    putPlaces(places, i, sizes[bucket]!, relying[bucket]!, at - (bucket === 0 ? 0 : ends[bucket - 1]!));
  }
  return { population, drawn, ...places };
}

/** Number i drawn evenly from those below `population`; `random` has two words of room. */
export function drawnNumber(random: Uint32Array, i: number, seed: number, population: number): number {
  writeFmix64(random, 0, i, Math.imul(seed, 0x9e3779b1) ^ Math.floor(seed / 2 ** 32));
  // As many bits as a double holds exactly.
  const share = ((random[1]! >>> 5) * 2 ** 26 + (random[0]! >>> 6)) / 2 ** 53;
  return Math.min(population - 1, Math.floor(share * population));
}

export function* drawingOf(
  hot: readonly HotMembers[],
  documents: number,
  relies: Uint8Array | null,
): Stepwise<Drawing> {
  const bases: number[] = [];
  let buckets = 0;
  for (const part of hot) {
    bases.push(buckets);
    buckets += part.buckets.reduce((most, bucket) => Math.max(most, bucket + 1), 0);
  }
  const offsets = new Uint32Array(buckets + 1);
  const relying = new Uint32Array(buckets);
  const startOf = new Uint32Array(documents + 1);
  const eachRow = function* (
    visit: (document: number, bucket: number, isRelying: boolean) => void,
  ): Stepwise<void> {
    for (const [i, part] of hot.entries()) {
      for (let row = 0; row < part.documents.length; row++) {
        const document = part.documents[row]!;
        visit(document, bases[i]! + part.buckets[row]!, relies === null || relies[document] === 1);
      }
      yield;
    }
  };
  yield* eachRow((document, bucket, isRelying) => {
    offsets[bucket + 1]!++;
    startOf[document + 1]!++;
    if (isRelying) relying[bucket]!++;
  });
  for (let bucket = 0; bucket < buckets; bucket++) offsets[bucket + 1]! += offsets[bucket]!;
  for (let d = 0; d < documents; d++) startOf[d + 1]! += startOf[d]!;
  const members = new Uint32Array(offsets[buckets]!);
  const bucketsOf = new Uint32Array(members.length);
  const nextRelying = offsets.slice(0, buckets);
  const nextOther = offsets.slice(0, buckets).map((start, bucket) => start + relying[bucket]!);
  const nextBucket = startOf.slice(0, documents);
  yield* eachRow((document, bucket, isRelying) => {
    const next = isRelying ? nextRelying : nextOther;
    members[next[bucket]!++] = document;
    bucketsOf[nextBucket[document]!++] = bucket;
  });
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
export function distinctDrawn(keys: Uint32Array, drawing: BucketsOfDocuments, isAll: boolean) {
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
  const rows = new Uint32Array(count);
  const keys = new Uint32Array(2 * count);
  for (let row = 0; row < count; row++) {
    rows[row] = row;
    writeFmix64(keys, 2 * row, one[2 * row]! ^ other[2 * row]!, one[2 * row + 1]! ^ other[2 * row + 1]!);
  }
  if (count > most) sortByKey64(keys, rows, count);
  return rows.slice(0, Math.min(most, count)).sort();
}

/** The number of possible pairs of `documents`, of which `relying` rely on frequent fingerprints. */
export function pairsInQuestion(documents: number, relying: number): number {
  const pairsOf = (count: number): number => (count * (count - 1)) / 2;
  return pairsOf(documents) - pairsOf(documents - relying);
}
