/**
 * Equal slots of pairs of documents that no band brought together. They estimate similarities between members of a
 * cluster.
 */

import type { DuplicateGroups } from '../../reducers/duplicateGroups.js';
import { numbersBelow } from '../arrays/growable.js';
import { lowerBound } from '../arrays/search.js';
import { type Block, decodeBlock } from '../blocks/block.js';
import { NAMES } from '../blocks/names.js';
import type { SignatureSource } from '../blocks/signatures.js';
import { strideOf } from '../sketch/signature.js';
import { collectReleased } from '../store/garbage.js';
import { openSignatures, signaturesInMemory } from '../tasks/signatureSource.js';
import type { Run } from './context.js';
import type { SignatureAgreements } from './decide.js';
import type { NumberedDocuments } from './number.js';
import type { PairList } from './pairList.js';
import type { SketchedBatch } from './sketch/source.js';

/** Pairs whose signatures are read at once. */
const PAIRS = 4096;

/** The signatures of a run, in memory or in files. */
export function signaturesOf(
  { engine, params, storage }: Run,
  batches: readonly SketchedBatch[],
): SignatureSource {
  return openSignatures(
    storage.filesIn,
    batches.map(({ block, report }) => ({ block, rows: report.documents })),
    params.sketch.hashes,
    (name) => decodeBlock(engine.store.get(name), 'signatures'),
  );
}

/** Signatures of documents, by number. */
interface NumberedSignatures {
  /**
   * Copies signatures into words at their positions. `order`: see SignatureSource.gather, with rows as `positionOf` counts
   * them.
   */
  readonly source: SignatureSource;
  positionOf(document: number): number;
}

/**
 * Returns a function that counts equal slots for any two documents of the same component of three or more.
 *
 * In memory, the signatures of all other documents are freed, unless there are few of them.
 *
 * @param pairs the accepted pairs, which make the components; null: all signatures are needed
 */
export function signatureAgreements(
  run: Run,
  batches: readonly SketchedBatch[],
  numbered: Pick<NumberedDocuments, 'rowOf' | 'groups'>,
  pairs: PairList | null,
): SignatureAgreements {
  const { hashes } = run.params.sketch;
  const width = strideOf(hashes) / 2;
  const needed =
    pairs === null || run.storage.isInFiles ? null : neededSignatures(run, batches, numbered, pairs);
  // V8 does not count the shared memory that these few objects refer to. Without this, it is freed too late.
  if (needed !== null) collectReleased(2 * strideOf(hashes) * numbered.groups.firstOf.length);
  return (a, b) => {
    const agreements = new Uint16Array(a.length);
    const { source, positionOf } = needed ?? allSignatures(run, batches, numbered);
    try {
      const words = new Uint32Array(2 * PAIRS * width);
      const slots = new Uint16Array(words.buffer);
      for (let from = 0; from < a.length; from += PAIRS) {
        const count = Math.min(PAIRS, a.length - from);
        source.gather(orderOf(a, b, from, count, positionOf), words, 0);
        for (let i = 0; i < count; i++)
          agreements[from + i] = equalSlots(slots, 4 * i * width, (4 * i + 2) * width, hashes);
      }
    } finally {
      source.close();
    }
    return agreements;
  };
}

function allSignatures(
  run: Run,
  batches: readonly SketchedBatch[],
  { rowOf }: Pick<NumberedDocuments, 'rowOf'>,
): NumberedSignatures {
  return {
    source: signaturesOf(run, batches),
    positionOf: (document) => (rowOf === null ? document : rowOf[document]!),
  };
}

/** Copies the signatures that estimates may need, and frees the rest; null: too many are needed. */
function neededSignatures(
  run: Run,
  batches: readonly SketchedBatch[],
  numbered: Pick<NumberedDocuments, 'rowOf' | 'groups'>,
  pairs: PairList,
): NumberedSignatures | null {
  // Closures below must not hold `source`, which holds all signatures.
  const { source, positionOf } = allSignatures(run, batches, numbered);
  const rows = rowsOfComponents(numbered.groups, pairs, positionOf);
  if (2 * rows.length > numbered.groups.firstOf.length) return null;
  const { hashes } = run.params.sketch;
  const slots = new Uint16Array(rows.length * strideOf(hashes));
  const order = new Uint32Array(2 * rows.length);
  for (let i = 0; i < rows.length; i++) order.set([i, rows[i]!], 2 * i);
  source.gather(order, new Uint32Array(slots.buffer), 0);
  for (const { block } of batches) run.engine.store.delete(NAMES.signatures(block));
  const needed: Pick<Block, 'columns' | 'kind'> = {
    kind: 'signatures',
    columns: { slots, keys: new Uint32Array(0) },
  };
  return {
    source: signaturesInMemory([needed], hashes),
    positionOf: (document) => lowerBound(rows, 0, rows.length, positionOf(document)),
  };
}

/**
 * The rows of documents whose similarity may have to be estimated, ascending: those in components of three or more. In
 * a smaller component the only pair is verified already.
 */
function rowsOfComponents(
  { firstOf }: DuplicateGroups,
  pairs: PairList,
  rowOf: (document: number) => number,
): Uint32Array {
  // By first member of a group: the number of its pairs, counted up to 2.
  const degree = new Uint8Array(firstOf.length);
  for (const { a, b, count } of pairs.parts())
    for (let i = 0; i < count; i++) {
      for (const document of [firstOf[a[i]!]!, firstOf[b[i]!]!])
        degree[document] = Math.min(2, degree[document]! + 1);
    }
  const isWanted = new Uint8Array(firstOf.length);
  for (const { a, b, count } of pairs.parts())
    for (let i = 0; i < count; i++) {
      const [first, second] = [firstOf[a[i]!]!, firstOf[b[i]!]!];
      if (degree[first] === 1 && degree[second] === 1) continue;
      isWanted[rowOf(first)] = 1;
      isWanted[rowOf(second)] = 1;
    }
  return numbersBelow(isWanted.length).filter((row) => isWanted[row] === 1);
}

/** Positions and rows, ascending by row. Pair i has positions 2i and 2i + 1. */
function orderOf(
  a: Uint32Array,
  b: Uint32Array,
  from: number,
  count: number,
  positionOf: (document: number) => number,
): Uint32Array {
  const rows = Float64Array.from({ length: 2 * count }, (_, i) => {
    const document = (i % 2 === 0 ? a : b)[from + (i >> 1)]!;
    // One number per entry, row first, so that numbers sort as entries do.
    return positionOf(document) * 2 * PAIRS + i;
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
