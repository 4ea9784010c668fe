import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import type { CaptureOptions } from '../capturedTerminal.js';
import { errorsOf, said } from '../programHere.js';

const A = 'a rose is a rose is a rose';
const B = 'a rose is a flower which is a rose';

const compareWith = (argv: readonly string[], capture: CaptureOptions = {}) =>
  said(['compare', ...argv], capture);

interface Shown {
  readonly a: { readonly id: string; readonly shingles: number };
  readonly b: { readonly id: string };
  readonly identical: { readonly bytes: boolean; readonly tokens: boolean };
  readonly parameters: Record<string, unknown>;
  readonly sets: { readonly resemblance: number; readonly estimates: readonly { samples: number }[] };
  readonly bags: { readonly resemblance: number; readonly sumUnion: number };
  readonly explained: { readonly shared: { readonly count: number } } | null;
}

test('compare A B shows sizes, exact values of sets and bags, and estimates with bounds and error', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': A, 'b.txt': B });
  const { code, stdout, stderr } = await compareWith([
    join(folder, 'a.txt'),
    join(folder, 'b.txt'),
    '--shingle',
    'words:1',
    '--estimates',
  ]);
  t.is(code, 0, stderr);
  t.is(stderr, '');
  t.regex(stdout, /^a {2}.*\/a\.txt\nb {2}.*\/b\.txt\n\n/);
  t.regex(stdout, /\ncanonical tokens +8 +9 +not identical\n/);
  t.regex(stdout, /\nshingles words:1 +8 +9 +7\ndistinct shingles +3 +5 +3\n/);
  t.regex(stdout, /\nJaccard similarity +0\.600000 +0\.700000\n/);
  t.regex(stdout, /\ndistance, 1 - similarity +0\.400000 +0\.300000\n/);
  t.regex(stdout, /\ncontainment of a in b +1\.000000 +0\.875000\n/);
  t.regex(stdout, /\nbag similarity, sum of the sizes +0\.411765\n/);
  t.regex(stdout, /\n {2}classic +0\.\d{6} {2}0\.\d{6} to 0\.\d{6}.[+-]0\.\d{6} {2}\d+ of 128\n/);
  t.regex(stdout, /\n {2}MIN_s +0\.600000 {2}the whole, exact +\+0\.000000 {2}3 of 5\n/);
  t.regex(stdout, /\n {2}MIN_s\(MOD_m\) /);
  t.true(stdout.split('\n').every((line) => line.length <= 80));
});

test('if no shingle is repeated, one table shows sets and bags', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': 'one two three four', 'b.txt': 'two three four five' });
  const { stdout } = await compareWith([
    join(folder, 'a.txt'),
    join(folder, 'b.txt'),
    '--shingle',
    'words:2',
    '--estimates',
  ]);
  t.regex(stdout, /\nof sets and bags /);
  t.regex(stdout, /\nno shingle is repeated, so bags are sets\n/);
  t.notRegex(stdout, /of bags \(option A\) +value/);
});

test('compare --in takes two ids of a corpus, of files and of records', async (t) => {
  const folder = temporaryFolder(t, {
    'a.txt': A,
    'deep/b.txt': B,
    'mail.jsonl': `{"key":"m1","body":"${A}"}\n{"body":"${B}"}\n`,
  });
  const json = async (...argv: string[]): Promise<Shown> => {
    const { code, stdout, stderr } = await compareWith([...argv, '--json', '--shingle', 'words:2']);
    t.is(code, 0, stderr);
    return JSON.parse(stdout) as Shown;
  };
  const files = await json('a.txt', 'deep/b.txt', '--in', folder);
  t.is(files.sets.resemblance, 1 / 2);
  t.like(files, { a: { id: 'a.txt' }, b: { id: 'deep/b.txt' }, explained: null });
  const fields = ['--text-field', 'body', '--id-field', 'key'];
  const mail = await json('m1', 'mail.jsonl#2', '--in', join(folder, 'mail.jsonl'), ...fields);
  t.is(mail.bags.resemblance, 5 / 10);
  const mixed = await json('a.txt', 'm1', '--in', folder, ...fields);
  t.deepEqual(mixed.identical, { bytes: true, tokens: true });
  const places = ['--in', join(folder, 'deep'), '--in', join(folder, 'a.txt')];
  t.is((await json('a.txt', 'deep/b.txt', ...places)).sets.resemblance, 1 / 2);
});

test('compare --json has the measures, the parameters and, with --explain, the shingles', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': A, 'b.txt.gz': gzipSync(B) });
  const { stdout } = await compareWith(
    [join(folder, 'a.txt'), join(folder, 'b.txt.gz'), '--json', '--explain', '--most', '1'].concat(
      ...['--shingle', 'words:1', '--seed', '7', '--hashes', '64', '--samples', '2', '--modulus', '1'],
      ...['--level-unit', '50'],
    ),
  );
  const shown = JSON.parse(stdout) as Shown;
  t.deepEqual(Object.keys(shown), [
    'parameters',
    'a',
    'b',
    'identical',
    'sets',
    'bags',
    'methods',
    'explained',
  ]);
  t.deepEqual(shown.parameters, {
    ...{ unit: 'words', size: 1, seed: 7 },
    ...{ hashes: 64, samples: 2, modulus: 1, levelUnit: 50 },
  });
  t.is(shown.sets.estimates.length, 11);
  t.is(shown.bags.sumUnion, 7 / 17);
  t.is(shown.explained?.shared.count, 3);
  t.is(shown.a.shingles, 8);
});

test('compare --explain lists shingles, so many of each kind, safe for the terminal', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': 'x \u001b[31mred\nsame\n', 'b.txt': 'same\ny\nz\n' });
  const files = [join(folder, 'a.txt'), join(folder, 'b.txt'), '--shingle', 'lines:1', '--explain'];
  const { stdout } = await compareWith([...files, '--most', '1']);
  t.true(stdout.includes('in both: 1 distinct shingle\n  same\n'));
  t.true(stdout.includes('in a alone: 1 distinct shingle\n  x \\x1b[31mred\n'));
  t.true(stdout.endsWith('in b alone: 2 distinct shingles\n  y\n  and 1 more\n'));
  t.false(stdout.includes('\u001b'));
  const roses = temporaryFolder(t, { 'a.txt': A, 'b.txt': B });
  const counted = await compareWith([
    join(roses, 'a.txt'),
    join(roses, 'b.txt'),
    '--shingle',
    'words:2',
    '--explain',
  ]);
  t.true(counted.stdout.includes('\n  3 and 2 times: a rose\n'));
});

test('compare --explain refuses texts too large to be read', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': A, 'b.txt': 'x '.repeat(8_000_001) });
  const { code, stderr } = await compareWith([join(folder, 'a.txt'), join(folder, 'b.txt'), '--explain']);
  t.is(code, 2);
  t.regex(stderr, /^error: --explain: expected texts of at most 16 MB, .*b\.txt has 16 MB\n/);
});

test('stop words and seed are those of run', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': A, 'b.txt': B, words: 'is\n' });
  const argv = [join(folder, 'a.txt'), join(folder, 'b.txt'), '--shingle', 'stopwords:2'];
  const { stdout } = await compareWith([...argv, '--stop-words', join(folder, 'words'), '--estimates']);
  t.regex(stdout, /\nshingles stopwords:2 +2 +2 +2\n/);
  t.regex(stdout, /\nL_i of unit 100; seed 1\n/);
});

test('compare reports all errors at once, with similar names, and exit code 2', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': A });
  mkdirSync(join(folder, 'texts'));
  const { code, stdout, stderr } = await compareWith(
    [join(folder, 'aa.txt'), join(folder, 'texts'), '--shingel', 'words:0', '--hashes', '3'].concat(
      ...['--modulus', '0', '--samples', 'x', '--level-unit', '0', '--most', '-1', '--id-field', 'id'],
    ),
  );
  t.is(code, 2);
  t.is(stdout, '');
  t.deepEqual(
    errorsOf(stderr).map((line) => line.replaceAll(folder, '').replace(/: expected.*/, '')),
    [
      '--shingel: no such option, did you mean --shingle?',
      '--most -1',
      '--samples x',
      '--modulus 0',
      '--level-unit 0',
      '--shingle words:0',
      '--hashes 3',
      '--most',
      '--id-field',
      'a PATH does not exist or may not be read: "/aa.txt", did you mean /a.txt?',
      '/texts: a directory, expected a file; use --in /texts to compare documents in it',
    ],
  );
  t.regex(stderr, /use --in /);
  t.regex(stderr, /\nhint: mr-minhash compare --help /);
  t.notRegex(stderr, /mr-minhash run --help/);
});

test('compare takes exactly two documents, and no standard input', async (t) => {
  for (const names of [[], ['a'], ['a', 'b', 'c']]) {
    const { code, stderr } = await compareWith(names);
    t.is(code, 2);
    t.true(stderr.includes(`error: expected two documents to compare, A and B, got ${names.length}\n`));
  }
  t.regex((await compareWith(['-', '-'])).stderr, /standard input cannot be compared/);
  t.regex((await compareWith(['a', 'b', '--in', '-'])).stderr, /standard input cannot be compared/);
});

test('compare rejects an address of an unsupported kind', async (t) => {
  const { code, stderr } = await compareWith(['hdfs://x/y', 'gs://b/c.txt']);
  t.is(code, 2);
  t.deepEqual(
    errorsOf(stderr).map((line) =>
      line.replace(/^a PATH is an address of an unsupported kind; .* are supported: /, ''),
    ),
    ['"hdfs://x/y"', '"gs://b/c.txt"'],
  );
  t.regex(stderr, /hint: download its files \(.*hdfs dfs -get\)/);
});

test('an unknown id is reported with the nearest one, an unreadable document with the reason', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': A, 'b.bin': '\0\0\0', 'large.txt': 'x'.repeat(100) });
  const unknown = await compareWith(['a.text', 'zebra', '--in', folder]);
  t.is(unknown.code, 2);
  t.deepEqual(errorsOf(unknown.stderr), [
    `a.text: no such document in ${folder}, did you mean a.txt?`,
    `zebra: no such document in ${folder}`,
  ]);
  for (const [a, b, ...rest] of [
    ['b.bin', 'large.txt', '--in', folder],
    [join(folder, 'b.bin'), join(folder, 'large.txt')],
  ] as const) {
    const { code, stdout, stderr } = await compareWith([a, b, ...rest, '--max-document', '50']);
    t.is(code, 2);
    t.is(stdout, '');
    t.deepEqual(
      errorsOf(stderr).map((line) => line.replace(`${folder}/`, '')),
      [
        'a binary file: it has a NUL byte in its first 8 KB, or begins as a format that is not text: b.bin',
        'the text, or the JSON around it, is larger than --max-document allows: large.txt',
      ],
    );
  }
  const bytes = await compareWith([join(folder, 'b.bin'), join(folder, 'a.txt'), '--shingle', 'bytes:2']);
  t.is(bytes.code, 0, 'bytes of binary files are compared');
});

test('an empty document resembles nothing, not even itself', async (t) => {
  const folder = temporaryFolder(t, { 'a.txt': '', 'b.txt': ' \n' });
  const { code, stdout } = await compareWith([join(folder, 'a.txt'), join(folder, 'b.txt'), '--estimates']);
  t.is(code, 0);
  t.regex(stdout, /\nJaccard similarity +0\.000000 +0\.000000\n/);
  t.regex(stdout, /\n {2}MIN_s +none {2}no sample, 0 to 1 +0\n/);
});
