/**
 * Stages 2 and 3 over signatures: bands, and rounds over hot buckets.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DrawnPairs } from '../../../reducers/drawnPairs.js';
import type { Precedence } from '../../../reducers/dropList.js';
import { NAMES } from '../../blocks/names.js';
import type { AgreeingPairs } from '../../blocks/pairs.js';
import { decidingAgreements } from '../../sketch/family.js';
import type { Run } from '../context.js';
import { estimatedClusters } from '../finish/estimates.js';
import type { Corpus } from '../sketch/corpus.js';
import type { Verifier } from '../verify/verify.js';
import { PairComparer, SignatureSource } from './agreements.js';
import { BandPairing } from './buckets.js';
import { LargeBuckets } from './largeBuckets.js';
import { type ComparedPairs, comparedDocuments } from './pairing.js';
import { forgetPairs, type StoredPairs, storePairs } from './pairLists.js';
import { type PairPlan, pairPlan } from './pairPlan.js';
import { compareInRounds, keptInOrder, memberFlags, pairsOfMembers } from './rounds.js';
import { aheadOfSample, drawnOf, idHashesOf } from './skippedSample.js';

function planOf({ params, budget, tables: memory, engine }: Run, { tables }: Corpus): PairPlan {
  const columns = tables.reduce((sum, table) => sum + table.columns.flags!.length, 0);
  const { sketch } = params;
  return pairPlan(
    { ...budget, blocks: memory.roomOfBlocks },
    { columns, hashes: sketch.hashes, workers: engine.parallelism },
  );
}

/** Pairs all documents that have a signature and verifies the pairs. */
export async function compareSignatures(
  run: Run,
  corpus: Corpus,
  verifier: Verifier,
  precedence: Precedence,
): Promise<ComparedPairs> {
  const plan = planOf(run, corpus);
  const signatures = new SignatureSource(run, plan, corpus);
  const bounds = decidingAgreements(run.params);
  const large = new LargeBuckets(run, signatures, bounds, verifier.groups);
  const pairing = new BandPairing(run, corpus, plan, signatures, large, verifier.groups);
  const comparer = new PairComparer(run, signatures, bounds);
  const pairAll = () => pairing.pairAll(comparedDocuments(corpus, verifier.classes));
  const bucketing = await run.stage('bands', pairAll);
  const rule = keptInOrder(verifier, precedence);
  const how = { pairing, comparer, verifier, rule, idHashes: idHashesOf(run, corpus) };
  const compared = await run.stage('verify', async () => {
    const { hot, lists, large } = bucketing;
    const isHot = memberFlags(hot, corpus.documents);
    const ofHot = large && hot.length > 0 ? [await storedOfHot(run, isHot, large.pairs)] : [];
    const comparing = comparer.compare(lists, ofHot, hot.length === 0 ? 0 : aheadOfSample(run));
    const draw = () => run.turns.through(drawnOf(run, hot, corpus.documents, null, verifier.groups));
    const drawn = hot.length === 0 ? null : await drawnMeanwhile(comparing, draw);
    const made = await comparing;
    forgetPairs(run, [...lists, ...ofHot]);
    return compareInRounds(run, how, hot, made, large?.pairs ?? null, drawn);
  });
  const { verified, recall } = compared;
  return {
    verified,
    counts: {
      buckets: bucketing.buckets,
      hot_bucket: bucketing.hotBucket,
      hot_buckets: bucketing.hotBuckets,
      largest_bucket: bucketing.largestBucket,
      rounds: compared.rounds,
      pairs_skipped_at_most: compared.skipsPairs ? bucketing.pairsSkippedAtMost : 0,
      kept_uncompared: compared.keptUncompared,
    },
    recall,
    unlisted: bucketing.large?.counts ?? null,
    clustersOf: (classes, near, source) =>
      estimatedClusters(run, corpus, signatures, classes, near, verified, source),
  };
}

/**
 * Stores those of `pairs` that have two members of hot buckets, so that the pairs of hot buckets can be compared
 * without them.
 */
async function storedOfHot(run: Run, isMember: Uint8Array, pairs: AgreeingPairs): Promise<StoredPairs> {
  const ofHot = await run.turns.through(pairsOfMembers(pairs, isMember));
  return storePairs(run, NAMES.known('large'), ofHot);
}

/** The sample of the pairs that hot buckets skip, drawn while workers compare the others. */
async function drawnMeanwhile(
  comparing: Promise<unknown>,
  draw: () => Promise<DrawnPairs>,
): Promise<DrawnPairs> {
  // The caller awaits `comparing` later; until then its failure must not end the process as an unhandled rejection.
  comparing.catch(() => {});
  // Two turns of the event loop send the first tasks to the workers before the drawing begins.
  await nextTurn();
  await nextTurn();
  return draw();
}
