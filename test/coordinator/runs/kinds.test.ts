/** What a pair of equal tokens is: `identical`, byte for byte the same text, or `same-tokens`; however the texts come. */

import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { findDuplicates } from '../../../src/index.js';
import type { RunOptions } from '../../../src/options/check.js';
import { programHere } from '../../cli/programHere.js';
import { type Files, finished, prepared, resultOf } from './finished.js';
import type { Row } from './resultFiles.js';

const CODE = 'def allowed(age, limit):\n    if age >= limit:\n        return True\n    return False\n';
/** More bytes than one read of a small file and one call of the kernel, mostly white space and punctuation, which are not tokens. */
const LONG = 'many words, one after the other, without an end. '.repeat(3_000);

const TEXTS: Readonly<Record<string, string>> = {
  'code/a': CODE,
  'code/b': CODE.replace('>=', '<'),
  'code/c': CODE,
  'code/d': CODE.replaceAll('    ', '\t'),
  'code/e': CODE.replace('>=', '<'),
  'empty/a': '',
  'empty/b': '',
  'long/a': LONG,
  'long/b': `${LONG.slice(0, -2)}! `,
  'long/c': LONG,
  'long/d': `${LONG} `,
  'nfc/a': 'Ångström',
  'nfc/b': 'Ångström'.normalize('NFD'),
  'tail/a': 'one two three',
  'tail/b': 'one two three\n',
  'tail/c': '\ufeffone two three',
  'zero/a': 'nought\0',
  'zero/b': 'nought\0\0',
  'zero/c': 'nought\0',
};

/** The rows by definition: each document with the first one of its folder. */
const EXPECTED = Object.keys(TEXTS)
  .map((id) => [`${id.split('/')[0]}/a`, id] as const)
  .filter(([a, b]) => a !== b && TEXTS[b] !== '')
  .map(([a, b]) => `${a} ${b} ${TEXTS[a] === TEXTS[b] ? 'identical' : 'same-tokens'}`);

/** With lines for tokens, where punctuation is part of a token, and layout and case are not. */
const OF_LINES = EXPECTED.filter((row) => !/code.[be] |(long|zero).b /.test(row))
  .concat('code/b code/e identical')
  .sort();

const kindsOf = (pairs: readonly Row[]): string[] =>
  pairs.filter(({ kind }) => kind !== 'near').map(({ a, b, kind }) => `${a} ${b} ${kind}`);

const records = Object.entries(TEXTS).map(([id, text]) => ({ id, text }));
// Every character of the escaped ones is the same as it would be plain.
const escaped = (text: string): string =>
  text.length > 1000
    ? JSON.stringify(text)
    : `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
const LINES = records
  .map(({ id, text }, i) => `{"id":"${id}","text":${i % 2 === 0 ? JSON.stringify(text) : escaped(text)}}`)
  .join('\n');

test('kinds follow the definition for files, compressed files, lines, arrays, standard input and memory', async (t) => {
  const asFiles = (made: (text: string) => Uint8Array, end = ''): Files =>
    Object.fromEntries(Object.entries(TEXTS).map(([id, text]) => [`${id}${end}`, made(text)]));
  const bytes = (text: string): Uint8Array => Buffer.from(text);
  // Files with a NUL are binary, so these are in records alone.
  const text = (rows: readonly string[]): string[] => rows.filter((row) => !row.startsWith('zero'));
  t.deepEqual(kindsOf((await finished(t, asFiles(bytes))).pairs), text(EXPECTED));
  const packed = await finished(
    t,
    asFiles((one) => gzipSync(one, { level: 1 }), '.txt.gz'),
  );
  t.deepEqual(
    kindsOf(packed.pairs).map((row) => row.replaceAll('.txt.gz', '').replaceAll('.txt', '')),
    text(EXPECTED),
  );
  const ways: readonly [Files, RunOptions][] = [
    [{ 'all.jsonl': LINES }, { threads: 2, shards: 3 }],
    [{ 'all.jsonl.gz': gzipSync(LINES, { level: 1 }) }, {}],
    [{ 'all.json': `[${LINES.replaceAll('\n', ',\n')}]` }, { memory: '300MB' }],
    [
      Object.fromEntries(LINES.split('\n').map((line, i) => [`${String(i).padStart(3, '0')}.json`, line])),
      { shingle: 'lines:3', threads: 2 },
    ],
  ];
  for (const [files, options] of ways) {
    const { pairs, manifest } = await finished(t, files, options);
    const wanted = options.shingle === undefined ? EXPECTED : OF_LINES;
    t.deepEqual(kindsOf(pairs), wanted, Object.keys(files)[0]);
    const { identical_pairs: identical, same_tokens_pairs: same } = manifest.counts;
    t.is(identical, wanted.filter((row) => row.endsWith('identical')).length);
    t.is(identical + same, wanted.length);
  }
  const { options } = prepared(t, {});
  await run({ ...options, paths: ['-'], threads: 0 }, { stdin: Readable.from([Buffer.from(LINES)]) });
  t.deepEqual(kindsOf(resultOf(options.out).pairs), EXPECTED);
  const { pairs, counts } = await findDuplicates(records);
  t.deepEqual(
    pairs.filter(({ kind }) => kind !== 'near').map(({ a, b, kind }) => `${a} ${b} ${kind}`),
    EXPECTED,
  );
  t.is(counts.same_tokens_pairs, EXPECTED.filter((row) => row.endsWith('same-tokens')).length);
});

test('a text of several pieces is read completely', async (t) => {
  const text = LONG.repeat(35);
  const files = { a: text, b: `${text} `, c: text, d: `${text.slice(0, -1)}\n` };
  const { pairs } = await finished(t, files, { exactDuplicates: true });
  t.true(text.length > 5e6);
  t.deepEqual(kindsOf(pairs), ['a b same-tokens', 'a c identical', 'a d same-tokens']);
});

test('bytes are counted in UTF-8, for any encoding of the text', async (t) => {
  const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf16le');
  const files = {
    a: bytes('eins zwei'),
    b: bytes('\ufeffeins zwei'),
    c: bytes('Eins zwei'),
    d: bytes('eins zwei'),
  };
  t.deepEqual(kindsOf((await finished(t, files, { encoding: 'utf-16le' })).pairs), [
    // A byte order mark says how a text is encoded, and goes with it.
    'a b identical',
    'a c same-tokens',
    'a d identical',
  ]);
});

test('equal sets are identical, for any order and blanks of their lines', async (t) => {
  const lines = ['x\t1', 'y\t2', 'x\t2', 'y\t1', 'z\t1', ''].join('\n');
  const { pairs, manifest } = await finished(t, { 'sets.tsv': lines }, { input: 'sets' });
  t.deepEqual(kindsOf(pairs), ['x y identical']);
  t.deepEqual([manifest.counts.identical_pairs, manifest.counts.same_tokens_pairs], [1, 0]);
});

/** Twelve functions, each with its comparison and turned round. */
function comparisons(): Record<string, string> {
  const found: Record<string, string> = {};
  for (let i = 10; i < 22; i++) {
    found[`${i}a.py`] = CODE.replace('allowed', `allowed_${i}`);
    found[`${i}b.py`] = CODE.replace('allowed', `allowed_${i}`).replace('>=', '<');
  }
  return found;
}

test.serial(
  'the command: a warning about other punctuation names a --shingle that tells the pairs apart',
  async (t) => {
    const { folder } = prepared(t, comparisons());
    const said = await programHere(folder, ['run', 'in', '--threads', '0', '--fail-on-duplicates']);
    t.is(said.code, 3);
    t.regex(said.stdout, /^ {2}drop {2}12 documents .* 12 same words$/m);
    t.regex(
      said.stdout,
      /^warning: 12 of 12 accepted pairs have the same words but other punctuation or symbols/m,
    );
    const [, shingle] = /--shingle (chars:\d+)/.exec(said.stdout)!;
    const json = await programHere(folder, [
      'run',
      'in',
      '--threads',
      '0',
      '--json',
      '--out',
      'json',
      '--quiet',
    ]);
    t.is(
      (JSON.parse(json.stdout).warnings as string[]).filter((text) => text.includes('other punctuation'))
        .length,
      1,
    );
    const shown = await programHere(folder, ['inspect', 'json', '--pair', '10a.py', '10b.py']);
    t.regex(shown.stdout, /^kind {16}same-tokens$/m);
    t.is((await programHere(folder, ['verify', 'json'])).code, 0);
    const out = await programHere(folder, [
      ...['run', 'in', '--threads', '0', '--shingle', shingle!, '--out', 'other'],
    ]);
    t.is(out.code, 0);
    t.regex(out.stdout, /^0 of 24 documents can be dropped/m);
    t.notRegex(out.stdout, /same-tokens|punctuation/);
    // A function with the opposite comparison is not dropped for the other.
    t.deepEqual(resultOf(join(folder, 'other')).dropped, []);
  },
);

test('a single pair with other punctuation is reported, and pairs with other case and white space are not', async (t) => {
  const differing = async (a: string, b: string): Promise<readonly [number, number]> => {
    const { counts, warnings } = await run({
      ...prepared(t, { 'a.txt': a, 'b.txt': b }).options,
      threads: 0,
    });
    t.is(counts.same_tokens_pairs, 1);
    const about = warnings.filter((text) => text.includes('the same words but other punctuation'));
    return [counts.same_tokens_other_punctuation, about.length];
  };
  t.deepEqual(await differing('I write C++ every day', 'I write C# every day'), [1, 1]);
  t.deepEqual(await differing('Ärger, he said', 'ÄRGER ,\n\the SAID'), [0, 0]);
});
