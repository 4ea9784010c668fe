/**
 * Sets of hashes in the kernel: collected, compared and sorted in memory that is used again from task to
 * task.
 */

import { sortByKey64, sortUniqueHashes } from '../arrays/sort.js';
import type { Kernel, SetCollector, SetComparer } from './kernel.js';
import { createSetCollector } from './reference.js';
import { type KernelMemory, placedHashes, roomFor } from './wasmMemory.js';

const ROOM_AT_FIRST = 8 << 20;

/**
 * Upper limit of the arena in bytes. A task that re-reads documents makes sets of about 4 MB; kernel memory
 * is never freed, so outgrown arenas take as much again.
 */
const ROOM_AT_MOST = 32 << 20;

export class SetArena {
  address = 0;
  private bytes = 0;
  private readonly memory: KernelMemory;
  private readonly most: number;

  /** `most`: upper limit in bytes; tests set a lower one. */
  constructor(memory: KernelMemory, most = ROOM_AT_MOST) {
    this.memory = memory;
    this.most = most;
  }

  /**
   * Whether there is room for `bytes`; the first `keep` of them are preserved. Making room detaches every
   * view of the memory and moves the address.
   */
  fits(bytes: number, keep = 0): boolean {
    if (bytes <= this.bytes) return true;
    if (bytes > this.most) return false;
    const { memory, address } = this;
    let size = Math.min(this.most, Math.max(ROOM_AT_FIRST, this.bytes));
    while (size < bytes) size = Math.min(this.most, 2 * size);
    this.address = memory.allocate(size);
    this.bytes = size;
    memory.bytes.copyWithin(this.address, address, address + keep);
    return true;
  }

  /** Makes as much room as allowed, up to `bytes`; returns its size. */
  enlarge(bytes: number): number {
    this.fits(Math.min(bytes, this.most));
    return this.bytes;
  }
}

/**
 * Makes sets of shingle hashes in the kernel, where the hashes already are.
 *
 *      arena   [ finished sets | hashes of the current document | as much to spare, for sorting ]
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

  drop(): void {
    this.openBytes = 0;
    if (this.inFallback) this.fallback.clear();
    this.inFallback = false;
  }

  sets(): Uint32Array {
    if (this.spilledSets.length === 0) return this.inArena();
    this.spill();
    if (this.spilledSets.length > 1)
      this.spilledSets.splice(0, this.spilledSets.length, joined(this.spilledSets));
    return this.spilledSets[0]!;
  }

  private inArena(): Uint32Array {
    const from = this.arena.address / 4;
    return this.memory.words.subarray(from, from + this.finishedBytes / 4);
  }

  /** Whether the current document, `openBytes` bytes with the new hashes, and as much to spare fit behind the sets. */
  private makeRoom(openBytes: number): boolean {
    const { arena } = this;
    if (arena.fits(this.finishedBytes + 2 * openBytes, this.finishedBytes + this.openBytes)) return true;
    this.spill();
    return arena.fits(2 * openBytes, this.openBytes);
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

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A collector in this memory; documents whose hashes take more than half of the arena are sorted outside. */
export function createWasmSetCollector(memory: KernelMemory, arena: SetArena): SetCollector {
  return new WasmSetCollector(memory, arena);
}

/** Most sets at a time, and most pairs per call. */
const SETS = 32768;
const PAIRS = 8192;

class WasmSetComparer implements SetComparer {
  private readonly memory: KernelMemory;
  private readonly arena: SetArena;
  /** Addresses: begin and end of every set; numbers of sets; results. */
  private readonly bounds: number;
  private readonly first: number;
  private readonly second: number;
  private readonly common: number;
  private readonly used: number;
  private sets = 0;
  private end = 0;
  private limit = 0;
  /** Bytes of room to request; sets that are in kernel memory need no room, because that would move them. */
  private wanted = 0;

  constructor(memory: KernelMemory, arena: SetArena) {
    this.memory = memory;
    this.arena = arena;
    this.bounds = memory.allocate(8 * SETS);
    this.first = memory.allocate(4 * PAIRS);
    this.second = memory.allocate(4 * PAIRS);
    this.common = memory.allocate(4 * PAIRS);
    this.used = memory.allocate(8);
  }

  clear(hashes: number): void {
    this.sets = 0;
    this.end = 0;
    this.limit = 0;
    this.wanted = 8 * hashes;
  }

  place(hashes: Uint32Array, from: number, to: number): boolean {
    if (this.sets === SETS) return false;
    const size = 8 * (to - from);
    if (this.memory.holds(hashes)) {
      this.bound(hashes.byteOffset + 8 * from, size);
      return true;
    }
    if (this.end === 0) {
      this.limit = this.arena.enlarge(this.wanted);
      this.end = this.arena.address;
      this.limit += this.end;
    }
    if (this.end + size > this.limit) return false;
    this.memory.words.set(hashes.subarray(2 * from, 2 * to), this.end / 4);
    this.bound(this.end, size);
    this.end += size;
    return true;
  }

  private bound(address: number, size: number): void {
    const at = this.bounds / 4 + 2 * this.sets++;
    const { words } = this.memory;
    words[at] = address;
    words[at + 1] = address + size;
  }

  compare(a: Uint32Array, b: Uint32Array, from: number, to: number, common: Uint32Array): void {
    const { words, call } = this.memory;
    for (let at = from; at < to; at += PAIRS) {
      const next = Math.min(to, at + PAIRS);
      const count = next - at;
      words.set(a.subarray(at, next), this.first / 4);
      words.set(b.subarray(at, next), this.second / 4);
      call.commonSizes!(this.first, this.second, count, this.bounds, this.common, this.used);
      common.set(words.subarray(this.common / 4, this.common / 4 + count), at);
    }
  }
}

/**
 * Compares many pairs of sets: every set is copied in once, unless it is in kernel memory already, and one
 * call takes thousands of pairs.
 */
export function createWasmSetComparer(memory: KernelMemory, arena: SetArena): SetComparer {
  return new WasmSetComparer(memory, arena);
}

/** Up to this many the references sort by insertion in place, faster than the list could be copied. */
const WORTH_COPYING = 24;

/** Entries that the room has at first. */
const SORT_ROOM_AT_FIRST = 65536;

/**
 * Longer lists are left to the references. All rooms together then take 48 MB per worker, and outgrown ones,
 * which are never freed, as much again.
 */
const SORT_ROOM_AT_MOST = 2097152;

/** Two rooms of one size: the list to sort, and as much to spare. It doubles when it is too small. */
class SortRoom {
  /** Addresses. */
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
   * Whether `count` entries fit. It is enlarged only where `mayGrow`, because that detaches every view of the
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
    if (count <= WORTH_COPYING || !room.fits(count, !inside)) return sortUniqueHashes(hashes, count);
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
 * The sorts in this memory, in one room. Lists are copied in and out; very short ones, and those too long for
 * the room, are left to the reference.
 */
export function createWasmSorts(memory: KernelMemory): WasmSorts {
  const room = new SortRoom(memory, roomFor);
  const counts = memory.allocate(memory.call.sortCountsBytes!());
  return {
    sortUnique: sortUniqueIn(memory, room, counts),
    sortByKey64: sortByKey64In(memory, room, counts),
  };
}
