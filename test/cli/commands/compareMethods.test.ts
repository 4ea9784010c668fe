/** `compare --method`: the values of methods beneath the other tables. */
import { join } from 'node:path';
import test from 'ava';
import { compareBy, METHOD_NAMES } from '../../../src/index.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { errorsOf, said } from '../programHere.js';

const A = 'The cat sat on the mat. The dog barked at the cat. Nobody came to see them.';
const B = 'Nobody came to see them. The cat sat on the mat. A bird sang in the old garden.';
const FILES = { 'a.txt': A, 'b.txt': B, 'mail.jsonl': `{"text":"the cat"}\n{"text":"the garden"}\n` };

async function compareWith(...argv: readonly string[]) {
  const { code, stdout, stderr } = await said(['compare', ...argv]);
  return { code, stdout, errors: errorsOf(stderr) };
}

interface Shown {
  readonly methods: readonly {
    readonly method: string;
    readonly values: Record<string, number>;
    readonly weighed: string;
  }[];
}

test('the values of methods are below the usual tables, in the order of the help', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const files = [join(folder, 'a.txt'), join(folder, 'b.txt')];
  const { code, stdout } = await compareWith(
    ...files,
    '--method',
    'scam',
    '--method',
    'cops',
    '--method',
    'cops',
  );
  t.is(code, 0);
  t.regex(stdout, /\nJaccard similarity /);
  t.regex(
    stdout,
    /\n\nby method, a as base +measure +value\ncops +containment +0\.666667\n +base in document +0\.666667\n +document in base +0\.666667\nscam +similarity +\d\.\d{6}\n +base subset of document /,
  );
  t.notRegex(stdout, /words weighed/);
  t.true(stdout.split('\n').every((line) => line.length <= 80));
});

test('--method all prints every method, and where words are counted', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const files = [join(folder, 'a.txt'), join(folder, 'b.txt')];
  const { stdout } = await compareWith(...files, '--method', 'all');
  for (const name of METHOD_NAMES) t.regex(stdout, new RegExp(`^${name} (\\* )? *[a-z]`, 'm'));
  t.regex(stdout, /\n\* words weighed by how many documents have them, counted in a and b alone\n$/);
  t.true(stdout.split('\n').every((line) => line.length <= 80));
});

test('with --in words are counted in its documents, and --json has the same values', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const { stdout } = await compareWith('a.txt', 'b.txt', '--in', folder, '--method', 'cosine');
  t.regex(stdout, /counted in 4 documents\n$/);
  const json = await compareWith(
    'a.txt',
    'b.txt',
    '--in',
    folder,
    '--method',
    'cosine',
    '--method',
    'cops',
    '--json',
  );
  const corpus = [A, B, 'the cat', 'the garden'];
  t.deepEqual((JSON.parse(json.stdout) as Shown).methods, [
    compareBy(A, B, { method: 'cops' }),
    compareBy(A, B, { method: 'cosine', corpus }),
  ]);
  const without = await compareWith('a.txt', 'b.txt', '--in', folder, '--json');
  t.deepEqual((JSON.parse(without.stdout) as Shown).methods, []);
});

test('settings, seed and stop words reach the methods', async (t) => {
  const folder = temporaryFolder(t, { ...FILES, 'stop.list': 'cat\nmat\n' });
  const files = [join(folder, 'a.txt'), join(folder, 'b.txt')];
  const given = [
    '--method',
    'winnowing',
    '--noise',
    '4',
    '--guarantee',
    '9',
    '--method',
    'scam',
    '--seed',
    '5',
  ];
  const { stdout } = await compareWith(
    ...files,
    ...given,
    '--stop-words',
    join(folder, 'stop.list'),
    '--json',
  );
  t.deepEqual((JSON.parse(stdout) as Shown).methods, [
    compareBy(A, B, { method: 'scam', seed: 5, stopWords: ['cat', 'mat'] }),
    compareBy(A, B, { method: 'winnowing', seed: 5, noise: 4, guarantee: 9 }),
  ]);
});

test('wrong names and settings without their method are reported at once', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const files = [join(folder, 'a.txt'), join(folder, 'b.txt')];
  const wrong = [
    '--method',
    'winowing',
    '--words',
    '5',
    '--pieces',
    '0',
    '--noise',
    '40',
    '--guarantee',
    '30',
  ];
  const { code, errors, stdout } = await compareWith(...files, ...wrong);
  t.is(code, 2);
  t.is(stdout, '');
  t.regex(errors[0]!, /^--method winowing: expected one of resemblance, .*, all, did you mean winnowing\?$/);
  t.deepEqual(errors.slice(1), [
    '--pieces 0: expected an integer from 1 to 100',
    '--words: expected together with --method sswf only',
    '--pieces: expected together with --method sswf only',
    '--noise: expected together with --method winnowing only',
    '--guarantee: expected together with --method winnowing only',
  ]);
  const winnowing = await compareWith(
    ...files,
    '--method',
    'winnowing',
    '--noise',
    '40',
    '--guarantee',
    '30',
  );
  t.deepEqual(winnowing.errors, ['--guarantee 30: expected at least --noise, which is 40']);
  const missing = await compareWith(...files, '--method', 'scam', '--stop-words', join(folder, 'none'));
  t.regex(missing.errors[0]!, /^--stop-words .*none: there is no such file$/);
  // Without a method they would say nothing.
  const alone = await compareWith(...files, '--stop-words', files[0]!);
  t.regex(alone.errors[0]!, /^--stop-words: expected together with --shingle stopwords:k only/);
});
