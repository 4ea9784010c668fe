/**
 * From a sketched corpus to the answer: identity, candidates, evidence, hot-bucket rounds, clusters, drop list.
 *
 * Floor 4. Everything is in columns by document number; ids come in only where files are written.
 */
import { type Clusters, clusters } from '../../reducers/clusters.js';
import { type DropList, dropList } from '../../reducers/dropList.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import { nearPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { leastAccepted } from '../sketch/agreement.js';
import type { ResultParams } from '../sketch/params.js';
import { BandPairing } from './candidates.js';
import { PairComparer } from './comparing.js';
import type { Corpus } from './corpus.js';
import { estimates } from './estimates.js';
import { compareInRounds } from './rounds.js';
import type { Run } from './run.js';
import type { SetSource } from './setSource.js';
import { Verifier } from './verification.js';

export interface Outcome {
  readonly classes: IdentityClasses;
  /** Every candidate pair of all rounds with its evidence, sorted by (a, b). */
  readonly verified: VerifiedPairs;
  readonly clusters: Clusters;
  readonly drop: DropList;
  /** 1: left out because it changed while the run was reading. */
  readonly withdrawn: Uint8Array;
  readonly counts: OutcomeCounts;
}

export interface OutcomeCounts {
  /** Classes of two or more documents with equal token sequences, and the documents in them beyond the first. */
  readonly identityClasses: number;
  readonly identicalDocuments: number;
  readonly buckets: number;
  readonly hotBuckets: number;
  readonly largestBucket: number;
  readonly rounds: number;
  readonly pairsSkippedAtMost: number;
  readonly keptUncompared: number;
  readonly documentsReadAgain: number;
}

/** The first members of identity classes that have tokens: what is bucketed. */
function bucketedDocuments(corpus: Corpus, classes: IdentityClasses): Uint32Array {
  let count = 0;
  const documents = new Uint32Array(corpus.documents);
  for (let d = 0; d < corpus.documents; d++) {
    if (corpus.empty[d] === 0 && classes.first[d] === d) documents[count++] = d;
  }
  return documents.subarray(0, count);
}

/** What signature mode accepts; no agreement where nothing is verified, and any in exact mode, where sets decide. */
function leastAgreementOf({ verify, threshold, sketch }: ResultParams): number {
  return verify === 'signature' ? leastAccepted(threshold, sketch.hashes) : sketch.hashes + 1;
}

/** @param verifiedAll told when all pairs have their evidence, before they are clustered */
export async function findOutcome(
  run: Run,
  corpus: Corpus,
  reader: SetSource,
  verifiedAll: (verified: VerifiedPairs) => Promise<void> | void,
): Promise<Outcome> {
  const { params } = run;
  const verifier = new Verifier(run, corpus, reader);
  const pairing = new BandPairing(run, corpus);
  const comparer = new PairComparer(run, corpus.tables.length, leastAgreementOf(params));
  const bucketing = await run.stage('bands', () =>
    pairing.pairAll(bucketedDocuments(corpus, verifier.classes)),
  );
  const compared = await run.stage('verify', () =>
    compareInRounds(run, pairing, comparer, verifier, bucketing),
  );
  return run.stage('clusters', async () => {
    const { classes, withdrawn } = verifier;
    const { verified, rounds, keptUncompared } = compared;
    await verifiedAll(verified);
    const near = nearPairs(verified, params.sketch.hashes);
    return {
      classes,
      verified,
      drop: dropList(classes, near),
      withdrawn,
      clusters: clusters(classes, near, {
        verified,
        estimate: estimates(run, corpus),
        threshold: params.threshold,
      }),
      counts: {
        identityClasses: classes.members.firsts.length,
        identicalDocuments: classes.members.members.length - classes.members.firsts.length,
        buckets: bucketing.buckets,
        hotBuckets: bucketing.hotBuckets,
        largestBucket: bucketing.largestBucket,
        rounds,
        pairsSkippedAtMost: bucketing.pairsSkippedAtMost,
        keptUncompared,
        documentsReadAgain: verifier.documentsReadAgain,
      },
    };
  });
}
