/**
 * Collects, compares and sorts sets of hashes in the kernel, in memory that is used again from task to
 * task.
 */

import { concatenated, Uint32Column } from '../arrays/growable.js';
import { sortByKey64, sortUnique64 } from '../arrays/sort.js';
import type { Kernel, SetCollector, SetComparer } from './kernel.js';
import { type KernelMemory, placedHashes, roomFor } from './wasmMemory.js';

/** Bytes of the arena: the documents that one task reads a second time, and room to sort the largest set that tasks compare at once. */
const ARENA = 64 << 20;

/** The arena, allocated whole at its first use: the system gives no memory for pages that are never written. */
export class SetArena {
  address = 0;
  private readonly memory: KernelMemory;
  private readonly most: number;

  /** `most`: the size of the arena in bytes; tests set less. */
  constructor(memory: KernelMemory, most = ARENA) {
    this.memory = memory;
    this.most = most;
  }

  /** Whether there is room for `bytes`. The first use detaches every view of the memory. */
  fits(bytes: number): boolean {
    if (bytes > this.most) return false;
    if (this.address === 0) this.address = this.memory.allocate(this.most);
    return true;
  }
}

/** Sets in plain memory, of any size. */
export function createSetCollector(): SetCollector {
  const hashes = new Uint32Column();
  let start = 0;
  const drop = (): void => hashes.truncate(start);
  return {
    clear() {
      start = 0;
      drop();
    },
    add: (found, count) => hashes.append(found.subarray(0, 2 * count)),
    close() {
      const set = hashes.view.subarray(start);
      const distinct = sortUnique64(set, set.length / 2);
      start += 2 * distinct;
      drop();
      return distinct;
    },
    keep() {
      const from = start;
      start = hashes.length;
      return (start - from) / 2;
    },
    drop,
    sets: () => hashes.view.subarray(0, start),
  };
}

/**
 * Makes sets of shingle hashes in the kernel, where the hashes already are.
 *
 *      arena   [ finished sets | hashes of the current document | as much spare room, for sorting ]
 *
 * When the arena is full, sets continue in plain memory, in the same order.
 */
class WasmSetCollector implements SetCollector {
  private readonly memory: KernelMemory;
  private readonly arena: SetArena;
  private readonly counts: number;
  /** Bytes of the finished sets in the arena. */
  private finishedBytes = 0;
  /** Bytes of the hashes of the current document behind them. */
  private openBytes = 0;
  /** Sets that were moved out of the arena; they precede those in it. */
  private readonly spilledSets: Uint32Array[] = [];
  /** Holds the current document where it is too long for the arena; the arena is empty then. */
  private readonly fallback = createSetCollector();
  private inFallback = false;

  constructor(memory: KernelMemory, arena: SetArena) {
    this.memory = memory;
    this.arena = arena;
    this.counts = memory.allocate(memory.call.sortCountsBytes!());
  }

  clear(): void {
    this.finishedBytes = 0;
    this.spilledSets.length = 0;
    this.drop();
  }

  add(hashes: Uint32Array, count: number): void {
    const { memory, arena } = this;
    // Making room detaches the list where it is a view of this memory, but does not move it.
    const inside = memory.holds(hashes);
    const source = hashes.byteOffset;
    const bytes = 8 * count;
    if (this.inFallback || !this.makeRoom(this.openBytes + bytes)) {
      this.useFallback();
      this.fallback.add(hashes, count);
      return;
    }
    const to = arena.address + this.finishedBytes + this.openBytes;
    if (inside) memory.bytes.copyWithin(to, source, source + bytes);
    else memory.words.set(hashes.subarray(0, 2 * count), to / 4);
    this.openBytes += bytes;
  }

  close(): number {
    if (this.inFallback) {
      const distinct = this.fallback.close();
      this.spilledSets.push(this.fallback.sets().slice());
      this.drop();
      return distinct;
    }
    if (this.openBytes === 0) return 0;
    const at = this.arena.address + this.finishedBytes;
    const distinct = this.memory.call.sortUnique!(at, this.openBytes / 8, at + this.openBytes, this.counts);
    this.finishedBytes += 8 * distinct;
    this.openBytes = 0;
    return distinct;
  }

  keep(): number {
    if (this.inFallback) {
      const count = this.fallback.keep();
      this.spilledSets.push(this.fallback.sets().slice());
      this.drop();
      return count;
    }
    const count = this.openBytes / 8;
    this.finishedBytes += this.openBytes;
    this.openBytes = 0;
    return count;
  }

  drop(): void {
    this.openBytes = 0;
    if (this.inFallback) this.fallback.clear();
    this.inFallback = false;
  }

  sets(): Uint32Array {
    if (this.spilledSets.length === 0) return this.inArena();
    this.spill();
    if (this.spilledSets.length > 1)
      this.spilledSets.splice(0, this.spilledSets.length, concatenated(this.spilledSets));
    return this.spilledSets[0]!;
  }

  private inArena(): Uint32Array {
    const from = this.arena.address / 4;
    return this.memory.words.subarray(from, from + this.finishedBytes / 4);
  }

  /** Whether the current document, `openBytes` bytes with the new hashes, and as much spare room fit behind the sets. */
  private makeRoom(openBytes: number): boolean {
    const { arena } = this;
    if (arena.fits(this.finishedBytes + 2 * openBytes)) return true;
    this.spill();
    return arena.fits(2 * openBytes);
  }

  /** Moves the sets out of the arena. */
  private spill(): void {
    if (this.finishedBytes === 0) return;
    const { memory, arena, finishedBytes, openBytes } = this;
    this.spilledSets.push(this.inArena().slice());
    memory.bytes.copyWithin(
      arena.address,
      arena.address + finishedBytes,
      arena.address + finishedBytes + openBytes,
    );
    this.finishedBytes = 0;
  }

  /** Moves the current document out of the arena, which holds no set then. */
  private useFallback(): void {
    if (this.inFallback) return;
    this.inFallback = true;
    const from = this.arena.address / 4;
    const words = this.openBytes / 4;
    this.fallback.clear();
    this.fallback.add(this.memory.words.subarray(from, from + words), words / 2);
    this.openBytes = 0;
  }
}

/** A collector in this memory; documents whose hashes take more than half of the arena are sorted outside. */
export function createWasmSetCollector(memory: KernelMemory, arena: SetArena): SetCollector {
  return new WasmSetCollector(memory, arena);
}

/** The most sets at a time, and the most pairs and hashes per call. */
const SETS = 32768;
const PAIRS = 8192;
const PIECE = 2 ** 18;
/** Lists of more hashes than this are added by `addLongToSet`. */
const LONG = 2 ** 16;
const RANGES = 256;

/** How much a comparer can hold; tests set less. */
export interface ComparerLimits {
  /** Distinct hashes, below 2^22. */
  readonly numbers: number;
  /** Blocks of 128 numbers, over all sets: a set has a block where it has a hash with one of the numbers. */
  readonly blocks: number;
  /** Number of distinct hashes from which on the comparer is large. */
  readonly large: number;
}

/** The limits have room for the largest pair that tasks compare at once: two sets of 2^21 hashes each. */
const LIMITS: ComparerLimits = { numbers: 2 ** 22 - 1, blocks: 2 ** 20, large: 4096 };

/**
 * The table has 2^width slots at first. A comparer that is not large uses few of them: clearing is fast, and the table stays in
 * the cache.
 */
const WIDTH = 15;
/** The greatest width. */
const WIDEST = 23;

/** Words of the struct of src/kernel/assembly/sketch/sets.ts. */
const STATE_WORDS = 12;
const NUMBERS = 9;
const HELD = 11;

/**
 * Sets as bits, one per hash: hashes are numbered in the order of their first occurrence. All rooms are allocated at once,
 * because the system gives no memory for pages that are never written.
 */
class WasmSetComparer implements SetComparer {
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

  constructor(memory: KernelMemory, { numbers, blocks, large }: ComparerLimits) {
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
    const { words, call } = this.memory;
    for (let at = from; at < to; at += PAIRS) {
      const next = Math.min(to, at + PAIRS);
      const count = next - at;
      words.set(a.subarray(at, next), this.first / 4);
      words.set(b.subarray(at, next), this.second / 4);
      call.commonSizes!(this.state, this.first, this.second, count, this.starts, this.common);
      common.set(words.subarray(this.common / 4, this.common / 4 + count), at);
    }
  }

  private stateWord(number: number): number {
    return this.memory.words[this.state / 4 + number]!;
  }
}

/** A comparer in this memory: every set is copied in once, and one call compares thousands of pairs. */
export function createWasmSetComparer(memory: KernelMemory, limits = LIMITS): SetComparer {
  return new WasmSetComparer(memory, limits);
}

/** Up to this many hashes the references sort by insertion in place, faster than the list could be copied. */
const WORTH_COPYING = 24;

/** Number of entries for which there is room at first. */
const SORT_ROOM_AT_FIRST = 65536;

/**
 * The references sort longer lists. With this limit all rooms together take 48 MB per worker, and outgrown rooms,
 * which are never freed, as much again.
 */
const SORT_ROOM_AT_MOST = 2097152;

/** Two rooms of one size: for the list to sort, and spare room. They double when they are too small. */
class SortRoom {
  list = 0;
  spare = 0;
  private room = 0;
  private readonly memory: KernelMemory;
  private readonly bytesOf: (count: number) => number;

  constructor(memory: KernelMemory, bytesOf: (count: number) => number) {
    this.memory = memory;
    this.bytesOf = bytesOf;
    this.enlarge(SORT_ROOM_AT_FIRST);
  }

  /**
   * Whether `count` entries fit. The room grows only where `mayGrow`, because growth detaches every view of the
   * memory.
   */
  fits(count: number, mayGrow: boolean): boolean {
    if (count <= this.room) return true;
    if (!mayGrow || count > SORT_ROOM_AT_MOST) return false;
    this.enlarge(Math.min(SORT_ROOM_AT_MOST, Math.max(count, 2 * this.room)));
    return true;
  }

  private enlarge(count: number): void {
    this.list = this.memory.allocate(this.bytesOf(count));
    this.spare = this.memory.allocate(this.bytesOf(count));
    this.room = count;
  }
}

function sortUniqueIn(memory: KernelMemory, room: SortRoom, counts: number): Kernel['sortUnique'] {
  const run = memory.call.sortUnique!;
  return (hashes, count) => {
    const inside = memory.holds(hashes);
    if (count <= WORTH_COPYING || !room.fits(count, !inside)) return sortUnique64(hashes, count);
    const address = placedHashes(memory, hashes, 0, count, room.list);
    const distinct = run(address, count, room.spare, counts);
    if (!inside) hashes.set(memory.words.subarray(address / 4, address / 4 + 2 * distinct));
    return distinct;
  };
}

function sortByKey64In(
  memory: KernelMemory,
  room: SortRoom,
  counts: number,
): NonNullable<Kernel['sortByKey64']> {
  const payloadRoom = new SortRoom(memory, (count) => 4 * count);
  const run = memory.call.sortByKey64!;
  return (keys, payload, count) => {
    const inside = memory.holds(keys);
    const mayGrow = !inside && !memory.holds(payload);
    if (count <= WORTH_COPYING || !room.fits(count, mayGrow) || !payloadRoom.fits(count, mayGrow)) {
      sortByKey64(keys, payload, count);
      return;
    }
    const keysAt = placedHashes(memory, keys, 0, count, room.list);
    const payloadAt = payloadRoom.list;
    memory.words.set(payload.subarray(0, count), payloadAt / 4);
    run(keysAt, payloadAt, count, room.spare, payloadRoom.spare, counts);
    if (!inside) keys.set(memory.words.subarray(keysAt / 4, keysAt / 4 + 2 * count));
    payload.set(memory.words.subarray(payloadAt / 4, payloadAt / 4 + count));
  };
}

interface WasmSorts {
  readonly sortUnique: Kernel['sortUnique'];
  readonly sortByKey64: NonNullable<Kernel['sortByKey64']>;
}

/**
 * Creates the sorts in this memory, which share rooms. Lists are copied in and out; the reference sorts very short lists, and
 * lists too long for the room.
 */
export function createWasmSorts(memory: KernelMemory): WasmSorts {
  const room = new SortRoom(memory, roomFor);
  const counts = memory.allocate(memory.call.sortCountsBytes!());
  return {
    sortUnique: sortUniqueIn(memory, room, counts),
    sortByKey64: sortByKey64In(memory, room, counts),
  };
}
