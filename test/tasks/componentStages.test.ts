import test from 'ava';
import fc from 'fast-check';
import { SparseComponents } from '../../reducers/streamed/components.js';
import { disjointSets, rootOf, unite } from '../../src/arrays/disjointSets.js';
import { RoundSteps } from '../../src/coordinator/cluster/roundSteps.js';
import { KINDS } from '../../src/tasks/stream/kinds.js';
import { u64At } from '../../src/tasks/stream/records.js';
import {
  comparedRecord,
  documentOf,
  HASHES,
  jobsOf,
  paramsOf,
  rankOf,
  recordsOf,
  withdrawingOf,
} from './clusteredCorpus.js';

type Edges = readonly (readonly [number, number])[];
type Label = readonly [document: number, root: number];

/** The documents of edges, each with the least of its component. */
function labelsByDefinition(edges: Edges): Label[] {
  const sets = disjointSets(1 + Math.max(0, ...edges.flat()));
  for (const [a, b] of edges) unite(sets, a, b);
  return [...new Set(edges.flat())].sort((x, y) => x - y).map((d) => [d, rootOf(sets, d)]);
}

/** The labels that stages find, and by stars the rounds that they take. */
async function labelsOf(
  edges: Edges,
  byStars: boolean,
): Promise<{ readonly labels: Label[]; readonly rounds: number }> {
  const params = paramsOf('signature', 0.8);
  const { engine, jobs } = jobsOf(params, 2, 3);
  const distinct = new Set(edges.map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`));
  const records = [...distinct].map((name) => {
    const [a, b] = name.split(' ').map(Number) as [number, number];
    return comparedRecord(rankOf(a), rankOf(b), HASHES);
  });
  // A pair that is not accepted links nothing.
  const evidence = await jobs.write('compared', [...records, comparedRecord(0, 3, 1)]);
  const classes = await jobs.write('classes', []);
  await new RoundSteps(jobs, withdrawingOf(jobs, classes), {
    byStars,
    documents: 9,
    signatures: classes,
    hasLargeSets: false,
  }).survivors('all', [evidence]);
  const names = [...engine.datasets.keys()];
  const dataset = names.find((name) => name.includes(byStars ? '-starLabels' : '-components'))!;
  const labels = recordsOf(engine, dataset, KINDS.label, (key, value): Label => {
    return [documentOf(u64At(key, 1)), documentOf(u64At(value, 0))];
  });
  return { labels, rounds: names.filter((name) => name.includes('-largeStar')).length };
}

test('one task and stars find the components of any graph', async (t) => {
  const edges = fc
    .array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: 40, size: 'max' })
    .map((all) => all.filter(([a, b]) => a !== b));
  await fc.assert(
    fc.asyncProperty(edges, async (graph) => {
      const wanted = labelsByDefinition(graph);
      t.deepEqual((await labelsOf(graph, false)).labels, wanted);
      t.deepEqual((await labelsOf(graph, true)).labels, wanted);
    }),
    { seed: 3, numRuns: 60 },
  );
});

/** A permutation of 0 .. count - 1 that looks like chance. */
const mixed = (i: number, count: number): number => (i * 7919 + 13) % count;

test('stars end on long paths, large stars and cliques', async (t) => {
  const path: Edges = Array.from({ length: 600 }, (_, i) => [i, i + 1] as const);
  const mixedPath: Edges = Array.from({ length: 600 }, (_, i) => [mixed(i, 601), mixed(i + 1, 601)] as const);
  const star: Edges = Array.from({ length: 300 }, (_, i) => [300, i < 300 ? i : 0] as const);
  const clique: Edges = Array.from({ length: 400 }, (_, i) => [i % 20, Math.floor(i / 20)] as const).filter(
    ([a, b]) => a < b,
  );
  for (const graph of [path, mixedPath, star, clique]) {
    const { labels, rounds } = await labelsOf(graph, true);
    t.deepEqual(labels, labelsByDefinition(graph));
    t.true(rounds <= 12, `${rounds} rounds`);
  }
});

test('stars whose least document is in their middle take the one round that finds nothing to change', async (t) => {
  const star: Edges = Array.from({ length: 50 }, (_, i) => [4, 5 + i] as const);
  const { labels, rounds } = await labelsOf([...star, [1, 2]], true);
  t.is(rounds, 1);
  t.is(labels.length, 53);
});

test('more documents than fit a task end it by name', (t) => {
  const components = new SparseComponents(3);
  components.unite(1, 2);
  components.unite(1, 3);
  t.like(
    t.throws(() => components.unite(4, 5)),
    { code: 'TASK_MEMORY' },
  );
});
