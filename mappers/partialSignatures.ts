/**
 * Map: tiles -> partial signatures of their columns, for all row chunks of a tile batch.
 *
 * A partial is a signature over the rows of one column in one chunk, or the list of those rows, which stays
 * in the tile (src/sketch/rowChunks.ts defines which).
 */
import type { Block } from '../src/blocks/block.js';
import { encodePartials, stepOf } from '../src/blocks/tiles.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { SketchParams } from '../src/sketch/params.js';

/** The partial signatures of one tile batch: kind `partials`, shared. */
export function partialSignatures(tiles: Block, kernel: Kernel, sketch: SketchParams): Block {
  const { scattered, totals, columns } = stepOf(tiles);
  const sketcher = kernel.scatteredSketcher(sketch);
  return encodePartials(sketcher.partials(scattered, totals, columns), sketcher.stride);
}
