/**
 * The adapter alone, on Spark in one JVM: what comes of jobs that lose nothing, lose something, fail, are not run again. The program
 * of tasks is a small one of the test (sparkTask.cts); of stages it has the names, and what groups their records.
 */
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { SparkEngine } from '../../src/engines/cluster/spark.js';
import type { DatasetRecord, Job } from '../../src/engines/job.js';
import type { StreamedFiles } from '../../src/tasks/stream/fileColumns.js';
import type { StageName } from '../../src/tasks/stream/stages.js';
import type { SealedManifest } from '../../src/tasks/stream/taskManifest.js';
import type { Checks } from '../hadoop/checks.js';
import { filesOf } from '../tasks/manifestTables.js';
import { MASTER, SETTINGS } from './sparkHere.js';

const LONG = Array.from({ length: 60_000 }, (_, i) => `line ${i} ${'x'.repeat(i % 50)}`);
/** Files whose names are something else to patterns, addresses and statements; lines that are no text. */
const FILES: Readonly<Record<string, Buffer>> = {
  "a b';c.jsonl": Buffer.from('one\ntwo\xff\xc3(\r\x00x\ty\n\nlast', 'latin1'),
  'größe%41,文 {x}[y]*?#.jsonl': Buffer.from('umlaut\n'),
  'packed.jsonl.gz': gzipSync('first\nsecond\n'),
  'empty.jsonl': Buffer.alloc(0),
  'long.jsonl': Buffer.from(`${LONG.join('\n')}\n`),
  'whole.txt': Buffer.from('a file\nis\r\na document\n'),
  'empty.txt': Buffer.alloc(0),
};
/** The least split: that of a small corpus. */
export const SPLIT = 2 ** 20;

export interface SparkPlace {
  readonly folder: string;
  readonly home: string;
  readonly checks: Checks;
}

export class SparkAdapter {
  engine: SparkEngine;
  readonly place: SparkPlace;
  private readonly files: StreamedFiles;

  constructor(place: SparkPlace, files: StreamedFiles) {
    this.place = place;
    this.files = files;
    this.engine = this.anew();
  }

  /** As a driver that is started again. */
  anew(more: Partial<ConstructorParameters<typeof SparkEngine>[0]> = {}): SparkEngine {
    const { folder, home } = this.place;
    this.engine = new SparkEngine({
      ...{ command: [join(home, 'bin/spark-sql')], master: MASTER, conf: SETTINGS, reducers: 3 },
      ...{ work: join(folder, 'work'), local: join(folder, 'here & now'), bundle: join(folder, 'bundle') },
      ...more,
    });
    return this.engine;
  }

  job(name: string, inputs: readonly string[], more: Partial<Job> = {}): Job {
    const params = { input: 'auto' };
    const manifest = { job: name, run: 'r', hash: name, params, files: this.files, splits: null, sides: {} };
    const stage = name.split('-')[1] as StageName;
    const sealed = manifest as object as SealedManifest;
    return { name, stage, inputs, reducers: 'many', manifest: sealed, ...more };
  }

  async records(job: string): Promise<string[]> {
    const all: string[] = [];
    for await (const source of this.engine.read(job))
      while (source.next()) {
        const { key, value } = source;
        const hex = Buffer.from(key).toString('hex');
        if (!/^ff.{32}$/.test(hex)) all.push(`${hex} ${Buffer.from(value)}`);
      }
    return all;
  }

  async faultOf(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason as { code?: string; message: string },
    );
    return error === null ? 'nothing was thrown' : `${error.code}: ${error.message}`;
  }
}

/** What rows of the corpus are to be: file, start of the split, bytes in base64. */
function expectedRows(corpus: string): string[] {
  return Object.entries(FILES).flatMap(([name, bytes]) => {
    const file = join(corpus, name);
    const row = (at: number, line: Buffer): string => JSON.stringify([file, at, line.toString('base64')]);
    if (name.endsWith('.txt')) return [row(0, bytes)];
    const text = name.endsWith('.gz') ? Buffer.from('first\nsecond\n') : bytes;
    const lines = text.toString('latin1').split('\n');
    if (lines.at(-1) === '') lines.pop();
    let at = 0;
    return lines.map((line) => {
      // A line belongs to the split that the byte before its first one is in.
      const split = at === 0 ? 0 : SPLIT * Math.floor((at - 1) / SPLIT);
      at += line.length + 1;
      return row(split, Buffer.from(line, 'latin1'));
    });
  });
}

/** The program of the test in the place of ours. */
export function writeBundle(folder: string): void {
  for (const name of ['bundle', 'here & now']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(fileURLToPath(new URL('sparkTask.cjs', import.meta.url)), join(folder, 'bundle/task.cjs'));
  for (const name of ['kernel.wasm', 'htmlText.cjs']) writeFileSync(join(folder, 'bundle', name), '');
}

export async function testSparkAdapter(place: SparkPlace): Promise<void> {
  const { folder } = place;
  const corpus = join(folder, "the 'corpus' [ü]");
  mkdirSync(corpus);
  writeBundle(folder);
  for (const [name, bytes] of Object.entries(FILES)) writeFileSync(join(corpus, name), bytes);
  writeFileSync(join(corpus, 'not wanted.jsonl'), 'never\n');
  const files = Object.keys(FILES)
    .sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
    .map((name) => {
      const path = join(corpus, name);
      return { uri: path, id: Buffer.from(name).toString('latin1'), bytes: statSync(path).size };
    });
  const test = new SparkAdapter(place, filesOf(files));
  try {
    await rowsAndRecords(test, expectedRows(corpus));
    await whatFails(test);
    await whatIsThere(test);
  } finally {
    await test.engine.close();
  }
}

async function rowsAndRecords(test: SparkAdapter, expected: readonly string[]): Promise<void> {
  const { checks } = test.place;
  const { sums } = await test.engine.run(test.job('001-sketch', []));
  checks.same('sums come from the facts of tasks', sums, { seen: expected.length });
  const rows = await test.records('001-sketch');
  const values = rows.map((row) => row.slice(27)).sort();
  checks.same(
    'every row comes through, byte for byte, with its file and its split',
    values,
    [...expected].sort(),
  );
  const own = Array.from(
    { length: 500 },
    (_, i): DatasetRecord => [Buffer.from(`k${i}`), Buffer.of(i, 0, 255)],
  );
  await test.engine.write('002-own', own);
  const told = own.map(([key, value]) => `${Buffer.from(key).toString('hex')} ${Buffer.from(value)}`);
  checks.same('a dataset of the recipe is read as it was written', await test.records('002-own'), told);
  const both = [...rows, ...told].sort();
  await test.engine.run(test.job('003-classes', ['001-sketch', '002-own']));
  checks.same('a job brings two datasets together', (await test.records('003-classes')).sort(), both);
  await test.engine.run(test.job('004-classes', ['003-classes'], { ordered: true }));
  checks.same(
    'an ordered job is read in the order of keys',
    keysOf(await test.records('004-classes')),
    keysOf(both),
  );
  await test.engine.run(test.job('005-classes', ['002-own'], { reducers: 'one' }));
  checks.same(
    'one Reduce task sees everything',
    (await test.records('005-classes')).sort(),
    [...told].sort(),
  );
  const side = await test.engine.side('wanted', Buffer.from('side'));
  checks.matches('a side file has a name of its content', side, /^wanted-[0-9a-f]{12}$/);
}

const keysOf = (records: readonly string[]): string[] => records.map((record) => record.split(' ')[0]!);

async function whatFails(test: SparkAdapter): Promise<void> {
  const { checks, folder } = test.place;
  const faultOf = (name: string): Promise<string> =>
    test.faultOf(test.engine.run(test.job(name, ['002-own'])));
  const lost = /^JOB_COUNTS: .*006-wanted: its tasks wrote 500 records, its output has 49\d/;
  checks.matches('records that are lost fail the job by name', await faultOf('006-wanted'), lost);
  const mute = /^JOB_COUNTS: .*007-hotHeads: its Map tasks read 0 of 500 records/;
  checks.matches('tasks that say nothing fail the job by name', await faultOf('007-hotHeads'), mute);
  const failed = /^JOB_FAILED: .*008-sharedPairs: error: a task failed on purpose; hint: none.*spark\.log/;
  checks.matches('a task that fails is named with what it said', await faultOf('008-sharedPairs'), failed);
  await test.engine.run(test.job('009-classes', ['002-own']));
  checks.same('the session goes on after it', (await test.records('009-classes')).length, 500);
  const none = new SparkEngine({
    ...{ command: ['no-such-spark-sql'], master: null, conf: {}, reducers: 1, work: join(folder, 'none') },
    ...{ local: join(folder, 'none'), bundle: join(folder, 'bundle') },
  });
  const absent = await test.faultOf(none.run(test.job('001-classes', [])));
  checks.matches(
    'a command that is not there',
    absent,
    /^ENGINE_UNUSABLE: .*no-such-spark-sql: no such command/,
  );
}

async function whatIsThere(test: SparkAdapter): Promise<void> {
  const { checks, folder } = test.place;
  await test.engine.close();
  writeFileSync(join(folder, 'bundle/task.cjs'), 'process.exit(1)');
  const stopped = new AbortController();
  test.anew({ signal: stopped.signal });
  const { sums } = (await test.engine
    .run(test.job('003-classes', ['001-sketch', '002-own']))
    .catch(String)) as {
    sums?: Record<string, number>;
  };
  checks.same('a job that is whole is not run again, and its sums are known', Object.keys(sums ?? {}), [
    'seen',
  ]);
  const again = test.faultOf(test.engine.run(test.job('005-classes', ['003-classes'])));
  checks.matches('one of other inputs is', await again, /^JOB_FAILED: .*005-classes/);
  const running = test.faultOf(test.engine.run(test.job('010-classes', ['003-classes'])));
  stopped.abort();
  checks.matches('a signal ends the session', await running, /^INTERRUPTED/);
  const log = readFileSync(join(folder, 'here & now/logs/spark.log'), 'utf8');
  checks.matches('the log has what Spark says', log, /failed on purpose/);
}
