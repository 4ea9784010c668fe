import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ErrorCode, MinHashError } from '../../src/errors.js';
import { checkOutput, type OutputFolder, outputStateOf, prepareOutput } from '../../src/output/folder.js';
import { manifestOf } from '../../src/output/manifest.js';
import { type FileDoor, NODE_FILES } from '../../src/store/fileDoor.js';
import { writeFileAtomic } from '../../src/store/files.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { manifestFacts, STATS, textOf } from './resultSample.js';

const VERSION = '0.1.0';

function prepare(out: string, force = false): OutputFolder {
  return prepareOutput(out, { force, version: VERSION });
}

function finish(folder: OutputFolder): Promise<void> {
  return folder.finish(manifestOf(manifestFacts([])), STATS);
}

/** A finished result with files of every kind. */
async function finishedResult(t: ExecutionContext): Promise<string> {
  const out = join(temporaryFolder(t), 'out');
  const folder = prepare(out);
  for (const name of ['candidates/part-00000.tsv', 'pairs/part-00000.tsv', 'pairs/part-00001.tsv']) {
    writeFileAtomic(out, name, [Buffer.from(name)]);
  }
  writeFileAtomic(out, 'duplicates.tsv', []);
  writeFileAtomic(out, 'skipped.tsv', []);
  mkdirSync(join(out, '.work'));
  writeFileSync(join(out, '.work', 'block'), 'x');
  await finish(folder);
  return out;
}

function codesOf(out: string, force: boolean): string[] {
  return checkOutput(out, { force }).map((fault) => fault.code);
}

function refused(t: ExecutionContext, out: string, force: boolean, code: ErrorCode): void {
  t.deepEqual(codesOf(out, force), [code]);
  const error = t.throws(() => prepare(out, force), { instanceOf: MinHashError });
  t.is(error.code, code);
}

test('an absent folder is made with its parents, marked as unfinished', (t) => {
  const out = join(temporaryFolder(t), 'a/b/out');
  t.deepEqual(codesOf(out, false), []);
  t.false(existsSync(out));
  const folder = prepare(out);
  t.deepEqual(readdirSync(out).sort(), [
    '.mr-minhash',
    '.mr-minhash.lock',
    'candidates',
    'clusters',
    'pairs',
  ]);
  folder.abandon();
  t.deepEqual(readdirSync(out).sort(), ['.mr-minhash', 'candidates', 'clusters', 'pairs']);
  t.deepEqual(JSON.parse(textOf(out, '.mr-minhash')), {
    state: 'unfinished',
    tool: 'mr-minhash',
    version: VERSION,
  });
  t.is(outputStateOf(out).kind, 'unfinished');
});

test('an empty folder is taken, also one with nothing but the beginning of a marker', (t) => {
  const out = temporaryFolder(t);
  t.is(outputStateOf(out).kind, 'empty');
  writeFileSync(join(out, '.mr-minhash.tmp'), '{');
  t.is(outputStateOf(out).kind, 'empty');
  prepare(out);
  t.false(existsSync(join(out, '.mr-minhash.tmp')));
});

test('finish leaves result, _SUCCESS and no trace of the work', async (t) => {
  const out = await finishedResult(t);
  t.deepEqual(readdirSync(out).sort(), [
    '_SUCCESS',
    'candidates',
    'clusters',
    'duplicates.tsv',
    'manifest.json',
    'pairs',
    'skipped.tsv',
    'stats.json',
  ]);
  t.is(outputStateOf(out).kind, 'finished');
});

test('a finished result is refused without force, and stays with it until the new one is whole', async (t) => {
  const out = await finishedResult(t);
  const before = readdirSync(out, { recursive: true }).sort();
  refused(t, out, false, 'OUTPUT_EXISTS');
  const folder = prepare(out, true);
  t.is(folder.path, join(out, '.new'));
  const names = (): string[] => readdirSync(out, { recursive: true, encoding: 'utf8' }).sort();
  t.deepEqual(
    names().filter((name) => !/^\.new|\.lock$/.test(name)),
    before,
  );
  t.deepEqual(readdirSync(folder.path).sort(), ['.mr-minhash', 'candidates', 'clusters', 'pairs']);
  folder.abandon();
  t.is(outputStateOf(out).kind, 'finished');
  const again = prepare(out, true);
  await finish(again);
  t.deepEqual(readdirSync(out).sort(), [
    '_SUCCESS',
    'candidates',
    'clusters',
    'manifest.json',
    'pairs',
    'stats.json',
  ]);
  t.deepEqual(readdirSync(join(out, 'pairs')), []);
});

test('an unfinished run is replaced', (t) => {
  const out = join(temporaryFolder(t), 'out');
  prepare(out).abandon();
  writeFileSync(join(out, 'pairs', 'part-00000.jsonl.tmp'), 'half');
  prepare(out);
  t.deepEqual(readdirSync(join(out, 'pairs')), []);
});

test('a folder with other files is refused even with force, and nothing in it changes', (t) => {
  const out = temporaryFolder(t);
  writeFileSync(join(out, 'thesis.txt'), 'precious');
  refused(t, out, false, 'OUTPUT_FOREIGN');
  refused(t, out, true, 'OUTPUT_FOREIGN');
  // Names of ours do not make a folder ours.
  mkdirSync(join(out, 'pairs'));
  writeFileSync(join(out, 'pairs', 'part-00000.tsv'), 'precious');
  writeFileSync(join(out, '_SUCCESS'), '');
  writeFileSync(join(out, 'manifest.json'), '{"tool": "other"}');
  refused(t, out, true, 'OUTPUT_FOREIGN');
  writeFileSync(join(out, '.mr-minhash'), 'no JSON');
  refused(t, out, true, 'OUTPUT_FOREIGN');
  t.is(textOf(out, 'pairs/part-00000.tsv'), 'precious');
});

test('force never removes a result that nothing vouches for, and says what to do', async (t) => {
  const spoilt: readonly (readonly [name: string, spoil: (out: string) => void, because: RegExp])[] = [
    [
      'damaged',
      (out) => writeFileSync(join(out, 'manifest.json'), '{"tool": "mr-min'),
      /its manifest.json is damaged/,
    ],
    ['empty', (out) => writeFileSync(join(out, 'manifest.json'), ''), /its manifest.json is damaged/],
    ['gone', (out) => rmSync(join(out, 'manifest.json')), /it has no manifest.json/],
    ['no _SUCCESS', (out) => rmSync(join(out, '_SUCCESS')), /or has no _SUCCESS beside it/],
  ];
  for (const [name, spoil, because] of spoilt) {
    const out = await finishedResult(t);
    spoil(out);
    const before = readdirSync(out, { recursive: true }).sort();
    for (const force of [false, true]) {
      refused(t, out, force, 'OUTPUT_FOREIGN');
      const error = t.throws(() => prepare(out, force), { instanceOf: MinHashError });
      t.regex(error.message, because, name);
      t.regex(
        error.message,
        /looks like a result of mr-minhash, .* so nothing in it is removed \(choose another out or delete/,
      );
    }
    t.deepEqual(readdirSync(out, { recursive: true }).sort(), before, name);
  }
  // The same of a run that lost its marker.
  const out = join(temporaryFolder(t), 'out');
  prepare(out).abandon();
  writeFileSync(join(out, 'pairs', 'part-00000.tsv'), 'half');
  rmSync(join(out, '.mr-minhash'));
  refused(t, out, true, 'OUTPUT_FOREIGN');
  t.is(textOf(out, 'pairs/part-00000.tsv'), 'half');
});

test('force leaves files of others in a folder of ours alone', async (t) => {
  const out = await finishedResult(t);
  const others = [
    'notes.md',
    'pairs/part-00000.tsv.bak',
    'pairs/part-1.tsv',
    'duplicates.xlsx',
    'clusters/x',
  ];
  for (const name of others) writeFileSync(join(out, name), 'precious');
  mkdirSync(join(out, 'sub'));
  await finish(prepare(out, true));
  for (const name of others) t.is(textOf(out, name), 'precious');
  t.true(existsSync(join(out, 'sub')));
  t.false(existsSync(join(out, 'duplicates.tsv')));
  t.deepEqual(readdirSync(join(out, 'pairs')).sort(), ['part-00000.tsv.bak', 'part-1.tsv']);
});

for (const name of ['pairs', '.work', 'duplicates.tsv', 'candidates/part-00000.tsv', 'stats.json.tmp']) {
  test(`force does not remove through a link at ${name}`, async (t) => {
    const out = await finishedResult(t);
    const elsewhere = temporaryFolder(t);
    writeFileSync(join(elsewhere, 'part-00000.tsv'), 'precious');
    rmSync(join(out, name), { recursive: true, force: true });
    symlinkSync(name.includes('.tsv') ? join(elsewhere, 'part-00000.tsv') : elsewhere, join(out, name));
    refused(t, out, true, 'OUTPUT_FOREIGN');
    t.is(textOf(elsewhere, 'part-00000.tsv'), 'precious');
    t.true(existsSync(join(out, '_SUCCESS')));
  });
}

test('links inside .work are removed as links', (t) => {
  const out = join(temporaryFolder(t), 'out');
  const elsewhere = temporaryFolder(t);
  prepare(out).abandon();
  writeFileSync(join(elsewhere, 'file'), 'precious');
  mkdirSync(join(out, '.work'));
  symlinkSync(elsewhere, join(out, '.work', 'link'));
  prepare(out, true);
  t.false(existsSync(join(out, '.work')));
  t.is(textOf(elsewhere, 'file'), 'precious');
});

test('a folder where a file of ours belongs is not removed', async (t) => {
  const out = await finishedResult(t);
  mkdirSync(join(out, 'skipped.csv'));
  refused(t, out, true, 'OUTPUT_FOREIGN');
});

test('a link to a folder is followed where the user named it', (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'disk'));
  symlinkSync(join(root, 'disk'), join(root, 'out'));
  prepare(join(root, 'out'));
  t.true(existsSync(join(root, 'disk', '.mr-minhash')));
});

test('what cannot become a folder is OUTPUT_UNWRITABLE', (t) => {
  const root = temporaryFolder(t);
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
  symlinkSync(join(root, 'loop'), join(root, 'loop'));
  for (const out of ['file', 'file/under', 'dangling', 'loop', 'x'.repeat(5000), 'nul\0byte']) {
    refused(t, `${root}/${out}`, true, 'OUTPUT_UNWRITABLE');
  }
  refused(t, '', true, 'OUTPUT_UNWRITABLE');
  t.deepEqual(readdirSync(root).sort(), ['dangling', 'file', 'loop']);
});

test('a finish that fails leaves the run unfinished, and abandon removes what was half written', async (t) => {
  const out = join(temporaryFolder(t), 'out');
  let files = 0;
  const door: FileDoor = {
    ...NODE_FILES,
    // The lock, the marker, the manifest and the statistics get their names; _SUCCESS does not.
    rename: (from, to) => {
      if (++files > 4) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      NODE_FILES.rename(from, to);
    },
  };
  const folder = prepareOutput(out, { force: false, version: VERSION }, door);
  writeFileSync(join(out, 'pairs', 'part-00007.tsv.tmp'), 'half');
  writeFileSync(join(out, 'foreign.tmp'), 'precious');
  const error = await t.throwsAsync(() => finish(folder), { instanceOf: MinHashError });
  t.is(error.code, 'DISK_FULL');
  t.is(error.faults[0]!.detail, '_SUCCESS: no space is left on the device');
  folder.abandon();
  folder.abandon();
  t.is(outputStateOf(out).kind, 'unfinished');
  t.false(existsSync(join(out, '_SUCCESS')));
  t.deepEqual(readdirSync(join(out, 'pairs')), []);
  t.is(textOf(out, 'foreign.tmp'), 'precious');
});

test('a folder that vanished does not make abandon throw', async (t) => {
  const out = join(temporaryFolder(t), 'out');
  const folder = prepare(out);
  rmSync(out, { recursive: true });
  t.notThrows(() => folder.abandon());
  await t.throwsAsync(() => finish(folder), { instanceOf: MinHashError });
});

test('a crash between _SUCCESS and the removal of the marker is a finished result', async (t) => {
  const out = await finishedResult(t);
  writeFileSync(join(out, '.mr-minhash'), '{"tool": "mr-minhash"}');
  t.is(outputStateOf(out).kind, 'finished');
});
