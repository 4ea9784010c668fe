/** What an engine cannot read, and commands that are not there, are told before anything is made. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { planOnCluster } from '../../../src/coordinator/cluster/clusterRun.js';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/runOptions.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const LINE = '{"text":"a b c d e f"}\n';

test('files that an engine would pass over, unpack or not understand are refused by name', async (t) => {
  const folder = temporaryFolder(t);
  const corpus = join(folder, 'corpus');
  mkdirSync(corpus);
  const out = join(folder, 'out');
  const names = { 'a.jsonl': LINE, 'b:c.jsonl': LINE, '_d.jsonl': LINE, 'e.csv': 'id,text\n1,a\n' };
  for (const [name, text] of Object.entries(names)) writeFileSync(join(corpus, name), text);
  writeFileSync(join(corpus, 'packed.jsonl'), Uint8Array.of(0x1f, 0x8b, 8, 0));
  const options: RunOptions = { paths: [corpus], out, engine: 'hadoop', hadoopCommand: 'false' };
  const error = await t.throwsAsync(run(options));
  t.regex(error.message, /"e\.csv": expected JSON lines/);
  t.regex(error.message, /"_d\.jsonl", "b:c\.jsonl": expected names/);
  t.regex(error.message, /"packed\.jsonl": expected packed files/);
  t.notRegex(error.message, /"a\.jsonl"/);
  t.false(existsSync(out));
});

test('what --input says is held against what each engine reads', async (t) => {
  const folder = temporaryFolder(t, { 'a.rows': 'id,text\n1,a\n' });
  const given = { paths: [join(folder, 'a.rows')], out: join(folder, 'out') };
  const plan = (options: RunOptions): Promise<string> => planOnCluster({ ...given, ...options });
  t.regex(await plan({ engine: 'spark', input: 'parquet' }), /^-- the corpus/);
  for (const [engine, input, expected] of [
    ['hadoop', 'parquet', /"a\.rows": expected JSON lines/],
    ['spark', 'csv', /"a\.rows": expected JSON lines/],
  ] as const)
    t.regex((await t.throwsAsync(plan({ engine, input }))).message, expected);
  t.regex(await plan({ engine: 'hadoop', input: 'sets', separator: ',' }), /001-rows/);
  const named = { engine: 'hadoop', input: 'sets', columns: 'id,text' } as const;
  t.regex(
    (await t.throwsAsync(plan(named))).message,
    /columns id,text engine hadoop: expected numbers, as 1,2,3/,
  );
});

test('a command that is not there leaves no output folder', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a.jsonl'), LINE);
  const out = join(folder, 'out');
  for (const engine of ['hadoop', 'spark'] as const) {
    const command = { [`${engine}Command`]: join(folder, 'nowhere') };
    const options: RunOptions = { paths: [join(folder, 'a.jsonl')], out, engine, ...command };
    const error = await t.throwsAsync(run(options));
    t.regex(error.message, new RegExp(`there is no command .*nowhere; --${engine}-command names it`));
    t.false(existsSync(out));
  }
});

test('names that Hadoop would read otherwise are refused, of files and of the folder that jobs share', async (t) => {
  const folder = temporaryFolder(t);
  const corpus = join(folder, 'corpus');
  mkdirSync(corpus);
  for (const name of ['a.jsonl', '\u0024{user.name}.jsonl']) writeFileSync(join(corpus, name), LINE);
  const jar = join(folder, 'hadoop-streaming.jar');
  writeFileSync(jar, '');
  const options = { engine: 'hadoop', hadoopCommand: 'true' } as const;
  const named = await t.throwsAsync(run({ ...options, paths: [corpus], out: join(folder, 'out') }));
  t.regex(named.message, /"\$\{user\.name\}\.jsonl": expected names without \$\{/);
  const one = { ...options, paths: [join(corpus, 'a.jsonl')], out: join(folder, 'an out') };
  for (const start of [run, planOnCluster]) {
    process.env.HADOOP_STREAMING_JAR = jar;
    try {
      const error = await t.throwsAsync(start(one));
      t.regex(error.message, /an out.* expected no spaces.*; --cluster-work names another/);
    } finally {
      delete process.env.HADOOP_STREAMING_JAR;
    }
  }
  t.false(existsSync(one.out));
  const shown = await planOnCluster({ ...one, clusterWork: 'hdfs://host/work' });
  t.regex(shown, /001-sketch/);
});
