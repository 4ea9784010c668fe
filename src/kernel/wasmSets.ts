/**
 * Collects, compares and sorts sets of hashes in the kernel, in memory that is reused by all tasks.
 */

import { concatenated } from '../arrays/growable.js';
import { sortByKey64, sortUnique64 } from '../arrays/sort.js';
import type { Kernel, SetCollector, SetComparer } from './kernel.js';
import { Arena, ArenaRows, type KernelMemory, placedHashes, roomFor } from './wasmMemory.js';

/** Bytes of the arena, which holds the documents of one task of the second reading. */
const ARENA = 64 << 20;

/** Collects hashes in kernel memory, without copying them out. */
export class WasmSetCollector implements SetCollector {
  private readonly memory: KernelMemory;
  private readonly hashes: ArenaRows;
  /** Number of hashes of documents that have ended. */
  private ended = 0;

  /** @param bytes those of its arena; tests set less */
  constructor(memory: KernelMemory, bytes = ARENA) {
    this.memory = memory;
    this.hashes = new ArenaRows(new Arena(memory, bytes), 2);
  }

  clear(): void {
    this.hashes.clear();
    this.ended = 0;
  }

  add(list: Uint32Array, count: number): void {
    const { memory, hashes } = this;
    // The first use of the arena detaches the list if it is a view of this memory, but does not move it.
    const inside = memory.holds(list);
    const source = list.byteOffset;
    const to = hashes.next(count);
    if (inside) memory.bytes.copyWithin(to, source, source + 8 * count);
    else memory.words.set(list.subarray(0, 2 * count), to / 4);
    hashes.added(count);
  }

  keep(): number {
    const before = this.ended;
    this.ended = this.hashes.length;
    return this.ended - before;
  }

  drop(): void {
    this.hashes.truncate(this.ended);
  }

  sets(): Uint32Array {
    this.drop();
    const { held } = this.hashes;
    return held.length === 1 ? held[0]! : concatenated(held);
  }
}

/** Maximum number of sets at a time, and of pairs and hashes per call. */
const SETS = 32768;
const PAIRS = 8192;
const PIECE = 2 ** 18;
/** Lists of more hashes than this are added by `addLongToSet`. */
const LONG = 2 ** 16;
const RANGES = 256;

/** How much a comparer can hold; tests set less. */
interface ComparerLimits {
  /** Distinct hashes, below 2^22. */
  readonly numbers: number;
  /** Blocks of 128 numbers, over all sets: a set has a block for each group of 128 numbers of which it has one or more. */
  readonly blocks: number;
  /** Number of distinct hashes from which on the comparer is large. */
  readonly large: number;
}

/** The limits allow the largest pair that tasks compare at once: two sets of 2^21 hashes each. */
const LIMITS: ComparerLimits = { numbers: 2 ** 22 - 1, blocks: 2 ** 20, large: 4096 };

/**
 * The table has 2^width slots at first. Small comparers use few of them, so that clearing is fast and the table fits into the cache.
 */
const WIDTH = 15;
/** The greatest width. */
const WIDEST = 23;

/** Words of the struct of src/kernel/assembly/sketch/sets.ts. */
const STATE_WORDS = 12;
const NUMBERS = 9;
const HELD = 11;

/**
 * Sets as bits, one per hash: hashes are numbered in the order of their first occurrence. All memory is allocated at once, because
 * pages that are never written take no physical memory. Every set is copied in once, and one call compares thousands of pairs.
 */
export class WasmSetComparer implements SetComparer {
  private readonly memory: KernelMemory;
  private readonly large: number;
  /** Addresses: the struct; the first block of every set; numbers of sets; results; copies of hashes that are not in this memory. */
  private readonly state: number;
  private readonly starts: number;
  private readonly first: number;
  private readonly second: number;
  private readonly common: number;
  private readonly piece: number;
  /** Addresses of the rooms for long lists. */
  private readonly spare: number;
  private readonly counts: number;
  private sets = 0;

  constructor(memory: KernelMemory, { numbers, blocks, large } = LIMITS) {
    this.memory = memory;
    this.large = large;
    this.state = memory.allocate(4 * STATE_WORDS);
    this.starts = memory.allocate(4 * (SETS + 1));
    this.first = memory.allocate(4 * PAIRS);
    this.second = memory.allocate(4 * PAIRS);
    this.common = memory.allocate(4 * PAIRS);
    this.piece = memory.allocate(roomFor(PIECE));
    this.spare = memory.allocate(8 * PIECE);
    this.counts = memory.allocate(4 * RANGES);
    const blocksOfOne = Math.ceil(numbers / 128);
    const lists = [
      memory.allocate(8 * numbers),
      memory.allocate(4 * 2 ** WIDEST),
      memory.allocate(16 * blocksOfOne),
      memory.allocate(4 * (blocksOfOne + 1)),
      memory.allocate(4 * blocks),
      memory.allocate(16 * blocks),
    ];
    memory.words.set([...lists, numbers, blocks], this.state / 4);
    this.clear();
  }

  get isLarge(): boolean {
    return this.stateWord(NUMBERS) >= this.large;
  }

  clear(): void {
    this.sets = 0;
    this.memory.call.clearNumbers!(this.state, WIDTH);
  }

  place(hashes: Uint32Array, from: number, to: number): number {
    if (this.sets === SETS) return -1;
    const fits = this.add(hashes, from, to);
    const size = this.memory.call.closeSet!(this.state, fits ? 1 : 0);
    if (size >= 0) this.memory.words[this.starts / 4 + ++this.sets] = this.stateWord(HELD);
    return size;
  }

  /** Adds hashes to the open set; false: no room. */
  private add(hashes: Uint32Array, from: number, to: number): boolean {
    const { memory, state, spare, counts } = this;
    const { addToSet, addLongToSet } = memory.call;
    const isLong = to - from > LONG;
    for (let at = from; at < to; at += PIECE) {
      const count = Math.min(PIECE, to - at);
      const address = placedHashes(memory, hashes, at, count, this.piece);
      const end = address + 8 * count;
      const fits = isLong
        ? addLongToSet!(state, address, end, spare, counts)
        : addToSet!(state, address, end);
      if (fits === 0) return false;
    }
    return true;
  }

  compare(a: Uint32Array, b: Uint32Array, from: number, to: number, common: Uint32Array): void {
    const { memory } = this;
    const { words, call } = memory;
    for (let at = from; at < to; at += PAIRS) {
      const next = Math.min(to, at + PAIRS);
      const count = next - at;
      words.set(a.subarray(at, next), this.first / 4);
      words.set(b.subarray(at, next), this.second / 4);
      call.commonSizes!(this.state, this.first, this.second, count, this.starts, this.common);
      common.set(memory.wordsAt(this.common, count), at);
    }
  }

  private stateWord(number: number): number {
    return this.memory.words[this.state / 4 + number]!;
  }
}

/** Up to this many hashes the references sort by insertion in place, faster than the list could be copied. */
const WORTH_COPYING = 24;

/** Initial capacity in entries. Capacity doubles, because outgrown memory is never freed. */
const LEAST_ROOM = 65536;

/** Longer lists are sorted by the references: with this limit all memory takes 48 MB per worker, and outgrown memory as much again. */
const MOST_SORTED = 2097152;

/**
 * Creates the sorts in this memory. Lists are copied in and out, so they must not be views of it. The reference sorts very short and
 * very long lists.
 */
export function createWasmSorts(memory: KernelMemory): Pick<Kernel, 'sortUnique' | 'sortByKey64'> {
  const { call } = memory;
  const counts = memory.allocate(call.sortCountsBytes!());
  const isSortedHere = (count: number): boolean => count > WORTH_COPYING && count <= MOST_SORTED;
  let [capacity, list, spare, payloadAt, sparePayload] = [0, 0, 0, 0, 0];
  const reserve = (count: number): void => {
    if (count <= capacity) return;
    capacity = Math.max(LEAST_ROOM, 2 ** Math.ceil(Math.log2(count)));
    list = memory.allocate(roomFor(capacity));
    spare = memory.allocate(8 * capacity);
    payloadAt = memory.allocate(4 * capacity);
    sparePayload = memory.allocate(4 * capacity);
  };
  return {
    sortUnique(hashes, count) {
      if (!isSortedHere(count)) return sortUnique64(hashes, count);
      reserve(count);
      const at = placedHashes(memory, hashes, 0, count, list);
      const distinct = call.sortUnique!(at, count, spare, counts);
      hashes.set(memory.wordsAt(at, 2 * distinct));
      return distinct;
    },
    sortByKey64(keys, payload, count) {
      if (!isSortedHere(count)) {
        sortByKey64(keys, payload, count);
        return;
      }
      reserve(count);
      const at = placedHashes(memory, keys, 0, count, list);
      memory.words.set(payload.subarray(0, count), payloadAt / 4);
      call.sortByKey64!(at, payloadAt, count, spare, sparePayload, counts);
      keys.set(memory.wordsAt(at, 2 * count));
      payload.set(memory.wordsAt(payloadAt, count));
    },
  };
}
