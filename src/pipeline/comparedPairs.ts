/**
 * What signatures and samples have in common once their pairs are compared.
 *
 * Floor 4. Types, and which documents are compared.
 */
import type { Clusters, SimilaritySource } from '../../reducers/clusters.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import type { NearPairs, VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { Estimate } from '../sketch/skippedRecall.js';
import type { Corpus } from './corpus.js';

/** What is said of how pairs were found. */
export interface PairingCounts {
  /** Of samples: fingerprints in two documents or more. */
  readonly buckets: number;
  /** Of samples: hot fingerprints, on which too many documents rely. */
  readonly hotBuckets: number;
  /** Of samples: documents of the most frequent fingerprint. */
  readonly largestBucket: number;
  readonly rounds: number;
  readonly pairsSkippedAtMost: number;
  readonly keptUncompared: number;
}

/** Clusters, and of greedy ones how many were founded without being held against every representative. */
export interface ClusteredPairs {
  readonly clusters: Clusters;
  readonly uncompared: number;
}

/** All candidate pairs with their evidence, and how they become clusters. */
export interface ComparedPairs {
  readonly verified: VerifiedPairs;
  readonly counts: PairingCounts;
  /** 1: it has tokens, but no shingle in its sketch; null: none can be so. */
  readonly unsketched: Uint8Array | null;
  /** Of all near pairs the share that was found, where hot buckets skipped some; null: that promised, or more. */
  readonly recall: Estimate | null;
  /** `source` has the measure of the run in the place of the resemblance. */
  clustersOf(
    classes: IdentityClasses,
    near: NearPairs,
    source: Omit<SimilaritySource, 'estimate'>,
  ): Promise<ClusteredPairs> | ClusteredPairs;
}

/** The first members of identity classes that have a sketch: what is compared, ascending. */
export function comparedDocuments(
  corpus: Corpus,
  classes: IdentityClasses,
  unsketched: Uint8Array | null,
): Uint32Array {
  let count = 0;
  const documents = new Uint32Array(corpus.documents);
  for (let d = 0; d < corpus.documents; d++) {
    if (corpus.empty[d] === 1 || classes.first[d] !== d || unsketched?.[d] === 1) continue;
    documents[count++] = d;
  }
  return documents.subarray(0, count);
}
