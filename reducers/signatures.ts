/**
 * Reduce: the partial signatures of one document batch over all row chunks -> its signatures.
 *
 * Element-wise minima (MMDS exercise 3.3.7): every slot is a minimum of a function of single rows, so the
 * minimum over chunks is the slot of the whole column, bit for bit. Columns that came as lists are gathered
 * and sketched once.
 */
import { type Block, newBlock } from '../src/blocks/block.js';
import { partialsOf, stepOf } from '../src/blocks/tiles.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { SketchParams } from '../src/sketch/params.js';

/**
 * The signatures of one document batch from its tile batches, in their order, and the partials of each: kind
 * `signatures`, shared. A column without rows in any chunk has the empty signature.
 */
export function signatures(
  tiles: readonly Block[],
  partials: readonly Block[],
  kernel: Kernel,
  sketch: SketchParams,
): Block {
  const sketcher = kernel.scatteredSketcher(sketch);
  const { stride } = sketcher;
  const steps = tiles.map(stepOf);
  const last = steps.at(-1);
  const columns = last === undefined ? 0 : last.firstColumn + last.columns;
  const block = newBlock('signatures', { stride }, { slots: ['u32', columns * stride] }, true);
  const slots = block.columns.slots as Uint32Array;
  steps.forEach((step, i) => {
    const from = step.firstColumn * stride;
    const to = from + step.columns * stride;
    sketcher.signatures(step.scattered, partialsOf(partials[i]!), step, slots.subarray(from, to));
  });
  return block;
}
