/**
 * Buckets and distinct pairs in the kernel, a whole column a call.
 *
 * Floor 1. Columns are copied in and results handed out as views or new columns; it knows nothing of what a
 * document is.
 */
import type { BandKeys, BucketPairs, PairSlice, Pairs } from '../sketch/pairs.js';
import type { KernelMemory } from './wasmMemory.js';
import type { KernelRooms } from './wasmRooms.js';

/** Pairs that leave the kernel at a time: 1 MB, within the second cache or near it. */
const PAIRS_AT_A_TIME = 131072;

/** Counts of the radix sort, and sizes or state beside them. */
const COUNTS_BYTES = 4096;
const STATE_BYTES = 64;

/** `bucketPairs` in this memory; equal to reducers/candidatePairs.ts for up to 2^31 documents. */
export function createWasmBucketPairs(
  memory: KernelMemory,
  arena: KernelRooms,
): (keys: BandKeys, documents: Uint32Array, hotBucket: number, slice?: PairSlice) => BucketPairs {
  const call = memory.call;
  return (keys, documents, hotBucket, slice) => {
    const count = documents.length;
    const columns = keys.blocks.reduce((sum, block) => sum + block.length / 2, 0);
    const [keysAt, placesAt, documentsAt, records, spare, counts, state, a, b] = arena.rooms(
      8 * columns,
      4 * count,
      4 * count,
      8 * count,
      8 * count,
      COUNTS_BYTES,
      STATE_BYTES,
      4 * PAIRS_AT_A_TIME,
      4 * PAIRS_AT_A_TIME,
    ) as [number, number, number, number, number, number, number, number, number];
    const { words } = memory;
    let at = keysAt / 4;
    for (const block of keys.blocks) {
      words.set(block, at);
      at += block.length;
    }
    if (keys.places !== null) words.set(keys.places, placesAt / 4);
    words.set(documents, documentsAt / 4);
    call.sortBuckets!(keysAt, keys.places === null ? 0 : placesAt, count, records, spare, counts);
    // The sort is over, and its spare room has the size of the links.
    const links = spare;
    call.linkBuckets!(records, count, Math.min(hotBucket, 0xffffffff), links, state);
    const sizes = words.slice(state / 4, state / 4 + 6);
    const total = sizes[5]! * 2 ** 32 + sizes[4]!;
    const first = Math.min(total, slice?.from ?? 0);
    const made = Math.min(total - first, slice?.most ?? total);
    const pairs = { a: new Uint32Array(made), b: new Uint32Array(made) };
    call.skipPairs!(links, count, BigInt(first), state);
    for (let done = 0; done < made; ) {
      const most = Math.min(PAIRS_AT_A_TIME, made - done);
      const some = call.emitPairs!(records, links, documentsAt, count, state, most, a, b);
      pairs.a.set(words.subarray(a / 4, a / 4 + some), done);
      pairs.b.set(words.subarray(b / 4, b / 4 + some), done);
      done += some;
    }
    // Neither places nor keys are needed any more: their rooms hold the hot members.
    const hot = sizes[3]!;
    const [members, buckets] = [placesAt, keysAt];
    call.emitHot!(records, links, documentsAt, count, members, buckets);
    return {
      ...pairs,
      count: made,
      total,
      buckets: sizes[0]!,
      largestBucket: sizes[1]!,
      hotBuckets: sizes[2]!,
      hot: {
        documents: words.slice(members / 4, members / 4 + hot),
        buckets: words.slice(buckets / 4, buckets / 4 + hot),
      },
    };
  };
}

/** Pairs in kernel memory: addresses of their columns. */
export interface PlacedPairs {
  readonly a: number;
  readonly b: number;
  readonly count: number;
}

/** How many pairs the lists have. */
export function totalOf(lists: readonly Pairs[]): number {
  let total = 0;
  for (const list of lists) total += list.count;
  return total;
}

/** Bytes of the rooms that `placeDistinct` works in. */
export function distinctRooms(lists: readonly Pairs[], known: readonly Pairs[]): number[] {
  const total = totalOf(lists);
  let longest = 0;
  for (const list of known) longest = Math.max(longest, list.count);
  return [4 * total, 4 * total, 8 * Math.max(total, longest), 8 * total, COUNTS_BYTES];
}

/** Copies lists of pairs behind each other. */
function copyPairs(words: Uint32Array, lists: readonly Pairs[], a: number, b: number): void {
  let at = 0;
  for (const list of lists) {
    words.set(list.a.length === list.count ? list.a : list.a.subarray(0, list.count), a / 4 + at);
    words.set(list.b.length === list.count ? list.b : list.b.subarray(0, list.count), b / 4 + at);
    at += list.count;
  }
}

/** The union of the lists without what is known, sorted and distinct, in the first two of the rooms. */
export function placeDistinct(
  memory: KernelMemory,
  rooms: readonly number[],
  lists: readonly Pairs[],
  known: readonly Pairs[],
): PlacedPairs {
  const [a, b, records, spare, counts] = rooms as [number, number, number, number, number];
  const { words, call } = memory;
  copyPairs(words, lists, a, b);
  let count = call.sortPairs!(a, b, totalOf(lists), records, spare, counts);
  for (const list of known) {
    if (count === 0) break;
    const other = records + 4 * list.count;
    copyPairs(words, [list], records, other);
    count = call.dropKnown!(a, b, count, records, other, list.count);
  }
  return { a, b, count };
}

/** `distinctPairs` and then `withoutKnown` of reducers/candidatePairs.ts; the result is valid until the next call. */
export function createWasmDistinctPairs(
  memory: KernelMemory,
  arena: KernelRooms,
): (lists: readonly Pairs[], known: readonly Pairs[]) => Pairs {
  return (lists, known) => {
    const { a, b, count } = placeDistinct(memory, arena.rooms(...distinctRooms(lists, known)), lists, known);
    const { words } = memory;
    return { a: words.subarray(a / 4, a / 4 + count), b: words.subarray(b / 4, b / 4 + count), count };
  };
}
