/** The statements of the Spark pipeline, on DuckDB: the result of one machine, byte for byte; lost rows are detected. */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { sparkStatements } from '../../../src/coordinator/sparkRun.js';
import { check } from '../../../src/coordinator/start/checked.js';
import { SPARK } from '../../../src/engines/spark/dialects.js';
import { runSteps, type SqlExecutor } from '../../../src/engines/spark/runSteps.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/runOptions.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import type { Tamper } from './duckdb.js';
import { runOnDuckDb, runOnOneMachine, tablesIn } from './sqlRun.js';

/** Records: chains of near copies, copies, empty texts, and ids that need escapes. */
function records(count: number, seed = 1): { id: string; text: string }[] {
  const random = randomFrom(seed);
  let words = wordsFrom(random, 80);
  return Array.from({ length: count }, (_, i) => {
    const kind = random();
    if (kind < 0.3) words = wordsFrom(random, 60 + Math.floor(60 * random()));
    else if (kind < 0.8) words = edited(random, words, 1 + Math.floor(3 * random()));
    const text = kind > 0.98 ? '' : kind > 0.9 ? words.join(', ').toUpperCase() : words.join(' ');
    return { id: `doc\t${i}\\`, text };
  });
}

const jsonLines = (documents: readonly object[]): string =>
  documents.map((document) => `${JSON.stringify(document)}\n`).join('');

/** The tables of a result and its manifest are those of one machine, byte for byte. */
async function equalsOneMachine(t: ExecutionContext, folder: string, options: RunOptions) {
  const one = await runOnOneMachine({ ...options, out: join(folder, '.one') });
  await runOnDuckDb({ ...options, out: join(folder, '.sql') });
  const [expected, found] = [tablesIn(join(folder, '.one')), tablesIn(join(folder, '.sql'))];
  t.deepEqual(Object.keys(found), Object.keys(expected));
  for (const [name, text] of Object.entries(expected)) t.is(found[name], text, name);
  const textOf = (name: string, file: string): string => readFileSync(join(folder, name, file), 'utf8');
  t.is(textOf('.sql', 'manifest.json'), textOf('.one', 'manifest.json'));
  const [expectedStats, stats] = ['.one', '.sql'].map((name) => JSON.parse(textOf(name, 'stats.json')));
  for (const name of ['read_as', 'left_out', 'missing_id_field', 'input_notes', 'places'])
    t.deepEqual(stats[name], expectedStats[name], name);
  t.true(stats.read_as.formats.length > 0);
  t.true(one.counts.dropped > 5);
  return one.counts;
}

test.serial('a corpus of licences has the same result as on one machine', async (t) => {
  const paths = ['node_modules/spdx-license-list/licenses'];
  await equalsOneMachine(t, temporaryFolder(t), { paths, textField: 'licenseText' });
});

function warcRecord(type: string, text: string): string {
  const body = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n${text}`;
  const head = `WARC-Type: ${type}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: ${body.length}`;
  return `WARC/1.0\r\n${head}\r\n\r\n${body}\r\n\r\n`;
}

test.serial('files of several formats have the same result as on one machine', async (t) => {
  const lines = records(300);
  const csv = records(80, 1).map(({ text }, i) => `c${i},${text.replaceAll(',', '')}\n`);
  const folder = temporaryFolder(t, {
    'a/broken.jsonl': '{"text":"one"}\n{"text"\n\n{"id":"named\\n"}\n{"text":"a\\ud800b"}\n',
    'a/damaged.jsonl.gz': gzipSync(jsonLines(records(300, 5))).subarray(0, 4000),
    'a/notes.txt': lines[0]!.text,
    'a/records.jsonl': jsonLines(lines.slice(0, 150)),
    'a/page.html': `<p>${lines[2]!.text}`,
    'a/table.csv': `id,text\n${csv.join('')}`,
    'a/web.warc': warcRecord('response', lines[3]!.text) + warcRecord('revisit', ''),
    'b/more.jsonl.gz': gzipSync(jsonLines(lines.slice(100))),
    'b/z#1': lines[1]!.text,
  });
  const textField = 'missing,text';
  await equalsOneMachine(t, folder, { paths: [join(folder, 'b'), join(folder, 'a')], textField });
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

for (const onlyAgainst of [false, true])
  test.serial(
    `a reference has the result of one machine${onlyAgainst ? ' with --only-against' : ''}`,
    async (t) => {
      const lines = records(400);
      const folder = temporaryFolder(t, {
        'known/a.jsonl': jsonLines(lines.filter((_, i) => i % 3 === 0)),
        'known/b.txt': lines[1]!.text,
        'new/a.jsonl': jsonLines(lines.filter((_, i) => i % 3 !== 0)),
        'new/b.jsonl': jsonLines(lines.filter((_, i) => i % 7 === 0)),
      });
      const options = { paths: [join(folder, 'new')], against: [join(folder, 'known')], onlyAgainst };
      await equalsOneMachine(t, folder, options);
    },
  );

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

/** Drops the first line of the task's output for which the condition holds; once. */
function without(task: string, isLost: (cells: string[]) => boolean): Tamper {
  let isDone = false;
  return (name, lines) => {
    const lost = name === task && !isDone ? lines.findIndex((line) => isLost(line.split('\t'))) : -1;
    if (lost < 0) return lines;
    isDone = true;
    return lines.filter((_, i) => i !== lost);
  };
}

const LIES: Readonly<Record<string, Tamper>> = {
  'a document of sketch': without('sketch', ([, row]) => row === '1'),
  'the last row of sketch': without('sketch', ([, row]) => row === '-1'),
  'all rows of sketch': (task, lines) => (task === 'sketch' ? [] : lines),
  'a row of sketch that is there twice': (task, lines) =>
    task === 'sketch' ? lines.flatMap((line, i) => (i === 0 ? [line, line] : [line])) : lines,
  'a set of sets': without('sets', () => true),
  'a decision of drops': without('drops', () => true),
  'the end of a bucket of leaders': without('leaders', ([, a]) => a === '-1'),
};

for (const [lie, tamper] of Object.entries(LIES)) {
  test.serial(`a run ends if a task loses rows and reports success: ${lie}`, async (t) => {
    const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(60)) });
    const options = { paths: [join(folder, 'a.jsonl')], out: join(folder, '.sql'), hotBucket: 2 };
    const run = runOnDuckDb(options, tamper);
    const error = await t.throwsAsync(run, { instanceOf: MinHashError });
    t.is((error as MinHashError).code, 'SPARK_ROWS_LOST');
  });
}

test.serial('a run ends if an input changes between its two readings', async (t) => {
  const documents = records(60);
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(documents) });
  const path = join(folder, 'a.jsonl');
  const tamper: Tamper = (task, lines) => {
    const changed = documents.map(({ id, text }) => ({ id, text: text.replace(/\w+/, 'changed') }));
    if (task === 'sketch' && lines.length > 0) writeFileSync(path, jsonLines(changed));
    return lines;
  };
  const error = await t.throwsAsync(runOnDuckDb({ paths: [path], out: join(folder, '.sql') }, tamper), {
    instanceOf: MinHashError,
  });
  t.is((error as MinHashError).code, 'INPUT_CHANGED');
});

test.serial('a run uses the tables that an earlier attempt completed', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(60)) });
  const options = { paths: [join(folder, 'a.jsonl')], out: join(folder, '.sql') };
  const killed: Tamper = (task, lines) => {
    if (task === 'sets') throw new Error('killed');
    return lines;
  };
  await t.throwsAsync(runOnDuckDb(options, killed), { message: 'killed' });
  const again: string[] = [];
  const noted: Tamper = (task, lines) => {
    again.push(task);
    return lines;
  };
  const resumed = await runOnDuckDb({ ...options, force: true }, noted);
  t.deepEqual([...new Set(again)], ['sets', 'drops']);
  const one = await runOnOneMachine({ ...options, out: join(folder, '.one') });
  t.deepEqual(resumed.counts, one.counts);
  t.deepEqual(tablesIn(options.out), tablesIn(join(folder, '.one')));
});

test('the statements of a run are printed without running it', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(3)) });
  const checked = await check({
    paths: [join(folder, 'a.jsonl')],
    out: join(folder, 'out'),
    engine: 'spark',
  });
  const text = await sparkStatements(checked);
  const [first, second, ...others] = text.split('\n\n');
  t.is(
    first,
    '-- input of task sketch, one process per batch, sorted by batch\nSELECT batch, spec FROM batches;',
  );
  t.regex(second!, /^-- table sketched, from the output of task sketch\nSELECT /);
  for (const statement of others) t.regex(statement, /^-- .+\n(SELECT|WITH) [^;]*;\n?$/);
  t.regex(text, /\n-- check, expects no rows: each dropped document has a kept one\n/);
  t.false(existsSync(join(folder, 'out')));
});

test.serial('tables are created again if an earlier statement changes', async (t) => {
  let notes: string | null = null;
  const made = async (statement: string): Promise<string[]> => {
    const tables: string[] = [];
    const table = async (name: string): Promise<string> => {
      tables.push(name);
      return 'abc';
    };
    const executor: SqlExecutor = {
      ...UNUSED,
      table,
      attach: async () => true,
      readNotes: async () => notes,
      writeNotes: async (text) => {
        notes = text;
      },
    };
    const steps = [
      { kind: 'table', name: 'first', sql: 'SELECT 1' },
      { kind: 'view', name: 'second', sql: statement },
      { kind: 'table', name: 'third', sql: 'SELECT 3' },
    ] as const;
    await runSteps(steps, { executor, inputs: 'same' });
    return tables;
  };
  t.deepEqual(await made('SELECT 2'), ['first', 'third']);
  t.deepEqual(await made('SELECT 2'), []);
  t.deepEqual(await made('SELECT 4'), ['third']);
});

const unused = async (): Promise<never> => {
  throw new Error('not expected');
};
const UNUSED: SqlExecutor = {
  name: 'none',
  dialect: SPARK,
  load: unused,
  view: async () => {},
  table: unused,
  task: unused,
  attach: unused,
  values: unused,
  rows: () => {
    throw new Error('not expected');
  },
  readNotes: unused,
  writeNotes: unused,
  removeTables: unused,
  close: unused,
};
