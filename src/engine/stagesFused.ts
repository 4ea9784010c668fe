/**
 * Map and Reduce in one: documents of candidate pairs, read a second time -> what their shingle sets say of the pairs.
 *
 *      file, record, contentKey   of the documents that are still there, as in the block of shingle sets
 *      jaccard, containmentAB, containmentBA, accepted   pair by pair; NaN and 0 where a document is gone
 *
 * Floor 3: joins a mapper and a reducer, which know nothing of each other. For pairs with few documents between them: a set is compared where it was made and is never stored. The same
 * evidence as from shingleSets and exactPairs, which remain for the others.
 */

import { collectSets, type WantedDocuments } from '../../mappers/shingleSets.js';
import { exactPairs } from '../../reducers/exactPairs.js';
import { type Block, encodeBlock } from '../blocks/block.js';
import type { DocumentFeed } from '../blocks/documents.js';
import type { Kernel } from '../kernel/kernel.js';
import type { Pairs } from '../sketch/pairs.js';
import type { Measure, ShingleParams } from '../sketch/params.js';

const GONE = 0xffffffff;

/** Which set each wanted document became; GONE: it is not there any more. Both lists ascend. */
function setsOf(wanted: WantedDocuments, file: Uint32Array, record: Float64Array): Uint32Array {
  const sets = new Uint32Array(wanted.file.length).fill(GONE);
  for (let i = 0, set = 0; i < sets.length; i++) {
    if (file[set] === wanted.file[i] && record[set] === wanted.record[i]) sets[i] = set++;
  }
  return sets;
}

/**
 * Evidence for pairs of the wanted documents, `a` and `b` being positions among them: a block of kind `pairs`.
 *
 * @param threshold least value of the measure of an accepted pair
 */
export function fusedPairs(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
  pairs: Pairs,
  threshold: number,
  measure: Measure = 'resemblance',
): Block {
  const { bytes, table, offsets, hashes } = collectSets(feed, kernel, shingle, wanted);
  const setOf = setsOf(wanted, table.file as Uint32Array, table.record as Float64Array);
  const rows = new Uint32Array(pairs.count);
  let count = 0;
  for (let i = 0; i < pairs.count; i++) {
    if (setOf[pairs.a[i]!] !== GONE && setOf[pairs.b[i]!] !== GONE) rows[count++] = i;
  }
  const present = {
    a: rows.subarray(0, count).map((row) => setOf[pairs.a[row]!]!),
    b: rows.subarray(0, count).map((row) => setOf[pairs.b[row]!]!),
    count,
  };
  const sets = offsets.length - 1;
  const places = { setBlock: new Uint32Array(sets), setIndex: new Uint32Array(sets).map((_, set) => set) };
  const comparer = kernel.setComparer();
  const from = { blocks: [{ hashes, offsets }], ...places };
  const found = exactPairs(present, from, threshold, comparer, measure);
  const evidence = {
    jaccard: new Float64Array(pairs.count).fill(Number.NaN),
    containmentAB: new Float64Array(pairs.count).fill(Number.NaN),
    containmentBA: new Float64Array(pairs.count).fill(Number.NaN),
    accepted: new Uint8Array(pairs.count),
  };
  for (let i = 0; i < count; i++) {
    evidence.jaccard[rows[i]!] = found.jaccard[i]!;
    evidence.containmentAB[rows[i]!] = found.containmentAB[i]!;
    evidence.containmentBA[rows[i]!] = found.containmentBA[i]!;
    evidence.accepted[rows[i]!] = found.accepted[i]!;
  }
  return encodeBlock('pairs', { bytes }, { ...table, ...evidence }, true);
}
