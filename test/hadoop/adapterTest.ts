/**
 * The adapter alone, on Hadoop in one JVM: what comes of jobs that lose nothing, lose something, fail, are not run again. The
 * program of tasks is a small one of the test (adapterTask.cts); of stages it has the names, and what groups their records.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HadoopEngine } from '../../src/engines/cluster/hadoop.js';
import type { DatasetRecord, Job } from '../../src/engines/job.js';
import type { StreamedFiles } from '../../src/tasks/stream/fileColumns.js';
import type { StageName } from '../../src/tasks/stream/stages.js';
import type { SealedManifest } from '../../src/tasks/stream/taskManifest.js';
import { filesOf } from '../tasks/manifestTables.js';
import type { Checks } from './checks.js';

const REDUCERS = 3;
const NAMES = [
  'plain.jsonl',
  'with, comma.jsonl',
  'b{ra}ce[s]*?.jsonl',
  'größe 文.jsonl',
  'q&<x>#1%20.jsonl',
];

/** What a test has at hand. */
export interface AdapterPlace {
  readonly folder: string;
  /** The command. */
  readonly hadoop: string;
  /** The work folder, as an address. */
  readonly work: string;
  readonly checks: Checks;
}

class AdapterTest {
  engine: HadoopEngine;
  readonly ran: string[] = [];
  onStatus: () => void = () => {};
  readonly place: AdapterPlace;
  private readonly files: StreamedFiles;

  constructor(place: AdapterPlace, files: StreamedFiles) {
    this.place = place;
    this.files = files;
    this.engine = this.anew();
  }

  /** As a driver that is started again. */
  anew(conf: Readonly<Record<string, string>> = {}, signal?: AbortSignal): HadoopEngine {
    const { folder, hadoop, work } = this.place;
    this.engine = new HadoopEngine({
      ...{ command: [hadoop], conf, work, shipNode: false, reducers: REDUCERS },
      ...{ bundle: join(folder, 'bundle'), local: join(folder, 'here & now') },
      onStatus: (job) => {
        this.ran.push(job);
        this.onStatus();
      },
      ...(signal !== undefined && { signal }),
    });
    return this.engine;
  }

  job(name: string, inputs: readonly string[], hash = '1', more: Partial<Job> = {}): Job {
    const manifest = { job: name, run: 'r', hash, files: this.files, sides: {} };
    const stage = name.split('-')[1] as StageName;
    return {
      name,
      stage,
      inputs,
      reducers: 'many',
      manifest: manifest as Partial<SealedManifest> as SealedManifest,
      ...more,
    };
  }

  async records(job: string): Promise<DatasetRecord[]> {
    const all: DatasetRecord[] = [];
    for await (const source of this.engine.read(job))
      while (source.next()) all.push([source.key, source.value]);
    return all;
  }

  async codeOf(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason as { code?: string; message: string },
    );
    return error === null ? 'nothing was thrown' : `${error.code}: ${error.message}`;
  }
}

/** Files of lines with names that commands, patterns and addresses could take for something else. */
function corpusIn(folder: string): { files: StreamedFiles; lines: string[] } {
  mkdirSync(folder, { recursive: true });
  const lines: string[] = [];
  const files = NAMES.map((name, i) => {
    const own = Array.from({ length: 40 + i }, (_, n) => `{"id":"${i}-${n}"}\tx\ry ${'é'.repeat(n)}`);
    const path = join(folder, name);
    writeFileSync(path, own.join('\n') + (i % 2 === 0 ? '\n' : ''));
    lines.push(...own.map((line) => `file:${path}\n${line}`));
    return { uri: `file:${path}`, id: name, bytes: 0 };
  });
  return { files: filesOf(files), lines };
}

const hexOf = ([key, value]: DatasetRecord): string =>
  `${Buffer.from(key).toString('hex')} ${Buffer.from(value)}`;

export async function testAdapter(place: AdapterPlace): Promise<void> {
  const { folder, checks } = place;
  mkdirSync(join(folder, 'bundle'), { recursive: true });
  copyFileSync(fileURLToPath(new URL('adapterTask.cjs', import.meta.url)), join(folder, 'bundle/task.cjs'));
  const { files, lines } = corpusIn(join(folder, 'the corpus'));
  const test = new AdapterTest(place, files);
  const expected = lines
    .map((line) =>
      [
        createHash('sha256')
          .update(line.slice(line.indexOf('\n') + 1))
          .digest('hex')
          .slice(0, 32),
        line,
      ].join(' '),
    )
    .sort();
  await aCorpus(test, expected, checks);
  await furtherJobs(test, expected, checks);
  await anOrder(test, checks);
  await faults(test, checks);
  await aRestart(test, checks);
}

async function aCorpus(test: AdapterTest, expected: readonly string[], checks: Checks): Promise<void> {
  const { sums } = await test.engine.run(test.job('001-sketch', []));
  checks.same('sums come from the counters', sums, { 'some sum': expected.length });
  const found = (await test.records('001-sketch')).map(hexOf).sort();
  checks.same('every line of every file comes through once, with the name of its file', found, expected);
}

async function furtherJobs(test: AdapterTest, expected: readonly string[], checks: Checks): Promise<void> {
  const own: DatasetRecord[] = Array.from({ length: 9000 }, (_, i) => [
    Buffer.from(String(i).padStart(20, '0')),
    Buffer.alloc(1 + (i % 50), i),
  ]);
  await test.engine.write('002-own', own);
  const back = await test.records('002-own');
  checks.same('a dataset of the recipe is read as it was written', back.map(hexOf), own.map(hexOf));
  await test.engine.run(test.job('003-classes', ['001-sketch', '002-own']));
  const both = (await test.records('003-classes')).map(hexOf).sort();
  checks.same('a job reads two datasets', both, [...expected, ...own.map(hexOf)].sort());
  await test.engine.run(test.job('004-hotHeads', ['003-classes']));
  checks.same('a job without Reduce keeps all', (await test.records('004-hotHeads')).map(hexOf).sort(), both);
}

async function anOrder(test: AdapterTest, checks: Checks): Promise<void> {
  const routes = test.engine.routes(20);
  const records = Array.from({ length: 2000 }, (_, i): DatasetRecord => {
    const key = Buffer.alloc(12);
    key.writeUInt32BE(routes[(i * 7) % 20]!);
    key.writeUInt32BE((i * 7919) % 2000, 8);
    return [key, Buffer.of(1)];
  });
  await test.engine.write('005-routed', records);
  await test.engine.run(test.job('006-resultRows', ['005-routed'], '1', { ordered: true }));
  const found = (await test.records('006-resultRows')).map(([key]) => Buffer.from(key).toString('hex'));
  const sorted = records.map(([key]) => Buffer.from(key).toString('hex')).sort();
  checks.same('an ordered job is read in the order of its keys', found, sorted);
  const parts = (await test.engine.files.list(`${test.place.work}/006-resultRows`))!.filter(({ uri }) =>
    /part-/.test(uri),
  );
  checks.same('by every Reduce task', parts.filter(({ bytes }) => bytes > 1000).length, REDUCERS);
}

async function faults(test: AdapterTest, checks: Checks): Promise<void> {
  const lost = await test.codeOf(test.engine.run(test.job('007-clashes', ['001-sketch'])));
  checks.matches(
    'records that are lost fail the job by name',
    lost,
    /^JOB_COUNTS: .*007-clashes: Map input records/,
  );
  const failed = await test.codeOf(test.engine.run(test.job('008-bands', ['001-sketch'])));
  checks.matches(
    'a task that fails is named with what it said',
    failed,
    /^JOB_FAILED: .*008-bands.*on purpose.*\.log/,
  );
  const absent = await test.codeOf(
    new HadoopEngine({ ...optionsOf(test), command: ['no-such-hadoop'] }).run(test.job('009-classes', [])),
  );
  checks.matches('a command that is not there', absent, /^ENGINE_UNUSABLE: .*no hadoop-streaming/);
}

const optionsOf = ({ place }: AdapterTest) => ({
  ...{ conf: {}, work: `${place.folder}/none`, shipNode: false, reducers: 1 },
  ...{ bundle: join(place.folder, 'bundle'), local: join(place.folder, 'elsewhere') },
});

async function aRestart(test: AdapterTest, checks: Checks): Promise<void> {
  const before = (await test.records('003-classes')).map(hexOf);
  const job = test.job('003-classes', ['001-sketch', '002-own']);
  const first = test.job('001-sketch', []);
  const own = test.engine.write('002-own', [[Buffer.from('a'.repeat(16)), Buffer.of(1)]]);
  await own;
  test.ran.length = 0;
  test.anew();
  const { sums } = await test.engine.run(first);
  checks.same('a job that is whole is not run again', test.ran, []);
  checks.same('and its sums are known', Object.keys(sums), ['some sum']);
  await test.engine.run(job);
  checks.same('one whose input is another one is', new Set(test.ran), new Set(['003-classes']));
  const now = (await test.records('003-classes')).map(hexOf);
  checks.same('and gives what it should', now.length, before.length - 8999);
  await anInterruption(test, checks);
  await cutFiles(test, checks);
}

async function anInterruption(test: AdapterTest, checks: Checks): Promise<void> {
  const stop = new AbortController();
  test.onStatus = () => stop.abort();
  const engine = test.anew({}, stop.signal);
  const code = await test.codeOf(engine.run(test.job('010-classes', ['001-sketch'])));
  checks.matches('an interruption ends the job', code, /^INTERRUPTED/);
  test.onStatus = () => {};
  test.anew();
  await test.engine.run(test.job('010-classes', ['001-sketch']));
  checks.same(
    'which is made anew',
    (await test.records('010-classes')).length,
    (await test.records('001-sketch')).length,
  );
}

async function cutFiles(test: AdapterTest, checks: Checks): Promise<void> {
  const local = join(test.place.folder, test.place.work.includes('viewfs') ? 'hadoop/other/work' : 'work');
  const folder = join(local, '001-sketch');
  const attempt = join(folder, readdirSync(folder).find((name) => name.startsWith('attempt-'))!);
  const part = readdirSync(attempt).find((name) => /^part-/.test(name))!;
  for (const name of readdirSync(attempt)) if (name.endsWith('.crc')) rmSync(join(attempt, name));
  truncateSync(join(attempt, part), 700);
  const cut = await test.codeOf(test.records('001-sketch'));
  checks.matches('a file that is cut is an error', cut, /^TASK_RECORD: .*ends within the record at byte \d+/);
  rmSync(join(attempt, '_SUCCESS'));
  test.ran.length = 0;
  test.anew();
  await test.engine.run(test.job('001-sketch', []));
  checks.same('a job without _SUCCESS runs again', new Set(test.ran), new Set(['001-sketch']));
  checks.same('what was left of it is gone', existsSync(attempt), false);
}
