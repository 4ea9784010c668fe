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
import { sortPairs } from '../sketch/radixSort.js';
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
  if (signatures.access().held) return clustersBy(heldEstimates(run, corpus));
  // Which estimates are asked for does not depend on what they are: once to ask, and once to use them.
  const a = new Uint32Column();
  const b = new Uint32Column();
  clustersBy((first, second) => {
    a.push(first);
    b.push(second);
    return 0;
  });
  const count = sortPairs(a.view, b.view, a.length);
  const asked = storePairs(run, 'estimates', { a: a.view, b: b.view, count }, plan.segmentRows);
  const found = await new PairComparer(run, plan, signatures, NOTHING_ACCEPTED).compare([asked], []);
  forgetPairs(run, [asked]);
  const { hashes } = run.params.sketch;
  const estimated = clustersBy((first, second) => {
    const row = firstNotBefore(found, 0, first, second);
    return found.agreement[row]! / hashes;
  });
  run.tables.give(PAIR_BYTES * found.count);
  return estimated;
}

/** Equal slots of two documents' signatures, as a share of N. */
function heldEstimates(run: Run, { tables, blockOf, columnOf }: Corpus): Estimate {
  const { hashes } = run.params.sketch;
  let stride = 0;
  const slots = tables.map((_, k) => {
    const { meta, columns } = decodeBlock(run.engine.store.get(`signatures/${k}`), 'signatures');
    stride = meta.stride as number;
    return columns.slots as Uint32Array;
  });
  return (a, b) => {
    const [x, y] = [slots[blockOf[a]!]!, slots[blockOf[b]!]!];
    return agreementOf(x, columnOf[a]! * stride, y, columnOf[b]! * stride, hashes) / hashes;
  };
}
