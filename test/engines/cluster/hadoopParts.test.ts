/** What the adapter of Hadoop is made of, without a Hadoop. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { JobLog } from '../../../src/engines/cluster/hadoop/jobLog.js';
import { routesFor } from '../../../src/engines/cluster/hadoop/routes.js';
import { recordsOfSequenceFile, sequenceFileOf } from '../../../src/engines/cluster/hadoop/sequenceFile.js';
import { findStreamingJar } from '../../../src/engines/cluster/hadoop/streamingJar.js';
import {
  propertiesOf,
  propertiesXml,
  type StreamingJob,
  streamingWords,
} from '../../../src/engines/cluster/hadoop/streamingWords.js';
import type { DatasetRecord } from '../../../src/engines/job.js';
import { MinHashError } from '../../../src/errors.js';

/** As Java's 32 bits have it, in numbers without bound. */
function partitionOf(route: number, reducers: number): number {
  let hash = 1n;
  for (const shift of [24n, 16n, 8n, 0n]) {
    hash = BigInt.asIntN(32, 31n * hash + BigInt.asIntN(8, BigInt(route) >> shift));
  }
  return Number((hash & 0x7fffffffn) % BigInt(reducers));
}

test('routes ascend, and Hadoop gives each range to the Reduce task that the order wants', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 70 }), (ranges, reducers) => {
      const routes = routesFor(ranges, reducers);
      t.is(routes.length, ranges);
      routes.forEach((route, r) => {
        t.true(r === 0 || route > routes[r - 1]!);
        t.is(partitionOf(route, reducers), Math.floor((r * reducers) / ranges));
      });
    }),
    { numRuns: 40, seed: 18 },
  );
});

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function bytesOf(records: readonly DatasetRecord[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of sequenceFileOf(records, 'name')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function recordsOf(bytes: Uint8Array, size = 1000): Promise<DatasetRecord[]> {
  const records: DatasetRecord[] = [];
  for await (const record of recordsOfSequenceFile(inChunks(bytes, size), 'part')) records.push(record);
  return records;
}

const hexes = (records: readonly DatasetRecord[]): string[] =>
  records.map(([key, value]) => `${Buffer.from(key).toString('hex')}:${Buffer.from(value).toString('hex')}`);

test('a sequence file is read as it was written, in whatever chunks it comes', async (t) => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(bytes, bytes), { maxLength: 20 }),
      fc.integer({ min: 1, max: 60 }),
      async (records, size) => {
        t.deepEqual(hexes(await recordsOf(await bytesOf(records), size)), hexes(records));
      },
    ),
    { numRuns: 60, seed: 18 },
  );
});

test('sync marks stand in long files', async (t) => {
  const records = Array.from({ length: 300 }, (_, i): DatasetRecord => [Buffer.of(i), Buffer.alloc(1500, i)]);
  const bytes = await bytesOf(records);
  // One in the head, then one after each 100,000 bytes.
  t.is(bytes.toString('latin1').split(bytes.toString('latin1', 80, 96)).length - 1, 5);
  t.deepEqual(hexes(await recordsOf(bytes)), hexes(records));
});

test('a sequence file that is cut anywhere but between records, or changed in its frame, is an error', async (t) => {
  const records: DatasetRecord[] = [
    [Buffer.from('key'), Buffer.from('value')],
    [Buffer.from('k'), Buffer.from('v')],
  ];
  const bytes = await bytesOf(records);
  const [head, second] = [96, 96 + 24];
  for (let length = 0; length < bytes.length; length++) {
    const read = recordsOf(bytes.subarray(0, length), 7);
    if (length === head || length === second) t.is((await read).length, length === head ? 0 : 1);
    else await t.throwsAsync(read, { code: 'TASK_RECORD', message: /ends within/ }, `${length} bytes`);
  }
  for (const at of [0, 3, 4, 75, head + 3, head + 7, head + 11, head + 18]) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    await t.throwsAsync(recordsOf(changed), { code: 'TASK_RECORD' }, `byte ${at}`);
  }
});

const LOG = `[main] INFO org.apache.hadoop.mapreduce.Job - Running job: job_1700000000000_0007
[main] INFO org.apache.hadoop.mapreduce.Job -  map 40% reduce 0%
error: a task cannot use its manifest: 003-x: its content does not fit its hash
	at org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:326)
[main] INFO org.apache.hadoop.mapreduce.Job - Counters: 3
	Map-Reduce Framework
		Map input records=24
		Reduce output records=3
	mr-minhash
		map.in=24
		a=b, named oddly=7
	File Output Format Counters 
		Bytes Written=1
[main] ERROR org.apache.hadoop.streaming.StreamJob - Job not successful!
Streaming Command Failed!
`;

test('the log of a job tells its counters, its progress and why it failed', (t) => {
  const log = new JobLog();
  t.is(log.hasCounters, false);
  const told = LOG.split('\n').filter((line) => log.take(line));
  t.deepEqual([log.id, told.length, log.progress], ['job_1700000000000_0007', 1, 'map 40 % reduce 0 %']);
  t.deepEqual(
    ['Map input records', 'Reduce output records', 'Reduce input records'].map((name) =>
      log.engineCounter(name),
    ),
    [24, 3, null],
  );
  t.deepEqual(Object.fromEntries(log.taskCounters), { 'map.in': 24, 'a=b, named oddly': 7 });
  t.deepEqual(log.reasons, [
    'error: a task cannot use its manifest: 003-x: its content does not fit its hash',
    '[main] ERROR org.apache.hadoop.streaming.StreamJob - Job not successful!',
  ]);
});

const JOB: StreamingJob = {
  ...{
    title: 'mr-minhash 001-sketch',
    stage: 'sketch',
    form: { kinds: null, prefix: 16, reduce: () => {} },
  },
  ...{ reducers: 7, inputs: ['file:/a,b/c*.jsonl', 'file:/d,{e}\\f'], output: 'hdfs://h/w/001' },
  ...{ node: 'node', files: [['file:/m.json', 'manifest.json']], archive: 'hdfs://h/w/a.tgz' },
  conf: { 'stream.map.output': 'text', 'mapreduce.map.output.compress': 'true', own: 'a<&>"b\tc' },
};

test('a job has generic options first, names that stand for themselves, and framing that nothing overrides', (t) => {
  const words = streamingWords(JOB, '/conf.xml');
  t.deepEqual(words.slice(0, 6), [
    ...['-conf', '/conf.xml', '-files', 'file:/m.json#manifest.json', '-archives', 'hdfs://h/w/a.tgz#mrm'],
  ]);
  t.is(words[words.indexOf('-input') + 1], 'file:/a{\\,}b/c\\*.jsonl');
  t.is(
    words[words.indexOf('-mapper') + 1],
    'node mrm/task.cjs sketch map --io rawbytes --manifest manifest.json',
  );
  t.false(words.includes('-inputformat'));
  const properties = propertiesOf(JOB);
  t.is(properties['mapreduce.input.fileinputformat.inputdir'], 'file:/d\\,\\\\{e\\\\}\\\\\\\\f');
  t.is(properties['stream.map.output'], 'rawbytes');
  t.is(properties['mapreduce.map.output.compress'], 'true');
  t.is(properties['mapreduce.partition.binarypartitioner.right.offset'], '15');
  t.is(properties['textinputformat.record.delimiter'], '\n');
  t.regex(propertiesXml(properties), /<name>own<\/name><value>a&lt;&amp;&gt;"b&#9;c<\/value>/);
  t.regex(propertiesXml(properties), /<name>textinputformat.record.delimiter<\/name><value>&#10;<\/value>/);
});

test('a job without Reduce has no partitioner; names that Hadoop passes over are refused', (t) => {
  const job: StreamingJob = {
    ...JOB,
    form: { kinds: [], prefix: 0, reduce: null },
    inputs: ['hdfs://h/w/000'],
  };
  const words = streamingWords(job, '/conf.xml');
  t.is(words[words.indexOf('-reducer') + 1], 'NONE');
  t.false(words.includes('-partitioner'));
  t.is(words[words.indexOf('-inputformat') + 1], 'org.apache.hadoop.mapred.SequenceFileInputFormat');
  t.is(propertiesOf(job)['mapreduce.job.reduces'], '0');
  for (const name of ['_part', '.hidden'])
    t.throws(() => streamingWords({ ...JOB, inputs: [`file:/x/${name}`] }, ''), { code: 'ENGINE_UNUSABLE' });
  t.throws(() => propertiesXml({ a: 'b\0' }), { code: 'ENGINE_UNUSABLE' });
});

test('the jar of Hadoop Streaming is found by what the user says, by homes, and beside the command', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-test-'));
  try {
    const tools = join(folder, 'dist/share/hadoop/tools/lib');
    for (const one of [tools, join(folder, 'dist/bin'), join(folder, 'links')])
      mkdirSync(one, { recursive: true });
    const jar = join(tools, 'hadoop-streaming-3.4.2.jar');
    for (const file of [
      jar,
      join(tools, 'hadoop-streaming-3.4.2-sources.jar'),
      join(folder, 'dist/bin/hadoop'),
    ])
      writeFileSync(file, '');
    symlinkSync(join(folder, 'dist/bin/hadoop'), join(folder, 'links/hadoop'));
    t.is(findStreamingJar('none', { HADOOP_HOME: join(folder, 'dist') }), jar);
    t.is(findStreamingJar('hadoop', { PATH: join(folder, 'links') }), jar);
    t.is(findStreamingJar('none', { HADOOP_STREAMING_JAR: jar }), jar);
    const error = t.throws(() => findStreamingJar('none', { HADOOP_HOME: folder }), {
      instanceOf: MinHashError,
    });
    t.is(error?.code, 'ENGINE_UNUSABLE');
    t.true(error?.message.includes(`${folder}/share/hadoop/tools/lib`));
    t.throws(() => findStreamingJar('none', { HADOOP_STREAMING_JAR: '/none.jar' }), {
      message: /\/none\.jar/,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
