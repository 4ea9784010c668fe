/**
 * Estimated resemblances of members of clusters to their representatives, from the signatures in the store.
 */

import { type Clusters, clusters, type SimilaritySource } from '../../../reducers/clusters.js';
import type { IdentityClasses } from '../../../reducers/identityClasses.js';
import { firstNotBefore, type NearPairs } from '../../../reducers/verifiedPairs.js';
import { rowsByKey } from '../../arrays/groupCounts.js';
import { Uint32Column } from '../../arrays/growable.js';
import { sortPairs } from '../../arrays/sort.js';
import { eachRange, type Stepwise } from '../../arrays/stepwise.js';
import { decodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { AgreeingPairs, SignatureBlocks } from '../../blocks/pairs.js';
import { signatureParams } from '../../sketch/params.js';
import { agreementOf } from '../../sketch/probability.js';
import { strideOf } from '../../sketch/signature.js';
import { PAIR_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import { PairComparer, type SignatureSource } from '../pair/agreements.js';
import { forgetPairs, storePairs } from '../pair/pairLists.js';
import type { Corpus } from '../sketch/corpus.js';

/** More than there can be slots. */
const NOTHING_ACCEPTED = { least: 0xffff, margin: 0xffff };

type Estimate = SimilaritySource['estimate'];

/** The clusters, with estimates where no exact resemblance is known. */
export async function estimatedClusters(
  run: Run,
  corpus: Corpus,
  signatures: SignatureSource,
  classes: IdentityClasses,
  near: NearPairs,
  compared: ComparedList,
  source: Omit<SimilaritySource, 'estimate'>,
): Promise<Clusters> {
  const { hashes } = signatureParams(run.params).sketch;
  const clustersBy = (estimate: Estimate): Promise<Clusters> =>
    run.turns.through(
      clusters(classes, near, { ...source, estimate: comparedOr(compared, hashes, estimate) }),
    );
  if (signatures.held) return clustersBy(estimates(signaturesOf(run, corpus)));
  // Which estimates are needed does not depend on their values: one pass collects the pairs, a second one uses the estimates.
  const a = new Uint32Column();
  const b = new Uint32Column();
  await clustersBy((first, second) => {
    a.push(first);
    b.push(second);
    return 0;
  });
  const count = sortPairs(a.view, b.view, a.length);
  const asked = storePairs(run, NAMES.known('estimates'), { a: a.view, b: b.view, count });
  const found = await new PairComparer(run, signatures, NOTHING_ACCEPTED).compare([asked], []);
  forgetPairs(run, [asked]);
  const estimated = await clustersBy((first, second) => {
    const row = firstNotBefore(found, 0, first, second);
    return found.agreement[row]! / hashes;
  });
  run.tables.give(PAIR_BYTES * found.count);
  return estimated;
}

/** Pairs with their agreements, sorted by (a, b). */
type ComparedList = Pick<AgreeingPairs, 'a' | 'b' | 'agreement' | 'count'>;

/**
 * The estimates of pairs that were compared as candidates, from their list; `otherwise` of others. Most members are a
 * candidate of their representative, and those ascend: the next pair is near the last one in the list.
 */
function comparedOr(compared: ComparedList, hashes: number, otherwise: Estimate): Estimate {
  let representative = 0;
  let start = 0;
  return (a, b) => {
    if (a !== representative) {
      start = firstNotBefore(compared, a > representative ? start : 0, a, 0);
      representative = a;
    }
    const row = firstNotBefore(compared, start, a, b);
    const isKnown = row < compared.count && compared.a[row] === a && compared.b[row] === b;
    return isKnown ? compared.agreement[row]! / hashes : otherwise(a, b);
  };
}

/** The signatures of all documents, where they lie in memory, or read from disk. */
function signaturesOf(run: Run, { tables, blockOf, columnOf }: Corpus): SignatureBlocks {
  let stride = 0;
  const blocks = tables.map((_, k) => {
    const { meta, columns } = decodeBlock(run.engine.store.get(NAMES.signatures(k)), 'signatures');
    stride = meta.stride as number;
    return columns.slots as Uint32Array;
  });
  return { blocks, blockOf, columnOf, stride, hashes: signatureParams(run.params).sketch.hashes };
}

/** Equal slots of two documents' signatures, as a share of N. */
export function estimates(signatures: SignatureBlocks): (a: number, b: number) => number {
  const { blocks, blockOf, columnOf, stride, hashes } = signatures;
  return (a, b) => {
    const [x, y] = [blocks[blockOf[a]!]!, blocks[blockOf[b]!]!];
    return agreementOf(x, columnOf[a]! * stride, y, columnOf[b]! * stride, hashes) / hashes;
  };
}

/** Signatures of some documents; the memory of tables lends `bytes` for them, which the caller gives back. */
interface LinkedSignatures {
  /** Other documents have no signature here. */
  readonly signatures: SignatureBlocks;
  readonly bytes: number;
}

/**
 * The signatures of the documents in a pair of at least `least` equal slots, gathered for greedy clusters: most documents of a corpus
 * are like no other. A block of signatures at a time is in memory.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export function* linkedSignatures(
  run: Run,
  corpus: Corpus,
  { a, b, agreement, count }: ComparedList,
  least: number,
): Stepwise<LinkedSignatures> {
  const isLinked = new Uint8Array(corpus.documents);
  yield* eachRange(count, (from, to) => {
    for (let i = from; i < to; i++) {
      if (agreement[i]! < least) continue;
      isLinked[a[i]!] = 1;
      isLinked[b[i]!] = 1;
    }
  });
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
      const name = NAMES.signatures(block);
      from = decodeBlock(run.engine.store.get(name), 'signatures', name).columns.slots as typeof from;
      yield;
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
  return rowsByKey(tables.length, (give) => {
    for (let d = 0; d < documents; d++) if (isLinked[d] === 1) give(blockOf[d]!, d);
  }).rows;
}
