/**
 * Reduce: the partial signatures of one column block over all row chunks -> its signatures.
 *
 * Element-wise minima (MMDS exercise 3.3.7): every slot is a minimum of a function of single rows, so the minimum over
 * chunks is the slot of the whole column, bit for bit. Columns that came as lists are gathered and sketched once.
 *
 * Floor 2: pure.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { Uint32Column } from '../src/blocks/growable.js';
import { LIST } from '../src/blocks/partials.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { SketchParams } from '../src/sketch/params.js';

/**
 * The signatures of one column block, in any order of its partials: kind `signatures`, shared.
 * A column without rows in any chunk has the empty signature.
 */
export function signatures(partials: readonly Block[], kernel: Kernel, sketch: SketchParams): Block {
  const sketcher = kernel.sketcher(sketch);
  const stride = sketcher.stride;
  const columns = partials.length === 0 ? 0 : partials[0]!.columns.ends!.length;
  const slots = new Uint32Array(columns * stride);
  const gathered = new Uint32Column();
  for (let column = 0; column < columns; column++) {
    const signature = slots.subarray(column * stride, (column + 1) * stride);
    sketcher.clear(signature);
    gathered.truncate(0);
    for (const partial of partials) {
      const ends = partial.columns.ends as Uint32Array;
      const data = (partial.columns.data as Uint32Array).subarray(
        column === 0 ? 0 : ends[column - 1]!,
        ends[column]!,
      );
      if (partial.columns.form![column] === LIST) gathered.append(data);
      else sketcher.merge(signature, data);
    }
    sketcher.update(signature, gathered.view, gathered.length / 2);
    sketcher.finish(signature);
  }
  return encodeBlock('signatures', { stride }, { slots }, true);
}
