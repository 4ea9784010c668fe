/** Rounds over hot buckets as jobs are those of worker threads, to the last bit of what is told of them. */
import test from 'ava';
import fc from 'fast-check';
import { hotRounds } from '../../../src/coordinator/cluster/hot/hotRounds.js';
import { type HotCorpus, HotJobs, HotOracle, type RoundsTold, roundsOfThreads } from './hotOracle.js';

async function roundsOfJobs(oracle: HotOracle): Promise<RoundsTold & { readonly jobs: readonly string[] }> {
  const jobs = new HotJobs(oracle);
  const { hot, made } = await jobs.first();
  const found = await hotRounds(jobs.steps, [hot], { names: made }, oracle.corpus.bounds);
  const { rounds, keptUncompared, pairsSkippedAtMost: skipped, recall, evidence } = found;
  const pairs = jobs.evidence(evidence).map((pair) => pair.join(' '));
  return { rounds, keptUncompared, skipped, recall, pairs, jobs: jobs.ran };
}

/** Every bucket is hot, so it has more than `hotBucket` members. */
const corpora = fc
  .record({
    documents: fc.integer({ min: 12, max: 70 }),
    hotBucket: fc.integer({ min: 2, max: 6 }),
    topics: fc.integer({ min: 1, max: 12 }),
    seed: fc.nat(1_000_000),
    verify: fc.constantFrom('exact' as const, 'signature' as const, 'none' as const),
    drawn: fc.constantFrom(5, 20, 60, 1 << 17),
    verified: fc.constantFrom(2, 12, 1 << 11),
    bands: fc.integer({ min: 1, max: 3 }),
  })
  .chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      names: fc.array(fc.array(fc.nat(3), { minLength: shape.documents, maxLength: shape.documents }), {
        minLength: shape.bands,
        maxLength: shape.bands,
      }),
    }),
  )
  .map(({ shape, names }): HotCorpus => {
    const { drawn, verified, ...others } = shape;
    const bands = names.map((band) => {
      const isHot = (name: number): boolean => band.filter((one) => one === name).length > shape.hotBucket;
      return band.map((name) => (isHot(name) ? name : 0));
    });
    return { ...others, bands, bounds: { drawn, verified } };
  })
  .filter(({ bands }) => bands.some((band) => band.some((name) => name > 0)));

test('rounds as jobs compare the pairs of the rounds of threads, and tell the same of them', async (t) => {
  let [most, withDependents, uncompared, told] = [0, 0, 0, 0];
  await fc.assert(
    fc.asyncProperty(corpora, async (corpus) => {
      const oracle = new HotOracle(corpus);
      const { jobs, ...found } = await roundsOfJobs(oracle);
      t.deepEqual(found, await roundsOfThreads(oracle));
      most = Math.max(most, found.rounds);
      withDependents += jobs.some((name) => name.includes('dependentPairs')) ? 1 : 0;
      uncompared += found.keptUncompared > 0 ? 1 : 0;
      told += found.recall === null ? 0 : 1;
    }),
    { seed: 7, numRuns: 30 },
  );
  // Otherwise nothing was held against anything.
  t.true(
    most >= 4 && withDependents > 2 && uncompared > 2 && told > 5,
    String([most, withDependents, uncompared, told]),
  );
});

test('of a bucket with more pairs than a sample has the same are drawn, and the same are verified', async (t) => {
  const documents = 240;
  const corpus: HotCorpus = {
    ...{ documents, hotBucket: 8, topics: 3, seed: 5, verify: 'exact' },
    bands: [new Array<number>(documents).fill(1), Array.from({ length: documents }, (_, d) => 1 + (d % 4))],
    bounds: { drawn: 5_000, verified: 1 << 9 },
  };
  const oracle = new HotOracle(corpus);
  const { jobs: _, ...found } = await roundsOfJobs(oracle);
  const wanted = await roundsOfThreads(oracle);
  t.deepEqual(found, wanted);
  t.true(wanted.pairs.length > 1 << 9);
});
