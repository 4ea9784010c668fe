/** Map: sets of elements -> signatures. A set is a document whose shingles are its labelled elements. */
import type { Block } from '../src/blocks/block.js';
import { LabelledSets } from '../src/blocks/sets.js';
import { type SignatureParams, signatureBlock } from '../src/blocks/signatureBlocks.js';
import type { Kernel } from '../src/kernel/kernel.js';

/**
 * The signatures of sets: kind `signatures` (src/blocks/signatureBlocks.ts).
 *
 * @param elements kind `elementSets`
 * @param wanted numbers of the sets, ascending
 */
export function setSignatures(
  elements: Block,
  wanted: Uint32Array,
  kernel: Pick<Kernel, 'sketcher' | 'setLabels' | 'slotWriter'>,
  params: SignatureParams,
  buffer?: (bytes: number) => ArrayBuffer,
): Block {
  const sketcher = kernel.sketcher(params.sketch);
  const sets = new LabelledSets(elements, kernel.setLabels(params.sketch.seed));
  const signature = new Uint32Array(sketcher.stride);
  function* rows(): Generator<Uint32Array> {
    for (const set of wanted) {
      sketcher.clear(signature);
      sets.rowsOf(set, (hashes, count) => sketcher.update(signature, hashes, count));
      yield signature;
    }
  }
  return signatureBlock(rows(), wanted.length, sketcher.stride, params, buffer, kernel.slotWriter);
}
