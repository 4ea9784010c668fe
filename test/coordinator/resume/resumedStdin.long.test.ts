/** Standard input comes once: a run over it is taken up from what was spooled, if that is all of it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { resumeCommand } from '../../../cli/show/resume.js';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import { findRun, fingerprintOf } from '../../../src/output/runState.js';
import type { VerifyMode } from '../../../src/sketch/params.js';
import { LogReader } from '../../../src/store/blockLog.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { interruptAt, takeUp, untouched } from './takenUp.js';

/** Near copies, three chunks of them, with lines that are no records. */
const LINES = (() => {
  const random = randomFrom(31);
  const lines: string[] = [];
  for (let family = 0; family < 12; family++) {
    // Many bytes in few words, which take little time.
    const page = wordsFrom(random, 900).map((word) => word.padEnd(59, 'a'));
    for (let i = 0; i < 12; i++) {
      lines.push(JSON.stringify({ id: `${family}/${i}`, text: edited(random, page, 6).join(' ') }));
    }
    lines.push('no JSON');
  }
  return `${lines.join('\n')}\n`;
})();

const all = (): Readable => Readable.from([LINES]);

function stopper() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

async function scene(t: ExecutionContext, verify: VerifyMode, isAlone = false) {
  const { folder, options: places } = prepared(t, { 'more.txt': 'a text beside' });
  const paths = isAlone ? ['-'] : [...places.paths, '-'];
  const options = { ...places, paths, threads: 0, threshold: 0.5, verify };
  const report = await run({ ...options, out: join(folder, 'whole') }, { stdin: all() });
  t.true(report.counts.verified_pairs > 0);
  return { folder, options, whole: resultBytes(join(folder, 'whole')) };
}

for (const verify of ['exact', 'signature'] as const) {
  test(`all of it was there: it is not touched again, with --verify ${verify}`, async (t) => {
    const { options, whole } = await scene(t, verify);
    for (const stage of ['bands', 'verify', 'write'] as const) {
      await interruptAt(t, { ...options, force: true }, stage, 1, { stdin: all() });
      t.not(resumeCommand(options.out), null);
      const { tasks, found } = await takeUp({ out: options.out }, { stdin: untouched() });
      t.is(found.kind, 'taken up');
      t.is(tasks.sketch, 0);
      t.deepEqual(resultBytes(options.out), whole);
    }
  });
}

test('a column block that is damaged is sketched anew from the spool', async (t) => {
  const { options, whole } = await scene(t, 'exact');
  await interruptAt(t, options, 'verify', 1, { stdin: all() });
  const found = findRun(options.out);
  if (found.kind !== 'found') return t.fail(found.kind);
  const path = join(options.out, '.work/durable-000000.log');
  const bytes = readFileSync(path);
  for (const { name, place } of new LogReader(path).blocks(fingerprintOf(found.state))) {
    if (name.startsWith('signatures/')) bytes[place.offset + 5]! ^= 1;
  }
  writeFileSync(path, bytes);
  const { tasks } = await takeUp(options, { stdin: untouched() });
  t.true(tasks.sketch! > 2);
  t.deepEqual(resultBytes(options.out), whole);
});

test('a part of it was there: it is read anew, and no command to go on was named', async (t) => {
  const { options, whole } = await scene(t, 'exact');
  await interruptAt(t, options, 'sketch', 1, { stdin: all() });
  t.is(resumeCommand(options.out), null);
  const cut = await takeUp(options, { stdin: all() });
  t.is(cut.found.kind === 'over' && cut.found.why, 'not all of standard input is there, so it is read anew');
  t.deepEqual(resultBytes(options.out), whole);
});

/** The first `share` of all of it, and then silence, which is told: whoever writes is still there. */
function begun(share: number, silent: () => void): Readable {
  const bytes = Buffer.from(LINES);
  const pieces = [bytes.subarray(0, Math.floor(share * bytes.length))];
  return new Readable({
    read() {
      const piece = pieces.pop();
      if (piece === undefined) setImmediate(silent);
      else this.push(piece);
    },
  });
}

test('it was stopped while somebody was still writing: what came is not taken for all of it', async (t) => {
  const { options, whole } = await scene(t, 'exact', true);
  for (const { threads, share } of [
    { threads: 0, share: 0.01 },
    { threads: 0, share: 0.8 },
    { threads: 1, share: 0.8 },
  ]) {
    const { signal, abort } = stopper();
    const running = run({ ...options, threads, force: true }, { stdin: begun(share, abort), signal });
    const error = await t.throwsAsync(running, { instanceOf: MinHashError });
    t.is(error.code, 'INTERRUPTED');
    t.is(resumeCommand(options.out), null);
    const nothing = takeUp(options, { stdin: Readable.from([]) });
    t.is((await t.throwsAsync(nothing, { instanceOf: MinHashError })).code, 'RESUME_MISMATCH');
    const { found } = await takeUp(options, { stdin: all() });
    t.is(found.kind, 'over');
    t.deepEqual(resultBytes(options.out), whole);
  }
});

test('a part of it was there and nothing comes now: that is no run of 0 documents', async (t) => {
  const { options, whole } = await scene(t, 'exact');
  await interruptAt(t, options, 'sketch', 1, { stdin: all() });
  for (let attempt = 0; attempt < 2; attempt++) {
    const error = await t.throwsAsync(takeUp(options, { stdin: Readable.from([]) }), {
      instanceOf: MinHashError,
    });
    t.is(error.code, 'RESUME_MISMATCH');
    t.regex(error.message, /not all of standard input was read then, and nothing came on it now/);
    t.is(resumeCommand(options.out), null);
  }
  await takeUp(options, { stdin: all() });
  t.deepEqual(resultBytes(options.out), whole);
  // Nor is it one for who says so, and what is there stays.
  const nothing = run({ ...options, paths: ['-'], force: true }, { stdin: Readable.from([]) });
  t.is((await t.throwsAsync(nothing, { instanceOf: MinHashError })).code, 'NOTHING_READ');
  t.deepEqual(resultBytes(options.out), whole);
});

test('it was there whole and is damaged now: the run is refused, whatever stands on standard input, and starts over', async (t) => {
  const { options, whole } = await scene(t, 'exact');
  await interruptAt(t, options, 'verify', 1, { stdin: all() });
  const folder = join(options.out, '.work/spool');
  const path = join(folder, readdirSync(folder)[0]!);
  const bytes = readFileSync(path);
  bytes[100]! ^= 1;
  writeFileSync(path, bytes);
  const error = await t.throwsAsync(takeUp(options, { stdin: all() }), { instanceOf: MinHashError });
  t.is(error.code, 'RESUME_MISMATCH');
  t.regex(error.message, /what was kept of it is damaged \(.*\.whole: expected SHA-256 \w+, found/);
  await run({ ...options, force: true }, { stdin: all() });
  t.deepEqual(resultBytes(options.out), whole);
});
