/**
 * Estimated resemblances of single pairs, from the signatures in the store.
 *
 * Floor 4.
 */
import { decodeBlock } from '../blocks/block.js';
import { agreementOf } from '../sketch/agreement.js';
import type { Corpus } from './corpus.js';
import type { Run } from './run.js';

/** Equal slots of two documents' signatures, as a share of N. */
export function estimates(run: Run, { tables, blockOf, columnOf }: Corpus): (a: number, b: number) => number {
  const { hashes } = run.params.sketch;
  let stride = 0;
  const slots = tables.map((_, k) => {
    const { meta, columns } = decodeBlock(run.engine.store.get(`signatures/${k}`), 'signatures');
    stride = meta.stride as number;
    return columns.slots as Uint32Array;
  });
  return (a, b) => {
    const [x, y] = [slots[blockOf[a]!]!, slots[blockOf[b]!]!];
    return agreementOf(x, columnOf[a]! * stride, y, columnOf[b]! * stride, hashes) / hashes;
  };
}
