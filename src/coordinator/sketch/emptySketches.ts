/**
 * Documents with tokens whose sketch is empty, because thinning left none of their shingles.
 *
 * All empty signatures are equal, so such documents must not be bucketed: they would all be alike. Only documents
 * identical to them are found.
 */

import { decodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import { isThinned } from '../../sketch/family.js';
import { EMPTY_SLOT } from '../../sketch/signature.js';
import type { Run } from '../context.js';
import type { Corpus } from './corpus.js';

/** By document, 1: it has tokens and an empty signature. Null where all shingles are sketched, because no document is such then. */
export function unsketchedDocuments(run: Run, corpus: Corpus): Uint8Array | null {
  if (!isThinned(run.params)) return null;
  const { documents, tables, blockOf, columnOf, empty } = corpus;
  // One block at a time: blocks that are being read stay in memory.
  const columns = tables.map((_, k) => emptyColumns(run, k));
  const unsketched = new Uint8Array(documents);
  for (let d = 0; d < documents; d++) {
    if (empty[d] === 0) unsketched[d] = columns[blockOf[d]!]![columnOf[d]!]!;
  }
  return unsketched;
}

/** By column of a block, 1: its signature is empty. */
function emptyColumns(run: Run, k: number): Uint8Array {
  const { meta, columns } = decodeBlock(run.engine.store.get(NAMES.signatures(k)), 'signatures');
  const slots = columns.slots as Uint32Array;
  const stride = meta.stride as number;
  const found = new Uint8Array(slots.length / stride);
  for (let column = 0; column < found.length; column++) {
    const from = column * stride;
    if (isEmptySignature(slots, from, from + stride)) found[column] = 1;
  }
  return found;
}

/** A slot that an element lowered is below; padding never is. */
function isEmptySignature(slots: Uint32Array, from: number, to: number): boolean {
  for (let slot = from; slot < to; slot++) if (slots[slot] !== EMPTY_SLOT) return false;
  return true;
}
