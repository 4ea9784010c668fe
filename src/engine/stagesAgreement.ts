/**
 * The stage that turns lists of pairs into distinct pairs with their agreements, a range of pairs a task.
 *
 * Floor 3. Where the signatures of all documents are in memory, the kernel takes what it needs of them. Else the task
 * gathers those of its earlier documents, as many as it may, and reads the blocks of the later ones one after the
 * other: a range has few earlier documents, and later ones anywhere.
 */
import { distinctPairs } from '../../reducers/candidatePairs.js';
import { agreeingPairs } from '../../reducers/verifiedPairs.js';
import { encodeBlock } from '../blocks/block.js';
import type { AgreeingPairs, Pairs } from '../sketch/pairs.js';
import { strideOf } from '../sketch/signature.js';
import type { Stage, TaskContext } from './protocol.js';
import {
  gatheredSignatures,
  heldSignatures,
  type SignatureAccess,
  visitSignatures,
} from './signatureRows.js';
import { block, kernelOf, put, setupOf } from './stagesContext.js';

/** A pair of documents: the place of a cut. */
type PlaceOfCut = readonly [a: number, b: number];

interface AgreementTask {
  readonly name: string;
  /** Segments of lists, and of lists of pairs that are known; each sorted. */
  readonly lists: readonly string[];
  readonly known: readonly string[];
  /** What of them is in the range: from (inclusive) to, null: to the end. */
  readonly from: PlaceOfCut;
  readonly to: PlaceOfCut | null;
  readonly signatures: SignatureAccess;
  /** Least agreement of an accepted pair. */
  readonly least: number;
}

/**
 * Reduce: lists of pairs become distinct pairs that are not known, with the equal slots of each. Reports how many there
 * are, of how many rows of the lists; of none there is no block.
 */
export const agreement: Stage = (context) => {
  const task = context.params as unknown as AgreementTask;
  const lists = rowsOf(context, task, task.lists);
  const known = lists.length === 0 ? [] : rowsOf(context, task, task.known);
  const found = task.signatures.held
    ? heldAgreements(context, task, lists, known)
    : readAgreements(context, task, lists, known);
  const { a, b, count } = found;
  const report = { rows: lists.reduce((sum, list) => sum + list.count, 0), pairs: count };
  if (count === 0) return report;
  const columns = {
    a: a.subarray(0, count),
    b: b.subarray(0, count),
    agreement: found.agreement,
    accepted: found.accepted,
  };
  put(context, task.name, encodeBlock('pairs', {}, columns));
  return report;
};

/** The rows of the segments that are in the range. */
function rowsOf(context: TaskContext, { from, to }: AgreementTask, names: readonly string[]): Pairs[] {
  const rows: Pairs[] = [];
  for (const name of names) {
    const { a, b } = block(context, name, 'pairs').columns as Record<string, Uint32Array>;
    const first = rowBefore(a!, b!, from);
    const end = to === null ? a!.length : rowBefore(a!, b!, to);
    if (end > first)
      rows.push({ a: a!.subarray(first, end), b: b!.subarray(first, end), count: end - first });
  }
  return rows;
}

/** The first row that is not before a pair; the number of rows where there is none. */
function rowBefore(a: Uint32Array, b: Uint32Array, [x, y]: PlaceOfCut): number {
  let [low, high] = [0, a.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (a[middle]! < x || (a[middle] === x && b[middle]! < y)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function heldAgreements(
  context: TaskContext,
  { signatures, least }: AgreementTask,
  lists: readonly Pairs[],
  known: readonly Pairs[],
): AgreeingPairs {
  const { pairing } = kernelOf(context);
  const held = heldSignatures(context, signatures);
  return (pairing?.agreeingPairs ?? agreeingPairs)(lists, known, held, least);
}

function readAgreements(
  context: TaskContext,
  { signatures, least }: AgreementTask,
  lists: readonly Pairs[],
  known: readonly Pairs[],
): AgreeingPairs {
  const { pairing } = kernelOf(context);
  const found = (pairing?.distinctPairs ?? distinctPairs)(lists, known);
  const { count } = found;
  // What the kernel gave is a view of its scratch memory.
  const a = found.a.slice(0, count);
  const b = found.b.slice(0, count);
  const equal = new Uint16Array(count);
  const stride = strideOf(setupOf(context).params.sketch.hashes);
  const most = Math.max(1, Math.floor(signatures.bytes / (4 * stride)));
  for (let from = 0, to = 0; from < count; from = to) {
    const batch = batchFrom(a, from, count, most);
    to = batch.to;
    const rows = gatheredSignatures(context, signatures.blocks, batch.documents, stride);
    compareBatch(context, signatures, { a, b, from, rows, ...batch }, equal);
  }
  const accepted = new Uint8Array(count);
  for (let i = 0; i < count; i++) accepted[i] = equal[i]! >= least ? 1 : 0;
  return { a, b, count, agreement: equal, accepted };
}

/** Rows whose earlier documents are gathered together. */
interface Batch {
  /** The earlier documents, ascending, each once. */
  readonly documents: Uint32Array;
  /** Row r of the pairs has the earlier document `documents[placeOf[r - from]]`. */
  readonly placeOf: Uint32Array;
  readonly to: number;
}

/** The rows from `from` on that have at most `most` earlier documents together. */
function batchFrom(a: Uint32Array, from: number, count: number, most: number): Batch {
  const documents = new Uint32Array(Math.min(most, count - from));
  const placeOf = new Uint32Array(count - from);
  let held = 0;
  let to = from;
  for (; to < count; to++) {
    if (held === 0 || documents[held - 1] !== a[to]) {
      if (held === most) break;
      documents[held++] = a[to]!;
    }
    placeOf[to - from] = held - 1;
  }
  return { documents: documents.subarray(0, held), placeOf, to };
}

interface GatheredBatch extends Batch {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly from: number;
  readonly rows: Uint32Array;
}

/** Fills in the equal slots of the rows of a batch, in the order of the blocks of their later documents. */
function compareBatch(
  context: TaskContext,
  access: SignatureAccess,
  { b, from, to, rows, placeOf }: GatheredBatch,
  equal: Uint16Array,
): void {
  const kernel = kernelOf(context);
  const { hashes } = setupOf(context).params.sketch;
  const stride = strideOf(hashes);
  visitSignatures(context, access.blocks, b.subarray(from, to), (i, slots, at) => {
    equal[from + i] = kernel.agreement(rows, placeOf[i]! * stride, slots, at, hashes);
  });
}
