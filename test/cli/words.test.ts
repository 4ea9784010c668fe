import test from 'ava';
import { readWords } from '../../cli/argv.js';
import { ownFlag } from '../../cli/flags.js';

const flag = (key: string, placeholder: string | null, more: { letter?: string; repeatable?: true } = {}) =>
  ownFlag(key, { kind: { kind: 'name' }, placeholder, short: '', ...more });

const FLAGS = [
  flag('threshold', 'T'),
  flag('out', 'DIR'),
  { ...flag('json', null), negatable: true },
  flag('pair', 'A B'),
  flag('include', 'G', { repeatable: true }),
];

const read = (...words: string[]) => readWords(words, FLAGS);
const details = (...words: string[]) => read(...words).problems.map((problem) => problem.detail);

test('readWords returns the values of flags and the other words', (t) => {
  t.deepEqual(read(), { words: [], flags: {}, problems: [], asksHelp: false });
  t.deepEqual(
    read('a', '-', '--out', 'x', '--json', '--threshold=-5', '-3', '--include', 'b', '--include=c'),
    {
      words: ['a', '-', '-3'],
      flags: { out: 'x', json: true, threshold: '-5', include: ['b', 'c'] },
      problems: [],
      asksHelp: false,
    },
  );
  t.deepEqual(read('--json', '--no-json').flags, { json: false });
  for (const help of ['-h', '--help']) t.true(read('--bogus', '--out', help).asksHelp);
});

test('words after -- are arguments', (t) => {
  t.deepEqual(read('--json', '--', '--bogus', '--out', '-h'), {
    words: ['--bogus', '--out', '-h'],
    flags: { json: true },
    problems: [],
    asksHelp: false,
  });
});

test('an option takes the next word as its value unless that is an option or --', (t) => {
  t.deepEqual(read('--out', '-x', '--threshold', '-5').flags, { out: '-x', threshold: '-5' });
  for (const next of [['--json'], ['--'], ['-h'], []]) {
    const { flags, problems } = read('--out', ...next);
    t.deepEqual(flags, read(...next).flags);
    t.deepEqual(problems, [{ option: 'out', detail: '--out: no value, expected --out DIR' }]);
  }
  t.deepEqual(read('--out=--json', '--threshold=').flags, { out: '--json', threshold: '' });
});

test('a mistyped option means the nearest one, and takes no word that begins with -', (t) => {
  t.deepEqual(read('--treshold', '2', 'a'), {
    words: ['a'],
    flags: { threshold: '2' },
    problems: [{ option: 'threshold', detail: '--treshold: no such option, did you mean --threshold?' }],
    asksHelp: false,
  });
  t.like(read('--treshold=2', 'a'), { words: ['a'], flags: { threshold: '2' } });
  t.deepEqual(read('--treshold', '--json').flags, { json: true });
  t.deepEqual(read('--treshold', '-').words, ['-']);
  t.like(read('--jsn', 'a'), { words: ['a'], flags: { json: true } });
  t.is(details('--treshold').length, 1);
});

test('an unknown option is reported, and does not take the next word', (t) => {
  t.deepEqual(read('--bogus', '3'), {
    words: ['3'],
    flags: {},
    problems: [{ option: null, detail: '--bogus: no such option', leftWord: '3' }],
    asksHelp: false,
  });
  t.deepEqual(details('-x', '--bogus=3', '---'), [
    '-x: no such option',
    '--bogus: no such option',
    '---: no such option',
  ]);
});

test('short options may be in one word, the last with its value; values are not split', (t) => {
  const known = [
    flag('out', 'DIR', { letter: 'o' }),
    flag('quiet', null, { letter: 'q' }),
    flag('pair', 'A B'),
  ];
  const readLetters = (...words: string[]) => readWords(words, known);
  t.deepEqual(readLetters('-o', 'x', '-q').flags, { out: 'x', quiet: true });
  t.like(readLetters('-qox', 'a'), { words: ['a'], flags: { quiet: true, out: 'x' } });
  t.deepEqual(readLetters('-o=x', '-qq').flags, { out: 'x', quiet: true });
  t.deepEqual(readLetters('--out', '-qx').flags, { out: '-qx' });
  t.deepEqual(readLetters('--', '-qx').words, ['-qx']);
  t.like(readWords(['-0', '-1'], [flag('nul', null, { letter: '0' })]), {
    flags: { nul: true },
    words: ['-1'],
  });
  t.deepEqual(readLetters('--pair', '-qx', '-o').flags, { pair: ['-qx', '-o'] });
  t.deepEqual(
    readLetters('-qx', '-q=1', '-o').problems.map(({ detail }) => detail),
    ['-x: no such option', '-q "1": expected no value', '-o: no value, expected --out DIR'],
  );
});

test('a switch with a value is an error', (t) => {
  t.deepEqual(details('--json=1', '--jsn=1'), [
    '--json "1": expected no value',
    '--jsn: no such option, did you mean --json?',
  ]);
});

test('an option with two values takes the next two words', (t) => {
  t.deepEqual(read('--pair=--out', '--', 'x'), {
    words: ['x'],
    flags: { pair: ['--out', '--'] },
    problems: [],
    asksHelp: false,
  });
  t.deepEqual(read('--pair=-a', '-h', 'x').flags, { pair: ['-a', '-h'] });
  t.deepEqual(read('--pair', 'a').flags, { pair: ['a'] });
  t.deepEqual(read('--pair', '--json', 'a', 'b').flags, { json: true, pair: [] });
  t.deepEqual(read('--pair', 'a', '--json').flags, { pair: ['a'], json: true });
  t.deepEqual(read('--pair', 'a', 'b', '--pair', 'c', 'd').flags, { pair: ['a', 'b', 'c', 'd'] });
  t.deepEqual(read('--pairs', 'a', '--json').flags, { pair: ['a'], json: true });
});

test('an option with one value that is repeated is an error with all its values', (t) => {
  t.deepEqual(read('--threshold', '.8', '--out=a b', '--threshold=.9', '--out', 'c', '--out', 'c').problems, [
    { option: 'threshold', detail: '--threshold .8 --threshold .9: expected once, got 2' },
    { option: 'out', detail: '--out "a b" --out c --out c: expected once, got 3' },
  ]);
  t.deepEqual(details('--json', '--json', '--include', 'a', '--include', 'b', '--pair', 'a', 'b'), []);
  t.is(details('--threshold', '.8', '--treshold', '.9').length, 1);
  t.is(details('--threshold', '--threshold', '.9').length, 1);
});
