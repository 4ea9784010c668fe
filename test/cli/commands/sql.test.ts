/** `run --sql` by the built command: the rows of a query are compared as JSON lines are, and what is wrong with one is said. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { rowsOf } from '../../coordinator/runs/resultFiles.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const MAIN = fileURLToPath(new URL('../../../package/cli.js', import.meta.url));

interface Ended {
  readonly code: number;
  readonly said: string;
}

/** The built command; `before`: a file that is required first. */
function cli(cwd: string, argv: readonly string[], before: string | null = null): Promise<Ended> {
  const preload = before === null ? [] : ['--require', before];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...preload, MAIN, 'run', ...argv],
      { cwd, timeout: 120_000 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
      },
    );
  });
}

const RECORDS = (() => {
  const random = randomFrom(31);
  return Array.from({ length: 8 }, (_, family) => {
    const words = wordsFrom(random, 60);
    // Ids with a fraction: as text they are what DuckDB makes of them.
    return [0, 1].map((i) => ({ id: family + i / 2, text: `${edited(random, words, i).join(' ')}, "so"` }));
  }).flat();
})();
const LINES = RECORDS.map(({ id, text }) => JSON.stringify({ id: id.toFixed(1), text })).join('\n');
const CSV = ['id,text', ...RECORDS.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}"`)].join('\n');

test('the rows of a query have the result of the same records as JSON lines, also when resumed', async (t) => {
  const cwd = temporaryFolder(t, { 'a.jsonl': LINES, 'a.csv': CSV });
  const query = [
    "CREATE TABLE t AS SELECT id::DOUBLE AS id, text AS body, 7 AS other FROM read_csv('a.csv');",
    'SELECT * FROM t UNION ALL SELECT NULL, NULL, 1 -- the end',
  ].join('\n');
  const asked = ['--sql', query, '--text-field', 'body', '--keep-work', '--checkpoint-after', '0', '-q'];
  t.deepEqual(await cli(cwd, ['a.jsonl', '--out', 'lines', '-q']), { code: 0, said: '' });
  t.deepEqual(await cli(cwd, [...asked, '--out', 'rows', '--threads', '2']), { code: 0, said: '' });
  const pairs = rowsOf(join(cwd, 'lines'), 'pairs');
  t.true(pairs.length >= 7);
  t.deepEqual(rowsOf(join(cwd, 'rows'), 'pairs'), pairs);
  const [skipped] = rowsOf(join(cwd, 'rows'), 'skipped');
  t.regex(`${skipped!.document} ${skipped!.reason}`, /^sql#17 JSON_NO_TEXT/);
  t.is((await cli(cwd, [...asked, '--out', 'rows', '--resume'])).code, 0);
  const other = await cli(cwd, [
    '--sql',
    'SELECT 1 AS body',
    '--resume',
    '--out',
    'rows',
    '--text-field',
    'body',
  ]);
  t.is(other.code, 2);
  t.regex(other.said, /--sql was CREATE TABLE t/);
});

test('what is wrong with a query is said by the words of DuckDB, and nothing is written', async (t) => {
  const cwd = temporaryFolder(t, { 'a.csv': CSV });
  const wrong = await cli(cwd, ['--sql', 'SELEC text', '--out', 'o']);
  t.is(wrong.code, 2);
  t.regex(wrong.said, /the query cannot be run: .*syntax error at or near "SELEC"/);
  const missing = await cli(cwd, ['--sql', "SELECT id, text AS texts FROM 'a.csv'", '--out', 'o']);
  t.is(missing.code, 2);
  t.regex(
    missing.said,
    /--text-field "text" \(the default\): the query has the columns "id", "texts".*"texts"\?/,
  );
  const late = await cli(cwd, ['--sql', "SELECT error('late') AS text FROM 'a.csv'", '--out', 'late']);
  t.is(late.code, 1);
  t.regex(late.said, /--sql, after 0 rows: .*late/);
  const both = await cli(cwd, ['a.csv', '--sql', 'SELECT 1', '--include', '*', '--out', 'o']);
  t.is(both.code, 2);
  t.regex(both.said, /--sql: expected without PATHs[\s\S]*--include --sql: expected with files only/);
});

test('without DuckDB the message says how to install it', async (t) => {
  const cwd = temporaryFolder(t, {
    'hide.cjs': `const { Module } = require('node:module');
      const resolve = Module._resolveFilename;
      Module._resolveFilename = function (name, ...rest) {
        if (name.startsWith('@duckdb/')) throw Object.assign(new Error(name), { code: 'MODULE_NOT_FOUND' });
        return resolve.call(this, name, ...rest);
      };`,
  });
  const { code, said } = await cli(cwd, ['--sql', 'SELECT 1 AS text', '--out', 'o'], join(cwd, 'hide.cjs'));
  t.is(code, 2);
  t.regex(said, /--sql needs DuckDB[\s\S]*npm install @duckdb\/node-api/);
});
