/** What stages 2 and 3 hand on, however pairs are found, and the documents that they compare. */

import type { Clusters, SimilaritySource } from '../../../reducers/clusters.js';
import type { IdentityClasses } from '../../../reducers/identityClasses.js';
import type { NearPairs, VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import type { ManifestCounts } from '../../output/facts.js';
import type { Estimate } from '../../sketch/probability.js';
import type { Corpus } from '../sketch/corpus.js';

/** The counts of the manifest that say how pairs were found. */
export type PairingCounts = Pick<
  ManifestCounts,
  | 'buckets'
  | 'hot_bucket'
  | 'hot_buckets'
  | 'largest_bucket'
  | 'rounds'
  | 'pairs_skipped_at_most'
  | 'kept_uncompared'
>;

/** All candidate pairs with their evidence, and how they become clusters. */
export interface ComparedPairs {
  readonly verified: VerifiedPairs;
  readonly counts: PairingCounts;
  /** By number of matching slots: how many candidate pairs were counted without being listed; null: none. */
  readonly unlisted: Float64Array | null;
  /** The share of all near pairs that was found, where hot buckets skipped some; null: the promised share, or more. */
  readonly recall: Estimate | null;
  clustersOf(
    classes: IdentityClasses,
    near: NearPairs,
    source: Omit<SimilaritySource, 'estimate'>,
  ): Promise<Clusters> | Clusters;
}

/** The documents that are compared: first members of identity classes that have tokens, ascending. */
export function comparedDocuments(corpus: Corpus, classes: IdentityClasses): Uint32Array {
  let count = 0;
  const documents = new Uint32Array(corpus.documents);
  for (let d = 0; d < corpus.documents; d++) {
    if (corpus.empty[d] === 1 || classes.first[d] !== d) continue;
    documents[count++] = d;
  }
  return documents.subarray(0, count);
}
