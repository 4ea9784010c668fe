/**
 * The signatures of the documents that candidate pairs link, gathered: what greedy clusters are made of.
 *
 * Floor 4. Most documents of a corpus are like no other; a block of signatures at a time is in memory.
 */
import { decodeBlock } from '../blocks/block.js';
import type { AgreeingPairs, SignatureBlocks } from '../sketch/pairs.js';
import { strideOf } from '../sketch/signature.js';
import { signatureParams } from '../sketch/sketchKind.js';
import type { Corpus } from './corpus.js';
import type { Run } from './run.js';

/** Signatures of some documents; `bytes` of them are taken from those of tables, and the caller's to give back. */
export interface LinkedSignatures {
  /** Of other documents there is nothing to be had. */
  readonly signatures: SignatureBlocks;
  readonly bytes: number;
}

/**
 * The signatures of the documents in a pair of at least `least` equal slots.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export function linkedSignatures(
  run: Run,
  corpus: Corpus,
  { a, b, agreement, count }: Pick<AgreeingPairs, 'a' | 'b' | 'agreement' | 'count'>,
  least: number,
): LinkedSignatures {
  const isLinked = new Uint8Array(corpus.documents);
  for (let i = 0; i < count; i++) {
    if (agreement[i]! < least) continue;
    isLinked[a[i]!] = 1;
    isLinked[b[i]!] = 1;
  }
  const documents = byBlock(corpus, isLinked);
  const { hashes } = signatureParams(run.params).sketch;
  const stride = strideOf(hashes);
  const bytes = 4 * stride * documents.length;
  run.tables.take(`signatures of ${documents.length} documents, for --cluster greedy,`, bytes);
  const slots = new Uint32Array(stride * documents.length);
  const rowOf = new Uint32Array(corpus.documents);
  for (let row = 0, block = -1, from = new Uint32Array(0); row < documents.length; row++) {
    const document = documents[row]!;
    if (corpus.blockOf[document] !== block) {
      block = corpus.blockOf[document]!;
      const name = `signatures/${block}`;
      from = decodeBlock(run.engine.store.get(name), 'signatures', name).columns.slots as typeof from;
    }
    const at = corpus.columnOf[document]! * stride;
    slots.set(from.subarray(at, at + stride), row * stride);
    rowOf[document] = row;
  }
  const blockOf = new Uint32Array(corpus.documents);
  return { signatures: { blocks: [slots], blockOf, columnOf: rowOf, stride, hashes }, bytes };
}

/** The linked documents by column block, within one ascending. */
function byBlock({ documents, blockOf, tables }: Corpus, isLinked: Uint8Array): Uint32Array {
  const ends = new Uint32Array(tables.length + 1);
  for (let d = 0; d < documents; d++) ends[blockOf[d]! + 1]! += isLinked[d]!;
  for (let k = 0; k < tables.length; k++) ends[k + 1]! += ends[k]!;
  const ordered = new Uint32Array(ends[tables.length]!);
  for (let d = 0; d < documents; d++) if (isLinked[d] === 1) ordered[ends[blockOf[d]!]!++] = d;
  return ordered;
}
