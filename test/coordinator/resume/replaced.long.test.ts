/**
 * Runs with --force over a finished result that fail, are interrupted or killed: the old result stays until the new one is
 * whole. Every step of taking its place: test/output/takingPlace.test.ts; here some, with SIGKILL.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { resumeCommand } from '../../../cli/show/resume.js';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import { openResult, verifyResult } from '../../../src/index.js';
import type { RunOptions } from '../../../src/options/check.js';
import { outputStateOf } from '../../../src/output/folder.js';
import { replacementIn } from '../../../src/output/replacement.js';
import { NODE_FILES } from '../../../src/store/fileDoor.js';
import { prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { killedRun, momentsOf } from './killedRun.js';
import { interruptAt, mixedCorpus, STAGES, takeUp } from './takenUp.js';

const TRUE_DOOR = { ...NODE_FILES };
test.afterEach.always(() => {
  Object.assign(NODE_FILES, TRUE_DOOR);
});

/** An old result with a file of somebody beside it, and what the new one is to be. */
async function scene(t: ExecutionContext) {
  const { folder, options: places } = prepared(t, mixedCorpus());
  const options: RunOptions & { out: string } = { ...places, threads: 0, threshold: 0.5, force: true };
  await run({ ...options, out: join(folder, 'whole') });
  await run({ ...options, threshold: 0.9, force: false });
  writeFileSync(join(options.out, 'notes.md'), 'theirs');
  const notes = { 'notes.md': 'theirs' };
  const whole = { ...resultBytes(join(folder, 'whole')), ...notes };
  return { options, old: resultBytes(options.out), whole };
}

/** What is there without what is beside it. */
function thereIn(out: string): Record<string, string> {
  const all = Object.entries(resultBytes(out));
  return Object.fromEntries(all.filter(([name]) => !/^\.new\/|\.lock/.test(name)));
}

test.serial(
  'interrupted in any stage the old result stays, and --resume goes on with the new one',
  async (t) => {
    const { options, old, whole } = await scene(t);
    for (const stage of STAGES) {
      await interruptAt(t, { ...options }, stage);
      t.deepEqual(thereIn(options.out), old, stage);
      t.true((await openResult(options.out)).counts.documents !== undefined);
      const { faults, replacement } = await verifyResult(options.out);
      t.deepEqual(
        faults.map(({ file }) => file),
        ['notes.md'],
      );
      t.is(replacement, 'unfinished');
      t.is(resumeCommand(options.out), `mr-minhash run --resume --out ${options.out}`);
    }
    const refused = run({ ...options, force: false });
    const error = await t.throwsAsync(refused, { instanceOf: MinHashError });
    t.is(error.code, 'OUTPUT_EXISTS');
    t.regex(
      error.message,
      /in its \.new, an unfinished run that is to replace it, which --resume goes on with/,
    );
    // Another run than the one that is beside it is not taken up.
    const other = takeUp({ ...options, force: false, threshold: 0.9 });
    t.is((await t.throwsAsync(other, { instanceOf: MinHashError })).code, 'RESUME_MISMATCH');
    t.deepEqual(thereIn(options.out), old);
    const { found, report } = await takeUp({ out: options.out, threads: 1 });
    t.is(found.kind === 'taken up' && found.columnBlocks, 9);
    t.is(report.parameters.threshold, 0.5);
    t.deepEqual(resultBytes(options.out), whole);
  },
);

test.serial(
  'killed with SIGKILL while the new result takes its place: whole, or made whole by the next run',
  async (t) => {
    const { options, old, whole } = await scene(t);
    const other = { ...options, out: `${options.out}2` };
    t.is((await momentsOf({ ...other, force: true }, 'replace')).size, 0);
    await run(other);
    const calls = (await momentsOf(other, 'replace')).get('write')!;
    // Marker, files, manifest, _SUCCESS, and folders that are synced.
    t.true(calls > 15, String(calls));
    const seen = new Set<string>();
    for (const [share, how] of [
      [0.25, 'force'],
      [0.4, 'resume'],
      [1, 'resume'],
    ] as const) {
      await run({ ...options, threshold: 0.9 });
      t.deepEqual(resultBytes(options.out), old);
      const nth = 1 + Math.floor((calls - 1) * share);
      const { code, said } = await killedRun(options, 'replace', nth);
      t.is(code, null, said);
      const [state, replacement] = [outputStateOf(options.out).kind, replacementIn(options.out)];
      seen.add(`${state} ${replacement}`);
      if (state === 'finished') {
        const isNew = /"threshold": ?0\.5\b/.test(readFileSync(join(options.out, 'manifest.json'), 'utf8'));
        t.deepEqual(
          { ...thereIn(options.out), '.mr-minhash': '' },
          { ...(isNew ? whole : old), '.mr-minhash': '' },
          said,
        );
      } else {
        t.is(replacement, 'whole', said);
        await t.throwsAsync(openResult(options.out), {
          message: /its new result is whole and was taking the place/,
        });
        await t.throwsAsync(verifyResult(options.out), {
          message: /its new result is whole and was taking the place/,
        });
        t.is(resumeCommand(options.out), `mr-minhash run --resume --out ${options.out}`);
        t.is(
          (await t.throwsAsync(run({ ...options, force: false }), { instanceOf: MinHashError })).code,
          'OUTPUT_UNFINISHED',
        );
      }
      if (how === 'resume') t.is((await takeUp({ out: options.out, threads: 0 })).report.resumed, 'finished');
      else await run(options);
      t.deepEqual(resultBytes(options.out), whole, said);
    }
    t.true(seen.has('unfinished whole'), [...seen].join());
  },
);

/** Bytes of all files below a folder. */
function bytesBelow(folder: string): number {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.reduce((sum, name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stats?.isFile() ? stats.size : 0);
  }, 0);
}

test.serial(
  'a disk with room for the old result or the new one, and not for both: the old one stays',
  async (t) => {
    const { options, whole } = await scene(t);
    await run({ ...options, threshold: 0.9, keepWork: true });
    writeFileSync(join(options.out, '.work/large'), new Uint8Array(2e6));
    const old = resultBytes(options.out);
    // The new one takes some 300 KB with its work.
    const room = 2.1e6;
    NODE_FILES.free = () => Math.max(0, room - bytesBelow(`${options.out}2`));
    await run({ ...options, out: `${options.out}2` });
    NODE_FILES.free = () => Math.max(0, room - bytesBelow(options.out));
    const error = await t.throwsAsync(run(options), { instanceOf: MinHashError });
    t.is(error.code, 'DISK_FULL');
    t.deepEqual(thereIn(options.out), old);
    Object.assign(NODE_FILES, TRUE_DOOR);
    await takeUp({ ...options, force: false });
    t.deepEqual(resultBytes(options.out), whole);
  },
);

test.serial('a failing --force over an unfinished run or nothing leaves what it always left', async (t) => {
  const { options } = await scene(t);
  const out = `${options.out}3`;
  await interruptAt(t, { ...options, out, force: false }, 'verify');
  await interruptAt(t, { ...options, out }, 'verify');
  t.is(outputStateOf(out).kind, 'unfinished');
  t.false(existsSync(join(out, '.new')));
  t.is(JSON.parse(readFileSync(join(out, '.mr-minhash'), 'utf8')).state, 'unfinished');
});
