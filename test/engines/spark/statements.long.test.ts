/** The statements of the Spark pipeline, on DuckDB: other options and sources, and every kind of lost row. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import type { RunOptions } from '../../../src/options/runOptions.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import type { Tamper } from './duckdb.js';
import {
  detectsLoss,
  equalsOneMachine,
  jsonLines,
  records,
  runOnDuckDb,
  runOnOneMachine,
  tablesIn,
  without,
  withReference,
} from './sqlRun.js';

test.serial('a corpus of licences has the same result as on one machine', async (t) => {
  const paths = ['node_modules/spdx-license-list/licenses'];
  await equalsOneMachine(t, temporaryFolder(t), { paths, textField: 'licenseText' });
});

test.serial('a file of a web server is copied to the shared folder, and removed at the end', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(300)) });
  const bytes = readFileSync(join(folder, 'a.jsonl'));
  const server = createServer((_, response) => response.end(bytes)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sparkWork = join(folder, 'shared');
  const out = join(folder, 'served');
  const paths = [`http://127.0.0.1:${port}/a.jsonl`];
  await runOnDuckDb({ paths, out, sparkWork, sparkMaster: 'yarn' });
  const here = await runOnOneMachine({ paths, out: join(folder, 'one') });
  t.deepEqual(tablesIn(out), tablesIn(join(folder, 'one')));
  t.true(here.counts.dropped > 5);
  t.deepEqual(readdirSync(sparkWork), []);
});

const OPTIONS: Readonly<Record<string, RunOptions>> = {
  'estimated similarities': { verify: 'signature', seed: 7, candidates: 'none' },
  'candidates alone': { verify: 'none', candidates: 'all' },
  'duplicates of whole texts': { exactDuplicates: true },
  'a lower threshold by bands of another size': { threshold: 0.6, bands: 32, rows: 4, shingle: 'chars:4' },
};

for (const [title, options] of Object.entries(OPTIONS)) {
  test.serial(`${title} have the result of one machine`, async (t) => {
    const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(300)) });
    await equalsOneMachine(t, folder, { paths: [join(folder, 'a.jsonl')], ...options });
  });
}

test.serial('a reference has the result of one machine with --only-against', async (t) => {
  const { folder, against } = withReference(t);
  await equalsOneMachine(t, folder, { paths: [join(folder, 'new')], against, onlyAgainst: true });
});

/** Near copies of two pages, and other texts. */
function templates(): object[] {
  const random = randomFrom(3);
  const pages = [wordsFrom(random, 120), wordsFrom(random, 120)];
  return Array.from({ length: 300 }, (_, i) => {
    const edits = 1 + Math.floor(6 * random());
    const words = i % 4 === 3 ? wordsFrom(random, 100) : edited(random, pages[i % 2]!, edits);
    return { text: words.join(' ') };
  });
}

test.serial('117 large buckets have the result of one machine', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(templates()) });
  const counts = await equalsOneMachine(t, folder, { paths: [join(folder, 'a.jsonl')], hotBucket: 2 });
  t.is(counts.hot_buckets, 117);
});

/** So many near copies of one page that their pairs exceed the limit of `--hot-bucket auto`: 7,000 per document. */
function nearCopies(count: number): object[] {
  const random = randomFrom(4);
  const page = wordsFrom(random, 1000);
  return Array.from({ length: count }, () => ({ text: edited(random, page, 1).join(' ') }));
}

test.serial('--hot-bucket auto finds the same large buckets as on one machine', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(nearCopies(1300)) });
  const options: RunOptions = { paths: [join(folder, 'a.jsonl')], verify: 'signature' };
  const counts = await equalsOneMachine(t, folder, options);
  t.is(counts.hot_bucket, 256);
  t.true(counts.hot_buckets > 0);
});

const LIES: Readonly<Record<string, Tamper>> = {
  'the last row of sketch': without('sketch', ([, row]) => row === '-1'),
  'all rows of sketch': (task, lines) => (task === 'sketch' ? [] : lines),
  'a row of sketch that is there twice': (task, lines) =>
    task === 'sketch' ? lines.flatMap((line, i) => (i === 0 ? [line, line] : [line])) : lines,
  'a set of sets': without('sets', () => true),
  'a decision of drops': without('drops', () => true),
  'the end of a bucket of leaders': without('leaders', ([, a]) => a === '-1'),
};

for (const [lie, tamper] of Object.entries(LIES)) {
  test.serial(`a run ends if a task loses rows and reports success: ${lie}`, (t) => detectsLoss(t, tamper));
}
