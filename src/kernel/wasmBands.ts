/**
 * Bucket keys by the kernel: of one signature, half a kilobyte in and the keys out, or of a column block.
 *
 * Floor 1.
 */
import { seededConstants } from '../sketch/hashing.js';
import type { Kernel } from './kernel.js';
import type { KernelMemory } from './wasmMemory.js';

/** Most slots of a signature, and so the most bands. */
const MOST_SLOTS = 1024;

/** `bandKeys` in this memory; equal to src/sketch/bandKeys.ts for `bands * rows` up to 1024. */
export function createWasmBandKeys(memory: KernelMemory): Kernel['bandKeys'] {
  const slots = memory.allocate(4 * MOST_SLOTS);
  const keys = memory.allocate(8 * MOST_SLOTS);
  const start = memory.allocate(8);
  const run = memory.call.bandKeys!;
  // A run has one seed and one number of bands, and a call a document.
  let startSeed = Number.NaN;
  let keysView: Uint32Array = new Uint32Array(0);
  return (signature, { bands, rows }, seed, out) => {
    if (startSeed !== seed) {
      memory.words.set(seededConstants(seed, 'band', 1), start / 4);
      startSeed = seed;
    }
    const used = bands * rows;
    memory.words.set(signature.length === used ? signature : signature.subarray(0, used), slots / 4);
    run(slots, bands, rows, start, keys);
    if (keysView.length !== 2 * bands) keysView = memory.words.subarray(keys / 4, keys / 4 + 2 * bands);
    out.set(keysView);
  };
}

/** Bytes of signatures, and of keys, of one call: they stay within the second cache. */
const BATCH = 1 << 19;

/** `bandColumns` in this memory, a batch of columns a call. */
export function createWasmBandColumns(memory: KernelMemory): Kernel['bandColumns'] {
  const start = memory.allocate(8);
  const run = memory.call.bandColumns!;
  let arena = 0;
  return (slots, stride, { bands, rows }, seed, out) => {
    if (arena === 0) arena = memory.allocate(2 * BATCH);
    const keys = arena + BATCH;
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
