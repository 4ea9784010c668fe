/** Comparing the inputs of a run with those of an earlier one. */
import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type Block, checkBlock, sealBlock } from '../../src/blocks/block.js';
import type { OpenedColumns } from '../../src/blocks/documents.js';
import { differencesFrom, type InputDifferences, inputsBlock } from '../../src/readers/inputsRecord.js';
import { UNKNOWN } from '../../src/readers/list/fileList.js';
import type { FileTable } from '../../src/readers/list/fileTable.js';
import { listInputs } from '../../src/readers/list/inputs.js';
import { SIZED_FILES } from '../../src/readers/list/sizes.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { readParams } from './recordingSink.js';

const PARAMS = { ...readParams(), textFieldGiven: false, include: [], exclude: [] };

async function listed(...paths: string[]): Promise<FileTable> {
  const { files, problems } = await listInputs({ paths, outFolder: null, params: PARAMS });
  if (problems.length > 0) throw new Error(problems[0]!.detail);
  return files;
}

/** The record as it comes back from the disk. */
function written(files: FileTable): Block {
  const block = inputsBlock(files);
  sealBlock(block);
  return checkBlock(block.buffer.slice(0) as ArrayBuffer, 'inputs', 'test');
}

async function differences(before: Block, ...paths: string[]): Promise<InputDifferences> {
  return differencesFrom(await listed(...paths), before, 5);
}

test('inputs that stayed as they were have no differences', async (t) => {
  const folder = temporaryFolder(t, {
    'a.txt': 'one',
    'b/c.jsonl': '{}\n',
    'b/d.gz': 'x',
    'n\xff.txt': 'bytes',
  });
  const before = written(await listed(folder));
  t.deepEqual(await differences(before, folder), { named: [], count: 0 });
  // The same PATH in other words.
  t.deepEqual(await differences(before, `${folder}/b/..`), { named: [], count: 0 });
});

test('no inputs are the same as no inputs, and differ from some', async (t) => {
  const folder = temporaryFolder(t);
  const before = written(await listed(folder));
  t.is((await differences(before, folder)).count, 0);
  writeFileSync(join(folder, 'a'), '');
  t.deepEqual(await differences(before, folder), { named: [`${folder}/a: new`], count: 1 });
});

test('a file that is new, gone, longer or modified is named, and one that is only called otherwise', async (t) => {
  const folder = temporaryFolder(t, { 'x/a': 'aaa', 'x/b': 'bbb', 'x/c': 'ccc', 'x/d': 'ddd', 'x/e': 'eee' });
  utimesSync(join(folder, 'x/c'), 1e9, 1e9);
  const before = written(await listed(join(folder, 'x')));
  writeFileSync(join(folder, 'x/a'), 'aaaa');
  rmSync(join(folder, 'x/b'));
  writeFileSync(join(folder, 'x/f'), '');
  utimesSync(join(folder, 'x/c'), 1e9, 1e9 - 1);
  const { named, count } = await differences(before, join(folder, 'x'));
  t.is(count, 4);
  t.deepEqual(named, [
    `${folder}/x/a: 3 bytes, now 4`,
    `${folder}/x/c: modified 2001-09-09T01:46:40.000Z, now 2001-09-09T01:46:39.000Z`,
    `${folder}/x/f: new`,
    `${folder}/x/b: gone`,
  ]);
  const outer = await differences(written(await listed(join(folder, 'x'))), folder);
  t.is(outer.count, 5);
  t.is(outer.named[0], `${folder}/x/a: called a, now x/a`);
});

test('a modification of less than a millisecond is a difference', async (t) => {
  const folder = temporaryFolder(t, { a: 'aaa' });
  utimesSync(join(folder, 'a'), 1e9, 1e9 + 0.25);
  const before = written(await listed(folder));
  utimesSync(join(folder, 'a'), 1e9, 1e9 + 0.2505);
  t.is((await differences(before, folder)).count, 1);
});

test('a file that cannot be looked at any more is gone', async (t) => {
  const folder = temporaryFolder(t, { a: 'aaa', b: 'bbb' });
  const record = await listed(folder);
  rmSync(join(folder, 'a'));
  // It was listed with its size, which the plan of the run goes by.
  t.deepEqual((await differences(written(record), folder)).named, [`${folder}/a: gone`]);
});

/** So many files that not all are looked at when they are listed, and one that is not. */
async function manyFiles(t: ExecutionContext): Promise<{
  folder: string;
  record: FileTable;
  index: number;
  path: string;
}> {
  const names = Object.fromEntries(Array.from({ length: SIZED_FILES + 10 }, (_, i) => [`f${i}`, 'xyz']));
  const folder = temporaryFolder(t, names);
  const { files } = await listInputs({ paths: [folder], outFolder: null, params: PARAMS });
  const index = files.sizes.indexOf(UNKNOWN);
  return { folder, record: await listed(folder), index, path: files.path(index) };
}

const opened = (file: number, bytes: number, time: number): OpenedColumns => ({
  files: Uint32Array.of(file),
  bytes: Float64Array.of(bytes),
  times: Float64Array.of(time),
});

test('the state of a file when it was opened is compared', async (t) => {
  const { folder, record, index, path } = await manyFiles(t);
  const { size, mtimeMs } = statSync(path);
  record.noteOpened(opened(index, size, mtimeMs));
  const before = written(record);
  utimesSync(path, 1e9, 1e9);
  const { named, count } = await differences(before, folder);
  t.is(count, 1);
  t.regex(named[0]!, /: modified .*, now 2001-09-09T01:46:40.000Z$/);
});

test('standard input is an input that is never looked at', async (t) => {
  const record = await listed('-');
  const block = written(record);
  t.is(block.columns.times![0], 0);
  t.is((await differences(block, '-')).count, 0);
});

test('at most so many differences are named, and all are counted', async (t) => {
  const change = fc.constantFrom('keep', 'longer', 'gone', 'moved');
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const folder = temporaryFolder(t, { 'in/': '' });
      const top = join(folder, 'in');
      changes.forEach((_, i) => {
        mkdirSync(join(top, `${i % 3}`), { recursive: true });
        writeFileSync(join(top, `${i % 3}`, `${i}.txt`), 'text');
      });
      const before = written(await listed(top));
      let expected = 0;
      changes.forEach((what, i) => {
        const path = join(top, `${i % 3}`, `${i}.txt`);
        if (what === 'longer') writeFileSync(path, 'longer');
        if (what === 'gone') rmSync(path);
        if (what === 'moved') renameSync(path, `${path}.moved`);
        expected += { keep: 0, longer: 1, gone: 1, moved: 2 }[what];
      });
      const { named, count } = await differences(before, top);
      return count === expected && named.length === Math.min(5, expected);
    }),
    { seed: 1, numRuns: 50 },
  );
  t.pass();
});
