/**
 * Bucket keys by the kernel.
 *
 * Floor 1. One signature a call: half a kilobyte in, the keys out.
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
