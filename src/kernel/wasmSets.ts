/**
 * Sorting and comparing sets of 64-bit hashes in the kernel.
 *
 * Floor 1. Lists come from outside, often from shared memory, and are copied in; what is too short to be worth that, or
 * too long for the room that a worker may take for it, stays with the reference.
 */
import { intersectionSize as plainIntersectionSize } from '../sketch/similarity.js';
import { sortUniqueHashes } from '../sketch/sortHashes.js';
import type { Kernel } from './kernel.js';
import { placedHashes, roomFor } from './wasmHashes.js';
import type { KernelMemory } from './wasmMemory.js';

/** Lists that are together shorter than this are merged before they could be copied. */
const WORTH_COPYING = 192;

/** Hashes of a list that are in the kernel at a time: 256 KB, all of most documents. */
const PIECE = 32768;

/** `intersectionSize` in this memory; lists of any length, in pieces. */
export function createWasmIntersectionSize(memory: KernelMemory): Kernel['intersectionSize'] {
  const roomA = memory.allocate(roomFor(PIECE));
  const roomB = memory.allocate(roomFor(PIECE));
  const used = memory.allocate(8);
  const run = memory.call.intersectionSize!;
  return (a, aFrom, aTo, b, bFrom, bTo) => {
    if (aTo - aFrom + (bTo - bFrom) < WORTH_COPYING)
      return plainIntersectionSize(a, aFrom, aTo, b, bFrom, bTo);
    let common = 0;
    while (aFrom < aTo && bFrom < bTo) {
      const aCount = Math.min(PIECE, aTo - aFrom);
      const bCount = Math.min(PIECE, bTo - bFrom);
      const aAt = placedHashes(memory, a, aFrom, aCount, roomA);
      const bAt = placedHashes(memory, b, bFrom, bCount, roomB);
      common += run(aAt, aAt + 8 * aCount, bAt, bAt + 8 * bCount, used);
      aFrom += memory.words[used / 4]!;
      bFrom += memory.words[used / 4 + 1]!;
    }
    return common;
  };
}

/** Up to this many hashes the reference sorts by insertion in place. */
const WORTH_SORTING = 24;

/** Hashes that there is room for at first, twice: 1 MB in all. */
const ROOM_AT_FIRST = 65536;

/** Longer lists stay with the reference: with the spare room, 64 MB a worker. */
const ROOM_AT_MOST = 4194304;

/** Room to sort in: the list and as much to spare. */
class SortRoom {
  hashes = 0;
  spare = 0;
  readonly counts: number;
  private room = 0;
  private readonly memory: KernelMemory;

  constructor(memory: KernelMemory) {
    this.memory = memory;
    this.counts = memory.allocate(memory.call.sortCountsBytes!());
    this.enlarge(ROOM_AT_FIRST);
  }

  /** Whether the room holds `count` hashes; it is made larger only where the list is outside (`mayGrow`). */
  holds(count: number, mayGrow: boolean): boolean {
    if (count <= this.room) return true;
    if (!mayGrow || count > ROOM_AT_MOST) return false;
    this.enlarge(Math.min(ROOM_AT_MOST, Math.max(count, 2 * this.room)));
    return true;
  }

  private enlarge(count: number): void {
    this.hashes = this.memory.allocate(roomFor(count));
    this.spare = this.memory.allocate(roomFor(count));
    this.room = count;
  }
}

/** `sortUnique` in this memory. */
export function createWasmSortUnique(memory: KernelMemory): Kernel['sortUnique'] {
  const room = new SortRoom(memory);
  const run = memory.call.sortUnique!;
  return (hashes, count) => {
    // A list that is a view of this memory would be detached by growing it.
    const inside = memory.holds(hashes);
    if (count <= WORTH_SORTING || !room.holds(count, !inside)) return sortUniqueHashes(hashes, count);
    const address = placedHashes(memory, hashes, 0, count, room.hashes);
    const distinct = run(address, count, room.spare, room.counts);
    if (!inside) hashes.set(memory.words.subarray(address / 4, address / 4 + 2 * distinct));
    return distinct;
  };
}
