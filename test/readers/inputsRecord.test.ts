import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { type Block, checkBlock, sealBlock } from '../../src/blocks/block.js';
import { type InputDifferences, InputsRecord } from '../../src/readers/inputsRecord.js';
import { UNKNOWN } from '../../src/readers/list/fileList.js';
import { listInputs } from '../../src/readers/list/inputs.js';
import { SIZED_FILES } from '../../src/readers/list/sizes.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const PARAMS = { input: 'auto', textFieldGiven: false, include: [], exclude: [] } as const;

function listed(...paths: string[]): InputsRecord {
  const { files, faults } = listInputs({ paths, outFolder: null, params: PARAMS });
  if (faults.length > 0) throw new Error(faults[0]!.detail);
  return new InputsRecord(files);
}

function complete(...paths: string[]): InputsRecord {
  const record = listed(...paths);
  record.lookOn(Number.POSITIVE_INFINITY);
  return record;
}

/** The record as it comes back from the disk. */
function written(record: InputsRecord): Block {
  const block = record.block({ note: 1 });
  sealBlock(block);
  return checkBlock(block.buffer.slice(0) as ArrayBuffer, 'inputs', 'test');
}

function differences(before: Block, ...paths: string[]): InputDifferences {
  return complete(...paths).differencesFrom(before, 5);
}

test('inputs that stayed as they were have no differences', (t) => {
  const folder = temporaryFolder(t, {
    'a.txt': 'one',
    'b/c.jsonl': '{}\n',
    'b/d.gz': 'x',
    'n\xff.txt': 'bytes',
  });
  const before = written(complete(folder));
  t.deepEqual(differences(before, folder), { named: [], count: 0 });
  // The same PATH in other words.
  t.deepEqual(differences(before, `${folder}/b/..`), { named: [], count: 0 });
});

test('no inputs are the same as no inputs, and differ from some', (t) => {
  const folder = temporaryFolder(t);
  const before = written(complete(folder));
  t.is(differences(before, folder).count, 0);
  writeFileSync(join(folder, 'a'), '');
  t.deepEqual(differences(before, folder), { named: [`${folder}/a: new`], count: 1 });
});

test('a file that is new, gone, longer or modified is named, and one that is only called otherwise', (t) => {
  const folder = temporaryFolder(t, { 'x/a': 'aaa', 'x/b': 'bbb', 'x/c': 'ccc', 'x/d': 'ddd', 'x/e': 'eee' });
  utimesSync(join(folder, 'x/c'), 1e9, 1e9);
  const before = written(complete(join(folder, 'x')));
  writeFileSync(join(folder, 'x/a'), 'aaaa');
  rmSync(join(folder, 'x/b'));
  writeFileSync(join(folder, 'x/f'), '');
  utimesSync(join(folder, 'x/c'), 1e9, 1e9 - 1);
  const { named, count } = differences(before, join(folder, 'x'));
  t.is(count, 4);
  t.deepEqual(named, [
    `${folder}/x/a: 3 bytes, now 4`,
    `${folder}/x/c: modified 2001-09-09T01:46:40.000Z, now 2001-09-09T01:46:39.000Z`,
    `${folder}/x/f: new`,
    `${folder}/x/b: gone`,
  ]);
  const outer = differences(written(complete(join(folder, 'x'))), folder);
  t.is(outer.count, 5);
  t.is(outer.named[0], `${folder}/x/a: called a, now x/a`);
});

test('a modification of less than a millisecond is a difference', (t) => {
  const folder = temporaryFolder(t, { a: 'aaa' });
  utimesSync(join(folder, 'a'), 1e9, 1e9 + 0.25);
  const before = written(complete(folder));
  utimesSync(join(folder, 'a'), 1e9, 1e9 + 0.2505);
  t.is(differences(before, folder).count, 1);
});

test('a file that cannot be looked at is the same as long as it cannot be', (t) => {
  const folder = temporaryFolder(t, { a: 'aaa', b: 'bbb' });
  const record = listed(folder);
  rmSync(join(folder, 'a'));
  record.lookOn(Number.POSITIVE_INFINITY);
  // It was listed with its size, which the plan of the run goes by.
  t.is(differences(written(record), folder).named[0], `${folder}/a: gone`);
});

test('a file that changes after it was looked at differs, though the record is written later', (t) => {
  const names = Object.fromEntries(Array.from({ length: SIZED_FILES + 10 }, (_, i) => [`f${i}`, 'xyz']));
  const folder = temporaryFolder(t, names);
  const record = listed(folder);
  const { files } = listInputs({ paths: [folder], outFolder: null, params: PARAMS });
  const index = files.sizes.indexOf(UNKNOWN);
  t.true(index > 0);
  record.lookAtSized();
  record.look(index);
  t.false(record.complete);
  writeFileSync(files.path(index), 'other');
  record.lookOn(10);
  t.false(record.complete);
  record.lookOn(Number.POSITIVE_INFINITY);
  t.true(record.complete);
  t.deepEqual(differences(written(record), folder).named, [`${files.path(index)}: 3 bytes, now 5`]);
});

test('standard input is an input that is never looked at', (t) => {
  const record = complete('-');
  const block = written(record);
  t.is(block.columns.times![0], 0);
  t.is(differences(block, '-').count, 0);
});

test('at most so many differences are named, and all are counted', (t) => {
  const change = fc.constantFrom('keep', 'longer', 'gone', 'moved');
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      const folder = temporaryFolder(t, { 'in/': '' });
      const top = join(folder, 'in');
      changes.forEach((_, i) => {
        mkdirSync(join(top, `${i % 3}`), { recursive: true });
        writeFileSync(join(top, `${i % 3}`, `${i}.txt`), 'text');
      });
      const before = written(complete(top));
      let expected = 0;
      changes.forEach((what, i) => {
        const path = join(top, `${i % 3}`, `${i}.txt`);
        if (what === 'longer') writeFileSync(path, 'longer');
        if (what === 'gone') rmSync(path);
        if (what === 'moved') renameSync(path, `${path}.moved`);
        expected += { keep: 0, longer: 1, gone: 1, moved: 2 }[what];
      });
      const { named, count } = differences(before, top);
      return count === expected && named.length === Math.min(5, expected);
    }),
    { seed: 1, numRuns: 50 },
  );
  t.pass();
});
