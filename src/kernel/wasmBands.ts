/**
 * Bucket keys by the kernel, of a column block at once.
 *
 * Floor 1.
 */
import { seededConstants } from '../sketch/hashing.js';
import type { Kernel } from './kernel.js';
import type { KernelMemory } from './wasmMemory.js';

/** Bytes of signatures, and of keys, of one call: they stay within the second cache. */
const BATCH = 1 << 19;

/** `bandColumns` in this memory, a batch of columns a call; equal to src/sketch/bandKeys.ts for up to 1024 slots. */
export function createWasmBandColumns(memory: KernelMemory): Kernel['bandColumns'] {
  const start = memory.allocate(8);
  const run = memory.call.bandColumns!;
  const arena = memory.allocate(2 * BATCH);
  const keys = arena + BATCH;
  return (slots, stride, { bands, rows }, seed, out) => {
    const columns = slots.length / stride;
    // 1024 slots or bands at most: at least 64 columns.
    const batch = Math.floor(BATCH / Math.max(4 * stride, 8 * bands));
    const { words } = memory;
    words.set(seededConstants(seed, 'band', 1), start / 4);
    for (let from = 0; from < columns; from += batch) {
      const taken = Math.min(batch, columns - from);
      words.set(slots.subarray(from * stride, (from + taken) * stride), arena / 4);
      run(arena, taken, stride, bands, rows, start, keys);
      for (let band = 0; band < bands; band++) {
        const at = keys / 4 + 2 * band * taken;
        out.set(words.subarray(at, at + 2 * taken), 2 * (band * columns + from));
      }
    }
  };
}
