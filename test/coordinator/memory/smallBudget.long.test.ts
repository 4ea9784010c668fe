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
import { type Budgeted, type Found, foundIn, TINY } from './budgeted.js';

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

const tasksOf = (found: Found, stage: string): number => found.tasks.get(stage) ?? 0;

/** Runs with a budget, too, which is to change nothing; both outcomes, that without one first. */
async function checkedWith(
  t: ExecutionContext,
  documents: readonly MemoryDocument[],
  options: RunOptions,
  how: Budgeted,
): Promise<[wanted: Found, found: Found]> {
  const { columns } = how;
  const wanted = await foundIn(documents, { options, ...(columns !== undefined && { columns }) });
  const found = await foundIn(documents, { options, budget: TINY, ...how });
  t.deepEqual(found.result, wanted.result);
  t.deepEqual(found.counts, wanted.counts);
  return [wanted, found];
}

test.serial('licences: the same pairs, clusters and drop list with next to no memory', async (t) => {
  const documents = licences();
  for (const [order, verify, executors] of [
    [shuffled(documents, 1), 'exact', [0, 2]],
    [shuffled(documents, 2), 'signature', [2]],
    [documents, 'none', [0]],
  ] as const) {
    const options: RunOptions = { threshold: 0.5, verify, bands: 30, rows: 3 };
    for (const threads of executors) {
      const spill = threads === 0 ? join(temporaryFolder(t), 'blocks') : undefined;
      const budget = { ...TINY, task: 12_000 };
      const [wanted, found] = await checkedWith(t, order, options, { budget, threads, spill });
      t.true(wanted.counts.candidate_pairs > 500);
      t.true(tasksOf(found, 'agreement') > 2);
    }
  }
});

test.serial('near copies: hot buckets in ranges and slices, and the rounds over them', async (t) => {
  const documents = shuffled(nearCopies(2_000), 3);
  const options: RunOptions = { threshold: 0.85, hotBucket: 64, verify: 'signature' };
  // On this thread and in memory: the test of any pages below.
  const spill = join(temporaryFolder(t), 'blocks');
  const [wanted, found] = await checkedWith(t, documents, options, { threads: 2, spill });
  t.true(wanted.counts.hot_buckets > 0 && wanted.counts.rounds > 1, JSON.stringify(wanted.counts));
  t.true(tasksOf(found, 'hot') > tasksOf(wanted, 'hot'));
});

test.serial(
  'one bucket of 300 documents is compared where its signatures lie, however little room there is',
  async (t) => {
    const documents = nearCopies(300);
    const options: RunOptions = { threshold: 0.75, hotBucket: 1000, verify: 'signature', bands: 3, rows: 2 };
    const [wanted, found] = await checkedWith(t, documents, options, {});
    t.true(wanted.counts.candidate_pairs > 30_000);
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

/** How often a run asks for more until it has what it asked for, and what it finds then; tables get a `share` of it. */
async function timesAsked(
  t: ExecutionContext,
  documents: readonly MemoryDocument[],
  options: RunOptions,
  share: number,
): Promise<{ readonly asked: number; readonly found: Found }> {
  let total = 1e6;
  for (let asked = 0; ; asked++) {
    const budget = { ...TINY, total, tables: Math.floor(10_000 + (total - 1e6) * share) };
    const run = foundIn(documents, { options, budget });
    const enough = await memoryAskedFor(t, run);
    if (enough === null) return { asked, found: await run };
    t.true(enough > total);
    total = enough;
  }
}

test.serial(
  'tables beyond the budget end the run, which says what is enough for as much as it knows',
  async (t) => {
    for (const verify of ['exact', 'signature'] as const) {
      for (const [documents, options, most] of [
        // Of hot buckets the members come first, and how many pairs they make is not known by then; nor is, when these are
        // verified, that a sample of what they skip follows.
        [nearCopies(300), { threshold: 0.85, hotBucket: 32, verify }, 3],
        [pages(300, 5), { threshold: 0.5, bands: 30, rows: 2, verify }, 1],
      ] as const) {
        const { asked } = await timesAsked(t, documents, options, 3 / 8);
        t.true(asked >= 1 && asked <= most, `${asked} times`);
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
        await checkedWith(t, documents, all, { columns, budget: { ...TINY, task, blocks } });
      },
    ),
    { seed: 1, numRuns: 14 },
  );
});
