/**
 * Lists of 64-bit hashes on their way into kernel memory.
 *
 * Floor 1. Knows addresses, never what the hashes are for.
 */
import type { KernelMemory } from './wasmMemory.js';

/**
 * Bytes that room for `count` hashes takes: four more, for a list that does not begin at a multiple of eight.
 */
export function roomFor(count: number): number {
  return 8 * count + 4;
}

/**
 * Where hashes [from, from + count) of a list are in kernel memory: their own place if the list is a view of
 * it, else copied to `room`.
 *
 * The copy keeps the remainder of the address by eight: from a SharedArrayBuffer the engine copies word by
 * word if both ends are aligned alike, and byte by byte, eight times as long, if not.
 */
export function placedHashes(
  memory: KernelMemory,
  list: Uint32Array,
  from: number,
  count: number,
  room: number,
): number {
  const start = list.byteOffset + 8 * from;
  if (memory.holds(list)) return start;
  const address = room + (start & 4);
  const whole = from === 0 && list.length === 2 * count;
  memory.words.set(whole ? list : list.subarray(2 * from, 2 * (from + count)), address / 4);
  return address;
}
