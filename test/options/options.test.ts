import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { flagName, MinHashError } from '../../src/errors.js';
import { checkEachOption } from '../../src/options/check.js';
import type { RunOptions } from '../../src/options/runOptions.js';
import { OPTION_KEYS, OPTIONS } from '../../src/options/table.js';
import { sharedFolder } from '../data/temporaryFolder.js';
import { problemsOf, resolveOptions } from './resolveOptions.js';

const folder = sharedFolder({});

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('resolveOptions with only a path gives the documented defaults', (t) => {
  const { params, execution } = resolveOptions({ paths: ['texts'] });
  t.deepEqual(params, {
    agree: null,
    exactDuplicates: false,
    cluster: 'components',
    measure: 'resemblance',
    threshold: 0.8,
    shingle: { unit: 'words', size: 5, bag: false, stopWords: [], seed: 1 },
    sketch: { sketch: 'fss', hashes: 128, seed: 1 },
    banding: { bands: 18, rows: 7 },
    candidates: 'margin',
    recall: 0.95,
    hotBucket: 'auto',
    verify: 'exact',
    seed: 1,
    input: 'auto',
    textField: 'text',
    idField: 'id',
    textFieldGiven: false,
    encoding: 'utf-8',
    textFormat: 'auto',
    separator: null,
    quote: null,
    include: [],
    exclude: [],
    maxDocument: 1e9,
    onError: 'skip',
    keep: { by: 'first', field: null, best: null },
    groups: null,
    unit: 'document',
    minTokens: 0,
  });
  t.deepEqual(execution, {
    paths: ['texts'],
    against: [],
    append: false,
    portion: null,
    out: 'mr-minhash-out',
    shards: 1,
    threads: Math.min(256, availableParallelism()),
    memory: execution.memory,
    spark: null,
    s3Endpoint: null,
    write: null,
    force: false,
    resume: false,
    failOnDuplicates: false,
    json: false,
    quiet: false,
    verbose: false,
    dryRun: false,
  });
});

test('resolveOptions freezes everything it returns', (t) => {
  const { params, execution } = resolveOptions({ paths: ['texts'], include: ['*.md'] });
  for (const value of [
    params,
    params.shingle,
    params.sketch,
    params.banding,
    params.include,
    execution.paths,
  ]) {
    t.true(Object.isFrozen(value));
  }
});

test('resolveOptions does not freeze or keep the lists of the caller', (t) => {
  const paths = ['a'];
  const include = ['*.md'];
  const { params, execution } = resolveOptions({ paths, include });
  paths.push('b');
  include.push('*.txt');
  t.deepEqual(execution.paths, ['a']);
  t.deepEqual(params.include, ['*.md']);
});

test('the default memory is half of the available memory, and a budget that is too small is rejected with the minimum', (t) => {
  t.true(resolveOptions({ paths: ['a'] }).execution.memory >= 84e6);
  t.is(resolveOptions({ paths: ['a'], memory: '256MB', threads: 2 }).execution.memory, 256e6);
  t.deepEqual(problemsOf({ memory: '100MB', threads: 2 }), [
    '--memory 100MB: expected at least 136MB with 2 threads, or 84MB with --threads 1, and more for many documents or pairs',
  ]);
  t.deepEqual(problemsOf({ memory: '50MB', threads: 0 }), [
    '--memory 50MB: expected at least 84MB with 0 threads, and more for many documents or pairs',
  ]);
  // In the units of the user, and enough.
  t.deepEqual(problemsOf({ memory: '0.1 GiB', threads: 2 }), [
    '--memory 0.1 GiB: expected at least 130MiB with 2 threads, or 81MiB with --threads 1, and more for many documents or pairs',
  ]);
  t.deepEqual(problemsOf({ memory: '81MiB', threads: 1 }), []);
  t.deepEqual(problemsOf({ memory: 83e6, threads: 1 }), [
    '--memory 83000000: expected at least 84MB with 1 thread, and more for many documents or pairs',
  ]);
});

test('the default of every option passes its own check', (t) => {
  for (const key of OPTION_KEYS) {
    const usual = OPTIONS[key].default;
    if (usual !== null) t.deepEqual(problemsOf({ [key]: usual }), [], key);
  }
});

// Of every option: values on both sides of its limits.
const VALUES: Record<(typeof OPTION_KEYS)[number], { good: unknown[]; bad: unknown[] }> = {
  shingle: {
    good: ['words:1', 'chars:9', 'bytes:63', 'lines:2', 'stopwords:3'],
    bad: ['words', 'words:0', 'words:64', 'words:05', 'words:5 ', 'Words:5', 'runes:3', 'words:1e1', 5, ''],
  },
  stopWords: { good: [], bad: [5, '', 'a\0b', [1], {}] },
  bag: { good: [true, false], bad: ['true', 1, null] },
  ignore: { good: [], bad: [5, '', [1], {}] },
  normalize: {
    good: ['nfc', 'nfkc', 'casefold,no-marks', ['no-digits', 'nfkc'], 'nfc,nfc'],
    bad: ['', 'NFC', 'nfd', 'nfc,', 'nfc,nfkc', ['nfkc', 'nfc'], [], 5, true],
  },
  measure: { good: ['resemblance'], bad: ['jaccard', '', true] },
  threshold: { good: [1, 0.5, 0.05], bad: [0, 1.0001, -0.5, '0.8', Number.NaN, null] },
  sketch: { good: ['fss', 'classic'], bad: ['FSS', 'min-s', 'minhash', '', 1] },
  hashes: { good: [16, 100, 1024], bad: [15, 1025, 128.5, '128', '12abc', Number.POSITIVE_INFINITY] },
  bands: { good: [7, 20, 128], bad: [0, 129, 1025, 1.5, 'many'] },
  rows: { good: [1, 7], bad: [0, 129, 1025, -1, 'few'] },
  recall: { good: [0.01, 0.99], bad: [0, 1, 1.5, '0.9'] },
  preset: { good: ['prose', 'records', 'code'], bad: ['poems', 1] },
  hotBucket: { good: [2, 1_000_000, 'auto'], bad: [1, 1_000_001, 2.5, '256'] },
  agree: { good: [], bad: [0, 1025, 1.5, '90', 90] },
  cluster: { good: ['components', 'greedy'], bad: ['kmeans', true] },
  exactDuplicates: { good: [true], bad: ['yes'] },
  candidates: { good: ['margin', 'all', 'none'], bad: ['some', true] },
  verify: { good: ['exact', 'signature', 'none'], bad: ['maybe', true] },
  seed: { good: [0, 2 ** 53 - 1], bad: [-1, 2 ** 53, 0.5, '1'] },
  input: { good: ['auto', 'text', 'jsonl', 'json', 'csv', 'tsv', 'sets'], bad: ['xml', ''] },
  columns: { good: [], bad: ['1', '1,1', 'a,,b', '1,2,3,4', ['a', 5], 12, ['a']] },
  ratings: { good: [], bad: ['hated', 'Liked', true] },
  likedFrom: { good: [], bad: [0, -1, '4', Number.NaN, 1_000_001] },
  textField: { good: ['body'], bad: ['', 7] },
  idField: { good: ['name'], bad: ['', false] },
  textFormat: { good: ['auto', 'html', 'text'], bad: ['raw', '', 1] },
  separator: { good: [',', ';', '|', 'tab', '\t'], bad: ['', '"', '\n', ',,', 'ä', 1] },
  quote: { good: ['"', "'", 'none'], bad: ['', 'a', ' ', 'no', 1] },
  records: { good: ['items', 'data.items'], bad: ['', 1] },
  encoding: { good: ['utf-8', 'UTF8', 'latin1', 'shift_jis', 'utf-16le'], bad: ['utf-9', '', 8] },
  include: {
    good: ['*.txt', ['a/**', '*.md'], []],
    bad: ['', '/', '!a.py', ['ok', ''], [5], 5, 'a\0', '[', ['{a,b']],
  },
  exclude: {
    good: ['*.txt', ['a/**'], '/*.txt', ['/a/', 'a/'], '/a/*', '/a/**', '/a/b.py'],
    bad: ['', '/', '!/a', '//a', [null]],
  },
  maxDocument: {
    good: [1, 5e9, '1', '10MB', '1 GB', '512KiB', '1.5 kb'],
    bad: [0, -1, 1.5, '0', '1.5', '10 M', 'MB', '10  MB', '1e3', '', '99999999 TB', '5 hasOwnProperty'],
  },
  onError: { good: ['skip', 'fail'], bad: ['ignore'] },
  memory: { good: [1e9, '2GB', '512 MiB'], bad: [0, -1, '', 'half', 1.5, '1MB', 1000] },
  out: { good: ['x', '/tmp/x'], bad: ['', 'a\0b', 5] },
  force: { good: [true], bad: ['yes'] },
  resume: { good: [true], bad: ['yes'] },
  write: { good: ['clean', './x'], bad: ['', 1, null] },
  failOnDuplicates: { good: [true], bad: [0] },
  json: { good: [true], bad: ['yes'] },
  quiet: { good: [true], bad: ['yes'] },
  verbose: { good: [true], bad: ['yes'] },
  shards: { good: [1, 64], bad: [0, 65, 1.5, '16', '12abc', 'auto'] },
  threads: { good: [0, 1, 256], bad: [-1, 257, 0.5, 'all'] },
  s3Endpoint: {
    good: ['http://127.0.0.1:9000', 'https://s3.example.org'],
    bad: ['', 'localhost:9000', 'ftp://a', 1],
  },
  keep: {
    good: ['last', 'field:a', 'field:dc:date:asc', 'field:score:min'],
    bad: ['', 'id', 'field:', 'field', 'field:a:', 'field:s:x,y', ['longest'], [], 5, true],
  },
  against: { good: [['old']], bad: ['', [''], 5] },
  againstInclude: { good: [], bad: ['', 5] },
  onlyAgainst: { good: [false], bad: ['yes', 1, null] },
  append: { good: [true, false], bad: ['yes', 1] },
  portion: { good: ['2026-11'], bad: ['', 5] },
  unit: { good: ['document', 'paragraph', 'line'], bad: ['word', '', true] },
  minTokens: { good: [0, 1, 20], bad: [-1, 1.5, '5'] },
  dryRun: { good: [true], bad: ['yes'] },
  engine: { good: ['threads', 'spark'], bad: ['Spark', 'disk', '', true] },
  sparkMaster: { good: [], bad: ['', 5] },
  sparkConf: { good: [], bad: ['key', '=value', 5, [5]] },
  sparkWork: { good: [], bad: ['', 5] },
};

for (const key of OPTION_KEYS) {
  test(`resolveOptions checks ${flagName(key)}`, (t) => {
    const { good, bad } = VALUES[key];
    for (const value of good) t.deepEqual(problemsOf({ [key]: value }), [], JSON.stringify(value));
    for (const value of bad) {
      const problems = problemsOf({ [key]: value });
      t.true(problems.length > 0, JSON.stringify(value));
      // One of the value itself; another of what it stands beside.
      for (const problem of problems) {
        t.true(problem.startsWith(flagName(key)), problem);
        t.regex(problem, /expected /);
      }
    }
  });
}

test('an error has the option, its value and what was expected', (t) => {
  t.deepEqual(problemsOf({ shards: 0 }), ['--shards 0: expected an integer from 1 to 64']);
  t.deepEqual(problemsOf({ threshold: 0 }), ['--threshold 0: expected a number above 0 and at most 1']);
  t.deepEqual(problemsOf({ recall: 1 }), ['--recall 1: expected a number above 0 and below 1']);
  t.deepEqual(problemsOf({ hashes: '12abc' }), ['--hashes 12abc: expected an integer from 16 to 1024']);
  t.deepEqual(problemsOf({ hashes: '128' }), ['--hashes "128": expected an integer from 16 to 1024']);
  t.deepEqual(problemsOf({ verify: 'maybe' }), ['--verify maybe: expected one of exact, signature, none']);
});

test('all invalid options are reported in one error', (t) => {
  const error = t.throws(
    () =>
      resolveOptions({ paths: 5, threshold: 2, shards: 0, sketch: 'x', bogus: 1 } as unknown as RunOptions),
    { instanceOf: MinHashError },
  );
  t.deepEqual(
    error?.problems.map(({ typed, detail }) => (typed ?? detail).split(':')[0]),
    ['bogus', 'PATH 5', '--threshold 2', '--sketch x', '--shards 0'],
  );
  t.is(error?.exitCode, 2);
});

test('an invalid path is shown', (t) => {
  t.regex(problemsOf({ paths: ['a', ''] })[0]!, /^PATH "": expected/);
  t.regex(problemsOf({ paths: 'texts' })[0]!, /^PATH texts: expected a list/);
});

test('an unknown option is an error with the nearest name', (t) => {
  t.deepEqual(problemsOf({ treshold: 0.5 }), ['treshold: no such option, did you mean threshold?']);
  t.deepEqual(problemsOf({ 'max-document': 1 }), ['max-document: no such option, did you mean maxDocument?']);
  t.deepEqual(problemsOf({ frobnicate: 1 }), ['frobnicate: no such option']);
  t.is(problemsOf(JSON.parse('{"__proto__": 1, "constructor": 2}')).length, 2);
});

test('quiet and verbose exclude each other', (t) => {
  t.deepEqual(problemsOf({ quiet: true, verbose: true }), ['--quiet --verbose: expected only one of these']);
});

test('every invalid glob is shown as it was typed', (t) => {
  const [first, second, ...rest] = problemsOf({ include: ['', 'a/**', 'b[1'] });
  t.regex(first!, /^--include "": expected a glob over relative paths/);
  t.regex(
    second!,
    /^--include b\[1: expected a glob .*; the \[ at character 2 is not closed \(\\\[ is a literal one\)$/,
  );
  t.deepEqual(rest, []);
  t.deepEqual(problemsOf({ include: 'b\\[1', exclude: ['[ab]', '{a,b}', 'c]'] }), []);
});

test('a glob that begins with ! is rejected with the flag to use instead', (t) => {
  const why = 'expected a glob of what is meant, got an exception by !; give';
  t.deepEqual(problemsOf({ exclude: ['b', '!a.py'], include: '!/x/*' }).sort(), [
    `--exclude !a.py: ${why} a.py to --include (\\! is a literal one)`,
    `--include !/x/*: ${why} /x/* to --exclude (\\! is a literal one)`,
  ]);
});

test('checkEachOption checks single options, and does not report missing ones', (t) => {
  const options = { paths: 'x', hashes: 1, bands: 99, rows: 99, quiet: true, verbose: true, bogus: 1 };
  t.deepEqual(
    checkEachOption(options as unknown as RunOptions).map((problem) => problem.option),
    ['bogus', 'paths', 'hashes'],
  );
  t.deepEqual(checkEachOption({}), []);
});

test('stop words come from a file, sorted and distinct, for stopwords:k only', (t) => {
  const file = written('stop.txt', '# ours\nthe\n\na\nthe\n');
  const { params } = resolveOptions({ paths: ['x'], shingle: 'stopwords:3', stopWords: file });
  t.deepEqual(params.shingle, { unit: 'stopwords', size: 3, bag: false, stopWords: ['a', 'the'], seed: 1 });
  t.deepEqual(problemsOf({ stopWords: file }), [
    '--stop-words: expected together with --shingle stopwords:k only',
  ]);
});

test('stop words may be given as a list, and are built in otherwise', (t) => {
  const given = resolveOptions({ paths: ['x'], shingle: 'stopwords:3', stopWords: ['zu', 'der', 'zu'] });
  t.deepEqual(given.params.shingle.stopWords, ['der', 'zu']);
  const builtIn = resolveOptions({ paths: ['x'], shingle: 'stopwords:3' }).params.shingle.stopWords;
  t.true(builtIn.includes('the'));
  t.deepEqual(builtIn, [...new Set(builtIn)].sort());
});

test('a stop-word file that is missing, empty or contains more than words is an error', (t) => {
  const problems = (stopWords: string) => problemsOf({ shingle: 'stopwords:3', stopWords });
  t.regex(problems(join(folder, 'absent.txt'))[0]!, /absent\.txt: there is no such file$/);
  t.regex(problems(written('empty.txt', '# nothing\n'))[0]!, /expected at least one word$/);
  t.regex(
    problems(written('two.txt', 'the\nof the\n--\n'))[0]!,
    /"of the" and 1 more: expected one word per line$/,
  );
});

test('the encoding has one canonical name', (t) => {
  const encoding = (label: string) => resolveOptions({ paths: ['x'], encoding: label }).params.encoding;
  t.is(encoding('UTF8'), 'utf-8');
  t.is(encoding('latin1'), 'windows-1252');
  t.is(encoding('ISO-8859-1'), 'windows-1252');
});

test('textFieldGiven is true if the text field was set, even to its default', (t) => {
  t.false(resolveOptions({ paths: ['x'] }).params.textFieldGiven);
  t.true(resolveOptions({ paths: ['x'], textField: 'text' }).params.textFieldGiven);
});

/** Options that are as docs/dev/adding.md says most are: a row and a use. */
const SIMPLE_OPTIONS = ['onError'] as const;

test('a simple option is defined in its row only', (t) => {
  const root = new URL('../../../', import.meta.url);
  const folders = ['src/options/', 'cli/'];
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => folder + name),
  );
  for (const key of SIMPLE_OPTIONS) {
    const typed = files.filter((file) =>
      new RegExp(`\\b${key}\\b`).test(readFileSync(new URL(file, root), 'utf8')),
    );
    t.deepEqual(typed, ['src/options/table.ts'], key);
  }
});
