/**
 * Damage of everything in `.work` of an interrupted run: it is named, not believed, and made anew, and the result has the
 * bytes of an undisturbed run.
 */
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type RunOptions, run } from '../../../src/index.js';
import { findRun, fingerprintOf } from '../../../src/output/runState.js';
import { type LoggedBlock, LogReader } from '../../../src/store/blockLog.js';
import { prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { interruptAt, mixedCorpus, type TakenUp, takeUp } from './takenUp.js';

const LOG = '.work/durable-000000.log';

interface Interrupted {
  readonly options: RunOptions;
  /** The folder of the interrupted run; it is copied for each damage. */
  readonly left: string;
  readonly out: string;
  readonly whole: Record<string, string>;
  readonly blocks: readonly LoggedBlock[];
}

/** A run that was interrupted when its files were about to be written, so everything that is kept is there. */
async function interrupted(t: ExecutionContext): Promise<Interrupted> {
  const { folder, options: places } = prepared(t, mixedCorpus());
  const options = { ...places, threads: 0, threshold: 0.5 };
  await run({ ...options, out: join(folder, 'whole') });
  const left = join(folder, 'left');
  await interruptAt(t, { ...options, out: left }, 'write');
  const found = findRun(left);
  if (found.kind !== 'found') throw new Error(found.kind);
  const reader = new LogReader(join(left, LOG));
  const blocks = [...reader.blocks(fingerprintOf(found.state))];
  t.deepEqual(reader.damage, []);
  return { options, left, out: options.out, whole: resultBytes(join(folder, 'whole')), blocks };
}

/** Damages a copy of the interrupted run and takes it up. */
async function after(one: Interrupted, damage: (file: (name: string) => string) => void): Promise<TakenUp> {
  rmSync(one.out, { recursive: true, force: true });
  cpSync(one.left, one.out, { recursive: true });
  damage((name) => join(one.out, name));
  return takeUp({ ...one.options, out: one.out });
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = bytes[at]! ^ 0x10;
  writeFileSync(path, bytes);
}

/** One block of each kind: the first of its name's first part. */
function oneOfEach(blocks: readonly LoggedBlock[]): LoggedBlock[] {
  const kinds = new Map<string, LoggedBlock>();
  for (const block of blocks) {
    const kind = block.name.split('/', 1)[0]!;
    if (!kinds.has(kind)) kinds.set(kind, block);
  }
  return [...kinds.values()];
}

const COLUMN_BLOCKS = 9;

test('every kind of block, flipped or cut off, is named by file and offset and made anew', async (t) => {
  const one = await interrupted(t);
  const kinds = oneOfEach(one.blocks);
  const names = kinds.map(({ name }) => name.split('/', 1)[0]!);
  t.deepEqual(names.sort(), ['documents', 'signatures']);
  for (const { name, place } of kinds) {
    const { offset, length } = place;
    for (const at of [offset, offset + length - 1]) {
      const { found, tasks } = await after(one, (file) => flip(file(LOG), at));
      if (found.kind !== 'taken up') return t.fail(found.kind);
      t.is(found.damage.length, 1, `${name} flipped at ${at}`);
      const [damage] = found.damage;
      t.is(damage!.path, join(one.out, LOG));
      t.is(damage!.offset, offset);
      t.is(damage!.expected, `checksum ${place.checksum.toString(16).padStart(8, '0')}`);
      t.regex(damage!.found, /^checksum [0-9a-f]{8}$/);
      t.is(found.columnBlocks, COLUMN_BLOCKS - 1);
      t.is(tasks.sketch, 1);
      t.deepEqual(resultBytes(one.out), one.whole, `${name} flipped at ${at}`);
    }
    for (const end of [offset + length - 1, offset]) {
      const { found } = await after(one, (file) => truncateSync(file(LOG), end));
      if (found.kind !== 'taken up') return t.fail(found.kind);
      // As a kill leaves it: told, and no damage.
      t.deepEqual(found.damage, [], `${name} cut off at ${end}`);
      t.is(found.cut.length, 1);
      t.is(found.cut[0]!.path, join(one.out, LOG));
      t.true(found.cut[0]!.bytes > end - offset);
      t.deepEqual(resultBytes(one.out), one.whole, `${name} cut off at ${end}`);
    }
  }
});

test('the head of a record, its name and its report are as safe as the block', async (t) => {
  const one = await interrupted(t);
  const { name, place } = one.blocks[4]!;
  const before = one.blocks[3]!.place;
  const start = Math.ceil((before.offset + before.length) / 64) * 64;
  for (let at = start; at < place.offset; at += 17) {
    const { found } = await after(one, (file) => flip(file(LOG), at));
    if (found.kind !== 'taken up') return t.fail(found.kind);
    // Padding behind name and report is no part of them.
    if (at < start + 36 || at >= start + 64) t.is(found.damage.length, 1, `${name} at ${at - start}`);
    t.deepEqual(resultBytes(one.out), one.whole, `${name} at ${at - start}`);
  }
});

test('a log of another run, an empty one and none at all give nothing', async (t) => {
  const one = await interrupted(t);
  const damages: readonly (readonly [name: string, (path: string) => void, noted: number, cut: number])[] = [
    ['another fingerprint', (path) => flip(path, 12), 1, 0],
    ['no log', (path) => flip(path, 0), 1, 0],
    ['empty', (path) => truncateSync(path, 0), 0, 1],
    ['cut in its head', (path) => truncateSync(path, 63), 0, 1],
    ['nothing but its head', (path) => truncateSync(path, 64), 0, 0],
    ['gone', (path) => rmSync(path), 1, 0],
  ];
  for (const [name, damage, noted, cut] of damages) {
    const { found, tasks } = await after(one, (file) => damage(file(LOG)));
    if (found.kind !== 'taken up') return t.fail(`${name}: ${found.kind}`);
    t.is(found.damage.length, noted, name);
    t.is(found.cut.length, cut, name);
    if (name === 'gone') t.is(found.damage[0]!.found, 'no file');
    t.is(found.columnBlocks, 0, name);
    t.is(tasks.sketch, COLUMN_BLOCKS, name);
    t.deepEqual(resultBytes(one.out), one.whole, name);
  }
});

test('a log of another run with other parameters in its place is not believed', async (t) => {
  const one = await interrupted(t);
  const { folder } = prepared(t, {});
  const other = join(folder, 'other');
  await interruptAt(t, { ...one.options, out: other, seed: 9 }, 'write');
  const { found } = await after(one, (file) => cpSync(join(other, LOG), file(LOG)));
  if (found.kind !== 'taken up') return t.fail(found.kind);
  t.is(found.damage[0]!.expected, 'a log of this run');
  t.is(found.columnBlocks, 0);
  t.deepEqual(resultBytes(one.out), one.whole);
});

test('a damage of what the run noted of itself is named, and the run starts over', async (t) => {
  const one = await interrupted(t);
  for (const name of ['.work/run.json', '.work/inputs.block']) {
    const { size } = statSync(join(one.left, name));
    for (const damage of [
      (path: string) => flip(path, size >> 1),
      (path: string) => truncateSync(path, size >> 1),
      (path: string) => truncateSync(path, 0),
    ]) {
      const { found, tasks } = await after(one, (file) => damage(file(name)));
      if (found.kind !== 'over') return t.fail(`${name}: ${found.kind}`);
      t.is(found.why, 'what it noted is damaged');
      t.is(found.damage[0]!.path, join(one.out, name));
      t.is(tasks.sketch, COLUMN_BLOCKS);
      t.deepEqual(resultBytes(one.out), one.whole, name);
    }
  }
});

test('a damage while the run that was taken up reads is told with the way to go on', async (t) => {
  const one = await interrupted(t);
  const { place } = one.blocks.find(({ name }) => name.startsWith('signatures/'))!;
  rmSync(one.out, { recursive: true, force: true });
  cpSync(one.left, one.out, { recursive: true });
  const options = { ...one.options, out: one.out, resume: true };
  const onResume = (): void => flip(join(one.out, LOG), place.offset);
  const error = await t.throwsAsync(run(options, { onResume }), { code: 'BLOCK_CHECKSUM' });
  t.regex(error!.message, new RegExp(`${LOG}, offset ${place.offset}: expected .*, found .*resume: true`));
  const { found } = await takeUp(options);
  t.is(found.kind === 'taken up' && found.columnBlocks, COLUMN_BLOCKS - 1);
  t.deepEqual(resultBytes(one.out), one.whole);
});
