/**
 * Map: signatures -> bucket keys, band after band.
 *
 *      keys   u32 pairs   band 0: key of column 0, column 1, ... | band 1: ...
 *
 * Two documents share a bucket of a band when all rows of that band are equal (MMDS 3.4.1). The key is a 64-bit hash of the
 * band's number and rows, so that the reducer of a band reads only the keys of its band, from every document batch.
 */
import { type Block, newBlock } from '../src/blocks/block.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { BandingParams, SketchParams } from '../src/sketch/params.js';

/**
 * The bucket keys of the signatures of a column block, `stride` slots apart: kind `bands`, shared. Keys of empty signatures
 * are undefined: callers skip them.
 */
export function bands(
  slots: Uint32Array,
  stride: number,
  kernel: Kernel,
  banding: BandingParams,
  sketch: SketchParams,
): Block {
  const columns = slots.length / stride;
  const { bands } = banding;
  const block = newBlock('bands', { bands, columns }, { keys: ['u32', 2 * bands * columns] }, true);
  kernel.bandColumns(slots, stride, banding, sketch.seed, block.columns.keys as Uint32Array);
  return block;
}
