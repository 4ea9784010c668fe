/** The statements of the Spark pipeline, on DuckDB: the result of one machine, byte for byte; lost rows are detected. */
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/runOptions.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import type { Tamper } from './duckdb.js';
import { onOneMachine, runOnDuckDb, tablesIn } from './sqlRun.js';

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

/** Rows without the columns of locations, which tables of pairs have last. */
const withoutLocations = (text: string): string => text.replace(/\t[^\t\n]*\t[^\t\n]*(?=\n)/g, '');

async function equalsOneMachine(t: ExecutionContext, folder: string, options: RunOptions): Promise<void> {
  const found = tablesIn(await runOnDuckDb(options, join(folder, '.sql')));
  const expected = tablesIn(await onOneMachine(options, join(folder, '.one')));
  for (const name of ['candidates/part-00000.tsv', 'pairs/part-00000.tsv'])
    t.is(withoutLocations(found[name]!), expected[name]!, name);
  for (const name of ['clusters/part-00000.tsv', 'duplicates.tsv', 'skipped.tsv'])
    t.is(found[name]!, expected[name]!, name);
  t.true(found['duplicates.tsv']!.split('\n').length > 5);
}

test.serial('a corpus of licences has the result of one machine', async (t) => {
  const options = { paths: ['node_modules/spdx-license-list/licenses'], textField: 'licenseText' };
  await equalsOneMachine(t, temporaryFolder(t), options);
});

test.serial('files of several formats have the result of one machine', async (t) => {
  const lines = records(300);
  const csv = records(80, 1).map(({ text }, i) => `c${i},${text.replaceAll(',', '')}\n`);
  const folder = temporaryFolder(t, {
    'a/broken.jsonl': '{"text":"one"}\n{"text"\n\n{"id":"named\\n"}\n{"text":"a\\ud800b"}\n',
    'a/damaged.jsonl.gz': gzipSync(
      jsonLines(records(300, 5).map((one, i) => ({ ...one, id: `x${i}` }))),
    ).subarray(0, 4000),
    'a/notes.txt': lines[0]!.text,
    'a/records.jsonl': jsonLines(lines.slice(0, 150)),
    'a/table.csv': `id,text\n${csv.join('')}`,
    'b/more.jsonl.gz': gzipSync(jsonLines(lines.slice(100).map(({ id, text }) => ({ id: `b${id}`, text })))),
    'b/z#1': lines[1]!.text,
  });
  await equalsOneMachine(t, folder, { paths: [join(folder, 'b'), join(folder, 'a')] });
});

test.serial('estimated similarities have the result of one machine', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(300)) });
  await equalsOneMachine(t, folder, { paths: [join(folder, 'a.jsonl')], verify: 'signature', seed: 7 });
});

test.serial('duplicates of whole texts have the result of one machine', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(300)) });
  await equalsOneMachine(t, folder, { paths: [join(folder, 'a.jsonl')], exactDuplicates: true });
});

test.serial('pairs reach a higher or lower threshold by bands of another size', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(300)) });
  const options = {
    paths: [join(folder, 'a.jsonl')],
    threshold: 0.6,
    bands: 32,
    rows: 4,
    shingle: 'chars:4',
  } as const;
  await equalsOneMachine(t, folder, options);
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
};

for (const [lie, tamper] of Object.entries(LIES)) {
  test.serial(`a run ends if a task loses rows and reports success: ${lie}`, async (t) => {
    const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(60)) });
    const run = runOnDuckDb({ paths: [join(folder, 'a.jsonl')] }, join(folder, '.sql'), { tamper });
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
  const error = await t.throwsAsync(runOnDuckDb({ paths: [path] }, join(folder, '.sql'), { tamper }), {
    instanceOf: MinHashError,
  });
  t.is((error as MinHashError).code, 'INPUT_CHANGED');
});

test.serial('a run that is resumed uses the tables that are complete', async (t) => {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(60)) });
  const [path, work] = [join(folder, 'a.jsonl'), join(folder, '.sql')];
  const tamper: Tamper = () => {
    throw new Error('killed');
  };
  await t.throwsAsync(
    runOnDuckDb({ paths: [path] }, work, {
      tamper: (task, lines) => (task === 'sets' ? tamper(task, lines) : lines),
    }),
    { message: 'killed' },
  );
  const tables = async (options: RunOptions): Promise<string[]> => {
    const reused: string[] = [];
    const onTable = (name: string, isReused: boolean): unknown => isReused && reused.push(name);
    await runOnDuckDb(options, work, { onTable });
    return reused;
  };
  const first = await tables({ paths: [path] });
  t.deepEqual(first.slice(0, 3), ['sketched', 'first_lines', 'copies']);
  t.is(first.at(-1), 'agreements');
  t.true((await tables({ paths: [path] })).includes('duplicates'));
  t.deepEqual(await tables({ paths: [path], seed: 2 }), []);
  await tables({ paths: [path] });
  utimesSync(path, 1, 1);
  t.deepEqual(await tables({ paths: [path] }), []);
});
