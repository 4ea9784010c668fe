/**
 * Sorting 64-bit hashes and keys in the kernel.
 *
 * Floor 1. Lists are copied in and out; what is too short to be worth that, or too long for the room that a
 * worker may take for it, stays with the reference.
 */
import { sortByKey64 } from '../sketch/radixSort.js';
import { sortUniqueHashes } from '../sketch/sortHashes.js';
import type { Kernel } from './kernel.js';
import { placedHashes, roomFor } from './wasmHashes.js';
import type { KernelMemory } from './wasmMemory.js';

/** Up to this many the references sort by insertion in place, sooner than the list could be copied. */
const WORTH_COPYING = 24;

/** Entries that there is room for at first. */
const ROOM_AT_FIRST = 65536;

/**
 * Longer lists stay with the references. All rooms together then take 48 MB a worker, and what they outgrew,
 * which is never freed, as much again.
 */
const ROOM_AT_MOST = 2097152;

/** Two rooms of one size: what is sorted, and as much to spare. It doubles when it is too small. */
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
    this.enlarge(ROOM_AT_FIRST);
  }

  /**
   * Whether `count` entries fit. Only where it may grow, which detaches every view of the memory, is it
   * enlarged.
   */
  fits(count: number, mayGrow: boolean): boolean {
    if (count <= this.room) return true;
    if (!mayGrow || count > ROOM_AT_MOST) return false;
    this.enlarge(Math.min(ROOM_AT_MOST, Math.max(count, 2 * this.room)));
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

export interface WasmSorts {
  readonly sortUnique: Kernel['sortUnique'];
  readonly sortByKey64: NonNullable<Kernel['sortByKey64']>;
}

/** The sorts in this memory, in one room. */
export function createWasmSorts(memory: KernelMemory): WasmSorts {
  const room = new SortRoom(memory, roomFor);
  const counts = memory.allocate(memory.call.sortCountsBytes!());
  return {
    sortUnique: sortUniqueIn(memory, room, counts),
    sortByKey64: sortByKey64In(memory, room, counts),
  };
}
