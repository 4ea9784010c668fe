/**
 * Map: tile -> partial signatures of its columns.
 *
 * A partial is a signature over the rows of one chunk, or the list of those rows where that is cheaper: with few rows an
 * FSS signature takes many rounds to fill its bins, once a chunk instead of once a document ("list or partial").
 *
 * Floor 2: pure.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { Uint32Column } from '../src/blocks/growable.js';
import { LIST_LIMIT, SIGNATURE } from '../src/blocks/partials.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { SketchParams } from '../src/sketch/params.js';

/** The partial signatures of one tile. A column without rows is an empty list. */
export function partialSignatures(tile: Block, kernel: Kernel, sketch: SketchParams): Block {
  const ends = tile.columns.ends as Uint32Array;
  const rows = tile.columns.rows as Uint32Array;
  const totals = tile.columns.totals as Uint32Array;
  const sketcher = kernel.sketcher(sketch);
  const signature = new Uint32Array(sketcher.stride);
  const outEnds = new Uint32Array(ends.length);
  const form = new Uint8Array(ends.length);
  const data = new Uint32Column();
  let from = 0;
  for (let column = 0; column < ends.length; column++) {
    const to = ends[column]!;
    const count = to - from;
    if (totals[column]! <= LIST_LIMIT || 2 * count <= sketcher.stride) {
      data.append(rows.subarray(2 * from, 2 * to));
    } else {
      form[column] = SIGNATURE;
      sketcher.clear(signature);
      sketcher.update(signature, rows.subarray(2 * from, 2 * to), count);
      data.append(signature);
    }
    outEnds[column] = data.length;
    from = to;
  }
  return encodeBlock('partials', tile.meta, { ends: outEnds, form, data: data.view }, true);
}
