import test from 'ava';
import { pathFilter } from '../../../src/readers/list/filter.js';

const PATHS = [
  'a.py',
  'b.txt',
  'build',
  'src/a.py',
  'src/build/x.py',
  'src/deep/er/a.py',
  'src/v1.2/c.txt',
  'x/src/d.py',
];

const wanted = (include: string[], exclude: string[] = []): string[] => {
  const { wants } = pathFilter(include, exclude);
  return PATHS.filter(wants);
};
const without = (...exclude: string[]): string[] => {
  const left = new Set(wanted([], exclude));
  return PATHS.filter((path) => !left.has(path));
};

// The answers are those of `git check-ignore` for a .gitignore with the glob.
test('a glob without a slash matches names in any folder', (t) => {
  t.deepEqual(wanted(['*.py']), ['a.py', 'src/a.py', 'src/build/x.py', 'src/deep/er/a.py', 'x/src/d.py']);
  t.deepEqual(without('*.py'), wanted(['*.py']));
  t.deepEqual(without('a.*'), ['a.py', 'src/a.py', 'src/deep/er/a.py']);
  t.deepEqual(wanted(['*.{txt,md}', 'x.py']), ['b.txt', 'src/build/x.py', 'src/v1.2/c.txt']);
});

test('a glob with a slash matches paths from the PATH on, and a slash at its start says so', (t) => {
  t.deepEqual(wanted(['/*.py']), ['a.py']);
  t.deepEqual(wanted(['./*.py']), ['a.py']);
  t.deepEqual(wanted(['src/*.py']), ['src/a.py']);
  t.deepEqual(wanted(['src/**/*.py']), ['src/a.py', 'src/build/x.py', 'src/deep/er/a.py']);
  t.deepEqual(wanted(['**/src/*.py']), ['src/a.py', 'x/src/d.py']);
  t.deepEqual(without('/a.py'), ['a.py']);
});

test('a slash at the start of a glob of several parts changes nothing', (t) => {
  for (const glob of ['src/*', 'src/**', 'src/*.py', 'src/a.py', 'src/deep/', '**/x.py', 'x/**/d.py']) {
    t.deepEqual(without(`/${glob}`), without(glob), glob);
    t.deepEqual(wanted([`/${glob}`]), wanted([glob]), glob);
  }
  t.deepEqual(without('/src/*.py'), ['src/a.py']);
  t.deepEqual(without('/src/**'), PATHS.slice(3, 7));
});

test('[!...] is a negated class, as [^...] is, but where it is literal', (t) => {
  const matched = (glob: string, ...names: string[]): string[] => names.filter(pathFilter([glob], []).wants);
  t.deepEqual(matched('[!a].py', 'a.py', 'b.py', '!.py'), ['b.py', '!.py']);
  t.deepEqual(matched('[!]a].py', 'a.py', '].py', 'b.py'), ['b.py']);
  t.deepEqual(matched('[!0-9_]x', '1x', '_x', 'ax'), ['ax']);
  t.deepEqual(matched('x/[!ab]/[!a]', 'x/c/b', 'x/a/b', 'x/c/a'), ['x/c/b']);
  t.deepEqual(matched('[a!].py', 'a.py', '!.py', 'b.py'), ['a.py', '!.py']);
  t.deepEqual(matched('\\[!a].py', '[!a].py', 'b.py'), ['[!a].py']);
  t.deepEqual(matched('[[!].py', '!.py', '[.py', 'b.py'), ['!.py', '[.py']);
  t.deepEqual(without('[!a].*'), ['b.txt', 'src/build/x.py', 'src/v1.2/c.txt', 'x/src/d.py']);
});

test('what --exclude names is left out with all below it', (t) => {
  t.deepEqual(without('build'), ['build', 'src/build/x.py']);
  t.deepEqual(without('build/'), ['src/build/x.py']);
  t.deepEqual(without('/build'), ['build']);
  t.deepEqual(without('src/deep'), ['src/deep/er/a.py']);
  t.deepEqual(without('src/'), PATHS.slice(3));
  t.deepEqual(without('/src/'), PATHS.slice(3, 7));
  t.deepEqual(without('v*'), ['src/v1.2/c.txt']);
  t.deepEqual(wanted(['*.py'], ['src']), ['a.py']);
  t.true(pathFilter([], ['build/']).excludesFolder('src/build/deep'));
  t.false(pathFilter(['*.py'], ['*.py']).excludesFolder('src'));
});

test('a folder with a slash behind it includes all below it', (t) => {
  t.deepEqual(wanted(['deep/']), ['src/deep/er/a.py']);
  t.deepEqual(wanted(['/src/']), PATHS.slice(3, 7));
});
