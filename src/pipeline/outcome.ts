/**
 * From a sketched corpus to the answer: identity, candidates, evidence, hot-bucket rounds, clusters, drop list.
 *
 * Floor 4. Everything is in columns by document number; ids come in only where files are written.
 */
import { type Clusters, clusters, clusterTable } from '../../reducers/clusters.js';
import { type DropList, dropList } from '../../reducers/dropList.js';
import { greedyRoots } from '../../reducers/greedyClusters.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import {
  countAccepted,
  type NearPairs,
  nearPairs,
  type VerifiedPairs,
} from '../../reducers/verifiedPairs.js';
import { leastAccepted } from '../sketch/agreement.js';
import type { ResultParams } from '../sketch/params.js';
import { BandPairing, type Bucketing } from './candidates.js';
import { type Bounds, PairComparer } from './comparing.js';
import type { Corpus } from './corpus.js';
import { estimatedClusters, estimates } from './estimates.js';
import { linkedSignatures } from './linkedSignatures.js';
import { RESEMBLANCE_BYTES, WRITTEN_BYTES } from './pairMemory.js';
import { type PairPlan, pairPlan } from './pairPlan.js';
import { type ComparedRounds, compareInRounds } from './rounds.js';
import type { Run } from './run.js';
import type { SetSource } from './setSource.js';
import { SignatureSource } from './signatureSource.js';
import { marginOf, unsketchedDocuments } from './unsketched.js';
import { Verifier } from './verification.js';

export interface Outcome {
  readonly classes: IdentityClasses;
  /** Every candidate pair of all rounds with its evidence, sorted by (a, b). */
  readonly verified: VerifiedPairs;
  readonly clusters: Clusters;
  readonly drop: DropList;
  /** 1: left out because it changed while the run was reading. */
  readonly withdrawn: Uint8Array;
  /** 1: it has tokens, but no shingle in its sketch; null: none can be so. */
  readonly unsketched: Uint8Array | null;
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
  /** Of greedy clusters: those founded without being held against every representative. */
  readonly clustersUncompared: number;
  readonly documentsReadAgain: number;
  readonly pairsRecalled: number;
}

/** The first members of identity classes that have a sketch: what is bucketed. */
function bucketedDocuments(
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

/** What signature mode accepts; no agreement where nothing is verified, and in exact mode, where sets decide. */
function boundsOf(params: ResultParams): Bounds {
  const { verify, threshold } = params;
  const { hashes } = params.sketch;
  const none = hashes + 1;
  if (verify === 'none') return { least: none, margin: none };
  if (verify === 'exact') return { least: none, margin: marginOf(params) };
  const least = leastAccepted(threshold, hashes);
  return { least, margin: least };
}

interface ComparedPairs {
  readonly bucketing: Pick<Bucketing, 'buckets' | 'hotBuckets' | 'largestBucket' | 'pairsSkippedAtMost'>;
  readonly compared: ComparedRounds;
  readonly unsketched: Uint8Array | null;
}

/** Compared pairs, and by what they were compared. */
interface SketchedPairs extends ComparedPairs {
  readonly plan: PairPlan;
  readonly signatures: SignatureSource;
}

/** Where only identical documents are looked for. */
const NOTHING_COMPARED: ComparedPairs = {
  bucketing: { buckets: 0, hotBuckets: 0, largestBucket: 0, pairsSkippedAtMost: 0 },
  compared: {
    verified: {
      a: new Uint32Array(0),
      b: new Uint32Array(0),
      count: 0,
      agreement: new Uint16Array(0),
      accepted: new Uint8Array(0),
      exact: null,
    },
    rounds: 0,
    keptUncompared: 0,
  },
  unsketched: null,
};

/** Members of a class need none. */
function noEstimate(): never {
  throw new Error('without sketches there are no estimates');
}

async function comparePairs(run: Run, corpus: Corpus, verifier: Verifier): Promise<SketchedPairs> {
  const { params } = run;
  const columns = corpus.tables.reduce((sum, table) => sum + table.columns.flags!.length, 0);
  const { bands } = params.banding;
  const plan = pairPlan(run.budget, { columns, bands, hashes: params.sketch.hashes });
  const unsketched = unsketchedDocuments(run, corpus);
  const signatures = new SignatureSource(run, plan, corpus);
  const pairing = new BandPairing(run, corpus, plan, signatures);
  const comparer = new PairComparer(run, plan, signatures, boundsOf(params));
  const bucketing = await run.stage('bands', () =>
    pairing.pairAll(bucketedDocuments(corpus, verifier.classes, unsketched)),
  );
  const compared = await run.stage('verify', () =>
    compareInRounds(run, plan, pairing, comparer, verifier, bucketing),
  );
  return { bucketing, compared, unsketched, plan, signatures };
}

/** The clusters of the kind that was asked for. */
async function clustersOf(
  run: Run,
  corpus: Corpus,
  classes: IdentityClasses,
  verified: VerifiedPairs,
  near: NearPairs,
  pairs: SketchedPairs | null,
): Promise<{ readonly clusters: Clusters; readonly uncompared: number }> {
  const { threshold, cluster, representative, hotBucket, sketch } = run.params;
  const source = { verified, threshold };
  if (pairs === null) {
    return { clusters: clusters(classes, near, { ...source, estimate: noEstimate }), uncompared: 0 };
  }
  if (cluster === 'components') {
    const { plan, signatures } = pairs;
    const found = await estimatedClusters(run, plan, corpus, signatures, classes, near, source);
    return { clusters: found, uncompared: 0 };
  }
  const least = leastAccepted(threshold, sketch.hashes);
  const { signatures, bytes } = linkedSignatures(run, corpus, verified, least);
  const { roots, uncompared } = greedyRoots(classes, verified, signatures, {
    threshold,
    least,
    representative: representative ?? 'first',
    followed: hotBucket,
  });
  const found = clusterTable(roots, classes, { ...source, estimate: estimates(signatures) });
  run.tables.give(bytes);
  return { clusters: found, uncompared };
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
  const pairs = params.exactDuplicates ? null : await comparePairs(run, corpus, verifier);
  const { bucketing, compared, unsketched } = pairs ?? NOTHING_COMPARED;
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
    const clustered = await clustersOf(run, corpus, verifier.classes, verified, near, pairs);
    return {
      classes,
      verified,
      drop: dropList(classes, near),
      withdrawn,
      unsketched,
      clusters: clustered.clusters,
      counts: {
        identityClasses: classes.members.firsts.length,
        identicalDocuments: classes.members.members.length - classes.members.firsts.length,
        buckets: bucketing.buckets,
        hotBuckets: bucketing.hotBuckets,
        largestBucket: bucketing.largestBucket,
        rounds,
        pairsSkippedAtMost: bucketing.pairsSkippedAtMost,
        keptUncompared,
        clustersUncompared: clustered.uncompared,
        documentsReadAgain: verifier.documentsReadAgain,
        pairsRecalled: verifier.pairsRecalled,
      },
    };
  });
}
