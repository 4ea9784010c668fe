/**
 * Stages 2 and 3 over samples of fingerprints: lists of documents, and no rounds.
 *
 * Floor 4.
 */
import { clusters } from '../../reducers/clusters.js';
import { sampleEstimate, sampleSizes } from '../../reducers/sampledPairs.js';
import { fingerprintsOf } from '../blocks/fingerprints.js';
import { SampleRule, sampleWishOf } from '../sketch/sampleRule.js';
import { type ComparedPairs, comparedDocuments } from './comparedPairs.js';
import type { Corpus } from './corpus.js';
import { FingerprintSharing } from './fingerprintSharing.js';
import type { Run } from './run.js';
import { marginOf } from './unsketched.js';
import type { Verifier } from './verification.js';

/** More than any estimate. */
const NONE_ACCEPTED = 2;

/** Pairs all documents and verifies what comes of them. */
export async function compareSamples(run: Run, corpus: Corpus, verifier: Verifier): Promise<ComparedPairs> {
  const { verify, threshold } = run.params;
  const least = verify === 'signature' ? threshold : NONE_ACCEPTED;
  const sharing = new FingerprintSharing(run, corpus);
  const found = await run.stage('fingerprints', () =>
    sharing.list(comparedDocuments(corpus, verifier.classes, null)),
  );
  const verified = await run.stage('verify', async () => {
    const pairs = await sharing.compare(found, least, verify === 'exact' ? marginOf(run.params) : least);
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
    unsketched: null,
    clustersOf: (classes, near, source) => {
      const estimate = estimates(run, corpus, sharing);
      return { clusters: clusters(classes, near, { ...source, estimate }), uncompared: 0 };
    },
  };
}

/** What samples say of two documents; NaN where that is nothing. */
function estimates(run: Run, corpus: Corpus, sharing: FingerprintSharing): (a: number, b: number) => number {
  const { params, wish } = sampleWishOf(run.params)!;
  const { blockOf, columnOf } = corpus;
  const samples = { blocks: sharing.columns().map(fingerprintsOf), blockOf, columnOf };
  const documents = { ...samples, sizes: sampleSizes(samples) };
  const rule = new SampleRule(params, wish);
  return (a, b) => sampleEstimate(documents, params, rule, a, b);
}
