import test from 'ava';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { Glob, GlobFault } from '../../src/options/glob.js';

const matched = (glob: string, ...paths: string[]): string[] => {
  const compiled = new Glob(glob);
  return paths.filter((path) => compiled.matches(path));
};
/** '' where it is a glob. */
const faultOf = (glob: string): string => {
  try {
    new Glob(glob);
    return '';
  } catch (error) {
    if (error instanceof GlobFault) return error.message;
    throw error;
  }
};

test('a bracket that is not closed is named', (t) => {
  for (const glob of '[ [a [] [^] [!] [\\] (a @(a|b {a a/{b,[c} [[:alpha:] ({)'.split(' '))
    t.regex(faultOf(glob), /^the [[({] at character \d+ is not closed/, glob);
  t.is(faultOf('a/{b,[c}'), 'the [ at character 6 is not closed (\\[ is a literal one)');
  for (const glob of '**/*.txt [a] []] [^]] [!]] [!a] [[] [[:alpha:]] [({] {a,b} a] a) a} a/@(b|c) {a..c} \\'.split(
    ' ',
  ))
    t.is(faultOf(glob), '', glob);
  for (const glob of ['', '\\[', '\\(\\{', '"["', '"[']) t.is(faultOf(glob), '', glob);
});

test('what a glob stands for is bounded, and the bound is named', (t) => {
  t.is(faultOf('{1..1000000000}'), '{1..1000000000} stands for more than 1000 numbers');
  t.is(faultOf('{1..1000}'), '');
  t.is(faultOf('{1..1000}'.repeat(20)), 'it is made of too many parts, ranges counted out');
  t.is(faultOf('{a,b}'.repeat(800)), '');
  t.is(faultOf('a'.repeat(4097)), 'it is longer than 4096 characters');
  t.is(faultOf(`${'@('.repeat(33)}a${')'.repeat(33)}`), 'brackets are nested more than 32 deep');
});

test('a glob means what is drawn of it', (t) => {
  t.deepEqual(matched('{8..11}', '8', '9', '10', '11', '12', '1'), ['8', '9', '10', '11']);
  t.deepEqual(matched('{08..10}', '8', '08', '09', '10'), ['08', '09', '10']);
  t.deepEqual(matched('{-1..1}', '-1', '0', '1', '-0'), ['-1', '0', '1']);
  t.deepEqual(matched('{a..c}x', 'ax', 'bx', 'dx'), ['ax', 'bx']);
  t.deepEqual(matched('{a}', 'a', '{a}'), ['{a}']);
  t.deepEqual(matched('a{b,{c,d}e,}', 'ab', 'ace', 'ade', 'a', 'ac'), ['ab', 'ace', 'ade', 'a']);
  t.deepEqual(matched('{**/x,y/*}.t', 'x.t', 'a/b/x.t', 'y/.t', 'y/a.t', '.a/x.t'), [
    'x.t',
    'a/b/x.t',
    'y/a.t',
  ]);
  t.deepEqual(matched('a/**', 'a', 'a/b', 'a/b/c', 'a/.b', 'ab'), ['a', 'a/b', 'a/b/c']);
  t.deepEqual(matched('a/**/b', 'a/b', 'a/c/b', 'a/c/d/b', 'a/.c/b', 'ab'), ['a/b', 'a/c/b', 'a/c/d/b']);
  t.deepEqual(matched('a**b', 'ab', 'axb', 'a/b'), ['ab', 'axb']);
  t.deepEqual(matched('?', 'a', '😀', '\n', '.', '/', 'ab'), ['a', '😀', '\n']);
  t.deepEqual(matched('!(a).js', 'a.js', 'ab.js', 'b.js', '.js', '.b.js'), ['ab.js', 'b.js']);
  t.deepEqual(matched('!(a|b/*)/*', 'a/c', 'c/d', 'b/c'), ['c/d', 'b/c']);
  t.deepEqual(matched('!(!(a))', 'a', 'b'), ['a']);
  t.deepEqual(matched('x!(a)!(b)y', 'xy', 'xay', 'xby', 'xaby'), ['xy', 'xay', 'xby', 'xaby']);
  t.deepEqual(matched('*(a|bc)+(d)?(e)', 'd', 'abcd', 'adde', 'abd', 'a'), ['d', 'abcd', 'adde']);
  t.deepEqual(matched('"*"\\?[[:digit:]-]', '*?1', '*?-', 'a?1'), ['*?1', '*?-']);
});

// One way after the other these take from minutes to longer than anybody lives.
test('no glob and no name makes the time grow faster than the name', (t) => {
  const globs = [
    `${'*a'.repeat(30)}b`,
    `${'**/'.repeat(30)}b`,
    `${'{a,aa,aaa}'.repeat(30)}b`,
    `${'*(*(a|aa)|+(a))'.repeat(10)}b`,
    '+(+(+(+(a|?)|*a)|**)|a)b',
    `${'@(a|?|*)'.repeat(30)}b`,
  ];
  for (const glob of globs) {
    const compiled = new Glob(glob);
    for (const path of ['a'.repeat(20_000), 'a/'.repeat(10_000)]) t.false(compiled.matches(path), glob);
  }
  t.false(new Glob('!(!(!(*a*a*a)*)a*b)b').matches('a'.repeat(250)));
  // One that has a state of its own for each of the last places of an a.
  const places = fc.sample(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 2000, maxLength: 2000 }), {
    seed: 1,
    numRuns: 20,
  });
  const late = new Glob(`*a${'?'.repeat(40)}`);
  for (const path of places) t.is(late.matches(path), path.at(-41) === 'a');
});

/** What picomatch takes for a part of a regular expression is left out, as `)?`; what stands behind `!(...)`, too, and `**` beside others. */
const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 4 });
const paths = fc
  .array(
    name.filter((one) => !/^\.+$/.test(one)),
    { minLength: 1, maxLength: 3 },
  )
  .map((names) => names.join('/'));
const simple = fc.constantFrom(
  'a',
  'b',
  '.',
  '*',
  '?',
  '[ab]',
  '[!a]',
  '\\a',
  '{a,b}',
  '{a,*b}',
  '@(a|b.)',
  '+(a|b)',
);
const ofName = fc.oneof(
  { arbitrary: fc.array(simple, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')), weight: 6 },
  { arbitrary: fc.constantFrom('**', 'a*', '*.b'), weight: 1 },
);
const globs = fc
  .tuple(fc.array(ofName, { maxLength: 2 }), fc.oneof(ofName, fc.constantFrom('!(a)', '!(*a|b)', 'a!(b|?a)')))
  .map(([names, last]) => [...names, last].join('/'))
  .filter((glob) => !/(^|\/)\.+(\/|$)|\)\?|[^/]\*\*|\*\*[^/]|\*\*.*(\*\*|!\()/.test(glob));

test('a glob matches what picomatch says', (t) => {
  let hits = 0;
  fc.assert(
    fc.property(globs, fc.array(paths, { maxLength: 20 }), (glob, given) => {
      // Behind brackets its stars and !(...) take the dot of hidden names.
      const all = /[({]/.test(glob) ? given.filter((path) => !/(^|\/)\./.test(path)) : given;
      const oracle = picomatch(glob.replaceAll('[!', '[^'), { windows: false, flags: 's' });
      const expected = all.filter((path) => oracle(path));
      hits += expected.length;
      t.deepEqual(matched(glob, ...all), expected, glob);
    }),
    { seed: 1, numRuns: 2000 },
  );
  t.true(hits > 80);
});
