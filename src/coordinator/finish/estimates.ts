/**
 * Estimated resemblances of members of clusters to their representatives, from the signatures in the store.
 */

import { type Clusters, clusters, type SimilaritySource } from '../../../reducers/clusters.js';
import type { IdentityClasses } from '../../../reducers/identityClasses.js';
import { firstNotBefore, type NearPairs } from '../../../reducers/verifiedPairs.js';
import { Uint32Column } from '../../arrays/growable.js';
import { sortPairs } from '../../arrays/sort.js';
import { decodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { AgreeingPairs, SignatureBlocks } from '../../blocks/pairs.js';
import { agreementOf } from '../../sketch/probability.js';
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
  const { hashes } = run.params.sketch;
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
  return { blocks, blockOf, columnOf, stride, hashes: run.params.sketch.hashes };
}

/** Equal slots of two documents' signatures, as a share of N. */
function estimates(signatures: SignatureBlocks): (a: number, b: number) => number {
  const { blocks, blockOf, columnOf, stride, hashes } = signatures;
  return (a, b) => {
    const [x, y] = [blocks[blockOf[a]!]!, blocks[blockOf[b]!]!];
    return agreementOf(x, columnOf[a]! * stride, y, columnOf[b]! * stride, hashes) / hashes;
  };
}
