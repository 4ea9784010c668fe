import { createHash } from 'node:crypto';
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import { writeRows } from '../../src/result/tables/rows.js';
import { type FileSystem, NODE_FILES } from '../../src/store/fileSystem.js';
import { AtomicFile, systemCodeOf, writeFileAtomic } from '../../src/store/files.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { textOf } from '../result/resultSample.js';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: words of the platform`), { code });
}

/** A file system in which one kind of call fails. */
function failing(call: keyof FileSystem, code: string): FileSystem {
  return {
    ...NODE_FILES,
    [call]: () => {
      throw systemError(code);
    },
  };
}

test('writeFileAtomic writes the chunks in order and reports size and digest', (t) => {
  const root = temporaryFolder(t);
  const written = writeFileAtomic(root, 'x.json', [Buffer.from('ab'), Buffer.from(''), Buffer.from('c')]);
  t.is(textOf(root, 'x.json'), 'abc');
  t.deepEqual(written, {
    file: 'x.json',
    rows: 0,
    bytes: 3,
    sha256: createHash('sha256').update('abc').digest('hex'),
  });
  t.deepEqual(readdirSync(root), ['x.json']);
});

test('a file system that writes one byte at a time gets every byte', (t) => {
  const root = temporaryFolder(t);
  const slow: FileSystem = {
    ...NODE_FILES,
    write: (descriptor, bytes, offset) => NODE_FILES.write(descriptor, bytes.subarray(0, offset + 1), offset),
  };
  writeFileAtomic(root, 'x', [Buffer.from('several bytes')], slow);
  t.is(textOf(root, 'x'), 'several bytes');
});

for (const call of ['open', 'write', 'sync', 'close', 'rename'] as const) {
  test(`writeFileAtomic whose ${call} fails leaves no trace, and an older file as it was`, (t) => {
    const root = temporaryFolder(t);
    writeFileSync(join(root, 'old'), 'old');
    for (const name of ['new', 'old']) {
      const error = t.throws(() => writeFileAtomic(root, name, [Buffer.from('x')], failing(call, 'ENOSPC')), {
        instanceOf: MinHashError,
      });
      t.is(error.code, 'DISK_FULL');
      t.is(error.problems[0]!.detail, `${name}: no space is left on the device`);
      t.notRegex(error.message, /platform/);
    }
    t.deepEqual(readdirSync(root), ['old']);
    t.is(textOf(root, 'old'), 'old');
  });
}

test('rows whose writing fails leave no partial file', (t) => {
  const root = temporaryFolder(t);
  const error = t.throws(() =>
    writeRows({ root, file: 'duplicates.tsv' }, ['document'], () => {
      throw systemError('ENOSPC');
    }),
  );
  t.is(systemCodeOf(error), 'ENOSPC');
  t.deepEqual(readdirSync(root), []);
});

test('writeFileAtomic reports a missing folder, and a file instead of a folder', (t) => {
  const root = temporaryFolder(t);
  const absent = t.throws(() => writeFileAtomic(root, 'pairs/part-00000.tsv', []), {
    instanceOf: MinHashError,
  });
  t.is(absent.problems[0]!.detail, 'pairs/part-00000.tsv: its folder is no longer there');
  writeFileSync(join(root, 'pairs'), '');
  const under = t.throws(() => writeFileAtomic(root, 'pairs/part-00000.tsv', []), {
    instanceOf: MinHashError,
  });
  t.is(under.problems[0]!.detail, 'pairs/part-00000.tsv: a file is where a folder is needed');
});

test('a link at the temporary name is not written through', (t) => {
  const root = temporaryFolder(t);
  writeFileSync(join(root, 'precious'), 'precious');
  symlinkSync(join(root, 'precious'), join(root, 'x.tmp'));
  writeFileAtomic(root, 'x', [Buffer.from('new')]);
  t.is(textOf(root, 'precious'), 'precious');
  t.is(textOf(root, 'x'), 'new');
  t.false(existsSync(join(root, 'x.tmp')));
});

test('a bug is not reported as a full disk', (t) => {
  const root = temporaryFolder(t);
  const chunks = (function* () {
    yield Buffer.from('x');
    throw new RangeError('defect');
  })();
  t.throws(() => writeFileAtomic(root, 'x', chunks), { instanceOf: RangeError });
  t.deepEqual(readdirSync(root), []);
});

test('AtomicFile abandoned twice removes its temporary and does not throw', (t) => {
  const root = temporaryFolder(t);
  const file = new AtomicFile(root, 'x');
  file.append(Buffer.from('x'));
  t.deepEqual(readdirSync(root), ['x.tmp']);
  file.abandon();
  file.abandon();
  t.deepEqual(readdirSync(root), []);
});

test('a file that could not be written is closed', (t) => {
  const file = new AtomicFile(temporaryFolder(t), 'x', failing('write', 'ENOSPC'));
  t.true(file.isOpen);
  t.throws(() => file.append(Buffer.from('a')), { code: 'DISK_FULL' });
  t.false(file.isOpen);
});
