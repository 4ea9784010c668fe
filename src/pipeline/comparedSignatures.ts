/**
 * Stages 2 and 3 over signatures: bands, and rounds over hot buckets.
 *
 * Floor 4.
 */
import { leastAccepted, leastAgreement } from '../sketch/agreement.js';
import type { ResultParams } from '../sketch/params.js';
import { signatureParams } from '../sketch/sketchKind.js';
import { BandPairing } from './candidates.js';
import type { ComparedPairs } from './comparedPairs.js';
import { type Bounds, PairComparer } from './comparing.js';
import type { Corpus } from './corpus.js';
import { estimatedClusters } from './estimates.js';
import { pairPlan } from './pairPlan.js';
import { compareInRounds } from './rounds.js';
import type { Run } from './run.js';
import { SignatureSource } from './signatureSource.js';
import type { Verifier } from './verification.js';

/** What signature mode accepts; no agreement where nothing is verified, and in exact mode, where sets decide. */
function boundsOf(params: ResultParams): Bounds {
  const { verify, threshold } = params;
  const { hashes, sketch } = signatureParams(params).sketch;
  const none = hashes + 1;
  if (verify === 'none') return { least: none, margin: none };
  if (verify === 'exact') return { least: none, margin: leastAgreement(threshold, hashes, sketch) };
  const least = leastAccepted(threshold, hashes);
  return { least, margin: least };
}

/** Pairs `documents` (class firsts with tokens, ascending) and verifies what comes of them. */
export async function compareSignatures(
  run: Run,
  corpus: Corpus,
  verifier: Verifier,
  documents: Uint32Array,
): Promise<ComparedPairs> {
  const columns = corpus.tables.reduce((sum, table) => sum + table.columns.flags!.length, 0);
  const { banding, sketch } = signatureParams(run.params);
  const plan = pairPlan(run.budget, { columns, bands: banding.bands, hashes: sketch.hashes });
  const signatures = new SignatureSource(run, plan, corpus);
  const pairing = new BandPairing(run, corpus, plan, signatures);
  const comparer = new PairComparer(run, plan, signatures, boundsOf(run.params));
  const bucketing = await run.stage('bands', () => pairing.pairAll(documents));
  const compared = await run.stage('verify', () =>
    compareInRounds(run, plan, pairing, comparer, verifier, bucketing),
  );
  const { buckets, hotBuckets, largestBucket, pairsSkippedAtMost } = bucketing;
  const { verified, rounds, keptUncompared } = compared;
  return {
    verified,
    counts: { buckets, hotBuckets, largestBucket, rounds, pairsSkippedAtMost, keptUncompared },
    clustersOf: (classes, near, source) =>
      estimatedClusters(run, plan, corpus, signatures, classes, near, source),
  };
}
