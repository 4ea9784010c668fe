import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { joinPath } from '../../../src/readers/list/pathIds.js';
import { entriesIn, isWithin, walkTree } from '../../../src/readers/list/walk.js';
import { LoopTurns } from '../../../src/store/turns.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

function walked(top: string): string[] {
  const files: string[] = [];
  const visitor = {
    file: (folder: string, name: string) => files.push(joinPath(folder, name)),
    link: (folder: string, name: string) => files.push(`${joinPath(folder, name)} link`),
    skip: (relative: string, code: string) => files.push(`${relative} ${code}`),
  };
  atOnce(walkTree(top, null, visitor));
  return files;
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : 1);

test('walkTree visits files in the order of their paths by bytes', (t) => {
  const part = fc.string({ unit: fc.constantFrom('a', '-', '0', '\xff'), minLength: 1, maxLength: 2 });
  // `f` ends every file and no folder, so none is both.
  const file = fc.array(part, { maxLength: 3 }).map((parts) => [...parts, 'f'].join('/'));
  const flat = part.map((name) => `${name}f`);
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(file, flat), { maxLength: 20 }), (names) => {
      const top = temporaryFolder(t, Object.fromEntries(names.map((name) => [name, ''])));
      t.deepEqual(walked(top), names.sort(byBytes));
    }),
    { seed: 1, numRuns: 40 },
  );
});

test('a folder comes where its slash puts it', (t) => {
  const top = temporaryFolder(t, { 'a/x': '', 'a-': '', 'a.txt': '', a0: '', 'a-b/x': '' });
  t.deepEqual(walked(top), ['a-', 'a-b/x', 'a.txt', 'a/x', 'a0']);
});

test('a folder whose name another one begins with is not the one that has its files', (t) => {
  t.true(isWithin('/a/b', '/a/b') && isWithin('/a/b', '/a/b/c') && isWithin('/', '/a'));
  t.false(isWithin('/a/b', '/a/bc') || isWithin('/a/b', '/a'));
});

test('walkTree tells links in their places and follows none', (t) => {
  const top = temporaryFolder(t, { b: 'bb', 'c/d': '' });
  symlinkSync('b', join(top, 'a'));
  symlinkSync('..', join(top, 'c/a'));
  symlinkSync('nowhere', join(top, 'c/e'));
  t.deepEqual(walked(top), ['a link', 'b', 'c/a link', 'c/d', 'c/e link']);
});

test('entriesIn looks each entry up where the file system tells no types', (t) => {
  const top = temporaryFolder(t, { 'd/x': '', 'd-': '' });
  symlinkSync('d', join(top, 'link'));
  writeFileSync(Buffer.from(`${top}/\xff`, 'latin1'), '');
  const untyped = (): never => {
    throw new TypeError('The "path" argument must be of type string');
  };
  const found = atOnce(entriesIn(top, untyped))!;
  t.deepEqual(found.names, ['d-', 'd/', 'link', '\xff']);
  t.deepEqual([...found.others], [['link', 'link']]);
  const typed = atOnce(entriesIn(top))!;
  t.deepEqual([typed.names, typed.others], [found.names, found.others]);
  t.is(atOnce(entriesIn(`${top}/nowhere`, untyped)), null);
  t.is(atOnce(entriesIn(`${top}/nowhere`)), null);
});

/** An entry as a file system with types gives it: of a folder where the name ends with a slash. */
function entryOf(name: string) {
  const isFolder = name.endsWith('/');
  return {
    name: name.replace('/', ''),
    isFile: () => !isFolder,
    isDirectory: () => isFolder,
    isSymbolicLink: () => false,
  };
}

test('entriesIn puts entries in order however they come', (t) => {
  const parts = [['b', 'a/'], ['a.', 'a0'], []].map((names) => names.map(entryOf));
  t.deepEqual(atOnce(entriesIn('/', () => parts))!.names, ['a.', 'a/', 'a0', 'b']);
});

test('a large folder is read in parts, and put in order in steps', (t) => {
  const names = Array.from({ length: 40_000 }, (_, i) => `${'long-name-'.repeat(10)}${(i * 7_919) % 40_000}`);
  // A file system in memory says 20 bytes a name, others more.
  const few = names.slice(0, 14_000);
  const top = temporaryFolder(t, Object.fromEntries(few.map((name) => [name, ''])));
  const stepsOf = (steps: ReturnType<typeof entriesIn>) => {
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    return { count, names: step.value!.names };
  };
  const real = stepsOf(entriesIn(top));
  t.deepEqual(real.names, few.sort(byBytes));
  t.true(real.count >= 3, `${real.count} steps for 14,000 names of a real folder`);
  const one = stepsOf(entriesIn('/', () => [names.map(entryOf)]));
  t.deepEqual(one.names, names.sort(byBytes));
  t.true(one.count > 5, `${one.count} steps to put 40,000 names in order`);
});

test('a signal is heard inside a folder that does not end', async (t) => {
  let isOpen = true;
  function* endless() {
    try {
      for (let i = 0; ; i++) yield [entryOf(`${i}`)];
    } finally {
      isOpen = false;
    }
  }
  const signal = new AbortController();
  // In a turn of its own, as signals of the process come.
  setImmediate(() => signal.abort());
  await t.throwsAsync(new LoopTurns(signal.signal).through(entriesIn('/', endless)), {
    message: /interrupted/i,
  });
  t.false(isOpen);
});
