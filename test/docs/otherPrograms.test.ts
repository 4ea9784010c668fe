/** The examples of docs/output.md for other programs read the tables of a result: awk, DuckDB, and pandas if Python has it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import test from 'ava';
import { run } from '../../src/coordinator/run.js';
import { tableRows } from '../../src/result/readResult.js';
import { sharedFolder } from '../data/temporaryFolder.js';
import { pageOf } from './pages.js';

/** The blocks of one language in the section about other programs. */
function blocksOf(language: string): string[] {
  const section = /## With other programs\n([\s\S]*)/.exec(pageOf('docs/output.md'))![1]!;
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text]) => text!,
  );
}

const WORDS = Array.from({ length: 60 }, (_, i) => `word${i}`);
const TEXTS: Readonly<Record<string, string>> = {
  'a\t"1".txt': WORDS.join(' '),
  'b.txt': [...WORDS.slice(1), 'other'].join(' '),
  '007': [...WORDS.slice(2), 'two', 'more'].join(' '),
  NA: WORDS.join(' ').toUpperCase(),
  'empty.txt': '',
};

const folder = sharedFolder(TEXTS);
const out = join(folder, 'found');

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

/** Ids with the escapes of the tables. */
const written = (id: string): string => id.replaceAll('\t', '\\t');
const sorted = (lines: readonly string[]): string[] => [...lines].sort();

test.before(async () => {
  const paths = Object.keys(TEXTS).map((name) => join(folder, name));
  await run({ paths, out, threads: 0, threshold: 0.7 });
});

test('awk', async (t) => {
  const outputs = blocksOf('sh')[0]!
    .trimEnd()
    .split('\n')
    .map((line) => execFileSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' }).trimEnd().split('\n'));
  const pairs = (await all(tableRows(out, 'pairs'))).filter(({ jaccard }) => jaccard! >= 0.95);
  t.true(pairs.length > 0);
  t.deepEqual(
    outputs[0],
    pairs.map(({ a, b, jaccard }) => `${written(a)} ${written(b)} ${jaccard!.toFixed(6)}`),
  );
  const clustered = await all(tableRows(out, 'clusters'));
  t.deepEqual(outputs[1], [`${clustered.length} 1`]);
  t.deepEqual(
    outputs[2],
    (await all(tableRows(out, 'duplicates'))).map(({ place }) => written(place!)),
  );
  const rejected = (await all(tableRows(out, 'candidates'))).filter(
    (row) => !row.accepted && row.jaccard !== null,
  );
  t.is(outputs[3]!.filter((line) => line !== '').length, rejected.length);
  t.deepEqual(outputs[4], [`empty ${(await all(tableRows(out, 'skipped'))).length}`]);
});

test('DuckDB', async (t) => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const statements = blocksOf('sql')[0]!
    .split(';\n')
    .filter((text) => text.trim() !== '');
  const answers: (readonly unknown[])[][] = [];
  for (const text of statements) {
    const reader = await connection.runAndReadAll(text.replaceAll("'found/", `'${out}/`));
    answers.push(reader.getRowsJson() as (readonly unknown[])[][]);
  }
  connection.closeSync();
  instance.closeSync();
  const [, pairs, clusters, places, candidates, skipped] = answers;
  const expected = (await all(tableRows(out, 'pairs'))).map(({ a, b, jaccard }) => [
    written(a),
    written(b),
    jaccard,
  ]);
  t.deepEqual(
    sorted(pairs!.map((row) => JSON.stringify(row))),
    sorted(expected.map((row) => JSON.stringify(row))),
  );
  const clustered = await all(tableRows(out, 'clusters'));
  t.deepEqual(clusters, [[1, String(clustered.length)]]);
  t.deepEqual(
    places!.map(([place]) => place),
    (await all(tableRows(out, 'duplicates'))).map(({ place }) => written(place!)),
  );
  const counted = await all(tableRows(out, 'candidates'));
  t.is(
    candidates!.reduce((sum, [, count]) => sum + Number(count), 0),
    counted.length,
  );
  t.deepEqual(skipped, [['empty', '1']]);
});

test('pandas', async (t) => {
  if (spawnSync('python3', ['-c', 'import pandas']).status !== 0) {
    t.log('skipped: there is no Python with pandas here');
    t.pass();
    return;
  }
  const text = execFileSync('python3', ['-c', blocksOf('python')[0]!], { cwd: folder, encoding: 'utf8' });
  const [best] = (await all(tableRows(out, 'pairs'))).sort((x, y) => y.jaccard! - x.jaccard!);
  for (const id of [
    best!.a,
    best!.b,
    ...(await all(tableRows(out, 'duplicates'))).map(({ place }) => place!),
  ])
    t.true(text.includes(written(id)), `${id} in ${text}`);
});
