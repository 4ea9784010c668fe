/**
 * Shingle hashes grouped by row chunk in the kernel, a batch at a time: what a Map task does when the
 * characteristic matrix is cut into many row chunks.
 *
 * Floor 1. Instead of one call a hash (`rowChunkOf`): grouped, they can be appended chunk by chunk.
 */
import type { RowGrouping } from './kernel.js';
import { placedHashes, roomFor } from './wasmHashes.js';
import type { KernelMemory } from './wasmMemory.js';

/** Hashes in a batch: 64 KB in and out, so that grouping stays within the second cache. */
const BATCH = 8192;

/**
 * Most row chunks. Room for all from the start: growing the memory would detach the list, if it is a view of
 * it.
 */
const MOST_CHUNKS = 65536;

/** `groupByRowChunk` in this memory. */
export function createWasmRowGrouping(memory: KernelMemory): RowGrouping {
  const room = memory.allocate(roomFor(BATCH));
  const grouped = memory.allocate(8 * BATCH);
  const chunks = memory.allocate(4 * BATCH);
  const ends = memory.allocate(4 * MOST_CHUNKS);
  const run = memory.call.groupByRowChunk!;
  return (hashes, count, rowChunks, take) => {
    for (let from = 0; from < count; from += BATCH) {
      const taken = Math.min(BATCH, count - from);
      run(placedHashes(memory, hashes, from, taken, room), taken, rowChunks, chunks, grouped, ends);
      const { words } = memory;
      take(
        words.subarray(grouped / 4, grouped / 4 + 2 * taken),
        words.subarray(ends / 4, ends / 4 + rowChunks),
      );
    }
  };
}
