/**
 * Documents that kill, hang or break the worker that reads them: left out, named and counted, and everything else as if
 * they had been left out for any other reason.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { hiddenFolderOf } from '../../../src/output/folder.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Files, prepared, resultOf } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';

const inDist = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
/** With faultyWorkers.ts in it (scripts/bundleTests.mjs); without the bundle it is loaded before. */
const BUNDLED = inDist('long/faulty/cli.js');
const FAULTY: readonly string[] = existsSync(BUNDLED)
  ? [BUNDLED]
  : ['--import', new URL('./faultyWorkers.js', import.meta.url).href, inDist('cli/main.js')];
const FAMILIES = 6;

/** Near copies of a few pages; `good` has other text in the places of the bad documents. */
function texts(count: number, seed: number): string[] {
  const random = randomFrom(seed);
  const pages = Array.from({ length: FAMILIES }, () => wordsFrom(random, 120));
  return Array.from({ length: count }, (_, i) => edited(random, pages[i % FAMILIES]!, 1).join(' '));
}

const jsonLines = (documents: readonly string[]): string =>
  documents.map((text) => (text === '' ? '{\n' : `${JSON.stringify({ text })}\n`)).join('');

/** Documents of every kind of source; at `bad` positions the words of a fault, or (null) broken JSON. */
function corpus(fault: (word: string) => string | null): Files {
  const files: Record<string, string | Uint8Array> = {};
  texts(40, 1).forEach((text, i) => {
    files[`a/${String(i).padStart(2, '0')}`] = text;
  });
  for (const word of ['THROWS', 'ALLOCATES', 'DIES']) {
    const text = fault(word);
    if (text !== null) files[`a/2 ${word}`] = text;
  }
  const lines = texts(60, 1);
  lines[17] = fault('DIES') ?? '';
  lines[59] = fault('THROWS') ?? '';
  files['b.jsonl'] = jsonLines(lines);
  const packed = texts(30, 1);
  packed[0] = fault('DIES') ?? '';
  files['c.jsonl.gz'] = gzipSync(jsonLines(packed));
  return files;
}

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

function command(
  t: ExecutionContext,
  cwd: string,
  argv: readonly string[],
  interruptAt?: RegExp,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Ended> {
  const child = spawn(process.execPath, [...FAULTY, 'run', 'in', ...argv], { cwd });
  t.teardown(() => child.kill('SIGKILL'));
  let stderr = '';
  let sent = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (interruptAt?.test(stderr) !== true || sent) return;
    sent = true;
    child.kill(signal);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
}

const bad = (word: string): string => `some words before FIRST-${word} and some after it`;
const SKIPPED = [
  ['a/2 ALLOCATES', 'UNPROCESSABLE'],
  ['a/2 DIES', 'UNPROCESSABLE'],
  ['a/2 THROWS', 'UNPROCESSABLE'],
  ['b.jsonl#18', 'UNPROCESSABLE'],
  ['b.jsonl#60', 'UNPROCESSABLE'],
  ['c.jsonl.gz#1', 'UNPROCESSABLE'],
];

/** What of a result does not say what was skipped. */
function found(out: string): Record<string, string> {
  const bytes = resultBytes(out);
  const tables = Object.entries(bytes).filter(([name]) =>
    /^(candidates|pairs|clusters|duplicates)/.test(name),
  );
  return Object.fromEntries(tables);
}

test.serial(
  'documents that no worker survives are left out and named, the same for all threads and shards',
  async (t) => {
    const { folder, options } = prepared(t, corpus(bad));
    const without = prepared(
      t,
      corpus(() => null),
    );
    t.deepEqual(await command(t, without.folder, ['--out', 'out', '--quiet', '--threads', '0']), {
      code: 0,
      stderr: '',
    });
    const expected = found(without.options.out);
    const known = resultOf(without.options.out);
    t.true(known.pairs.length > 100, `${known.pairs.length}`);
    let first: Record<string, string> | null = null;
    for (const more of [
      ['--threads', '1'],
      ['--threads', '2', '--shards', '3'],
    ]) {
      const name = more.join('');
      const { code, stderr } = await command(t, folder, ['--out', 'out', '--force', '--quiet', ...more]);
      t.is(code, 0, stderr);
      const { manifest, skipped } = resultOf(options.out);
      t.deepEqual(
        skipped.map(({ document, reason }) => [document, reason!.split(':')[0]]),
        SKIPPED,
        name,
      );
      t.deepEqual(manifest.counts.skipped, { UNPROCESSABLE: 6 }, name);
      t.deepEqual(found(options.out), expected, name);
      first ??= resultBytes(options.out);
      t.deepEqual(resultBytes(options.out), first, name);
    }
  },
);

test.serial('a document that hangs is left out after the timeout', async (t) => {
  const files = { ...Object.fromEntries(texts(12, 3).map((text, i) => [`${i}`, text])), bad: bad('HANGS') };
  const { folder, options } = prepared(t, files);
  const { code, stderr } = await command(t, folder, [
    '--out',
    'out',
    '--threads',
    '2',
    '--task-timeout',
    '2s',
  ]);
  t.is(code, 0, stderr);
  const { manifest, skipped } = resultOf(options.out);
  t.is(skipped[0]!.document, 'bad');
  t.deepEqual(manifest.counts.skipped, { UNPROCESSABLE: 1 });
  t.is(manifest.counts.read, 12);
});

test.serial(
  'an element of a large array that no worker survives is left out, and the others are given',
  async (t) => {
    const random = randomFrom(9);
    const pages = Array.from({ length: 50 }, () =>
      // Many bytes in few words, which take little time.
      wordsFrom(random, 1700).map((word) => word.padEnd(59, 'a')),
    );
    const rows = [...pages, ...pages].map((page) => ({ text: edited(random, page, 9).join(' ') }));
    const array = (fault: string | null): Files => {
      return { 'x.json': JSON.stringify(rows.with(73, { text: fault ?? '' })) };
    };
    t.true(JSON.stringify(rows).length > 2 * (4 << 20) + 200_000);
    const { folder, options } = prepared(t, array(bad('DIES')));
    const without = prepared(t, array(null));
    for (const [place, threads] of [
      [without, '0'],
      [{ folder, options }, '2'],
    ] as const) {
      const { code, stderr } = await command(t, place.folder, [
        '--out',
        'out',
        '--quiet',
        '--threads',
        threads,
      ]);
      t.is(code, 0, stderr);
    }
    const { manifest, skipped, pairs } = resultOf(options.out);
    t.deepEqual(
      skipped.map(({ document }) => document),
      ['x.json#74'],
    );
    t.deepEqual(manifest.counts.skipped, { UNPROCESSABLE: 1 });
    t.is(pairs.length, 49);
    t.deepEqual(found(options.out), found(without.options.out));
  },
);

/** Sets of which every third has most of what the one before it has; at `bad` lines the elements given. */
function setLines(bad: Readonly<Record<number, string>>): string {
  const random = randomFrom(11);
  const words = Array.from({ length: 3 }, () => wordsFrom(random, 60));
  const lines = Array.from({ length: 12 }, (_, set) =>
    edited(random, words[set % 3]!, 2).map((word) => `set${set}\t${word}`),
  ).flat();
  return lines.map((line, i) => (bad[i] === undefined ? line : `set5${bad[i]}`)).join('\n');
}

test.serial(
  'lines of sets that no worker survives are left out and named, the same for all threads and shards',
  async (t) => {
    const { folder, options } = prepared(t, {
      'a.tsv': setLines({
        0: '\tFIRST-DIES',
        300: '\tFIRST-THROWS',
        301: '\tFIRST-DIES',
        700: '\tan FIRST-ALLOCATES',
      }),
    });
    const without = prepared(t, { 'a.tsv': setLines({ 0: '', 300: '', 301: '', 700: '' }) });
    const argv = ['--input', 'sets', '--threshold', '0.5', '--out', 'out', '--force', '--quiet'];
    t.is((await command(t, without.folder, argv)).code, 0);
    const expected = found(without.options.out);
    t.true(resultOf(without.options.out).pairs.length > 5);
    let first: Record<string, string> | null = null;
    for (const more of [
      ['--threads', '1'],
      ['--threads', '2', '--shards', '5'],
    ]) {
      const { code, stderr } = await command(t, folder, [...argv, ...more]);
      t.is(code, 0, stderr);
      const { manifest, skipped } = resultOf(options.out);
      t.deepEqual(
        skipped.map(({ document, reason }) => [document, reason!.split(':')[0]]),
        [1, 301, 302, 701].map((line) => [`a.tsv#${line}`, 'UNPROCESSABLE']),
      );
      t.deepEqual(manifest.counts.skipped, { UNPROCESSABLE: 4 });
      t.deepEqual(found(options.out), expected);
      first ??= resultBytes(options.out);
      t.deepEqual(resultBytes(options.out), first);
    }
  },
);

test.serial('a line of a set that hangs is left out after the timeout', async (t) => {
  const { folder, options } = prepared(t, {
    'a.csv': setLines({ 9: '\tFIRST-HANGS' }).replaceAll('\t', ','),
  });
  const argv = ['--input', 'sets', '--out', 'out', '--threads', '1', '--task-timeout', '2s'];
  const { code, stderr } = await command(t, folder, argv);
  t.is(code, 0, stderr);
  t.deepEqual(resultOf(options.out).manifest.counts.skipped, { UNPROCESSABLE: 1 });
  t.deepEqual(
    resultOf(options.out).skipped.map(({ document }) => document),
    ['a.csv#10'],
  );
});

test.serial('with --on-error fail the run fails and names the document', async (t) => {
  const { 'b.jsonl': lines } = corpus(bad);
  const { folder, options } = prepared(t, { 'b.jsonl': lines! });
  const { code, stderr } = await command(t, folder, ['--out', 'out', '--threads', '1', '--on-error', 'fail']);
  t.is(code, 1);
  t.regex(stderr, /b\.jsonl#18: every worker that read it died, hung, ran out of memory/);
  t.false(existsSync(join(options.out, '_SUCCESS')));
});

test.serial('a file that kills whoever opens it is left out as a whole', async (t) => {
  const lines = texts(20, 4);
  const { folder, options } = prepared(t, {
    'no-open.jsonl': jsonLines(lines),
    'other.jsonl': jsonLines(lines),
  });
  const { code, stderr } = await command(t, folder, ['--out', 'out', '--threads', '1']);
  t.is(code, 0, stderr);
  const { manifest, skipped } = resultOf(options.out);
  t.deepEqual(
    skipped.map(({ document }) => document),
    ['no-open.jsonl'],
  );
  t.is(manifest.counts.read, 20);
});

for (const onError of ['skip', 'fail']) {
  test.serial(`a document that kills its second reader is withdrawn (--on-error ${onError})`, async (t) => {
    const [page] = texts(1, 5);
    const twins = { 'a.txt': `${page} AGAIN-DIES`, 'b.txt': `${page} one`, 'c.txt': `${page} two` };
    const { folder, options } = prepared(t, twins);
    const argv = ['--out', 'out', '--threads', '1', '--on-error', onError];
    const { code, stderr } = await command(t, folder, argv);
    if (onError === 'fail') {
      t.is(code, 1);
      t.regex(stderr, /a\.txt: every worker that read it died/);
      return;
    }
    t.is(code, 0, stderr);
    const { manifest, pairs } = resultOf(options.out);
    t.deepEqual(manifest.counts.skipped, { UNPROCESSABLE: 1 });
    t.deepEqual(
      pairs.map(({ a, b }) => `${a} ${b}`),
      ['b.txt c.txt'],
    );
  });
}

test.serial('on this thread a document that throws is left out, too', async (t) => {
  const { folder, options } = prepared(t, { good: texts(1, 6)[0]!, bad: bad('THROWS') });
  const { code, stderr } = await command(t, folder, ['--out', 'out', '--threads', '0']);
  t.is(code, 0, stderr);
  t.deepEqual(resultOf(options.out).manifest.counts.skipped, { UNPROCESSABLE: 1 });
});

test.serial(
  'more bad documents in a block than can be their own fault end the run and name the task',
  async (t) => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}`, bad('THROWS')]));
    const { folder } = prepared(t, files);
    const { code, stderr } = await command(t, folder, ['--out', 'out', '--threads', '0']);
    t.is(code, 1);
    t.regex(stderr, /a task failed: stage sketch, task "0 and 39 more files": this text throws/);
  },
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test.serial(`${signal} while a document hangs ends the command at once`, async (t) => {
    const { folder, options } = prepared(t, { good: texts(1, 7)[0]!, bad: bad('HANGS') });
    const argv = ['--out', 'out', '--threads', '1', '--task-timeout', '0'];
    const { code, stderr } = await command(t, folder, argv, /a text hangs/, signal);
    t.is(code, 130, stderr);
    t.regex(stderr, /interrupted: out holds an unfinished run/);
    t.false(existsSync(join(options.out, '_SUCCESS')));
    t.false(existsSync(hiddenFolderOf(options.out)));
  });
}
