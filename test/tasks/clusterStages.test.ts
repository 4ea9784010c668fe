import test from 'ava';
import fc from 'fast-check';
import { type Clusters, clusters } from '../../reducers/clusters.js';
import { BY_PLACE, dropList } from '../../reducers/dropList.js';
import { OrderedDrops } from '../../reducers/streamed/orderedDrops.js';
import { dropsAtThresholds } from '../../reducers/thresholds.js';
import { atOnce } from '../../src/arrays/stepwise.js';
import type { Jobs } from '../../src/coordinator/cluster/jobs.js';
import { RoundSteps } from '../../src/coordinator/cluster/roundSteps.js';
import { KINDS, NEAR, TABLES } from '../../src/tasks/stream/kinds.js';
import { f64At, u64At } from '../../src/tasks/stream/records.js';
import type { ProcessEngine } from '../engines/processEngine.js';
import {
  type ComparedCorpus,
  classRecords,
  comparedCorpora,
  comparedRecord,
  documentOf,
  HASHES,
  jobsOf,
  kindOf,
  pairRecords,
  rankOf,
  recordsOf,
  withdrawingOf,
} from './clusteredCorpus.js';

interface Ran {
  readonly engine: ProcessEngine;
  readonly jobs: Jobs;
  readonly evidence: readonly string[];
  readonly steps: string;
  readonly drops: string;
  readonly sums: Readonly<Record<string, number>>;
}

/** From evidence to drops, by the recipe. */
async function survivorsOf(
  corpus: ComparedCorpus,
  form: { readonly tasks: number; readonly byStars: boolean },
): Promise<Ran> {
  const { engine, jobs } = jobsOf(corpus.params, form.tasks, 5 - form.tasks);
  const { compared, evidence: exact } = pairRecords(corpus);
  const classes = await jobs.write('classes', classRecords(corpus, form.tasks % 2 === 0));
  const evidence = [await jobs.write('compared', compared), await jobs.write('exact', exact)];
  const steps = new RoundSteps(jobs, withdrawingOf(jobs, classes), {
    ...{ byStars: form.byStars, documents: 40, signatures: classes, hasLargeSets: false },
  });
  const { steps: stepped, drops } = await steps.survivors('all', evidence);
  return { engine, jobs, evidence, steps: stepped.name, drops: drops.name, sums: drops.sums };
}

const forms = fc.record({ tasks: fc.integer({ min: 1, max: 4 }), byStars: fc.boolean() });

test('the drop list of stages is that of threads, at higher thresholds too', async (t) => {
  await fc.assert(
    fc.asyncProperty(comparedCorpora, forms, async (corpus, form) => {
      const { engine, drops, sums } = await survivorsOf(corpus, form);
      const { params, classes, near } = corpus;
      const wanted = atOnce(dropList(classes, near));
      const rows = recordsOf(engine, drops, KINDS.dropped, (key, value) => {
        return [documentOf(u64At(key, 1)), documentOf(u64At(value, 0)), f64At(value, 8), value[16]];
      });
      const reasonOf = (document: number, kept: number): number =>
        classes.first[document] === classes.first[kept] ? kindOf(document, kept) : NEAR;
      t.deepEqual(
        rows,
        [...wanted.document].map((d, i) => {
          const kept = wanted.keptDocument[i]!;
          return [d, kept, wanted.jaccard[i], reasonOf(d, kept)];
        }),
      );
      const by = { classes, precedence: BY_PLACE, pairs: near, drop: wanted };
      const [own, ...higher] = atOnce(dropsAtThresholds(params, by)).reverse();
      t.is(sums.dropped ?? 0, own!.dropped);
      t.deepEqual(
        higher.map(({ threshold }) => sums[`dropped at ${threshold}`] ?? 0),
        higher.map(({ dropped }) => dropped),
      );
    }),
    { seed: 1, numRuns: 250 },
  );
});

/** What the signatures of two documents that are no candidates agree in. */
const agreementOf = (a: number, b: number): number => (7 * a + 3 * b) % (HASHES + 1);

function expectedClusters({ params, classes, near, verified }: ComparedCorpus): Clusters {
  const estimate = (a: number, b: number): number => {
    for (let i = 0; i < verified.count; i++) {
      if (verified.a[i] === a && verified.b[i] === b) return verified.agreement[i]! / HASHES;
    }
    return agreementOf(a, b) / HASHES;
  };
  return atOnce(clusters(classes, near, { verified, estimate, threshold: params.threshold }));
}

test('the rows of clusters are those of threads', async (t) => {
  await fc.assert(
    fc.asyncProperty(comparedCorpora, forms, async (corpus, form) => {
      const { engine, jobs, evidence, steps } = await survivorsOf(corpus, form);
      const asked = await jobs.run('representatives', [steps, ...evidence]);
      const pairs = recordsOf(
        engine,
        asked.name,
        KINDS.pair,
        (key) => [documentOf(u64At(key, 1)), documentOf(u64At(key, 9))] as const,
      );
      t.is(asked.sums['pairs asked'] ?? 0, pairs.length);
      t.is(new Set(pairs.map(String)).size, pairs.length);
      const known = new Set(Array.from(corpus.verified.a, (a, i) => `${a},${corpus.verified.b[i]}`));
      t.false(pairs.some((pair) => known.has(String(pair))));
      const answers = pairs.map(([a, b]) => comparedRecord(rankOf(a), rankOf(b), agreementOf(a, b)));
      const compared = await jobs.write('answers', answers);
      const made = await jobs.run('clusterRows', [steps, asked.name, compared]);
      const rows = recordsOf(engine, made.name, KINDS.row, (key, value) => {
        t.is(key[1], TABLES.clusters);
        return [documentOf(u64At(key, 2)), documentOf(u64At(key, 10)), f64At(value, 0), value[8]];
      });
      const wanted = expectedClusters(corpus);
      let root = 0;
      t.deepEqual(
        rows,
        [...wanted.document].map((d, i) => {
          if (i === 0 || wanted.cluster[i] !== wanted.cluster[i - 1]) root = d;
          return [root, d, wanted.similarity[i], wanted.basis[i]];
        }),
      );
      const { clusters: count = 0, 'clustered documents': documents = 0 } = made.sums;
      const below = made.sums['members below the threshold'] ?? 0;
      t.deepEqual([count, documents, below], [wanted.count, wanted.document.length, wanted.membersBelow]);
    }),
    { seed: 2, numRuns: 200 },
  );
});

test('a document that is kept offers itself to later members of all classes before it', (t) => {
  // All of 2 .. 101 resemble 1; 102 resembles them alone, and more, but not 50 and 51.
  const dropped: (readonly number[])[] = [];
  const drops = new OrderedDrops([0.85], (document, kept, jaccard, isOfClass) => {
    dropped.push([document, kept, jaccard, Number(isOfClass)]);
  });
  for (let later = 2; later <= 101; later++) drops.pair(later, 1, 0.8);
  const resemblance = (document: number): number => (document === 50 ? 0.8 : document === 51 ? 0.7 : 0.9);
  for (let earlier = 2; earlier <= 101; earlier++) drops.pair(102, earlier, resemblance(earlier));
  for (let first = 1; first <= 102; first++) drops.member(200 + first, first);
  drops.end();
  const ofMember = (first: number): number[] => {
    if (first === 1 || first === 102) return [200 + first, first, 1, 1];
    return [200 + first, ...(first === 50 || first === 51 ? [1, 0.8, 0] : [102, 0.9, 0])];
  };
  const firsts = Array.from({ length: 102 }, (_, i) => i + 1);
  t.deepEqual(dropped, [...firsts.slice(1, -1).map((d) => [d, 1, 0.8, 0]), ...firsts.map(ofMember)]);
  t.deepEqual([drops.dropped, [...drops.droppedAt]], [202, [103]]);
});

test('a cluster with more documents to drop than fit a task ends it by name', (t) => {
  const drops = new OrderedDrops([], () => {}, 2);
  for (const [cluster, later] of [2, 3, 12, 13, 14].entries()) {
    if (cluster === 2) drops.end();
    drops.pair(later, later < 10 ? 1 : 11, 0.9);
  }
  const error = t.throws(() => drops.end());
  t.like(error, { code: 'TASK_MEMORY' });
});
