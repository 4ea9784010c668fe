/** The statements of the Spark pipeline, on DuckDB: the result of one machine, byte for byte; lost rows are detected. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { sparkStatements } from '../../../src/coordinator/sparkRun.js';
import { check } from '../../../src/coordinator/start/checked.js';
import { SPARK } from '../../../src/engines/spark/dialects.js';
import { runSteps, type SqlExecutor } from '../../../src/engines/spark/runSteps.js';
import { MinHashError } from '../../../src/errors.js';
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

test.serial('a reference has the result of one machine', async (t) => {
  const { folder, against } = withReference(t);
  await equalsOneMachine(t, folder, { paths: [join(folder, 'new')], against });
});

test.serial('a run ends if a task loses rows and reports success', async (t) => {
  await detectsLoss(
    t,
    without('sketch', ([, row]) => row === '1'),
  );
});

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
