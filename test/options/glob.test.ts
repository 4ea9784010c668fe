import test from 'ava';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { Glob, GlobError } from '../../src/options/glob.js';

const matched = (glob: string, ...paths: string[]): string[] => {
  const compiled = new Glob(glob);
  return paths.filter((path) => compiled.matches(path));
};
/** '' where it is a glob. */
const problemOf = (glob: string): string => {
  try {
    new Glob(glob);
    return '';
  } catch (error) {
    if (error instanceof GlobError) return error.message;
    throw error;
  }
};

test('an unclosed bracket is reported', (t) => {
  for (const glob of '[ [a [] [^] [!] [\\] {a a/{b,[c}'.split(' '))
    t.regex(problemOf(glob), /^the [[{] at character \d+ is not closed/, glob);
  t.is(problemOf('a/{b,[c}'), 'the [ at character 6 is not closed (\\[ is a literal one)');
  for (const glob of '**/*.txt [a] []] [^]] [!]] [!a] [[] [({] {a,b} a] a) a} (a \\'.split(' '))
    t.is(problemOf(glob), '', glob);
  for (const glob of ['', '\\[', '\\{', '(\\{']) t.is(problemOf(glob), '', glob);
});

test('the number of alternatives of a glob is limited, and unsupported syntax is reported', (t) => {
  t.is(problemOf('{a,b}'.repeat(20)), 'its braces expand to more than 1000 globs');
  t.is(problemOf('{a,b}'.repeat(9)), '');
  t.is(problemOf('a'.repeat(4097)), 'it is longer than 4096 characters');
  t.regex(problemOf('x!(a)'), /^the ! at character 2 begins a group, which is not read/);
  t.regex(problemOf('{1..9}'), /^the { at character 1 begins a range, which is not read/);
});

test('globs match as documented', (t) => {
  t.deepEqual(matched('{a}', 'a', '{a}'), ['{a}']);
  t.deepEqual(matched('a{b,{c,d}e,}', 'ab', 'ace', 'ade', 'a', 'ac'), ['ab', 'ace', 'ade', 'a']);
  t.deepEqual(matched('{**/x,y/*}.t', 'x.t', 'a/b/x.t', 'y/a.t', 'a/y.t'), ['x.t', 'a/b/x.t', 'y/a.t']);
  t.deepEqual(matched('a/**', 'a', 'a/b', 'a/b/c', 'ab'), ['a/b', 'a/b/c']);
  t.deepEqual(matched('a/**/b', 'a/b', 'a/c/b', 'a/c/d/b', 'ab'), ['a/b', 'a/c/b', 'a/c/d/b']);
  t.deepEqual(matched('a**b', 'ab', 'axb', 'a/b'), ['ab', 'axb']);
  t.deepEqual(matched('?', 'a', '😀', '\n', '.', '/', 'ab'), ['a', '😀', '\n', '.']);
  t.deepEqual(matched('*\\?[0-9-]', '*?1', '*?-', 'a?x'), ['*?1', '*?-']);
  t.deepEqual(matched('a/[!b]/c', 'a/b/c', 'a/x/c', 'a///c'), ['a/x/c']);
});

// One way after the other these take from minutes to longer than anybody lives.
test('matching takes linear time for any glob and name', (t) => {
  for (const glob of [
    `${'*a'.repeat(30)}b`,
    `${'**/'.repeat(30)}b`,
    `${'{a,*}'.repeat(9)}b`,
    '**/*a*/**/*a*b',
  ])
    for (const path of ['a'.repeat(20_000), 'a/'.repeat(10_000)]) t.false(new Glob(glob).matches(path), glob);
});

const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
const paths = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const simple = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]', '\\a', '{a,b}', '{a,*b}');
const ofName = fc.oneof(
  { arbitrary: fc.array(simple, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')), weight: 6 },
  { arbitrary: fc.constantFrom('**', 'a*', '*.b'), weight: 1 },
);
const globs = fc
  .array(ofName, { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'))
  .filter((glob) => !/[^/]\*\*|\*\*[^/]|\*\*.*\*\*/.test(glob));

test('globs match the same paths as picomatch', (t) => {
  let hits = 0;
  fc.assert(
    fc.property(globs, fc.array(paths, { maxLength: 20 }), (glob, given) => {
      const oracle = picomatch(glob.replaceAll('[!', '[^'), { windows: false, flags: 's' });
      // As in .gitignore, `a/**` is what lies below a, not a.
      const expected = given.filter(
        (path) => oracle(path) && !(glob.endsWith('/**') && !oracle(`${path}/x`)),
      );
      const isFolder = (path: string): boolean =>
        glob.endsWith('/**') && path.split('/').length < glob.split('/').length;
      hits += expected.length;
      t.deepEqual(
        matched(glob, ...given),
        expected.filter((path) => !isFolder(path)),
        glob,
      );
    }),
    { seed: 1, numRuns: 2000 },
  );
  t.true(hits > 80);
});
