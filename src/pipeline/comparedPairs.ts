/**
 * What signatures and samples have in common once their pairs are compared.
 *
 * Floor 4. Types only.
 */
import type { Clusters, SimilaritySource } from '../../reducers/clusters.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import type { NearPairs, VerifiedPairs } from '../../reducers/verifiedPairs.js';

/** What is said of how pairs were found. */
export interface PairingCounts {
  /** Of samples: fingerprints in two documents or more. */
  readonly buckets: number;
  /** Of samples: eliminated fingerprints. */
  readonly hotBuckets: number;
  /** Of samples: documents of the most frequent fingerprint. */
  readonly largestBucket: number;
  readonly rounds: number;
  readonly pairsSkippedAtMost: number;
  readonly keptUncompared: number;
  /** Of samples alone: documents of which every fingerprint was eliminated. */
  readonly documentsEliminated?: number;
}

/** All candidate pairs with their evidence, and how clusters get estimates. */
export interface ComparedPairs {
  readonly verified: VerifiedPairs;
  readonly counts: PairingCounts;
  clustersOf(
    classes: IdentityClasses,
    near: NearPairs,
    source: Omit<SimilaritySource, 'estimate'>,
  ): Promise<Clusters> | Clusters;
}
