/**
 * Estimated resemblances of members of clusters to their representatives, from the signatures in the store.
 *
 * Floor 4.
 */
import { type Clusters, clusters, type SimilaritySource } from '../../reducers/clusters.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import { firstNotBefore } from '../../reducers/mergedPairs.js';
import type { NearPairs } from '../../reducers/verifiedPairs.js';
import { decodeBlock } from '../blocks/block.js';
import { Uint32Column } from '../blocks/growable.js';
import { agreementOf } from '../sketch/agreement.js';
import type { SignatureBlocks } from '../sketch/pairs.js';
import { sortPairs } from '../sketch/radixSort.js';
import { signatureParams } from '../sketch/sketchKind.js';
import { PairComparer } from './comparing.js';
import type { Corpus } from './corpus.js';
import { PAIR_BYTES } from './pairMemory.js';
import type { PairPlan } from './pairPlan.js';
import type { Run } from './run.js';
import type { SignatureSource } from './signatureSource.js';
import { forgetPairs, storePairs } from './storedPairs.js';

/** More than there can be slots. */
const NOTHING_ACCEPTED = { least: 0xffff, margin: 0xffff };

type Estimate = SimilaritySource['estimate'];

/** The clusters, with estimates where no exact resemblance is known. */
export async function estimatedClusters(
  run: Run,
  plan: PairPlan,
  corpus: Corpus,
  signatures: SignatureSource,
  classes: IdentityClasses,
  near: NearPairs,
  source: Omit<SimilaritySource, 'estimate'>,
): Promise<Clusters> {
  const clustersBy = (estimate: Estimate): Clusters => clusters(classes, near, { ...source, estimate });
  if (signatures.held) return clustersBy(estimates(signaturesOf(run, corpus)));
  // Which estimates are asked for does not depend on what they are: once to ask, and once to use them.
  const a = new Uint32Column();
  const b = new Uint32Column();
  clustersBy((first, second) => {
    a.push(first);
    b.push(second);
    return 0;
  });
  const count = sortPairs(a.view, b.view, a.length);
  const asked = await storePairs(run, 'estimates', { a: a.view, b: b.view, count }, plan.segmentRows);
  const found = await new PairComparer(run, plan, signatures, NOTHING_ACCEPTED).compare([asked], []);
  forgetPairs(run, [asked]);
  const { hashes } = signatureParams(run.params).sketch;
  const estimated = clustersBy((first, second) => {
    const row = firstNotBefore(found, 0, first, second);
    return found.agreement[row]! / hashes;
  });
  run.tables.give(PAIR_BYTES * found.count);
  return estimated;
}

/** The signatures of all documents, where they lie in memory, or read from disk. */
function signaturesOf(run: Run, { tables, blockOf, columnOf }: Corpus): SignatureBlocks {
  let stride = 0;
  const blocks = tables.map((_, k) => {
    const { meta, columns } = decodeBlock(run.engine.store.get(`signatures/${k}`), 'signatures');
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
