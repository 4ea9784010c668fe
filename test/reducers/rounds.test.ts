import test from 'ava';
import fc from 'fast-check';
import { distinctPairs, type Pairs } from '../../reducers/candidatePairs.js';
import { dropList } from '../../reducers/dropList.js';
import {
  type BandSource,
  bandPairs,
  hotDocuments,
  MOST_ROUNDS,
  nextRound,
  type RoundOutcome,
  type Rounds,
  runRounds,
} from '../../reducers/hotBuckets.js';
import { listOf, pairsOf, setOf } from './bruteForce.js';

/** Documents with a bucket a band, a slot, and a resemblance for every pair. */
interface HotGraph {
  readonly count: number;
  readonly hotBucket: number;
  /** buckets[band][document] */
  readonly buckets: readonly (readonly number[])[];
  readonly slots: readonly number[];
  readonly resemblance: (a: number, b: number) => number;
}

const THRESHOLD = 0.8;

/** Random buckets and random resemblances: `alike` of ten pairs are accepted, chains and hubs included. */
const hotGraphs: fc.Arbitrary<HotGraph> = fc
  .record({
    count: fc.integer({ min: 0, max: 60 }),
    bands: fc.integer({ min: 1, max: 4 }),
    hotBucket: fc.integer({ min: 2, max: 6 }),
    names: fc.integer({ min: 1, max: 4 }),
    alike: fc.nat(10),
  })
  .chain(({ count, bands, hotBucket, names, alike }) =>
    fc.record({
      count: fc.constant(count),
      hotBucket: fc.constant(hotBucket),
      buckets: fc.array(fc.array(fc.nat(names - 1), { minLength: count, maxLength: count }), {
        minLength: bands,
        maxLength: bands,
      }),
      slots: fc.array(fc.nat(3), { minLength: count, maxLength: count }),
      resemblance: fc
        .array(fc.nat(99), { minLength: count * count, maxLength: count * count })
        .map((values) => (a: number, b: number): number => {
          const value = values[a * count + b]!;
          return value % 10 < alike ? THRESHOLD + value / 1000 : value / 1000;
        }),
    }),
  );

function sourceOf(graph: HotGraph): BandSource {
  return {
    bands: graph.buckets.length,
    bucketKeys: (band, documents) =>
      Uint32Array.from([...documents].flatMap((d) => [graph.buckets[band]![d]!, band])),
    slots: (_, documents) => documents.map((d) => graph.slots[d]!),
    digests: (documents) => Uint32Array.from([...documents].flatMap((d) => [Math.imul(d, 0x9e3779b1), d])),
  };
}

/** A coordinator in small: verifies pairs, keeps what was compared, makes the drop list. */
function coordinatorOf(graph: HotGraph): (pairs: Pairs) => RoundOutcome {
  let compared = pairsOf([]);
  const first = Uint32Array.from({ length: graph.count }, (_, d) => d);
  const none = { firsts: new Uint32Array(0), offsets: new Uint32Array(1), members: new Uint32Array(0) };
  const isNear = ([a, b]: readonly [number, number]): boolean => graph.resemblance(a, b) >= THRESHOLD;
  return (pairs) => {
    compared = distinctPairs([compared, pairs]);
    const rows = listOf(compared).filter(isNear);
    const jaccard = Float64Array.from(rows, ([a, b]) => graph.resemblance(a, b));
    const near = { ...pairsOf(rows), jaccard };
    const { kept } = dropList({ first, members: none }, near);
    return { accepted: listOf(pairs).filter(isNear).length, kept, compared, near };
  };
}

function firstRound(graph: HotGraph, compare: (pairs: Pairs) => RoundOutcome): Rounds {
  const source = sourceOf(graph);
  const all = Uint32Array.from({ length: graph.count }, (_, d) => d);
  const found = graph.buckets.map((_, band) => bandPairs(source, band, all, graph.hotBucket));
  const outcome = compare(distinctPairs(found.flatMap((band) => band.pairs)));
  const hot = hotDocuments(
    found.map((band) => band.buckets.hotMembers),
    graph.count,
  );
  return { source, hotBucket: graph.hotBucket, hot, rounds: 1, outcome };
}

/** All pairs of kept documents that share a bucket of any band. */
function keptSharing(graph: HotGraph, kept: Uint8Array): { a: number; b: number; smallest: number }[] {
  const list = Array.from({ length: graph.count }, (_, d) => d).filter((d) => kept[d] === 1);
  const rows: { a: number; b: number; smallest: number }[] = [];
  for (const a of list) {
    for (const b of list) {
      if (a >= b) continue;
      const sizes = graph.buckets
        .filter((buckets) => buckets[a] === buckets[b])
        .map((buckets) => list.filter((d) => buckets[d] === buckets[a]).length);
      if (sizes.length > 0) rows.push({ a, b, smallest: Math.min(...sizes) });
    }
  }
  return rows;
}

test('runRounds counts exactly the kept documents with an uncompared kept bucket mate', async (t) => {
  let rounds = 1;
  let left = 0;
  await fc.assert(
    fc.asyncProperty(hotGraphs, async (graph) => {
      const compare = coordinatorOf(graph);
      const asked: [number, number][] = [];
      const found = await runRounds(firstRound(graph, compare), async (pairs) => {
        t.true(pairs.count > 0);
        asked.push(...listOf(pairs));
        return compare(pairs);
      });
      // No pair is asked for twice.
      t.is(setOf(asked).length, asked.length);
      const { kept, compared } = found.outcome;
      const known = new Set(setOf(listOf(compared)));
      const sharing = keptSharing(graph, kept);
      const uncompared = sharing.filter(({ a, b }) => !known.has(`${a} ${b}`));
      t.is(found.keptUncompared, new Set(uncompared.flatMap(({ a, b }) => [a, b])).size);
      // No accepted pair is left among the kept that were compared.
      for (const { a, b } of sharing) {
        if (known.has(`${a} ${b}`)) t.true(graph.resemblance(a, b) < THRESHOLD);
      }
      // Where the rounds ended by themselves, only buckets that are hot among the kept hold uncompared pairs.
      if (found.rounds < MOST_ROUNDS) {
        for (const { smallest } of uncompared) t.true(smallest > graph.hotBucket);
      }
      rounds = Math.max(rounds, found.rounds);
      left += found.keptUncompared;
    }),
    { seed: 1, numRuns: 600 },
  );
  // The random graphs do reach what they are to test: several rounds, and documents left uncompared.
  t.true(rounds >= 3, `at most ${rounds} rounds`);
  t.true(left > 0);
});

test('runRounds finds a pair that the first round did not make', async (t) => {
  // One bucket of 24 in the order of numbers. 12 and 23 are alike but eleven places apart, so the first round
  // does not compare them; it drops 1..11 for 0, and the 13 left are few enough to be paired all with all.
  const kin = (a: number, b: number): boolean => (a === 0 && b < 12) || (a === 12 && b === 23);
  const graph: HotGraph = {
    count: 24,
    hotBucket: 16,
    buckets: [new Array<number>(24).fill(7)],
    slots: Array.from({ length: 24 }, (_, d) => d),
    resemblance: (a, b) => (kin(a, b) ? 0.9 : 0.1),
  };
  const compare = coordinatorOf(graph);
  const first = firstRound(graph, compare);
  t.is(first.outcome.kept[23], 1);
  const found = await runRounds(first, compare);
  t.is(found.outcome.kept[23], 0);
  t.is(found.rounds, 2);
  t.is(found.keptUncompared, 0);
});

test('runRounds without a hot bucket compares nothing', async (t) => {
  const graph: HotGraph = {
    count: 5,
    hotBucket: 5,
    buckets: [[0, 0, 0, 0, 0]],
    slots: [0, 0, 0, 0, 0],
    resemblance: (a) => (a === 0 ? 0.9 : 0.2),
  };
  const first = firstRound(graph, coordinatorOf(graph));
  t.is(nextRound(first), null);
  const found = await runRounds(first, () => t.fail() as unknown as RoundOutcome);
  t.deepEqual([found.rounds, found.keptUncompared], [1, 0]);
});

test('runRounds ends after 8 rounds even if pairs go on being accepted', async (t) => {
  const count = 400;
  const graph: HotGraph = {
    count,
    hotBucket: 2,
    buckets: [new Array<number>(count).fill(0)],
    slots: new Array<number>(count).fill(0),
    resemblance: () => 0,
  };
  const compare = coordinatorOf(graph);
  let calls = 0;
  const found = await runRounds(
    { ...firstRound(graph, compare), outcome: claim(compare(pairsOf([])), 0) },
    (pairs) => claim(compare(pairs), ++calls),
  );
  t.is(calls, MOST_ROUNDS - 1);
  t.is(found.rounds, MOST_ROUNDS);
  const { kept, compared } = found.outcome;
  const known = new Set(setOf(listOf(compared)));
  const left = keptSharing(graph, kept).filter(({ a, b }) => !known.has(`${a} ${b}`));
  t.is(found.keptUncompared, new Set(left.flatMap(({ a, b }) => [a, b])).size);
  t.true(found.keptUncompared > 0);
});

/**
 * Claims that a pair was accepted, and keeps another half of the documents after every round: no end by
 * itself.
 */
function claim(outcome: RoundOutcome, round: number): RoundOutcome {
  const kept = outcome.kept.map((_, d) => Math.imul(d + 1, 0x9e3779b1 + 0x2545f492 * round) >>> 31);
  return { ...outcome, accepted: 1, kept };
}

test('runRounds gives the same pairs when comparison is asynchronous and when it is not', async (t) => {
  await fc.assert(
    fc.asyncProperty(hotGraphs, async (graph) => {
      const now = coordinatorOf(graph);
      const later = coordinatorOf(graph);
      const a = await runRounds(firstRound(graph, now), now);
      const b = await runRounds(firstRound(graph, later), (pairs) => Promise.resolve(pairs).then(later));
      t.deepEqual(a, b);
    }),
    { seed: 3, numRuns: 50 },
  );
});
