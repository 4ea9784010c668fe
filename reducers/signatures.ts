/**
 * Reduce: the partial signatures of a batch -> its signatures, by element-wise minima (Mining of Massive Datasets, exercise 3.3.7). A
 * slot is a minimum over rows, so the minimum over shards of rows is the same slot, bit for bit.
 */
import { type Block, typedColumns } from '../src/blocks/block.js';
import { type SignatureParams, signatureBlock } from '../src/blocks/signatureBlocks.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { Sketcher } from '../src/sketch/signature.js';

/** Merges the partial signatures of each document. A document without any has the empty signature. */
function* minima(partials: Block, rows: number, sketcher: Sketcher): Generator<Uint32Array> {
  const { documents, slots } = typedColumns(partials, { documents: 'u32', slots: 'u32' });
  const { stride } = sketcher;
  const signature = new Uint32Array(stride);
  for (let document = 0, i = 0; document < rows; document++) {
    sketcher.clear(signature);
    for (; documents[i] === document; i++)
      sketcher.merge(signature, slots.subarray(i * stride, (i + 1) * stride));
    yield signature;
  }
}

/** The signatures of a batch from its partial signatures, a block of kind `partials`: kind `signatures` (src/blocks/signatureBlocks.ts). */
export function signatures(
  partials: Block,
  kernel: Pick<Kernel, 'sketcher' | 'slotWriter'>,
  params: SignatureParams,
  buffer?: (bytes: number) => ArrayBuffer,
): Block {
  const sketcher = kernel.sketcher(params.sketch);
  const rows = partials.meta.rows as number;
  return signatureBlock(
    minima(partials, rows, sketcher),
    rows,
    sketcher.stride,
    params,
    buffer,
    kernel.slotWriter,
  );
}
