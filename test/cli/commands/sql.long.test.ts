/** `run --sql` by the built command: the rows of a query are compared as JSON lines are, and what is wrong with one is said. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { startQuery } from '../../../src/coordinator/start/queryProcess.js';
import { openSqlQuery } from '../../../src/coordinator/start/sqlQuery.js';
import { MinHashError } from '../../../src/errors.js';
import { interruptAt } from '../../coordinator/resume/takenUp.js';
import { rowsOf } from '../../coordinator/runs/resultFiles.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { parametersFor } from '../../output/resultSample.js';

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
  t.regex(`${skipped!.document} ${skipped!.reason}`, /^row#17 JSON_NO_TEXT/);
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

test('an interrupted run of a query goes on with the query typed again: its other flags are noted', async (t) => {
  const cwd = temporaryFolder(t, { 'a.jsonl': LINES });
  const sql = `SELECT id, text FROM '${join(cwd, 'a.jsonl')}' ORDER BY id`;
  await interruptAt(t, { sql, out: join(cwd, 'out'), threads: 0, threshold: 0.5 }, 'verify');
  const lacking = await cli(cwd, ['--resume', '--out', 'out']);
  t.is(lacking.code, 2);
  t.regex(lacking.said, /hint: type them again: mr-minhash run --resume --out out --sql \.\.\./);
  const resumed = await cli(cwd, ['--resume', '--out', 'out', '--sql', sql]);
  t.is(resumed.code, 0, resumed.said);
  t.is(JSON.parse(readFileSync(join(cwd, 'out/manifest.json'), 'utf8')).parameters.threshold, 0.5);
});

test('rows are called by their ids, or by their numbers, which follow ORDER BY: the summary says so', async (t) => {
  const cwd = temporaryFolder(t, { 'a.csv': CSV });
  const asked = async (query: string, out: string, ...flags: string[]): Promise<string> => {
    const { code, said } = await cli(cwd, ['--sql', query, '--out', out, ...flags]);
    t.is(code, 0, said);
    return said;
  };
  const named = await asked("SELECT id, text FROM 'a.csv'", 'named');
  t.notRegex(named, /ORDER BY|row#n:/);
  t.deepEqual(rowsOf(join(cwd, 'named'), 'duplicates')[0]!.document, '0.5');
  const other = await asked("SELECT id AS key, text FROM 'a.csv'", 'other', '--id-field', 'key');
  t.notRegex(other, /ORDER BY/);
  t.is(rowsOf(join(cwd, 'other'), 'duplicates')[0]!.document, '0.5');
  const unnamed = await asked("SELECT text FROM 'a.csv' ORDER BY id", 'unnamed');
  t.regex(unnamed, /16 rows of the query without an id \(--id-field\): called row#n[^\n]* ORDER BY/);
  t.like(rowsOf(join(cwd, 'unnamed'), 'duplicates')[0], { document: 'row#2', kept: 'row#1', place: 'row#2' });
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
  t.regex(missing.said, /hint: name one of them with --text-field, or .* SELECT "texts" AS "text"\n/);
  const late = await cli(cwd, ['--sql', "SELECT error('late') AS text FROM 'a.csv'", '--out', 'late']);
  t.is(late.code, 1);
  t.regex(late.said, /--sql, after 0 rows: .*late/);
  const both = await cli(cwd, ['a.csv', '--sql', 'SELECT 1', '--include', '*', '--out', 'o']);
  t.is(both.code, 2);
  t.regex(both.said, /--sql: expected without PATHs[\s\S]*--include --sql: expected with files only/);
});

test('a query has its part of --memory, and a record its --max-document; nothing of either is left', async (t) => {
  const cwd = temporaryFolder(t);
  const asked = ['--memory', '136MB', '--threads', '2', '-q', '--out', 'o', '--sql'];
  const full = 'SELECT list(repeat(i::VARCHAR, 1000000))::VARCHAR AS text FROM range(200) t(i)';
  const refused = await cli(cwd, [...asked, full]);
  t.is(refused.code, 1, refused.said);
  t.regex(refused.said, /the query does not fit into its part of --memory: --sql, [^\n]*Out of Memory/);
  t.deepEqual(
    readdirSync(join(cwd, 'o'), { recursive: true }).filter((name) => String(name).includes('query')),
    [],
  );
  const long = "SELECT 'short' AS text UNION ALL SELECT repeat('\u{1f600} ', 1000000)";
  const skipped = await cli(cwd, [...asked, long, '--max-document', '100000', '--force']);
  t.deepEqual(skipped, { code: 0, said: '' });
  t.like(rowsOf(join(cwd, 'o'), 'skipped'), [{ document: 'row#2' }]);
});

test('a long text of a query is the same in pieces', async (t) => {
  const cwd = temporaryFolder(t, {
    'a.jsonl': JSON.stringify({ id: 'a', text: 'x\u{1f600}\n"'.repeat(100_001) }),
  });
  const asked = { threads: 1, memory: 1e9, folder: join(cwd, 'work', 'query') };
  const rows = await startQuery(`SELECT * FROM '${join(cwd, 'a.jsonl')}'`, parametersFor(), asked, undefined);
  const all: Uint8Array[] = [];
  for await (const piece of rows.lines()) all.push(piece);
  await rows.close();
  t.deepEqual(
    JSON.parse(Buffer.concat(all).toString()),
    JSON.parse(readFileSync(join(cwd, 'a.jsonl'), 'utf8')),
  );
});

test('a call of a function is ended by a stop, and where it takes too much memory', async (t) => {
  const cwd = temporaryFolder(t);
  const asked = { threads: 1, memory: 64e6, folder: join(cwd, 'work', 'query') };
  const begun = join(cwd, 'begun.csv');
  const long = `COPY (SELECT 1) TO '${begun}'; CREATE TABLE t AS
    SELECT levenshtein(repeat('ab', 300000 + i), repeat('ba', 300000)) AS n FROM range(2) r(i); SELECT n::VARCHAR AS text FROM t`;
  const stop = new AbortController();
  const seen = watch(cwd, (_, name) => {
    if (name === 'begun.csv') stop.abort();
  });
  await t.throwsAsync(startQuery(long, parametersFor(), asked, stop.signal), { code: 'INTERRUPTED' });
  seen.close();
  const large = `SELECT repeat(repeat('word ', 20000000) || i, 20) AS text FROM range(2) r(i)`;
  const taken = async (): Promise<void> => {
    const rows = await startQuery(large, parametersFor(), asked, undefined);
    try {
      for await (const _ of rows.lines());
    } finally {
      await rows.close();
    }
  };
  const error = await t.throwsAsync(taken, { instanceOf: MinHashError, code: 'MEMORY_QUERY' });
  t.regex(error.message, /its process takes [\d.]+ [MG]B, of which 320\.0 MB are allowed/);
  t.deepEqual(readdirSync(join(cwd, 'work')), []);
});

test('fields of a query are numbers where its columns are, and one that it lacks is wrong use', async (t) => {
  const params = { ...parametersFor(), keep: [{ by: 'field', field: 'n', best: 'max' }] } as const;
  const first = `SELECT 'a' AS text, 1 AS id, 1.50 AS n, true AS flag`;
  const query = `${first} UNION ALL SELECT 'b', 2, NULL, false`;
  const linesOf = async (field: string, sql = query): Promise<string> => {
    const asked = { ...params, groups: { by: 'field', field } } as const;
    const folder = join(temporaryFolder(t), 'work', 'query');
    const { lines, close } = await openSqlQuery(sql, asked, { threads: 1, memory: 1e9, folder });
    let all = '';
    for await (const piece of lines) all += piece;
    close();
    return all;
  };
  t.is(
    await linesOf('flag'),
    '{"text":"a","id":"1","n":1.50,"flag":true}\n{"text":"b","id":"2","flag":false}\n',
  );
  t.is(await linesOf('id'), '{"text":"a","id":1,"n":1.50}\n{"text":"b","id":2}\n');
  const floats = `SELECT 'a' AS text, 'nan'::DOUBLE AS n, DATE '2024-01-02' AS day`;
  t.is(await linesOf('day', floats), '{"text":"a","n":"nan","day":"2024-01-02"}\n');
  const error = await t.throwsAsync(linesOf('flags'), { instanceOf: MinHashError, code: 'FIELD_UNKNOWN' });
  t.regex(error.message, /--group-field "flags": the query has the fields .*; did you mean "flag"\?/);
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
  t.regex(said, /this needs DuckDB, [^\n]*\n?[^\n]*--sql[\s\S]*npm install @duckdb\/node-api/);
});
