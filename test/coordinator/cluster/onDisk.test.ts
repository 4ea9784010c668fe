/** A run that sorts on this machine's disk: by worker threads, ended and taken up, and what it does not read. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { planOnCluster } from '../../../src/coordinator/cluster/clusterRun.js';
import type { Progress } from '../../../src/coordinator/context.js';
import { run } from '../../../src/coordinator/run.js';
import type { Resumption } from '../../../src/coordinator/start/resume.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { untouched } from '../resume/takenUp.js';
import { prepared } from '../runs/finished.js';
import { filesOf, preparedRun, runOnDisk } from './comparedFolders.js';
import { copiedLines, smallLines } from './smallCorpora.js';

const FILES = { ...smallLines(11, 80, true), ...copiedLines(30) };

test('worker threads sort to the bytes of those that do not, after an end in the middle, too', async (t) => {
  const { folder, options } = prepared(t, FILES);
  const out = join(folder, 'sorted');
  const asked = { ...options, out, engine: 'disk', threads: 2, idField: 'id' } as const;
  const expected = join(folder, 'expected');
  await run({ ...options, out: expected, threads: 0, idField: 'id' });
  const told: Resumption[] = [];
  const endedIn = async (stageEnd: string, options: RunOptions): Promise<void> => {
    const controller = new AbortController();
    const hooks = {
      signal: controller.signal,
      onProgress: ({ stage }: Progress) => {
        if (stage.endsWith(stageEnd)) controller.abort();
      },
      onResume: (found: Resumption) => void told.push(found),
    };
    const ended = await t.throwsAsync(run(options, hooks));
    t.is((ended as { code?: string }).code, 'INTERRUPTED');
    t.false(existsSync(join(out, '_SUCCESS')));
  };
  await endedIn('-components-all', asked);
  await endedIn('write', { out, resume: true, engine: 'disk', threads: 1 });
  t.deepEqual(told, [{ kind: 'sorted', engine: 'disk' }]);
  const report = await run({ out, resume: true, engine: 'disk', threads: 1 });
  t.deepEqual(filesOf(out), filesOf(expected));
  t.true(report.resumedJobs!.jobs > 5);
  // Only the writing was left.
  t.is(report.resumedJobs!.jobs, report.resumedJobs!.jobsInAll);
  t.false(existsSync(join(out, '.work')));
  t.true(readdirSync(out).includes('_SUCCESS'));
});

test('documents behind the last row come from the records that the disk has of them', async (t) => {
  // A task of the first job gathers some 1,500 of these documents in a record.
  const texts = Array.from({ length: 6000 }, (_, i) => `a${i} b${i} c${i} d${i} e${i} f${i}`);
  texts[5] = texts[2]!;
  texts[2000] = `${texts[1700]} more`;
  const lines = texts.map((text) => JSON.stringify({ text }));
  const { folder, options } = prepared(t, { 'a.jsonl': `${lines.join('\n')}\n` });
  const asked = { ...options, threads: 0, threshold: 0.5 } as const;
  const { counts } = await run(asked);
  t.is(counts.dropped, 2);
  await run({ ...asked, out: join(folder, 'sorted'), engine: 'disk' });
  t.deepEqual(filesOf(join(folder, 'sorted')), filesOf(options.out));
});

test('the report of samples tells their promise, as on threads', async (t) => {
  const { folder, options } = prepared(t, FILES);
  const asked = { ...options, threads: 0, sketch: 'min-s' } as const;
  const expected = await run(asked);
  const report = await run({ ...asked, out: join(folder, 'sorted'), engine: 'disk' });
  t.truthy(report.sampleRule);
  t.deepEqual(report.sampleRule, expected.sampleRule);
  t.deepEqual(report.sCurve, expected.sCurve);
});

test('a file that is gone is left out and named, as by threads', async (t) => {
  const gone = {
    'gone.jsonl': FILES['a.jsonl'] ?? '{"text":"a b c"}\n'.repeat(90),
    'z/gone.txt': 'a text that is gone',
  };
  const { folder, inputs, options } = prepared(t, { ...FILES, ...gone, 'kept.txt': 'a text that stays' });
  const asked = await preparedRun({ ...options, idField: 'id', out: join(folder, 'sorted') });
  for (const name of Object.keys(gone)) rmSync(join(inputs, name));
  const shape = { mappers: 2, reducers: 2, byStars: false, splitLines: 5, givesRows: false };
  const report = await runOnDisk(asked, shape, join(folder, 'work'));
  const expected = await run({ ...options, threads: 0, idField: 'id' });
  const [found, others] = [filesOf(asked.execution.out), filesOf(options.out)];
  for (const name of Object.keys(others))
    if (!/^(manifest|skipped|inputs)/.test(name)) t.is(found[name], others[name], name);
  const lines = found['skipped.tsv']!.split('\n').filter((line) => line.includes('gone'));
  t.is(lines.length, 2);
  for (const line of lines) t.regex(line, /^(z\/)?gone\.(jsonl|txt)\t.*vanished/i);
  t.deepEqual(report.counts.skipped, { ...expected.counts.skipped, VANISHED: 2 });
});

test('the plan names the jobs', async (t) => {
  const { options } = prepared(t, { 'a.jsonl': '{"text":"a b c"}\n' });
  const plan = await planOnCluster({ ...options, engine: 'disk', threads: 2 });
  t.regex(plan, /^001-sketch: Map over the corpus\n/);
  t.regex(plan, /-bands: Map over \d+-sketch; sorted by band, bucket; 4 Reduce\n/);
  t.false(existsSync(options.out));
});

/** Ids of 10 KB: their table takes 22 MB, and the least budget has 18 MB for tables. */
const LONG_IDS = Array.from({ length: 2_200 }, (_, i) =>
  JSON.stringify({
    id: `${i}-`.padEnd(10_000, 'x'),
    text: `copy ${i >> 1} of a text in common words ${i >> 1}`,
  }),
);
const LEAST = { threads: 1, memory: '84MB', idField: 'id' } as const;

test('a run that does not fit into memory is sorted on the disk, and resumed there', async (t) => {
  const { folder, options } = prepared(t, { 'a.jsonl.gz': gzipSync(`${LONG_IDS.join('\n')}\n`) });
  const expected = join(folder, 'expected');
  await run({ ...options, out: expected, threads: 1, idField: 'id' });
  const asked = { ...options, ...LEAST, out: join(folder, 'sorted') };
  const controller = new AbortController();
  const said: string[] = [];
  const hooks = {
    onSorted: ({ message }: Error) => void said.push(message),
    signal: controller.signal,
    onProgress: ({ stage }: { stage: string }) => {
      if (stage.endsWith('-classes')) controller.abort();
    },
  };
  const ended = await t.throwsAsync(run(asked, hooks));
  t.is((ended as { code?: string }).code, 'INTERRUPTED');
  t.is(said.length, 1);
  t.regex(said[0]!, /\d+ documents (and more )?take .* are left; memory \d+MB has room for them/);
  const report = await run({ out: asked.out, resume: true, ...LEAST });
  t.deepEqual(filesOf(asked.out), filesOf(expected));
  t.true(report.resumedJobs!.jobs >= 3);
});

test('what the disk does not take is refused with the reason, and the least size known so far', async (t) => {
  const { options } = prepared(t, { 'a.jsonl': `${LONG_IDS.join('\n')}\n` });
  const error = await t.throwsAsync(run({ ...options, ...LEAST, cluster: 'greedy' }));
  t.regex(
    error.message,
    /memory \d+MB has room for them; that is the least known so far: what follows may need more, and the disk does not take the run \(cluster greedy engine disk:/,
  );
});

const GONE = new Error('the writer is gone');

/** Standard input in small pieces; where it is `failing`, before the end. */
function pieces(failing = false): Readable {
  const bytes = Buffer.from(LONG_IDS.join('\n'));
  async function* all() {
    for (let from = 0; from < bytes.length; from += 50_000) {
      if (failing && from > bytes.length - 100_000) throw GONE;
      yield bytes.subarray(from, from + 50_000);
    }
  }
  return Readable.from(all());
}

test('standard input that has begun goes over to the disk: what was read comes from the spool, the rest as it comes', async (t) => {
  const { folder, options: places } = prepared(t, { 'z.txt': 'a text beside' });
  const options = { ...places, paths: ['-', ...places.paths] };
  const expected = join(folder, 'expected');
  await run({ ...options, out: expected, threads: 1, idField: 'id' }, { stdin: pieces() });
  const asked = { ...options, ...LEAST, out: join(folder, 'sorted') };
  const failed = await t.throwsAsync(run(asked, { stdin: pieces(true) }), { instanceOf: MinHashError });
  t.is(failed.code, 'INPUT_FAILED');
  t.is(failed.cause, GONE);
  for (const end of ['-sketch', '-classes']) {
    const controller = new AbortController();
    const said: string[] = [];
    const hooks = {
      stdin: pieces(),
      onSorted: ({ message }: Error) => void said.push(message),
      signal: controller.signal,
      onProgress: ({ stage }: { stage: string }) => {
        if (stage.endsWith(end)) controller.abort();
      },
    };
    const ended = await t.throwsAsync(run({ ...asked, force: true }, hooks), { instanceOf: MinHashError });
    t.is(ended.code, 'INTERRUPTED');
    t.regex(said.join(), /documents and more take .* memory \d+MB has room for them/);
    // Before all of it was read it must come again; after that nobody may ask for it.
    const stdin = end === '-sketch' ? pieces() : untouched();
    await run({ out: asked.out, resume: true, ...LEAST }, { stdin });
    t.deepEqual(filesOf(asked.out), filesOf(expected));
  }
  // A run beside a finished result, which it may replace, is taken up and goes over only then.
  const controller = new AbortController();
  const begun = { stdin: pieces(), signal: controller.signal, onProgress: () => controller.abort() };
  const ended = await t.throwsAsync(run({ ...asked, force: true, checkpointAfter: 0 }, begun));
  t.regex(ended.message, /^interrupted/);
  await run({ out: asked.out, resume: true, ...LEAST }, { stdin: pieces() });
  t.deepEqual(filesOf(asked.out), filesOf(expected));
});

test('a job that wrote a damaged block is run again when the run is resumed', async (t) => {
  const { folder, options } = prepared(t, FILES);
  const asked = { ...options, engine: 'disk', threads: 0, idField: 'id' } as const;
  const expected = join(folder, 'expected');
  await run({ ...options, out: expected, threads: 0, idField: 'id' });
  const untilBands = async (resume: boolean): Promise<Error> => {
    const controller = new AbortController();
    const onProgress = ({ stage }: { stage: string }): void => {
      if (stage.endsWith('-bands')) controller.abort();
    };
    return t.throwsAsync(run({ ...asked, resume }, { signal: controller.signal, onProgress }));
  };
  await untilBands(false);
  const jobs = join(options.out, '.work/cluster/jobs');
  // Tasks read the output of the first one, the recipe itself that of the other.
  for (const stage of ['-classes', '-facts']) {
    const name = readdirSync(jobs).find((job) => job.endsWith(stage))!;
    const attempt = readdirSync(join(jobs, name)).find((entry) => entry.startsWith('attempt-'))!;
    const path = join(jobs, name, attempt, 'part-00000');
    const bytes = readFileSync(path);
    bytes[1]! ^= 1;
    writeFileSync(path, bytes);
    const damaged = await t.throwsAsync(run({ ...asked, resume: true }));
    t.regex(damaged.message, /checksum/);
    t.regex((await untilBands(true)).message, /^interrupted/);
  }
  await run({ ...asked, resume: true });
  t.deepEqual(filesOf(options.out), filesOf(expected));
});
