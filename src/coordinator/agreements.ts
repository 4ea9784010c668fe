/** The numbers of equal slots of pairs of documents that bands did not bring together: estimates for members of clusters. */

import { decodeBlock } from '../blocks/block.js';
import { NAMES } from '../blocks/names.js';
import type { SignatureSource } from '../blocks/signatures.js';

import { strideOf } from '../sketch/signature.js';
import { workFile } from '../store/workFiles.js';
import { signaturesInFiles, signaturesInMemory } from '../tasks/signatureSource.js';
import type { Run } from './context.js';
import type { SketchedBatch } from './sketch/source.js';

/** Pairs whose signatures are read at a time. */
const PAIRS = 4096;

/** The signatures of a run, in memory or in files. */
export function signaturesOf(
  { engine: { store }, params, storage }: Run,
  batches: readonly SketchedBatch[],
): SignatureSource {
  const { hashes } = params.sketch;
  const folder = storage.filesIn;
  if (folder === null) {
    const blocks = batches.map(({ block }) => decodeBlock(store.get(NAMES.signatures(block)), 'signatures'));
    return signaturesInMemory(blocks, hashes);
  }
  const files = batches.map(({ block, report }) => {
    return { path: workFile(folder, NAMES.signatures(block)), rows: report.documents };
  });
  return signaturesInFiles(files, hashes);
}

/** @param rowOf by document number its row; null: they are equal */
export function signatureAgreements(run: Run, batches: readonly SketchedBatch[], rowOf: Uint32Array | null) {
  return (a: Uint32Array, b: Uint32Array): Uint16Array => {
    const agreements = new Uint16Array(a.length);
    const { hashes } = run.params.sketch;
    const width = strideOf(hashes) / 2;
    const source = signaturesOf(run, batches);
    try {
      const words = new Uint32Array(2 * PAIRS * width);
      const slots = new Uint16Array(words.buffer);
      for (let from = 0; from < a.length; from += PAIRS) {
        const count = Math.min(PAIRS, a.length - from);
        source.gather(orderOf(a, b, from, count, rowOf), words, 0);
        for (let i = 0; i < count; i++)
          agreements[from + i] = equalSlots(slots, 4 * i * width, (4 * i + 2) * width, hashes);
      }
    } finally {
      source.close();
    }
    return agreements;
  };
}

/** Positions and rows, ascending by row: pair i has positions 2i and 2i + 1. */
function orderOf(
  a: Uint32Array,
  b: Uint32Array,
  from: number,
  count: number,
  rowOf: Uint32Array | null,
): Uint32Array {
  const rows = Float64Array.from({ length: 2 * count }, (_, i) => {
    const document = (i % 2 === 0 ? a : b)[from + (i >> 1)]!;
    // One number per entry, row first, sorts as both do.
    return (rowOf === null ? document : rowOf[document]!) * 2 * PAIRS + i;
  }).sort();
  const order = new Uint32Array(2 * rows.length);
  for (let i = 0; i < rows.length; i++) {
    order[2 * i] = rows[i]! % (2 * PAIRS);
    order[2 * i + 1] = Math.floor(rows[i]! / (2 * PAIRS));
  }
  return order;
}

function equalSlots(slots: Uint16Array, a: number, b: number, hashes: number): number {
  let equal = 0;
  for (let slot = 0; slot < hashes; slot++) if (slots[a + slot] === slots[b + slot]) equal++;
  return equal;
}
