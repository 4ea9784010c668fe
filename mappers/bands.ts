/**
 * Map: signatures -> bucket keys, band after band.
 *
 *      keys   u32 pairs   band 0: key of column 0, column 1, ... | band 1: ...
 *
 * Two documents share a bucket of a band when all rows of that band are equal (MMDS 3.4.1); the key is a 64-bit hash of
 * the band's number and rows, so one reducer a band can read its keys of every column block without looking at others.
 *
 * Floor 2: pure.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { BandingParams, SketchParams } from '../src/sketch/params.js';

/** The bucket keys of a block of signatures: kind `bands`, shared. Keys of empty signatures mean nothing: the caller leaves them out. */
export function bands(
  signatures: Block,
  kernel: Kernel,
  banding: BandingParams,
  sketch: SketchParams,
): Block {
  const slots = signatures.columns.slots as Uint32Array;
  const stride = signatures.meta.stride as number;
  const columns = slots.length / stride;
  const keys = new Uint32Array(2 * banding.bands * columns);
  const one = new Uint32Array(2 * banding.bands);
  for (let column = 0; column < columns; column++) {
    const signature = slots.subarray(column * stride, column * stride + sketch.hashes);
    kernel.bandKeys(signature, banding, sketch.seed, one);
    for (let band = 0; band < banding.bands; band++) {
      const at = 2 * (band * columns + column);
      keys[at] = one[2 * band]!;
      keys[at + 1] = one[2 * band + 1]!;
    }
  }
  return encodeBlock('bands', { bands: banding.bands, columns }, { keys }, true);
}
