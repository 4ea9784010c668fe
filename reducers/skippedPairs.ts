/**
 * Pairs of hot buckets or fingerprints, drawn evenly, so that it can be told what skipping most of them costs.
 *
 * Floor 2. Works on document numbers; which of the drawn pairs were made, and which are near, is found elsewhere. A pair that
 * shares several buckets is drawn as often, and so counts as much less. Where there are few pairs all of them are given.
 */
import { writeFmix64 } from '../src/sketch/mixing.js';
import type { HotMembers, Pairs } from '../src/sketch/pairs.js';
import { sortByKey64 } from '../src/sketch/radixSort.js';
import { pairsInQuestion } from './frequentPairs.js';

/** Sorted by (a, b), distinct. */
export interface DrawnPairs extends Pairs {
  /** How often a pair was drawn, and how many buckets it shares; 1 and 1 where all pairs are given. */
  readonly times: Uint32Array;
  readonly shared: Uint32Array;
  /** Pairs of all buckets, and how many were drawn of them; as many: these are all pairs. */
  readonly population: number;
  readonly drawn: number;
}

/** Documents bucket after bucket, those that rely on it first, and the buckets of each document, ascending. */
interface Drawing {
  readonly offsets: Uint32Array;
  readonly members: Uint32Array;
  readonly relying: Uint32Array;
  readonly startOf: Uint32Array;
  readonly bucketsOf: Uint32Array;
}

/**
 * @param hot members of buckets, by band or group
 * @param documents of the corpus
 * @param relies by document, 1: pairs of two that have 0 are not in question; null: all are
 * @param most pairs to draw
 */
export function drawnPairs(
  hot: readonly HotMembers[],
  documents: number,
  relies: Uint8Array | null,
  most: number,
  seed: number,
): DrawnPairs {
  const drawing = drawingOf(hot, documents, relies);
  const { offsets, relying } = drawing;
  const ends = new Float64Array(relying.length);
  let population = 0;
  for (let bucket = 0; bucket < ends.length; bucket++) {
    population += pairsInQuestion(offsets[bucket + 1]! - offsets[bucket]!, relying[bucket]!);
    ends[bucket] = population;
  }
  const isAll = population <= most;
  const drawn = isAll ? population : most;
  const keys = new Uint32Array(2 * drawn);
  const random = new Uint32Array(2);
  for (let i = 0, bucket = 0; i < drawn; i++) {
    let at = i;
    if (!isAll) {
      writeFmix64(random, 0, i, Math.imul(seed, 0x9e3779b1) ^ Math.floor(seed / 2 ** 32));
      // As many bits as a whole number can have.
      const share = ((random[1]! >>> 5) * 2 ** 26 + (random[0]! >>> 6)) / 2 ** 53;
      at = Math.min(population - 1, Math.floor(share * population));
      bucket = firstAbove(ends, at);
    } else while (ends[bucket]! <= at) bucket++;
    putPair(keys, i, drawing, bucket, at - (bucket === 0 ? 0 : ends[bucket - 1]!));
  }
  return { ...distinct(keys, drawing, isAll), population, drawn };
}

function drawingOf(hot: readonly HotMembers[], documents: number, relies: Uint8Array | null): Drawing {
  const bases: number[] = [];
  let buckets = 0;
  for (const part of hot) {
    bases.push(buckets);
    buckets += part.buckets.reduce((most, bucket) => Math.max(most, bucket + 1), 0);
  }
  const offsets = new Uint32Array(buckets + 1);
  const relying = new Uint32Array(buckets);
  const startOf = new Uint32Array(documents + 1);
  const eachRow = (visit: (document: number, bucket: number, isRelying: boolean) => void): void => {
    hot.forEach((part, i) => {
      for (let row = 0; row < part.documents.length; row++) {
        const document = part.documents[row]!;
        visit(document, bases[i]! + part.buckets[row]!, relies === null || relies[document] === 1);
      }
    });
  };
  eachRow((document, bucket, isRelying) => {
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
  eachRow((document, bucket, isRelying) => {
    const next = isRelying ? nextRelying : nextOther;
    members[next[bucket]!++] = document;
    bucketsOf[nextBucket[document]!++] = bucket;
  });
  return { offsets, members, relying, startOf, bucketsOf };
}

/** The first of ascending numbers above one. */
function firstAbove(numbers: Float64Array, one: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= one) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Pair number `at` of a bucket: first those of two relying documents, then those of one with each of the others. */
function putPair(
  keys: Uint32Array,
  i: number,
  { offsets, members, relying }: Drawing,
  bucket: number,
  at: number,
): void {
  const r = relying[bucket]!;
  const others = offsets[bucket + 1]! - offsets[bucket]! - r;
  const both = (r * (r - 1)) / 2;
  let [x, y] = [0, 0];
  if (at < both) {
    // The root is a double: it may be one off.
    y = Math.floor((1 + Math.sqrt(1 + 8 * at)) / 2);
    if ((y * (y - 1)) / 2 > at) y--;
    if ((y * (y + 1)) / 2 <= at) y++;
    x = at - (y * (y - 1)) / 2;
  } else {
    x = Math.floor((at - both) / others);
    y = r + ((at - both) % others);
  }
  const one = members[offsets[bucket]! + x]!;
  const other = members[offsets[bucket]! + y]!;
  keys[2 * i] = Math.max(one, other);
  keys[2 * i + 1] = Math.min(one, other);
}

function distinct(keys: Uint32Array, drawing: Drawing, isAll: boolean) {
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

function sharedBuckets({ startOf, bucketsOf }: Drawing, a: number, b: number): number {
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

/** Rows of a list of pairs, at most `most`, evenly chosen, ascending. */
export function someRows(pairs: Pairs, most: number, seed: number): Uint32Array {
  const rows = new Uint32Array(pairs.count);
  const keys = new Uint32Array(2 * pairs.count);
  for (let row = 0; row < pairs.count; row++) {
    rows[row] = row;
    writeFmix64(keys, 2 * row, pairs.a[row]! ^ Math.imul(seed, 0x85ebca6b), pairs.b[row]!);
  }
  if (pairs.count > most) sortByKey64(keys, rows, pairs.count);
  return rows.slice(0, Math.min(most, pairs.count)).sort();
}
