/**
 * Stages 2 and 3 over samples of fingerprints: lists of documents, and rounds over those of hot fingerprints.
 *
 * Floor 4.
 */
import { clusters } from '../../reducers/clusters.js';
import { pairsInQuestion } from '../../reducers/frequentPairs.js';
import { hotDocuments } from '../../reducers/hotBuckets.js';
import { sampleEstimate, sampleSizes } from '../../reducers/sampledPairs.js';
import type { AgreeingPairs } from '../sketch/pairs.js';
import { SampleRule, sampleWishOf } from '../sketch/sampleRule.js';
import { type ComparedPairs, comparedDocuments } from './comparedPairs.js';
import { PairComparer } from './comparing.js';
import type { Corpus } from './corpus.js';
import { FingerprintSharing, type Sharing, samplesOf } from './fingerprintSharing.js';
import { FrequentPairing, keptBySamples, sampleSketches } from './frequentPairing.js';
import { pairPlan } from './pairPlan.js';
import { compareInRounds } from './rounds.js';
import type { Run } from './run.js';
import { forgetPairs, storePairs } from './storedPairs.js';
import { marginOf } from './unsketched.js';
import type { Verifier } from './verification.js';

/** More than any estimate. */
const NONE_ACCEPTED = 2;

/** Pairs all documents and verifies what comes of them. */
export async function compareSamples(run: Run, corpus: Corpus, verifier: Verifier): Promise<ComparedPairs> {
  const { verify, threshold } = run.params;
  const least = verify === 'signature' ? threshold : NONE_ACCEPTED;
  const margin = verify === 'exact' ? marginOf(run.params) : least;
  const sharing = new FingerprintSharing(run, corpus);
  const found = await run.stage('fingerprints', () =>
    sharing.list(comparedDocuments(corpus, verifier.classes, null)),
  );
  // Samples are held as they are, and count for nothing here.
  const plan = pairPlan(run.budget, { columns: 0, bands: 1, hashes: 16 });
  const pairing = new FrequentPairing(run, plan, sharing.blocks, corpus.documents);
  const comparer = new PairComparer(run, plan, sampleSketches(sharing.blocks), { least, margin });
  const sizes = sampleSizes(samplesOf(corpus, sharing.columns()));
  const rule = keptBySamples(run, verifier, pairing, found.relies, sizes);
  const hot = FrequentPairing.groups(found.hot);
  let pairsSkippedAtMost = 0;
  const compared = await run.stage('verify', async () => {
    const made = await sharing.compare(found, least, margin);
    let more: AgreeingPairs | null = null;
    if (hot.length > 0) {
      const { lists, skipped } = await pairing.pairMembers(hot);
      const known = await storePairs(run, 'shared', made, plan.segmentRows);
      more = await comparer.compare(lists, [known]);
      forgetPairs(run, [...lists, known]);
      pairsSkippedAtMost = Math.min(skipped, pairsOfMembers(found));
    }
    return compareInRounds(run, { plan, pairing, comparer, verifier, rule }, hot, made, more);
  });
  const { verified, rounds, keptUncompared, recall } = compared;
  return {
    verified,
    counts: {
      buckets: found.shared,
      hotBuckets: found.hotLists,
      largestBucket: found.longestList,
      rounds,
      pairsSkippedAtMost: compared.skipsPairs ? pairsSkippedAtMost : 0,
      keptUncompared,
    },
    unsketched: null,
    recall,
    clustersOf: (classes, near, source) => {
      const estimate = estimates(run, corpus, sharing);
      return { clusters: clusters(classes, near, { ...source, estimate }), uncompared: 0 };
    },
  };
}

/** Pairs in question of the documents that have hot fingerprints, whichever these are. */
function pairsOfMembers({ hot, relies }: Sharing): number {
  const members = hotDocuments([hot], relies.length);
  const relying = members.reduce((sum, d) => sum + relies[d]!, 0);
  return pairsInQuestion(members.length, relying);
}

/** What samples say of two documents; NaN where that is nothing. */
function estimates(run: Run, corpus: Corpus, sharing: FingerprintSharing): (a: number, b: number) => number {
  const { params, wish } = sampleWishOf(run.params)!;
  const samples = samplesOf(corpus, sharing.columns());
  const documents = { ...samples, sizes: sampleSizes(samples) };
  const rule = new SampleRule(params, wish);
  return (a, b) => sampleEstimate(documents, params, rule, a, b);
}
