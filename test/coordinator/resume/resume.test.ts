/** Runs that are taken up: the bytes of an undisturbed run, and only the work that was missing. */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { identityFaults } from '../../../src/coordinator/start/resume.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { outputStateOf } from '../../../src/output/folder.js';
import type { ManifestParameters } from '../../../src/output/manifest.js';
import { type Report, summaryLines } from '../../../src/output/report.js';
import { findRun, writeRunState } from '../../../src/output/runState.js';
import { UNKNOWN } from '../../../src/readers/list/fileList.js';
import { SIZED_FILES } from '../../../src/readers/list/sizes.js';
import { prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { interruptAt, mixedCorpus, STAGES, takeUp } from './takenUp.js';

const BLOCKS = 9;

interface Scene {
  readonly inputs: string;
  readonly options: RunOptions & { readonly paths: readonly string[]; readonly out: string };
  /** Of an undisturbed run. */
  readonly whole: Record<string, string>;
}

/** The bytes of undisturbed runs by their options; ids do not tell where the inputs lie. */
const wholes = new Map<string, Promise<Record<string, string>>>();

async function wholeOf(t: ExecutionContext, more: RunOptions): Promise<Record<string, string>> {
  const { options } = prepared(t, mixedCorpus());
  await run({ ...options, threshold: 0.5, ...more, threads: 0, keepWork: false });
  return resultBytes(options.out);
}

async function scene(t: ExecutionContext, more: RunOptions = {}): Promise<Scene> {
  const { inputs, options } = prepared(t, mixedCorpus());
  const { threads = 0, keepWork = false, ...result } = more;
  const key = JSON.stringify(result);
  const whole = wholes.get(key) ?? wholeOf(t, result);
  wholes.set(key, whole);
  return {
    inputs,
    options: { ...options, threshold: 0.5, threads, keepWork, ...result },
    whole: await whole,
  };
}

/** A report without what says how it came about. */
/** What was left out while the inputs were listed is told by the run that listed them. */
function plainly({ resumed: _, leftOut: __, ...report }: Report): object {
  return { ...report, files: report.files.toSorted((a, b) => (a.file < b.file ? -1 : 1)) };
}

function mismatches(error: unknown): string[] {
  if (!(error instanceof MinHashError)) throw error;
  return error.faults.map(({ code, detail, typed }) =>
    code === 'RESUME_MISMATCH' ? (typed ?? detail) : code,
  );
}

async function refusedWith(t: ExecutionContext, options: RunOptions): Promise<string[]> {
  const error = await t.throwsAsync(takeUp(options), { instanceOf: MinHashError });
  t.is((error as MinHashError).exitCode, 2);
  return mismatches(error);
}

/** The threads of both attempts. Tasks of several workers are on their way at once where it matters in each stage. */
const ATTEMPTS: Readonly<Record<(typeof STAGES)[number], readonly [number, number]>> = {
  sketch: [2, 2],
  bands: [2, 0],
  verify: [2, 1],
  // Of several workers the last may be done with writing before the interrupt of the first is heard.
  write: [0, 2],
};

for (const stage of STAGES) {
  const [threads, threadsAgain] = ATTEMPTS[stage];
  const how = `interrupted with ${threads} threads in the stage ${stage} and taken up with ${threadsAgain}`;
  test(`${how}: the same bytes`, async (t) => {
    const { options, whole } = await scene(t, { threads });
    await interruptAt(t, options, stage, stage === 'sketch' ? 4 : 1);
    t.false(existsSync(join(options.out, '_SUCCESS')));
    const { found, report, tasks } = await takeUp({ ...options, threads: threadsAgain });
    t.deepEqual(resultBytes(options.out), whole);
    if (found.kind !== 'taken up') return t.fail(found.kind);
    t.deepEqual(found.damage, []);
    // Those on their way when the interrupt came may have ended or not.
    if (stage === 'sketch') t.true(found.columnBlocks >= 4 && found.columnBlocks <= BLOCKS);
    else t.is(found.columnBlocks, BLOCKS);
    t.is(tasks.sketch, BLOCKS - found.columnBlocks);
    const { execution } = JSON.parse(readFileSync(join(options.out, 'stats.json'), 'utf8'));
    t.true(execution.documents_read_again > 0);
    t.deepEqual(report.resumed, {
      columnBlocks: found.columnBlocks,
      columnBlocksInAll: BLOCKS,
      damaged: 0,
    });
    t.regex(summaryLines(report).join('\n'), /^Resumed {5}\d+ of 9 column blocks$/m);
  });
}

test('with other shards, threads and memory no signature is made again', async (t) => {
  const { options, whole } = await scene(t);
  await interruptAt(t, { ...options, shards: 16, threads: 2 }, 'verify');
  const { tasks } = await takeUp({ ...options, shards: 7, threads: 1, memory: '100MB' });
  t.is(tasks.sketch, 0);
  t.deepEqual(resultBytes(options.out), whole);
});

test('a part sketched in 16 row chunks goes on in one, and the other way round', async (t) => {
  const { options, whole } = await scene(t);
  for (const [before, after] of [
    [16, 'auto'],
    ['auto', 7],
  ] as const) {
    await interruptAt(t, { ...options, shards: before, force: existsSync(options.out) }, 'sketch', 3);
    const { found } = await takeUp({ ...options, shards: after });
    t.is(found.kind, 'taken up');
    t.deepEqual(resultBytes(options.out), whole);
  }
});

test('a run is interrupted in every stage, one after the other, and each attempt goes on', async (t) => {
  const { options, whole } = await scene(t);
  await interruptAt(t, options, 'sketch', 2);
  for (const stage of STAGES) await interruptAt(t, { ...options, resume: true }, stage);
  const { tasks } = await takeUp(options);
  t.is(tasks.sketch, 0);
  t.deepEqual(resultBytes(options.out), whole);
});

test('without PATH a run has the PATHs and options of its first attempt; given ones go over them', async (t) => {
  const { options, whole } = await scene(t, { bands: 20, rows: 4 });
  await interruptAt(t, { ...options, shards: 3 }, 'verify');
  const { found, report } = await takeUp({ out: options.out, threads: 1 });
  t.is(found.kind, 'taken up');
  t.is(report.parameters.threshold, 0.5);
  t.deepEqual(resultBytes(options.out), whole);
  const stats = JSON.parse(readFileSync(join(options.out, 'stats.json'), 'utf8'));
  t.is(stats.execution.shards, 3);
  t.is(stats.execution.threads, 1);
});

test('every parameter that differs is named, with what it was and is, and nothing changes', async (t) => {
  const { options, whole } = await scene(t);
  await interruptAt(t, options, 'verify');
  const before = readdirSync(options.out, { recursive: true }).sort();
  const other = { threshold: 0.6, seed: 2, shingle: 'words:3', include: ['**/*.txt'], recall: 0.9 };
  const named = await refusedWith(t, { ...options, ...other });
  t.deepEqual(
    named.filter((text) => text.startsWith('--')),
    [
      '--bands was 42, is 32',
      '--include was [], is ["**/*.txt"]',
      '--recall was 0.95, is 0.9',
      '--rows was 3, is 4',
      '--seed was 1, is 2',
      '--shingle was words:5, is words:3',
      '--threshold was 0.5, is 0.6',
    ],
  );
  t.deepEqual(readdirSync(options.out, { recursive: true }).sort(), before);
  t.is((await takeUp(options)).tasks.sketch, 0);
  t.deepEqual(resultBytes(options.out), whole);
});

test('every kind of difference between inputs is named, five at most, and nothing changes', async (t) => {
  const { inputs, options, whole } = await scene(t);
  const touched = join(inputs, 'texts/1/1.txt');
  utimesSync(touched, 1e9, 1e9);
  await interruptAt(t, options, 'verify');
  const kept = readFileSync(join(inputs, 'texts/0/1.txt'));
  appendFileSync(join(inputs, 'texts/0/1.txt'), ' more');
  utimesSync(touched, 1e9, 1e9 + 1);
  writeFileSync(join(inputs, 'texts/new.txt'), 'new');
  const named = await refusedWith(t, options);
  t.is(named.length, 3);
  t.regex(named[0]!, /^input \/.*\/texts\/0\/1\.txt: \d+ bytes, now \d+$/);
  t.regex(named[1]!, /^input \/.*\/texts\/1\/1\.txt: modified 2001-.*Z, now 2001-.*Z$/);
  t.regex(named[2]!, /^input \/.*\/texts\/new\.txt: new$/);
  for (let i = 0; i < 4; i++) rmSync(join(inputs, `texts/5/${i}.txt`));
  const more = await refusedWith(t, options);
  t.is(more.length, 6);
  t.is(more[5], '2 more inputs differ');
  // Back to what they were but for the time of one: that one alone is named.
  rmSync(join(inputs, 'texts/new.txt'));
  for (const [name, content] of Object.entries(mixedCorpus())) {
    if (name.startsWith('texts/5/')) writeFileSync(join(inputs, name), content);
  }
  writeFileSync(join(inputs, 'texts/0/1.txt'), kept);
  utimesSync(touched, 1e9, 1e9);
  t.is((await refusedWith(t, options)).length, 5);
  t.is(outputStateOf(options.out).kind, 'unfinished');
  await run({ ...options, force: true });
  t.deepEqual(resultBytes(options.out), whole);
});

test('an input that changed while it was interrupted is found, though nobody had read it yet', async (t) => {
  const { inputs, options } = await scene(t);
  await interruptAt(t, options, 'sketch', 1);
  appendFileSync(join(inputs, 'z.jsonl.gz'), 'x');
  t.regex((await refusedWith(t, options)).join(), /z\.jsonl\.gz: \d+ bytes, now \d+/);
});

test('another version is named', async (t) => {
  const { options } = await scene(t);
  await interruptAt(t, options, 'verify');
  const found = findRun(options.out);
  if (found.kind !== 'found') return t.fail(found.kind);
  writeRunState(options.out, { ...found.state, version: '0.0.9' }, found.inputs);
  t.regex((await refusedWith(t, options)).join(), /^it is of version 0\.0\.9, this is \d/);
  writeRunState(options.out, { ...found.state, unicode: '14.0.0' }, found.inputs);
  t.deepEqual(await refusedWith(t, options), ['its Unicode tables are of version 14.0.0, these of 15.0.0']);
});

test('of parameters with one name and two values each is compared', (t) => {
  const of = (threshold: number, inner: number) => {
    const parameters = {
      shingle: { unit: 'words', size: 5 },
      keep: [],
      seed: 1,
      threshold,
      more: { threshold: inner, seed: 1 },
    };
    return { version: '1', unicode: '15', parameters: parameters as unknown as ManifestParameters };
  };
  const differences = (before: ReturnType<typeof of>, now: ReturnType<typeof of>) =>
    identityFaults(before, now).map(({ detail }) => detail);
  t.deepEqual(differences(of(0.5, 0.7), of(0.5, 0.7)), []);
  t.deepEqual(differences(of(0.5, 0.7), of(0.6, 0.7)), ['--threshold was 0.5, is 0.6']);
  t.deepEqual(differences(of(0.5, 0.7), of(0.5, 0.8)), ['more.threshold was 0.7, is 0.8']);
});

test('--resume begins a run where there is none, and starts over where nothing was noted', async (t) => {
  const { options, whole } = await scene(t);
  const first = await takeUp(options);
  t.deepEqual(first.found, { kind: 'nothing' });
  t.is(first.report.resumed, undefined);
  t.deepEqual(resultBytes(options.out), whole);
  rmSync(options.out, { recursive: true });
  await interruptAt(t, options, 'verify');
  rmSync(join(options.out, '.work'), { recursive: true });
  const { found } = await takeUp(options);
  t.is(
    found.kind === 'over' && found.why,
    'the earlier attempt ended before it kept anything (--checkpoint-after)',
  );
  t.deepEqual(resultBytes(options.out), whole);
});

test('a run that did not last leaves nothing in .work, and starts over', async (t) => {
  const { options, whole } = await scene(t);
  await interruptAt(t, { ...options, checkpointAfter: '1h' }, 'write');
  t.false(existsSync(join(options.out, '.work')));
  const { found } = await takeUp(options);
  t.is(found.kind, 'over');
  t.deepEqual(resultBytes(options.out), whole);
});

test('a file that changed after it was read is named, one that was not read may change', async (t) => {
  const texts = Array.from({ length: 2 * SIZED_FILES }, (_, i) => [`${i}.txt`, `text ${i % 50} of many`]);
  const { inputs, options } = prepared(t, Object.fromEntries(texts));
  for (const [name] of texts) utimesSync(join(inputs, name!), 1e9, 1e9);
  const more = { ...options, threads: 0, threshold: 0.5 };
  await run(more);
  const whole = resultBytes(options.out);
  await interruptAt(t, { ...more, force: true }, 'sketch', 2);
  const found = findRun(join(options.out, '.new'));
  if (found.kind !== 'found') return t.fail(found.kind);
  const { times, idOffsets, idBytes } = found.inputs.columns;
  const idOf = (i: number): string =>
    Buffer.from((idBytes as Uint8Array).subarray(idOffsets![i]!, idOffsets![i + 1]!)).toString();
  const unknown = Array.from(times!, (time, i) => (time === UNKNOWN ? idOf(i) : '')).filter(
    (id) => id !== '',
  );
  const [first, last] = [join(inputs, unknown[0]!), join(inputs, unknown.at(-1)!)];
  appendFileSync(first, 'x');
  const named = (await refusedWith(t, more)).join();
  t.regex(named, /\.txt: \d+ bytes, now \d+$/);
  truncateSync(first, statSync(first).size - 1);
  utimesSync(first, 1e9, 1e9);
  utimesSync(last, 2e9, 2e9);
  const taken = await takeUp({ out: options.out });
  t.is(taken.found.kind, 'taken up');
  t.deepEqual(resultBytes(options.out), whole);
});

test('a finished result is finished: its report comes again, and nothing is read', async (t) => {
  const { inputs, options, whole } = await scene(t);
  const before = await run(options);
  appendFileSync(join(inputs, 'texts/0/1.txt'), ' more');
  for (const again of [options, { out: options.out }]) {
    const { found, report } = await takeUp(again);
    t.is(found.kind, 'finished');
    t.is(report.resumed, 'finished');
    t.deepEqual(plainly(report), plainly(before));
    t.regex(summaryLines(report).join('\n'), /^Resumed {5}all of it was done$/m);
  }
  t.deepEqual(resultBytes(options.out), whole);
  t.deepEqual(await refusedWith(t, { ...options, seed: 3 }), ['--seed was 1, is 3']);
});

test('a finished result of a reference is finished', async (t) => {
  const { inputs, options } = await scene(t);
  const paths = { paths: [join(inputs, 'texts/1')], against: [join(inputs, 'texts/0')] };
  await run({ ...options, ...paths });
  t.is((await takeUp({ ...options, ...paths })).found.kind, 'finished');
});

test('a finished result of other PATHs is refused, and with its work of other files', async (t) => {
  const { inputs, options } = await scene(t);
  await run(options);
  const other = join(inputs, 'texts');
  t.deepEqual(await refusedWith(t, { ...options, paths: [other], seed: 3 }), [
    '--seed was 1, is 3',
    `PATH ${inputs} was given then and is not now`,
    `PATH ${other} was not given then`,
  ]);
  t.deepEqual(await refusedWith(t, { ...options, paths: [inputs, other] }), [
    `PATH ${other} was not given then`,
  ]);
  const { found } = await takeUp({ ...options, paths: [`${other}/../`] });
  t.deepEqual(found, { kind: 'finished', inputsCompared: false });
  await run({ ...options, force: true, keepWork: true });
  const { found: kept } = await takeUp({ ...options, keepWork: true });
  t.deepEqual(kept, { kind: 'finished', inputsCompared: true });
  appendFileSync(join(inputs, 'texts/0/1.txt'), ' more');
  const [changed, ...others] = await refusedWith(t, { out: options.out, keepWork: true });
  t.regex(changed!, /^input .*texts\/0\/1\.txt: \d+ bytes, now \d+$/);
  t.deepEqual(others, []);
});

test('a finished result that lost a file is named as damaged, and nothing else happens', async (t) => {
  const { options } = await scene(t);
  await run(options);
  rmSync(join(options.out, 'duplicates.tsv'));
  rmSync(join(options.out, 'pairs/part-00000.tsv'));
  const error = await t.throwsAsync(takeUp(options), { instanceOf: MinHashError });
  t.is(error.code, 'RESULT_DAMAGED');
  const place = join(options.out, 'duplicates.tsv');
  t.true(error.message.includes(`${place}: missing, and 1 more fault (verifyResult(folder) tells more`));
  t.false(existsSync(place));
});

test('a finished result with a flipped byte or another count is damaged, other files beside it are none', async (t) => {
  const { options } = await scene(t);
  await run(options);
  writeFileSync(join(options.out, 'mine.txt'), '');
  t.is((await takeUp(options)).found.kind, 'finished');
  const forced = await run({ ...options, force: true });
  t.deepEqual(forced.others, ['mine.txt']);
  t.true(
    forced.warnings.includes(
      `1 file or folder in ${options.out} that is not of mr-minhash stayed there: mine.txt. verify will name it, too.`,
    ),
  );
  const damages: readonly (readonly [file: string, from: RegExp, to: string, said: RegExp])[] = [
    ['pairs/part-00000.tsv', /near\n/, 'nfar\n', /part-00000\.tsv: SHA-256: expected [0-9a-f]{64}, found /],
    [
      'manifest.json',
      /"dropped":( ?)(\d+)/,
      '"dropped":$11$2',
      /manifest\.json: counts: expected counts that /,
    ],
  ];
  for (const [file, from, to, said] of damages) {
    const path = join(options.out, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(from, to));
    const error = await t.throwsAsync(takeUp({ out: options.out }), { instanceOf: MinHashError });
    t.is(error.code, 'RESULT_DAMAGED');
    t.regex(error.message, said);
    writeFileSync(path, text);
  }
});

test('where the marker holds no options, the message says that none are noted', async (t) => {
  const { options } = await scene(t);
  await interruptAt(t, options, 'verify');
  writeFileSync(join(options.out, '.mr-minhash'), '{"tool": "mr-minhash"}');
  const none = await t.throwsAsync(takeUp({ out: options.out }), { instanceOf: MinHashError });
  t.is(none.code, 'NO_INPUT');
  t.regex(none.message, /the unfinished run in .* notes none any more; give its paths and options again/);
});

test('PATHs and flags are there from the first moment of a run, before its inputs are noted', async (t) => {
  const { options, whole } = await scene(t);
  await interruptAt(t, options, 'verify');
  rmSync(join(options.out, '.work'), { recursive: true });
  const { report, found } = await takeUp({ out: options.out });
  t.is(found.kind, 'over');
  t.is(report.counts.read > 0, true);
  t.deepEqual(resultBytes(options.out), whole);
});

test('what a process left that ended right after _SUCCESS is removed', async (t) => {
  const { options, whole } = await scene(t, { keepWork: true });
  await run(options);
  t.true(existsSync(join(options.out, '.work', 'run.json')));
  writeFileSync(join(options.out, '.mr-minhash'), '{"tool": "mr-minhash"}');
  await takeUp({ ...options, keepWork: false });
  t.deepEqual(resultBytes(options.out), whole);
});

test('--keep-work keeps .work, and a finished result with it is replaced as any other', async (t) => {
  const { options, whole } = await scene(t);
  const work = (): string[] => readdirSync(join(options.out, '.work')).sort();
  await run({ ...options, keepWork: true, checkpointAfter: 3600 });
  t.deepEqual(work(), ['inputs.block', 'run.json']);
  await run({ ...options, keepWork: true, checkpointAfter: 0, force: true });
  t.deepEqual(work(), ['durable-000000.log', 'inputs.block', 'made-000000', 'run.json']);
  t.is(outputStateOf(options.out).kind, 'finished');
  await run({ ...options, force: true });
  t.deepEqual(resultBytes(options.out), whole);
});

test('a folder without a noted run has no PATHs to take, and --force is no --resume', async (t) => {
  const { options } = await scene(t);
  t.deepEqual(await refusedWith(t, { out: options.out }), ['NO_INPUT']);
  t.deepEqual(await refusedWith(t, { ...options, force: true }), ['OPTION_INVALID']);
});

test('an unfinished run is refused without --resume and --force', async (t) => {
  const { options } = await scene(t);
  await interruptAt(t, options, 'verify');
  const error = await t.throwsAsync(run(options), { instanceOf: MinHashError });
  t.is((error as MinHashError).code, 'OUTPUT_UNFINISHED');
  t.regex(error!.message, /resume: true.*force: true/);
});
