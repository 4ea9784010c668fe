/**
 * From a sketched corpus to the answer: identity, candidates, evidence, hot-bucket rounds, clusters, drop list.
 *
 * Floor 4. Everything is in columns by document number; ids come in only where files are written.
 */
import type { Clusters } from '../../reducers/clusters.js';
import { type DropList, dropList } from '../../reducers/dropList.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import { countAccepted, nearPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { leastAccepted, leastAgreement } from '../sketch/agreement.js';
import type { ResultParams } from '../sketch/params.js';
import { BandPairing } from './candidates.js';
import { type Bounds, PairComparer } from './comparing.js';
import type { Corpus } from './corpus.js';
import { estimatedClusters } from './estimates.js';
import { RESEMBLANCE_BYTES, WRITTEN_BYTES } from './pairMemory.js';
import { pairPlan } from './pairPlan.js';
import { compareInRounds } from './rounds.js';
import type { Run } from './run.js';
import type { SetSource } from './setSource.js';
import { SignatureSource } from './signatureSource.js';
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
  readonly pairsRecalled: number;
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

/** What signature mode accepts; no agreement where nothing is verified, and in exact mode, where sets decide. */
function boundsOf({ verify, threshold, sketch }: ResultParams): Bounds {
  const { hashes } = sketch;
  const none = hashes + 1;
  if (verify === 'none') return { least: none, margin: none };
  if (verify === 'exact') return { least: none, margin: leastAgreement(threshold, hashes, sketch.sketch) };
  const least = leastAccepted(threshold, hashes);
  return { least, margin: least };
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
  const columns = corpus.tables.reduce((sum, table) => sum + table.columns.flags!.length, 0);
  const { bands } = params.banding;
  const plan = pairPlan(run.budget, { columns, bands, hashes: params.sketch.hashes });
  const signatures = new SignatureSource(run, plan, corpus);
  const pairing = new BandPairing(run, corpus, plan, signatures);
  const comparer = new PairComparer(run, plan, signatures, boundsOf(params));
  const bucketing = await run.stage('bands', () =>
    pairing.pairAll(bucketedDocuments(corpus, verifier.classes)),
  );
  const compared = await run.stage('verify', () =>
    compareInRounds(run, plan, pairing, comparer, verifier, bucketing),
  );
  return run.stage('clusters', async () => {
    const { classes, withdrawn } = verifier;
    const { verified, rounds, keptUncompared } = compared;
    await verifiedAll(verified);
    const accepted = countAccepted(verified);
    run.tables.take(
      `${accepted} accepted pairs`,
      RESEMBLANCE_BYTES * accepted,
      () => WRITTEN_BYTES * accepted,
    );
    const near = nearPairs(verified, params.sketch.hashes);
    const source = { verified, threshold: params.threshold };
    return {
      classes,
      verified,
      drop: dropList(classes, near),
      withdrawn,
      clusters: await estimatedClusters(run, plan, corpus, signatures, classes, near, source),
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
        pairsRecalled: verifier.pairsRecalled,
      },
    };
  });
}
