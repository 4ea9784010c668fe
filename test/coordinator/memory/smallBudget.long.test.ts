/**
 * A budget changes no result: buckets in ranges of keys, pairs in slices and segments, and signatures read block by block
 * find what they find all at once.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { MinHashError } from '../../../src/errors.js';
import type { MemoryDocument } from '../../../src/index.js';
import type { RunOptions } from '../../../src/options/check.js';
import { nearCopies } from '../../data/nearCopies.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { foundIn, TINY } from './budgeted.js';

/** The first 400 licences of the SPDX list, families of near copies among them. */
function licences(): MemoryDocument[] {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!readdirSync(root).includes('package.json')) root = dirname(root);
  const folder = join(root, 'node_modules', 'spdx-license-list', 'licenses');
  const names = readdirSync(folder).sort().slice(0, 400);
  return names.map((name) => {
    const { licenseText } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { licenseText: string };
    return { id: name, text: licenseText };
  });
}

/** The documents in an order of reading that is not that of their ids. */
function shuffled(documents: readonly MemoryDocument[], seed: number): MemoryDocument[] {
  const random = randomFrom(seed);
  const order = documents.map((document) => ({ document, key: random() }));
  return order.sort((x, y) => x.key - y.key).map(({ document }) => document);
}

/** Pages with near copies of different kinds, identical ones and empty ones. */
function pages(count: number, seed: number): MemoryDocument[] {
  const random = randomFrom(seed);
  const sources = Array.from({ length: Math.max(1, Math.floor(count / 6)) }, () => wordsFrom(random, 60));
  return Array.from({ length: count }, (_, i) => {
    const source = sources[Math.floor(random() * sources.length)]!;
    const text = random() < 0.03 ? '' : edited(random, source, Math.floor(random() * 8)).join(' ');
    return { id: `page${Math.floor(random() * 1e6)}-${i}`, text };
  });
}

const tasksOf = (found: { readonly tasks: ReadonlyMap<string, number> }, stage: string): number =>
  found.tasks.get(stage) ?? 0;

test.serial('licences: the same pairs, clusters and drop list with next to no memory', async (t) => {
  const documents = licences();
  for (const [order, verify, executors] of [
    [shuffled(documents, 1), 'exact', [0, 2]],
    [shuffled(documents, 2), 'signature', [2]],
    [documents, 'none', [0]],
  ] as const) {
    const options: RunOptions = { threshold: 0.5, verify, bands: 30, rows: 3 };
    const wanted = await foundIn(order, { options });
    t.true(wanted.counts.candidate_pairs > 500);
    for (const threads of executors) {
      const spill = threads === 0 ? join(temporaryFolder(t), 'blocks') : undefined;
      const budget = { ...TINY, task: 12_000 };
      const found = await foundIn(order, { options, budget, threads, spill });
      t.deepEqual(found.result, wanted.result);
      t.deepEqual(found.counts, wanted.counts);
      t.true(tasksOf(found, 'agreement') > 2);
    }
  }
});

test.serial('near copies: hot buckets in ranges and slices, and the rounds over them', async (t) => {
  const documents = shuffled(nearCopies(2_000), 3);
  const options: RunOptions = { threshold: 0.85, hotBucket: 64, verify: 'signature' };
  const wanted = await foundIn(documents, { options });
  t.true(wanted.counts.hot_buckets > 0 && wanted.counts.rounds > 1, JSON.stringify(wanted.counts));
  // On this thread and in memory: the test of any pages below.
  const spill = join(temporaryFolder(t), 'blocks');
  const found = await foundIn(documents, { options, budget: TINY, threads: 2, spill });
  t.deepEqual(found.result, wanted.result);
  t.deepEqual(found.counts, wanted.counts);
  t.true(tasksOf(found, 'hot') > tasksOf(wanted, 'hot'));
});

test.serial(
  'one bucket of 300 documents is compared where its signatures lie, however little room there is',
  async (t) => {
    const documents = nearCopies(300);
    const options: RunOptions = { threshold: 0.75, hotBucket: 1000, verify: 'signature', bands: 3, rows: 2 };
    const wanted = await foundIn(documents, { options });
    t.true(wanted.counts.candidate_pairs > 30_000);
    const found = await foundIn(documents, { options, budget: TINY });
    t.deepEqual(found.result, wanted.result);
    t.deepEqual(found.counts, wanted.counts);
    t.true(tasksOf(found, 'large') > 0);
  },
);

/** What is asked for where so little is there for tables. */
async function memoryAskedFor(t: ExecutionContext, run: Promise<unknown>): Promise<number | null> {
  const error = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) return null;
  if (!(error instanceof MinHashError)) throw error;
  t.is(error.code, 'MEMORY_BUDGET');
  const told = /: \d+ \D+ (in band \d+ )?take [\d.]+ [a-zA-Z]+, of which .* left; memory (\d+)MB has room/;
  t.regex(error.message, told);
  return 1e6 * Number(told.exec(error.message)![2]);
}

test.serial(
  'tables beyond the budget end the run, which says what is enough for as much as it knows',
  async (t) => {
    const least = { ...TINY, total: 1e6, tables: 10_000 };
    for (const verify of ['exact', 'signature'] as const) {
      for (const [documents, options, most] of [
        // Of hot buckets the members come first, and how many pairs they make is not known by then; nor is, when these are
        // verified, that a sample of what they skip follows.
        [nearCopies(300), { threshold: 0.85, hotBucket: 32, verify }, 3],
        [pages(300, 5), { threshold: 0.5, bands: 30, rows: 2, verify }, 1],
      ] as const) {
        let asked = 0;
        let budget = least;
        for (;;) {
          const enough = await memoryAskedFor(t, foundIn(documents, { options, budget }));
          if (enough === null) break;
          asked++;
          t.true(enough > budget.total);
          budget = { ...least, total: enough, tables: Math.floor(10_000 + ((enough - 1e6) * 3) / 8) };
        }
        t.true(asked >= 1 && asked <= most, `${asked} times`);
      }
    }
  },
);

const SAMPLINGS = [
  { sketch: 'min-s', hashes: 32 },
  { sketch: 'mod-m', modulus: 2 },
  { measure: 'containment', modulus: 2 },
] as const;

test.serial('samples: the same pairs, clusters and drop list with next to no memory', async (t) => {
  for (const [i, sampling] of SAMPLINGS.entries()) {
    const options: RunOptions = { ...sampling, threshold: 0.5, hotBucket: 40 };
    const documents = pages(250, 7 + i);
    const wanted = await foundIn(documents, { options });
    t.true(wanted.counts.candidate_pairs > 300, `${wanted.counts.candidate_pairs}`);
    const spill = i === 0 ? join(temporaryFolder(t), 'blocks') : undefined;
    const found = await foundIn(documents, { options, budget: TINY, spill, threads: i === 0 ? 2 : 0 });
    t.deepEqual(found.result, wanted.result);
    t.deepEqual(found.counts, wanted.counts);
    t.true(tasksOf(found, 'sharing') > 10, `${tasksOf(found, 'sharing')}`);
  }
});

test.serial('hot fingerprints: the same pairs and rounds with next to no memory', async (t) => {
  for (const [i, sampling] of SAMPLINGS.entries()) {
    const options: RunOptions = { ...sampling, threshold: 0.75, hotBucket: 8 };
    const documents = nearCopies(100);
    const wanted = await foundIn(documents, { options });
    t.true(wanted.counts.hot_buckets > 0 && wanted.counts.kept < 10);
    const spill = i === 0 ? join(temporaryFolder(t), 'blocks') : undefined;
    const found = await foundIn(documents, { options, budget: TINY, spill, threads: i === 0 ? 2 : 0 });
    t.deepEqual(found.result, wanted.result);
    t.deepEqual(found.counts, wanted.counts);
  }
});

test.serial(
  'samples beyond the budget end the run, which says what is enough for them and for the pairs',
  async (t) => {
    const least = { ...TINY, total: 1e6, tables: 10_000 };
    for (const [i, sampling] of SAMPLINGS.entries()) {
      // What follows the pairs is the same for all samples: each is tried with exact values and one other way.
      for (const verify of ['exact', i % 2 === 0 ? 'signature' : 'none'] as const) {
        const documents = verify === 'exact' ? nearCopies(200) : pages(300, 5 + i);
        const options: RunOptions = { ...sampling, threshold: 0.4, hotBucket: 1000, verify };
        const wanted = await foundIn(documents, { options });
        let asked = 0;
        let budget = least;
        for (;;) {
          const run = foundIn(documents, { options, budget });
          const enough = await memoryAskedFor(t, run);
          if (enough === null) {
            t.deepEqual((await run).result, wanted.result);
            break;
          }
          asked++;
          t.true(enough > budget.total);
          budget = { ...least, total: enough, tables: Math.floor(10_000 + (enough - 1e6) / 2) };
        }
        // At most once for documents, once for their samples, and once for all that is made of many pairs.
        if (verify === 'exact') t.true(wanted.counts.candidate_pairs > 10_000);
        t.true(asked >= 1 && asked <= (verify === 'exact' ? 3 : 2), `${asked} times`);
      }
    }
  },
);

test.serial('any pages in any order, with any budget', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        count: fc.integer({ min: 0, max: 300 }),
        seed: fc.nat(1e6),
        columns: fc.integer({ min: 1, max: 200 }),
        hotBucket: fc.constantFrom(1, 3, 10, 256),
        rows: fc.integer({ min: 1, max: 4 }),
        hashes: fc.constantFrom(16, 40, 128),
        verify: fc.constantFrom('exact' as const, 'signature' as const, 'none' as const),
        task: fc.constantFrom(1, 3_000, 60_000, 1e9),
        blocks: fc.constantFrom(0, 50_000, 1e9),
      }),
      async ({ count, seed, columns, task, blocks, ...options }) => {
        const documents = pages(count, seed);
        const all = { ...options, bands: 4, threshold: 0.6 };
        const wanted = await foundIn(documents, { options: all, columns });
        const budget = { ...TINY, task, blocks };
        const found = await foundIn(documents, { options: all, columns, budget });
        t.deepEqual(found.result, wanted.result);
        t.deepEqual(found.counts, wanted.counts);
      },
    ),
    { seed: 1, numRuns: 14 },
  );
});
