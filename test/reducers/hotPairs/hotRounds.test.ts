import test from 'ava';
import fc from 'fast-check';
import { keptDocuments } from '../../../reducers/dropList.js';
import {
  hotPairs,
  keptUncompared,
  MOST_ROUNDS,
  type RoundOutcome,
  type RoundSteps,
  runRounds,
} from '../../../reducers/hotPairs.js';
import { mergePairs } from '../../../reducers/verifiedPairs.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import type { HotMembers, Pairs } from '../../../src/blocks/pairs.js';
import { bucketPairs, distinctPairs } from '../../kernel/referencePairs.js';
import { listOf, pairsOf, setOf } from '../bruteForce.js';

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

const hashesOf = (documents: Uint32Array): Uint32Array =>
  Uint32Array.from([...documents].flatMap((d) => [d, Math.imul(d, 0x9e3779b1)]));

/** The pairs of documents of one band by the whole rule, and the members of hot buckets. */
function pairBand(
  graph: HotGraph,
  documents: Uint32Array,
  names: Uint32Array,
): { pairs: Pairs[]; hot: HotMembers } {
  const keys = Uint32Array.from([...names].flatMap((name) => [name, 5]));
  const found = bucketPairs({ blocks: [keys], places: null }, documents, graph.hotBucket);
  const { hot } = found;
  const slots = hot.documents.map((d) => graph.slots[d]!);
  return { pairs: [found, hotPairs(hot, slots, hashesOf(hot.documents))], hot };
}

const namesOf = (graph: HotGraph, band: number, documents: Uint32Array): Uint32Array =>
  documents.map((d) => graph.buckets[band]![d]!);

/** A coordinator in small: verifies pairs, keeps what was compared, makes the drop list. */
class Coordinator implements RoundSteps<Pairs> {
  compared: Pairs = pairsOf([]);
  /** The pairs of each round. */
  readonly asked: Pairs[] = [];
  private near: Pairs = pairsOf([]);
  private readonly graph: HotGraph;
  private members: readonly HotMembers[] = [];

  constructor(graph: HotGraph) {
    this.graph = graph;
  }

  /** The first round. */
  start(): RoundOutcome {
    const { graph } = this;
    const all = Uint32Array.from({ length: graph.count }, (_, d) => d);
    const found = graph.buckets.map((_, band) => pairBand(graph, all, namesOf(graph, band, all)));
    this.members = found.map(({ hot }) => hot);
    return this.compare(distinctPairs(found.flatMap(({ pairs }) => pairs)), null);
  }

  hot(): readonly HotMembers[] {
    return this.members;
  }

  pair(members: readonly HotMembers[]): Pairs {
    const lists = members.flatMap(({ documents, buckets }) => pairBand(this.graph, documents, buckets).pairs);
    return distinctPairs(lists, [this.compared]);
  }

  fresh(lists: readonly Pairs[], made: Pairs): Pairs {
    return distinctPairs(lists, [this.compared, made]);
  }

  compare(made: Pairs, more: Pairs | null): RoundOutcome {
    const pairs = more === null ? made : atOnce(mergePairs(made, more));
    this.asked.push(pairs);
    const isNear = ([a, b]: readonly [number, number]): boolean => this.graph.resemblance(a, b) >= THRESHOLD;
    const near = pairsOf(listOf(pairs).filter(isNear));
    this.near = atOnce(mergePairs(this.near, near));
    this.compared = atOnce(mergePairs(this.compared, pairs));
    const first = Uint32Array.from({ length: this.graph.count }, (_, d) => d);
    const none = new Uint32Array(0);
    const members = { firsts: none, offsets: new Uint32Array(1), members: none, texts: none };
    return {
      accepted: near.count,
      kept: atOnce(keptDocuments({ first, members }, this.near)),
      near: this.near,
    };
  }
}

/** The pairs of a round by definition: documents of hot buckets that are kept, over all bands anew. */
function roundByDefinition(graph: HotGraph, hot: ReadonlySet<number>, outcome: RoundOutcome): string[] {
  const documents = Uint32Array.from([...hot].filter((d) => outcome.kept[d] === 1).sort((x, y) => x - y));
  const lists = graph.buckets.flatMap(
    (_, band) => pairBand(graph, documents, namesOf(graph, band, documents)).pairs,
  );
  return setOf(lists.flatMap(listOf));
}

/** What leans joins the first kept document of every bucket it is in. */
function dependentByDefinition(
  graph: HotGraph,
  hot: ReadonlySet<number>,
  { kept, near }: RoundOutcome,
  atRisk: ReadonlySet<number>,
): string[] {
  const dependent = [...hot].filter((d) => {
    const standIns = listOf(near).filter(([a, b]) => b === d && kept[a] === 1);
    return kept[d] === 0 && standIns.length > 0 && standIns.every(([a]) => atRisk.has(a));
  });
  const keptHot = [...hot].filter((d) => kept[d] === 1).sort((x, y) => x - y);
  return setOf(
    dependent.flatMap((d) =>
      graph.buckets.flatMap((names): [number, number][] => {
        const first = keptHot.find((k) => names[k] === names[d]);
        return first === undefined ? [] : [[Math.min(first, d), Math.max(first, d)]];
      }),
    ),
  );
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
      const steps = new Coordinator(graph);
      const found = await runRounds(steps.start(), steps);
      // No pair is asked for twice, and no round is empty.
      const asked = steps.asked.flatMap(listOf);
      t.is(setOf(asked).length, asked.length);
      t.true(steps.asked.slice(1).every((pairs) => pairs.count > 0));
      t.is(found.rounds, steps.asked.length);
      const { kept } = found.outcome;
      const known = new Set(setOf(asked));
      const sharing = keptSharing(graph, kept);
      const uncompared = sharing.filter(({ a, b }) => !known.has(`${a} ${b}`));
      const count = atOnce(keptUncompared(steps.hot(), kept, steps.asked));
      t.is(count, new Set(uncompared.flatMap(({ a, b }) => [a, b])).size);
      // No accepted pair is left among the kept that were compared.
      for (const { a, b } of sharing) {
        if (known.has(`${a} ${b}`)) t.true(graph.resemblance(a, b) < THRESHOLD);
      }
      // Where the rounds ended by themselves, only buckets that are hot among the kept hold uncompared pairs.
      if (found.rounds < MOST_ROUNDS) {
        for (const { smallest } of uncompared) t.true(smallest > graph.hotBucket);
      }
      rounds = Math.max(rounds, found.rounds);
      left += count;
    }),
    { seed: 1, numRuns: 600 },
  );
  // The random graphs do reach what they are to test: several rounds, and documents left uncompared.
  t.true(rounds >= 3, `at most ${rounds} rounds`);
  t.true(left > 0);
});

test('runRounds pairs in each round what bucketing the kept hot documents over all bands would', async (t) => {
  let dependents = 0;
  await fc.assert(
    fc.asyncProperty(hotGraphs, async (graph) => {
      const steps = new Coordinator(graph);
      const outcomes = [steps.start()];
      const hot = new Set(steps.hot().flatMap(({ documents }) => [...documents]));
      const { compare } = steps;
      steps.compare = (made, more) => {
        outcomes.push(compare.call(steps, made, more));
        return outcomes.at(-1)!;
      };
      const found = await runRounds(outcomes[0]!, steps);
      t.is(found.outcome, outcomes.at(-1)!);
      const known = new Set(setOf(listOf(steps.asked[0]!)));
      for (let round = 1; round < steps.asked.length; round++) {
        const before = outcomes[round - 1]!;
        const made = roundByDefinition(graph, hot, before).filter((pair) => !known.has(pair));
        const atRisk = new Set(made.map((pair) => Number(pair.split(' ')[1])));
        const more = dependentByDefinition(graph, hot, before, atRisk).filter((pair) => !known.has(pair));
        dependents += more.length;
        const wanted = [...new Set([...made, ...more])].sort();
        t.deepEqual(setOf(listOf(steps.asked[round]!)), wanted);
        for (const pair of wanted) known.add(pair);
      }
      // It ended because nothing was accepted, nothing is new, or rounds are many enough.
      const { accepted } = found.outcome;
      const next = roundByDefinition(graph, hot, found.outcome).filter((pair) => !known.has(pair));
      t.true(accepted === 0 || next.length === 0 || found.rounds === MOST_ROUNDS);
    }),
    { seed: 2, numRuns: 300 },
  );
  t.true(dependents > 0, `${dependents} pairs of dependent documents`);
});

test('runRounds finds a pair that the first round did not make', async (t) => {
  // One bucket of 24 in the order of numbers. 12 and 23 are alike but eleven places apart, so the first round
  // does not compare them; it drops 1..11 for 0, and the 13 left are few enough to be paired all with all.
  const kin = (a: number, b: number): boolean => (a === 0 && b < 12) || (a === 12 && b === 23);
  const steps = new Coordinator({
    count: 24,
    hotBucket: 16,
    buckets: [new Array<number>(24).fill(7)],
    slots: Array.from({ length: 24 }, (_, d) => d),
    resemblance: (a, b) => (kin(a, b) ? 0.9 : 0.1),
  });
  const first = steps.start();
  t.is(first.kept[23], 1);
  const found = await runRounds(first, steps);
  t.is(found.outcome.kept[23], 0);
  t.is(found.rounds, 2);
  t.is(atOnce(keptUncompared(steps.hot(), found.outcome.kept, steps.asked)), 0);
});

test('runRounds without a hot bucket compares nothing', async (t) => {
  const steps = new Coordinator({
    count: 5,
    hotBucket: 5,
    buckets: [[0, 0, 0, 0, 0]],
    slots: [0, 0, 0, 0, 0],
    resemblance: (a) => (a === 0 ? 0.9 : 0.2),
  });
  const first = steps.start();
  const found = await runRounds(first, steps);
  t.is(found.rounds, 1);
  t.is(found.outcome, first);
  t.is(steps.asked.length, 1);
  t.is(atOnce(keptUncompared([], first.kept, steps.asked)), 0);
});

test('runRounds ends after 8 rounds even if pairs go on being accepted', async (t) => {
  const count = 400;
  const steps = new Coordinator({
    count,
    hotBucket: 2,
    buckets: [new Array<number>(count).fill(0)],
    slots: new Array<number>(count).fill(0),
    resemblance: () => 0,
  });
  const first = claim(steps.start(), 0);
  let calls = 0;
  const { compare } = steps;
  steps.compare = (made, more) => claim(compare.call(steps, made, more), ++calls);
  const found = await runRounds(first, steps);
  t.is(calls, 7);
  t.is(found.rounds, 8);
});

/**
 * Claims that a pair was accepted, and keeps another half of the documents after every round: no end by
 * itself.
 */
function claim(outcome: RoundOutcome, round: number): RoundOutcome {
  const kept = outcome.kept.map((_, d) => Math.imul(d + 1, 0x9e3779b1 + 0x2545f492 * round) >>> 31);
  return { ...outcome, accepted: 1, kept };
}
