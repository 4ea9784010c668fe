/**
 * From a sketched corpus to the answer: identity, candidates, evidence, hot-bucket rounds, clusters, drop list.
 *
 * Floor 4. Everything is in columns by document number; ids come in only where files are written.
 */
import { type Clusters, clusters } from '../../reducers/clusters.js';
import { containedDropList, containedPairs } from '../../reducers/containedDropList.js';
import { type DropList, dropList } from '../../reducers/dropList.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import { exactMeasure, nearPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { leastAccepted } from '../sketch/agreement.js';
import type { ResultParams } from '../sketch/params.js';
import { agreementUnits, sampleParams, signatureParams } from '../sketch/sketchKind.js';
import { BandPairing } from './candidates.js';
import { PairComparer } from './comparing.js';
import type { Corpus } from './corpus.js';
import { estimates } from './estimates.js';
import { FingerprintSharing } from './fingerprintSharing.js';
import { compareInRounds } from './rounds.js';
import type { Run } from './run.js';
import type { SetReader } from './secondReading.js';
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
  /** Of samples alone: documents of which every fingerprint was eliminated. */
  readonly documentsEliminated?: number;
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

/** What signature mode accepts, in the units of the sketch; no agreement in the others. */
function leastAgreementOf(params: ResultParams): number {
  const { verify, threshold } = params;
  if (verify !== 'signature') return agreementUnits(params) + 1;
  return sampleParams(params) === null
    ? leastAccepted(threshold, signatureParams(params).sketch.hashes)
    : threshold;
}

/** All candidate pairs with their evidence, and what is said of how they were found. */
interface Compared {
  readonly verified: VerifiedPairs;
  readonly counts: Omit<OutcomeCounts, 'identityClasses' | 'identicalDocuments' | 'documentsReadAgain'>;
}

/** Bands, and rounds over hot buckets. */
async function compareSignatures(run: Run, corpus: Corpus, verifier: Verifier): Promise<Compared> {
  const pairing = new BandPairing(run, corpus);
  const comparer = new PairComparer(run, corpus.tables.length, leastAgreementOf(run.params));
  const bucketing = await run.stage('bands', () =>
    pairing.pairAll(bucketedDocuments(corpus, verifier.classes)),
  );
  const compared = await run.stage('verify', () =>
    compareInRounds(run, pairing, comparer, verifier, bucketing),
  );
  const { buckets, hotBuckets, largestBucket, pairsSkippedAtMost } = bucketing;
  const { verified, rounds, keptUncompared } = compared;
  return {
    verified,
    counts: { buckets, hotBuckets, largestBucket, rounds, pairsSkippedAtMost, keptUncompared },
  };
}

/** Lists of fingerprints; what is eliminated is compared in no round. */
async function compareSamples(run: Run, corpus: Corpus, verifier: Verifier): Promise<Compared> {
  const sharing = new FingerprintSharing(run, corpus);
  const found = await run.stage('fingerprints', () =>
    sharing.pairAll(bucketedDocuments(corpus, verifier.classes)),
  );
  const verified = await run.stage('verify', async () => {
    const pairs = await sharing.compare(found, leastAgreementOf(run.params));
    const all = await verifier.verify(pairs);
    run.progress(all.count, all.count, 'pairs');
    return all;
  });
  return {
    verified,
    counts: {
      buckets: found.shared,
      hotBuckets: found.eliminated,
      largestBucket: found.longestList,
      rounds: 1,
      pairsSkippedAtMost: found.pairsSkippedAtMost,
      keptUncompared: 0,
      documentsEliminated: found.documentsEliminated,
    },
  };
}

/** @param verifiedAll told when all pairs have their evidence, before they are clustered */
export async function findOutcome(
  run: Run,
  corpus: Corpus,
  reader: SetReader,
  verifiedAll: (verified: VerifiedPairs) => Promise<void> | void,
): Promise<Outcome> {
  const { params } = run;
  const verifier = new Verifier(run, corpus, reader);
  const compare = sampleParams(params) === null ? compareSignatures : compareSamples;
  const { verified, counts } = await compare(run, corpus, verifier);
  return run.stage('clusters', async () => {
    const { classes, withdrawn } = verifier;
    await verifiedAll(verified);
    const measured = exactMeasure(verified, params.measure);
    const near = nearPairs(verified, agreementUnits(params));
    return {
      classes,
      verified,
      drop:
        params.measure === 'containment'
          ? containedDropList(classes, containedPairs(verified))
          : dropList(classes, near),
      withdrawn,
      clusters: clusters(classes, near, {
        verified: { ...verified, exact: measured === null ? null : { jaccard: measured } },
        estimate: estimates(run, corpus),
        threshold: params.threshold,
      }),
      counts: {
        ...counts,
        identityClasses: classes.members.firsts.length,
        identicalDocuments: classes.members.members.length - classes.members.firsts.length,
        documentsReadAgain: verifier.documentsReadAgain,
      },
    };
  });
}
