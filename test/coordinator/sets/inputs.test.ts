/** Sources of lines of sets, invalid lines, and usage errors. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { dryRunLines } from '../../../cli/show/plan.js';
import { plan } from '../../../src/coordinator/planning/plan.js';
import { MinHashError, openResult, run } from '../../../src/index.js';
import { checkOptions, type RunOptions } from '../../../src/options/check.js';
import { finished, pairNames, prepared } from '../runs/finished.js';
import { manifestIn, rowsOf } from '../runs/resultFiles.js';

const SETS: RunOptions = { input: 'sets', threshold: 0.6 };
// b lacks one of the five elements of a.
const ROWS = ['a v', 'a w', 'a x', 'a y', 'a z', 'b v', 'b w', 'b x', 'b y'];
const TEXT = ROWS.map((row) => `${row.replace(' ', '\t')}\n`).join('');
const PAIR = ['a b near'];

test('lines are read from files, gzip, standard input and other encodings', async (t) => {
  t.deepEqual(pairNames((await finished(t, { 'x.tsv': TEXT }, SETS)).pairs), PAIR);
  t.deepEqual(pairNames((await finished(t, { 'x.tsv.gz': gzipSync(TEXT) }, SETS)).pairs), PAIR);
  const utf16 = Buffer.from(TEXT, 'utf16le');
  t.deepEqual(pairNames((await finished(t, { x: utf16 }, { ...SETS, encoding: 'utf-16le' })).pairs), PAIR);
  const { options } = prepared(t, {});
  await run(
    { ...SETS, ...options, paths: ['-'], threads: 0 },
    { stdin: Readable.from([TEXT.slice(0, 7), TEXT.slice(7)]) },
  );
  t.deepEqual(pairNames(rowsOf(options.out, 'pairs')), PAIR);
  t.is(manifestIn(options.out).counts.read, 2);
});

test('lines that are whole baskets are detected, with the command that converts them', async (t) => {
  const { report } = await finished(t, { 'x.csv': '11,22,33\n44,55,66\n11,55\n7,8,9\n' }, SETS);
  t.is(report.warnings.length, 1);
  t.regex(
    report.warnings[0]!,
    /^Most sets have one element\. .*awk -F, .*print NR "\\t" \$i }' FILE \| mr-minhash run/,
  );
  t.deepEqual((await finished(t, { 'x.tsv': TEXT }, SETS)).report.warnings, []);
});

test('a set may be in several files', async (t) => {
  const files = {
    'one.tsv': `${TEXT.slice(0, 12)}`,
    'two.tsv': TEXT.slice(12),
    'three.tsv': TEXT.slice(8, 20),
  };
  t.deepEqual(pairNames((await finished(t, files, SETS)).pairs), PAIR);
});

test('CSV has commas, and fields can be selected by name in any order', async (t) => {
  const csv = (rows: readonly string[]): string => rows.map((row) => `${row.replace(' ', ',')}\n`).join('');
  t.deepEqual(pairNames((await finished(t, { 'x.csv': csv(ROWS) }, SETS)).pairs), PAIR);
  const turned = `rating,"the item",user,extra\n${ROWS.map((row) => {
    const [user, item] = row.split(' ');
    return `5,"${item}",${user},zzz\n`;
  }).join('')}`;
  const named: RunOptions = { ...SETS, columns: ['user', 'the item', 'rating'], ratings: 'liked' };
  t.deepEqual(pairNames((await finished(t, { 'x.csv': turned, 'y.csv': turned }, named)).pairs), PAIR);
  t.deepEqual(pairNames((await finished(t, { 'x.csv.gz': gzipSync(turned) }, named)).pairs), PAIR);
  // The other way round items are compared: v, w, x and y are in a and b, z in a alone.
  const items = await finished(t, { 'x.csv': turned }, { ...SETS, columns: 'the item,user' });
  t.deepEqual(pairNames(items.pairs), ['v w identical', 'v x identical', 'v y identical']);
});

test('a file whose first line lacks the fields is skipped and listed, and an empty file is ignored', async (t) => {
  const files = { 'a.csv': 'user,item\na,v\n', 'b.csv': 'a,v\nb,w\n', 'c.csv': '', 'd.csv': 'a\0\n' };
  const { skipped, manifest } = await finished(t, files, { ...SETS, columns: 'user,item' });
  t.deepEqual(
    skipped.map(({ document, reason }) => `${document} ${reason!.split(':')[0]}`),
    ['b.csv SETS_NO_COLUMN', 'd.csv BINARY'],
  );
  t.is(manifest.counts.read, 1);
  t.is(manifest.counts.documents, 3);
});

const UNKNOWN = { ...SETS, columns: 'user,item,stars', threads: 0 };

test('--columns that no file has are rejected before anything is written, with the file and its fields', async (t) => {
  const files = { 'a.csv': '', 'b.csv': 'user,"it em",rate\n', 'c.tsv': 'user,item,stars\na,v,5\n' };
  const { options } = prepared(t, files);
  const error = await t.throwsAsync(run({ ...UNKNOWN, ...options }), { instanceOf: MinHashError });
  t.is(error!.code, 'COLUMNS_UNKNOWN');
  t.is(error!.exitCode, 2);
  t.is(
    error!.problems[0]!.detail,
    'columns user,item,stars: the first line of "b.csv" has no "item", "stars"; its fields are ' +
      '"user", "it em", "rate"; 1 more file is without them',
  );
  t.false(existsSync(options.out));
  await t.throwsAsync(plan({ ...UNKNOWN, ...options }), { code: 'COLUMNS_UNKNOWN' });
});

test('a first line of one field is reported with the separator in use, a long one in part', async (t) => {
  const detailOf = async (files: Record<string, string>): Promise<string> => {
    const { options } = prepared(t, files);
    const error = await t.throwsAsync(run({ ...UNKNOWN, ...options }), { instanceOf: MinHashError });
    return error!.problems[0]!.detail;
  };
  t.regex(
    await detailOf({ x: 'user,item,stars\n' }),
    /are "user,item,stars" \(one field: .* by TABs, in .csv files by commas/,
  );
  const many = Array.from({ length: 14 }, (_, i) => `f${i}${'x'.repeat(50)}`).join('\t');
  t.regex(await detailOf({ x: many }), /are "f0x{37}…", .*"f9x{37}…" and 4 more$/);
});

test('missing fields in gzip are reported after its first line; if one file has the fields, the others are skipped', async (t) => {
  const files = { 'a.csv.gz': gzipSync('a,v\n'), 'b.csv': 'user,rate\n' };
  const { options } = prepared(t, files);
  await t.throwsAsync(run({ ...UNKNOWN, ...options }), {
    code: 'COLUMNS_UNKNOWN',
    message: /"a\.csv\.gz" has no "user", "item", "stars"; its fields are "a", "v"; 1 more file is/,
  });
  const some = await finished(t, { ...files, 'c.csv': 'stars,item,user\n5,v,a\n' }, UNKNOWN);
  t.deepEqual(
    some.skipped.map(({ document }) => document),
    ['a.csv.gz', 'b.csv'],
  );
  const { options: failing } = prepared(t, { ...files, 'c.csv': 'stars,item,user\n5,v,a\n' });
  await t.throwsAsync(run({ ...UNKNOWN, ...failing, onError: 'fail' }), { code: 'INPUT_REFUSED' });
});

test('an invalid row is skipped and listed by its line, counted over ranges and files', async (t) => {
  const filler = 'filler\tx\n'.repeat(600_000);
  const text = `${TEXT}no tab\n${filler}\tno name\nempty\t\nrow\telement\tweight\n`;
  const { skipped, manifest, pairs } = await finished(t, { 'big.tsv': text, 'small.tsv': 'none\n' }, SETS);
  t.deepEqual(
    skipped.map(({ document, reason }) => `${document} ${reason!.split(':')[0]}`),
    [
      'big.tsv#10 SETS_NO_ELEMENT',
      'big.tsv#600011 SETS_BAD_NAME',
      'big.tsv#600012 SETS_NO_ELEMENT',
      'big.tsv#600013 SETS_BAD_WEIGHT',
      'small.tsv#1 SETS_NO_ELEMENT',
    ],
  );
  t.deepEqual(pairNames(pairs), PAIR);
  t.is(manifest.counts.documents, 3 + 5);
  const failing = finished(t, { 'x.tsv': `${TEXT}none\n` }, { ...SETS, onError: 'fail' });
  const error = await t.throwsAsync(failing, { instanceOf: MinHashError });
  t.regex(error!.message, /x\.tsv#10: the line has no element/);
});

const OF_TEXTS = /document|shingle|token/i;

test('messages about sets speak of sets and their elements', async (t) => {
  const rows = Array.from({ length: 12 }, (_, i) => `e${i % 3}\tset${i}\t2\nx${i}\tset${i}\n`).join('');
  const wishes: RunOptions[] = [
    { exactDuplicates: true },
    { verify: 'none' },
    { verify: 'signature', hotBucket: 2, threshold: 0.2, hashes: 1024 },
  ];
  for (const wish of wishes) {
    const options: RunOptions = { input: 'sets', ...wish };
    const { summary, inputs, folder } = await finished(t, { x: `${TEXT}${rows}` }, options);
    t.notRegex(summary, OF_TEXTS);
    const planned = await plan({ ...options, paths: [inputs], out: join(folder, 'other') });
    t.notRegex(dryRunLines(planned).join('\n'), OF_TEXTS);
  }
});

test('sets without an element are empty, never duplicates, and counted', async (t) => {
  const { manifest, noted, pairs } = await finished(t, { x: `${TEXT}c\tv\t0\nd\tw\t0\n` }, SETS);
  t.deepEqual(pairNames(pairs), PAIR);
  t.is(manifest.counts.empty, 2);
  t.deepEqual(
    noted.map(({ document, kind, reason }) => `${document} ${kind} ${reason!.split(':')[0]}`),
    ['c empty SETS_EMPTY', 'd empty SETS_EMPTY'],
  );
  t.is(manifest.counts.read, 4);
});

test('an input without lines has no sets and no result', async (t) => {
  const error = {
    code: 'NOTHING_READ',
    message: /: no set was found( in 1 file)?; pass PATHs with sets/,
  } as object;
  await t.throwsAsync(finished(t, { x: '' }, SETS), error);
  await t.throwsAsync(finished(t, {}, SETS), error);
});

test('a set larger than --max-document, 8 bytes per element, is skipped; a million copies are cut and reported', async (t) => {
  const huge = `huge\tx\t60000\nhuge\ty\t1e9\ntwin\tx\t60000\ntwin\ty\t65535\n${TEXT}`;
  const small = await finished(t, { x: huge }, { ...SETS, bag: true, maxDocument: 1_004_279 });
  t.deepEqual(
    small.skipped.map(({ document, reason }) => `${document} ${reason!.split(':')[0]}`),
    ['huge SETS_TOO_LARGE', 'twin SETS_TOO_LARGE'],
  );
  t.deepEqual(pairNames(small.pairs), PAIR);
  t.is(small.manifest.counts.documents, 4);
  const large = await finished(t, { x: huge }, { ...SETS, bag: true, maxDocument: 1_004_280 });
  t.deepEqual(pairNames(large.pairs), ['huge twin identical', ...PAIR]);
  t.is(large.manifest.counts.repaired, 1);
  t.deepEqual(
    large.noted.map(({ document, kind }) => `${document} ${kind}`),
    ['huge repaired'],
  );
  t.is(large.manifest.counts.shingle_occurrences, 2 * (60_000 + 65_535) + 9);
});

test('--exact-duplicates finds identical sets only', async (t) => {
  const text = `${TEXT}c\tv\nc\tw\nc\tx\nc\ty\nc\tv\n`;
  const { pairs, manifest } = await finished(
    t,
    { x: text },
    { input: 'sets', exactDuplicates: true, threads: 2 },
  );
  t.deepEqual(pairNames(pairs), ['b c identical']);
  t.is(manifest.counts.candidate_pairs, 0);
  const liked = await finished(t, { x: text }, { input: 'sets', exactDuplicates: true, columns: '2,1' });
  t.deepEqual(pairNames(liked.pairs), ['v w identical', 'v x identical', 'v y identical']);
});

test('names of sets are bytes, and are escaped in the result', async (t) => {
  const rows = Buffer.from(TEXT.replaceAll('b\t', '\xff\x01\\\t').replaceAll('a\t', 'ä\t'), 'latin1');
  const { pairs } = await finished(t, { x: rows }, SETS);
  t.deepEqual(pairNames(pairs), ['\\xe4 \\xff\\x01\\\\ near']);
});

test('inspect shows the elements of two sets, and detects that they changed', async (t) => {
  const { out, inputs } = await finished(t, { x: TEXT }, SETS);
  const result = await openResult(out);
  t.deepEqual(await result.texts('a', 'b'), {
    state: 'found',
    a: ['v', 'w', 'x', 'y', 'z'],
    b: ['v', 'w', 'x', 'y'],
    of: 'element',
  });
  await t.throwsAsync(result.texts('a', 'nobody'), { message: /^no such document in this result: nobody/ });
  const { writeFileSync } = await import('node:fs');
  writeFileSync(join(inputs, 'x'), `${readFileSync(join(inputs, 'x'), 'latin1')}b\tq\n`);
  t.is((await result.texts('a', 'b')).state, 'changed');
});

test('inspect labels the elements of bags and ratings', async (t) => {
  const text = 'a\tx\t5\na\ty\t2\na\ty\t1\nb\tx\t5\nb\ty\t4\n';
  const files = { 'x.csv.gz': gzipSync(text.replaceAll('\t', ',')) };
  const texts = async (options: RunOptions): Promise<unknown> => {
    const { out } = await finished(t, files, { ...SETS, ...options });
    return (await openResult(out)).texts('a', 'b');
  };
  t.deepEqual(await texts({ ratings: 'liked-hated' }), {
    state: 'found',
    a: ['x liked', 'y hated'],
    b: ['x liked', 'y liked'],
    of: 'element',
  });
  t.like(await texts({ ratings: 'stars' }), { a: ['x', 'x (2)', 'x (3)', 'x (4)', 'x (5)', 'y', 'y (2)'] });
  t.like(await texts({ bag: true }), { a: ['x', 'x (2)', 'x (3)', 'x (4)', 'x (5)', 'y', 'y (2)', 'y (3)'] });
});

test('options that conflict with sets, or need them, are usage errors', (t) => {
  const problems = (options: RunOptions): string[] =>
    checkOptions({ paths: ['x'], ...options }).problems.map(({ detail }) => detail);
  t.deepEqual(problems({ columns: '1,2', ratings: 'stars', likedFrom: 3 }), [
    '--columns: expected together with --input sets only',
    '--ratings: expected together with --input sets only',
    '--liked-from: expected together with --input sets only',
  ]);
  t.deepEqual(problems({ input: 'sets', shingle: 'words:2', textField: 'a', idField: 'b' }), [
    '--shingle: expected with texts, got --input sets',
    '--text-field: expected with texts, got --input sets',
    '--id-field: expected with texts, got --input sets',
  ]);
  t.deepEqual(problems({ input: 'sets', stopWords: ['a'] }), [
    '--stop-words: expected together with --shingle stopwords:k only',
  ]);
  t.deepEqual(problems({ input: 'sets', ratings: 'stars', columns: '1,2', bag: true, likedFrom: 2 }), [
    '--liked-from: expected with --ratings liked or liked-hated, got stars',
    '--ratings stars: expected a third field of --columns, the rating',
    '--bag: expected with weights, got --ratings stars, which says how ratings count',
  ]);
  t.deepEqual(problems({ input: 'sets', likedFrom: 2 }), [
    '--liked-from: expected together with --ratings only',
  ]);
  t.deepEqual(problems({ input: 'sets', columns: 'user,user' }), [
    '--columns user,user: expected two or three different fields, separated by commas, as numbers from 1 or as ' +
      'names, such as 1,2,3 or user,item',
  ]);
  t.deepEqual(problems({ input: 'sets', bag: true, columns: 'user,item,weight' }), []);
  t.deepEqual(problems({ input: 'sets', ratings: 'liked', likedFrom: 2.5 }), []);
});

test('the manifest has the parameters of sets instead of those of shingles', async (t) => {
  const { manifest } = await finished(t, { x: 'a\tb\t5\n' }, { ...SETS, ratings: 'liked', columns: '1,2,3' });
  t.deepEqual(manifest.parameters.sets, {
    columns: ['1', '2', '3'],
    named: false,
    ratings: 'liked',
    likedFrom: 4,
  });
  t.deepEqual(manifest.parameters.shingle as object, { bag: false, seed: 1 });
  const texts = await finished(t, { x: 'some text' });
  t.false('sets' in texts.manifest.parameters);
});
