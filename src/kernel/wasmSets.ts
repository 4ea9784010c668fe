/**
 * Comparing sorted sets of 64-bit hashes in the kernel.
 *
 * Floor 1. Sets come from outside, mostly from shared memory, and are copied in at every call: remembering
 * the last one by its place would save a quarter of a call, and be wrong where a list was changed in between.
 */
import { intersectionSize as plainIntersectionSize } from '../sketch/similarity.js';
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
