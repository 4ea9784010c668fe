import test from 'ava';
import { Command, Option } from 'commander';
import fc from 'fast-check';
import { readWords } from '../../cli/argv.js';
import { commanderOptions, RUN_GROUPS } from '../../cli/flags.js';

const OPTIONS = [
  new Option('--threshold <T>'),
  new Option('--out <DIR>'),
  new Option('--json'),
  new Option('--no-json').hideHelp(),
  new Option('--pair <A B>'),
  new Option('--include <G>').argParser((value: string, all: string[] = []) => [...all, value]),
];

const read = (...words: string[]) => readWords(words, OPTIONS);
const details = (...words: string[]) => read(...words).faults.map((fault) => fault.detail);

test('readWords leaves good words as they are, a value in one word with its option', (t) => {
  t.deepEqual(read(), { argv: [], faults: [], lists: {} });
  t.deepEqual(read('a', '-', '--out', 'x', '--json', '--no-json', '--threshold=-5', '-3', '--help'), {
    argv: ['a', '-', '--out=x', '--json', '--no-json', '--threshold=-5', '-3', '--help'],
    faults: [],
    lists: {},
  });
});

test('readWords reads nothing after --', (t) => {
  t.deepEqual(read('--json', '--', '--bogus', '--out'), {
    argv: ['--json', '--', '--bogus', '--out'],
    faults: [],
    lists: {},
  });
});

test('an option takes the next word as its value unless that is an option or --', (t) => {
  t.deepEqual(read('--out', '-x', '--threshold', '-5').argv, ['--out=-x', '--threshold=-5']);
  for (const next of [['--json'], ['--'], ['-h'], []]) {
    const { argv, faults } = read('--out', ...next);
    t.deepEqual(argv, next);
    t.deepEqual(faults, [{ option: 'out', detail: '--out: no value, expected --out DIR' }]);
  }
  t.deepEqual(read('--out=--json', '--out=').argv, ['--out=--json', '--out=']);
});

test('a mistyped option stands for the nearest, and takes no word that begins with -', (t) => {
  t.deepEqual(read('--treshold', '2', 'a'), {
    argv: ['--threshold=2', 'a'],
    faults: [{ option: 'threshold', detail: '--treshold: no such option, did you mean --threshold?' }],
    lists: {},
  });
  t.deepEqual(read('--treshold=2', 'a').argv, ['--threshold=2', 'a']);
  t.deepEqual(read('--treshold', '--json').argv, ['--json']);
  t.deepEqual(read('--treshold', '-').argv, ['-']);
  t.deepEqual(read('--jsn', 'a').argv, ['--json', 'a']);
  t.is(details('--treshold').length, 1);
});

test('an option that is near to none is told, and the next word is none of its', (t) => {
  t.deepEqual(read('--bogus', '3'), {
    argv: ['3'],
    faults: [{ option: null, detail: '--bogus: no such option', leftWord: '3' }],
    lists: {},
  });
  t.deepEqual(details('-x', '--bogus=3', '---'), [
    '-x: no such option',
    '--bogus: no such option',
    '---: no such option',
  ]);
});

test('short options may stand in one word, the last with its value; words that are values stay as they are', (t) => {
  const options = [new Option('-o, --out <DIR>'), new Option('-q, --quiet'), new Option('--pair <A B>')];
  const argvOf = (...words: string[]) => readWords(words, options).argv;
  t.deepEqual(argvOf('-o', 'x', '-q'), ['--out=x', '--quiet']);
  t.deepEqual(argvOf('-qox', 'a'), ['--quiet', '--out=x', 'a']);
  t.deepEqual(argvOf('-o=x', '-qq'), ['--out=x', '--quiet', '--quiet']);
  t.deepEqual(argvOf('--out', '-qx'), ['--out=-qx']);
  t.deepEqual(argvOf('--', '-qx'), ['--', '-qx']);
  t.deepEqual(readWords(['--pair', '-qx', '-o'], options).lists, { pair: ['-qx', '-o'] });
  t.deepEqual(
    readWords(['-qx', '-q=1', '-o'], options).faults.map(({ detail }) => detail),
    ['-x: no such option', '-q "1": expected no value', '-o: no value, expected --out DIR'],
  );
});

test('a switch with a value is a fault', (t) => {
  t.deepEqual(details('--json=1', '--jsn=1'), [
    '--json "1": expected no value',
    '--jsn: no such option, did you mean --json?',
  ]);
});

test('an option with two values takes the next two words whatever they are', (t) => {
  t.deepEqual(read('--pair=--out', '--', 'x'), {
    argv: ['x'],
    faults: [],
    lists: { pair: ['--out', '--'] },
  });
  t.deepEqual(read('--pair=-a', '-h', 'x').lists, { pair: ['-a', '-h'] });
  t.deepEqual(read('--pair', 'a').lists, { pair: ['a'] });
  t.deepEqual(read('--pair', '--json', 'a', 'b').lists, { pair: [] });
  t.deepEqual(read('--pair', 'a', '--json').lists, { pair: ['a'] });
  t.deepEqual(read('--pair', 'a', 'b', '--pair', 'c', 'd').lists, { pair: ['a', 'b', 'c', 'd'] });
  t.deepEqual(read('--pairs', 'a', '--json').lists, { pair: ['a'] });
  t.deepEqual(read('--pairs', 'a', '--json').argv, ['--json']);
});

test('an option with one value may be given once, and all its values are told', (t) => {
  t.deepEqual(read('--threshold', '.8', '--out=a b', '--threshold=.9', '--out', 'c', '--out', 'c').faults, [
    { option: 'threshold', detail: '--threshold .8 --threshold .9: expected once, got 2' },
    { option: 'out', detail: '--out "a b" --out c --out c: expected once, got 3' },
  ]);
  t.deepEqual(details('--json', '--json', '--include', 'a', '--include', 'b', '--pair', 'a', 'b'), []);
  t.is(details('--threshold', '.8', '--treshold', '.9').length, 1);
  t.is(details('--threshold', '--threshold', '.9').length, 1);
});

/** What Commander makes of the words; it throws at what it refuses. */
function parsed(words: readonly string[]) {
  const command = new Command().exitOverride().helpOption(false).argument('[PATH...]');
  command.configureOutput({ writeErr: () => {} });
  for (const option of commanderOptions(RUN_GROUPS, true)) command.addOption(option);
  command.parse(words, { from: 'user' });
  return { paths: command.args, options: command.opts(), known: command.options };
}

test('Commander refuses nothing that readWords lets through, and reads good words the same', (t) => {
  const { known } = parsed([]);
  const word = fc.oneof(
    fc.constantFrom(
      '--out',
      '--bag',
      '--no-bag',
      '--treshold',
      '--hashes=5',
      '--bag=1',
      '--',
      '-',
      '-5',
      'a',
    ),
    fc.constantFrom('--include', '--bogus', '-x', '--out=', '--include=--bag', '--=', '-=', 'b c', ''),
    fc.string({ maxLength: 4 }).filter((text) => text !== '-h'),
  );
  let good = 0;
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const { argv, faults } = readWords(words, known);
      const { paths, options } = parsed(argv);
      if (faults.length > 0) return;
      good += 1;
      const own = parsed(words);
      t.deepEqual({ paths, options }, { paths: own.paths, options: own.options });
    }),
    { seed: 1, numRuns: 2000 },
  );
  t.true(good > 50);
});
