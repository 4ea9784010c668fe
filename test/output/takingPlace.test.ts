/** A new result that takes the place of an old one, ended at every step; with real kills: test/coordinator/resume/replaced.long.test.ts. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type OutputFolder, outputStateOf, prepareOutput, runFolderOf } from '../../src/output/folder.js';
import { manifestOf } from '../../src/output/manifest.js';
import { readManifest } from '../../src/output/readManifest.js';
import { replacementIn } from '../../src/output/replacement.js';
import { type FileDoor, NODE_FILES } from '../../src/store/fileDoor.js';
import { writeFileAtomic } from '../../src/store/files.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { manifestFacts, STATS } from './resultSample.js';

const VERSION = '0.1.0';

/** Makes a result with a text in each of its files, named by `parts`. */
function fill(folder: OutputFolder, parts: readonly string[], text: string): Promise<void> {
  const files = parts.map((name) =>
    writeFileAtomic(folder.path, name, [Buffer.from(`${name} ${text}`)], QUICK),
  );
  mkdirSync(join(folder.path, '.work'), { recursive: true });
  writeFileSync(join(folder.path, '.work/block'), text);
  return folder.finish(manifestOf(manifestFacts(files)), { ...STATS, execution: { text } });
}

const OLD = [
  'candidates/part-00000.tsv',
  'pairs/part-00000.tsv',
  'pairs/part-00001.tsv',
  'duplicates.tsv',
  'eliminated.tsv',
];
const NEW = [
  'candidates/part-00000.tsv',
  'clusters/part-00000.tsv',
  'pairs/part-00000.tsv',
  'duplicates.tsv',
  'skipped.csv',
];
const THEIRS = ['notes.md', 'pairs/mine.txt'];

/** Without waiting for the disk. */
const QUICK: FileDoor = { ...NODE_FILES, sync: () => {}, syncFolder: () => {} };

/** Names and bytes, but for the lock of a process that ended. */
function bytesIn(out: string): Record<string, string> {
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter(
    (name) => !/\.lock|^(\.new\/)?(\.new|\.work|candidates|clusters|pairs)$/.test(name),
  );
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(out, name), 'utf8')]));
}

async function oldResult(t: ExecutionContext): Promise<string> {
  const out = join(temporaryFolder(t), 'out');
  await fill(prepareOutput(out, { force: false, version: VERSION }, QUICK), OLD, 'old');
  for (const name of THEIRS) writeFileSync(join(out, name), 'theirs');
  return out;
}

class Ended extends Error {}

/** A door after whose first `calls` calls that write the process is no more: nothing happens any longer. */
function doorOf(calls: number): FileDoor & { readonly left: () => number } {
  let left = calls;
  const ending = Object.entries(QUICK).map(([name, real]) => [
    name,
    (...words: unknown[]): unknown => {
      if (left-- <= 0) throw new Ended(name);
      return (real as (...words: unknown[]) => unknown)(...words);
    },
  ]);
  return { ...(Object.fromEntries(ending) as unknown as FileDoor), left: () => left };
}

/** What a lock leaves whose process ended; here it lives. */
function unlock(out: string): void {
  for (const name of readdirSync(out)) if (name.includes('.lock')) rmSync(join(out, name));
}

test('--force over a half replaced result finishes that first, so that a whole one stays', async (t) => {
  for (let calls = 1; ; calls++) {
    const out = await oldResult(t);
    const door = doorOf(calls);
    try {
      await fill(prepareOutput(out, { force: true, version: VERSION }, door), NEW, 'new');
      return t.fail('no call ended it half way');
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    if (outputStateOf(out).kind === 'finished') continue;
    unlock(out);
    const folder = prepareOutput(out, { force: true, version: VERSION }, QUICK);
    t.is(outputStateOf(out).kind, 'finished');
    t.is(Object.keys(readManifest(out).files).join(), [...NEW].sort().join());
    folder.discard();
    t.false(existsSync(join(out, '.new')));
    t.is(runFolderOf(out), join(out, '.new'));
    return;
  }
});

test('a new result of which a file is gone is not whole, and never takes the place of the old one', async (t) => {
  const out = await oldResult(t);
  const door = { ...QUICK };
  door.rename = (from, to) => {
    NODE_FILES.rename(from, to);
    if (to.endsWith('.new/_SUCCESS'))
      door.open = () => {
        throw new Ended();
      };
  };
  await t.throwsAsync(() => fill(prepareOutput(out, { force: true, version: VERSION }, door), NEW, 'new'), {
    instanceOf: Ended,
  });
  unlock(out);
  t.is(replacementIn(out), 'whole');
  writeFileSync(join(out, '.new/duplicates.tsv'), 'shorter');
  t.is(replacementIn(out), 'unfinished');
  t.is(readFileSync(join(out, 'duplicates.tsv'), 'utf8'), 'duplicates.tsv old');
});

test('a .new that is not ours is refused, and nothing in it changes', async (t) => {
  const makers: readonly ((path: string, elsewhere: string) => void)[] = [
    (path) => writeFileSync(path, 'a file'),
    (path, elsewhere) => symlinkSync(elsewhere, path),
    (path) => {
      mkdirSync(path);
      writeFileSync(join(path, 'manifest.json'), 'theirs');
    },
    (path, elsewhere) => {
      mkdirSync(path);
      symlinkSync(elsewhere, join(path, 'pairs'));
    },
  ];
  for (const make of makers) {
    const out = await oldResult(t);
    const elsewhere = temporaryFolder(t);
    writeFileSync(join(elsewhere, 'part-00000.tsv'), 'theirs');
    make(join(out, '.new'), elsewhere);
    t.throws(() => prepareOutput(out, { force: true, version: VERSION }, QUICK), { code: 'OUTPUT_FOREIGN' });
    t.deepEqual(readdirSync(elsewhere), ['part-00000.tsv']);
  }
});

test('what a run made that read nothing goes, with the folder that was made for it', async (t) => {
  const fresh = join(temporaryFolder(t), 'out');
  prepareOutput(fresh, { force: false, version: VERSION }, QUICK).discard();
  t.false(existsSync(fresh));
  const theirs = temporaryFolder(t);
  prepareOutput(theirs, { force: false, version: VERSION }, QUICK).discard();
  t.deepEqual(readdirSync(theirs), []);
  const out = await oldResult(t);
  const before = bytesIn(out);
  const folder = prepareOutput(out, { force: true, version: VERSION }, QUICK);
  writeFileAtomic(folder.path, 'pairs/part-00000.tsv', [Buffer.from('new')]);
  folder.discard();
  t.deepEqual(bytesIn(out), before);
  t.false(existsSync(join(out, '.new')));
});
