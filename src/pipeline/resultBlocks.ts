/**
 * What the tasks that write the result are given: columns of pairs and documents, as blocks.
 *
 * Floor 4.
 */
import {
  acceptedRows,
  evidenceFrom,
  evidenceOfRows,
  type VerifiedPairs,
} from '../../reducers/verifiedPairs.js';
import { type Block, encodeBlock, type Layout, newBlock } from '../blocks/block.js';
import type { Agreements } from '../sketch/pairs.js';
import type { Contents } from '../storage/results/contentDigest.js';
import type { NearPairs } from '../storage/results/pairParts.js';
import type { RowRange } from '../storage/results/parts.js';
import type { Corpus } from './corpus.js';

/** The accepted near pairs with all their evidence, as a block. */
export function nearBlock(verified: VerifiedPairs): { readonly block: Block; readonly near: NearPairs } {
  const rows = acceptedRows(verified);
  const count = rows.length;
  const { exact } = verified;
  const evidence: Layout = {
    jaccard: ['f64', count],
    containmentAB: ['f64', count],
    containmentBA: ['f64', count],
  };
  const pairs: Layout = {
    a: ['u32', count],
    b: ['u32', count],
    agreement: [verified.agreement instanceof Float64Array ? 'f64' : 'u16', count],
  };
  const block = newBlock('pairs', {}, exact === null ? pairs : { ...pairs, ...evidence }, true);
  const columns = block.columns as Record<string, never>;
  const near = {
    count,
    a: columns.a! as Uint32Array,
    b: columns.b! as Uint32Array,
    agreement: columns.agreement! as Agreements,
  };
  for (let i = 0; i < count; i++) {
    near.a[i] = verified.a[rows[i]!]!;
    near.b[i] = verified.b[rows[i]!]!;
    near.agreement[i] = verified.agreement[rows[i]!]!;
  }
  if (exact === null) return { block, near: { ...near, exact } };
  const positions = evidenceOfRows(exact, rows);
  const picked = (from: Float64Array, into: Float64Array): Float64Array => {
    for (let i = 0; i < count; i++) into[i] = from[positions[i]!]!;
    return into;
  };
  const sets = {
    jaccard: picked(exact.jaccard, columns.jaccard!),
    containmentAB: picked(exact.containmentAB, columns.containmentAB!),
    containmentBA: picked(exact.containmentBA, columns.containmentBA!),
  };
  return { block, near: { ...near, exact: sets } };
}

/** The rows of one part of the candidates; of the evidence, that about these rows. */
export function candidateBlock(verified: VerifiedPairs, { from, to }: RowRange): Block {
  const { a, b, agreement, accepted, exact } = verified;
  const columns = {
    a: a.subarray(from, to),
    b: b.subarray(from, to),
    agreement: agreement.subarray(from, to),
    accepted: accepted.subarray(from, to),
  };
  // Outside exact mode the resemblance is the agreement, and the file says nothing twice.
  if (exact === null) return encodeBlock('pairs', {}, columns, true);
  const first = evidenceFrom(exact, from);
  const end = evidenceFrom(exact, to);
  const [rows, jaccard] = [exact.rows.subarray(first, end), exact.jaccard.subarray(first, end)];
  return encodeBlock('pairs', {}, { ...columns, rows, jaccard }, true);
}

/** The documents that are still there, and their content keys. */
export function contentsLeft(corpus: Corpus, withdrawn: Uint8Array): Omit<Contents, 'ids'> {
  const all = corpus.contentKeys;
  const documents = new Uint32Array(corpus.documents);
  let count = 0;
  for (let d = 0; d < corpus.documents; d++) if (withdrawn[d] === 0) documents[count++] = d;
  if (count === corpus.documents) return { documents, contentKeys: all };
  const contentKeys = new Uint32Array(4 * count);
  for (let i = 0; i < 4 * count; i++) contentKeys[i] = all[4 * documents[i >>> 2]! + (i & 3)]!;
  return { documents: documents.subarray(0, count), contentKeys };
}
