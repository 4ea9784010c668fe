/** The walk below a folder. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { joinPath } from '../../../src/readers/list/pathIds.js';
import { entriesIn, isWithin, walkTree } from '../../../src/readers/list/walk.js';
import { LoopTurns } from '../../../src/store/turns.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const TURNS = new LoopTurns(undefined);

async function walked(top: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const step of walkTree(top, null, TURNS)) {
    if ('isResult' in step) continue;
    for (const name of step.names) paths.push(joinPath(step.folder, name));
  }
  return paths;
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : 1);

test('walkTree visits files in the order of their paths by bytes', async (t) => {
  const part = fc.string({ unit: fc.constantFrom('a', '-', '0', '\xff'), minLength: 1, maxLength: 2 });
  // `f` ends every file and no folder, so none is both.
  const file = fc.array(part, { maxLength: 3 }).map((parts) => [...parts, 'f'].join('/'));
  const flat = part.map((name) => `${name}f`);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.oneof(file, flat), { maxLength: 20 }), async (names) => {
      const top = temporaryFolder(t, Object.fromEntries(names.map((name) => [name, ''])));
      t.deepEqual(await walked(top), names.sort(byBytes));
    }),
    { seed: 1, numRuns: 40 },
  );
});

test('a folder is visited where its slash sorts it', async (t) => {
  const top = temporaryFolder(t, { 'a/x': '', 'a-': '', 'a.txt': '', a0: '', 'a-b/x': '' });
  t.deepEqual(await walked(top), ['a-', 'a-b/x', 'a.txt', 'a/x', 'a0']);
});

test('a folder whose name another one begins with is not the one that has its files', (t) => {
  t.true(isWithin('/a/b', '/a/b') && isWithin('/a/b', '/a/b/c') && isWithin('/', '/a'));
  t.false(isWithin('/a/b', '/a/bc') || isWithin('/a/b', '/a'));
});

test('entries are looked up if the file system reports no types', async (t) => {
  const top = temporaryFolder(t, { 'd/x': '', 'd-': '' });
  symlinkSync('d', join(top, 'link'));
  writeFileSync(Buffer.from(`${top}/\xff`, 'latin1'), '');
  const untyped = (): never => {
    throw new TypeError('The "path" argument must be of type string');
  };
  const found = (await entriesIn(top, TURNS, untyped))!;
  t.deepEqual(found.names, ['d-', 'd/', 'link', '\xff']);
  t.deepEqual([...found.others], [['link', 'link']]);
  const typed = (await entriesIn(top, TURNS))!;
  t.deepEqual([typed.names, typed.others], [found.names, found.others]);
  t.is(await entriesIn(`${top}/nowhere`, TURNS, untyped), null);
  t.is(await entriesIn(`${top}/nowhere`, TURNS), null);
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

test('entries are sorted, in whatever order they come', async (t) => {
  const parts = [['b', 'a/'], ['a.', 'a0'], []].map((names) => names.map(entryOf));
  t.deepEqual((await entriesIn('/', TURNS, () => parts))!.names, ['a.', 'a/', 'a0', 'b']);
});

test('an interrupt ends the reading of an endless folder', async (t) => {
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
  const walking = entriesIn('/', new LoopTurns(signal.signal), endless);
  await t.throwsAsync(walking, { message: /interrupted/i });
  t.false(isOpen);
});
