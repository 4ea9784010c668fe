/**
 * Estimated resemblances of single pairs, from the signatures in the store.
 *
 * Floor 4.
 */
import { decodeBlock } from '../blocks/block.js';
import { agreementOf } from '../sketch/agreement.js';
import type { SignatureBlocks } from '../sketch/pairs.js';
import type { Corpus } from './corpus.js';
import type { Run } from './run.js';

/** The signatures of all documents, where they lie. */
export function signaturesOf(run: Run, { tables, blockOf, columnOf }: Corpus): SignatureBlocks {
  let stride = 0;
  const blocks = tables.map((_, k) => {
    const { meta, columns } = decodeBlock(run.engine.store.get(`signatures/${k}`), 'signatures');
    stride = meta.stride as number;
    return columns.slots as Uint32Array;
  });
  return { blocks, blockOf, columnOf, stride, hashes: run.params.sketch.hashes };
}

/** Equal slots of two documents' signatures, as a share of N. */
export function estimates(signatures: SignatureBlocks): (a: number, b: number) => number {
  const { blocks, blockOf, columnOf, stride, hashes } = signatures;
  return (a, b) => {
    const [x, y] = [blocks[blockOf[a]!]!, blocks[blockOf[b]!]!];
    return agreementOf(x, columnOf[a]! * stride, y, columnOf[b]! * stride, hashes) / hashes;
  };
}
