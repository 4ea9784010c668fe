/** `--normalize` is the same everywhere: in runs, in memory, in filters, queries and comparisons. */
import test from 'ava';
import { filterDocuments } from '../../../src/coordinator/filter/filterDocuments.js';
import { sharedPassages } from '../../../src/coordinator/query/passages.js';
import { run } from '../../../src/coordinator/run.js';
import {
  canonicalTokens,
  compareBy,
  compareTexts,
  estimateResemblance,
  explainTexts,
  findDuplicates,
  fingerprint,
  METHOD_NAMES,
  type MinHashError,
  query,
  resemblance,
  sketchOf,
} from '../../../src/index.js';
import { finished, pairNames } from './finished.js';

const NORMALIZE = 'nfkc,casefold,no-marks,no-digits';
const ENCODER = new TextEncoder();

/** A line of a log and of a page, written in two ways that are one. */
const [A, B] = [
  'Error 12 at 7: the \ufb01nal r\u00e9sum\u00e9 of Stra\u00dfe \u2460 was not found in any of the folders',
  'error 990 AT 31: THE final resume of STRASSE 4 was not found in any of the folders',
];
const C = 'Another line that has nothing in common with those two, and 7 words more than it needs';
const LINES = [A, B, C].map((text) => `${JSON.stringify({ text })}\n`).join('');

test('a run reports the normalization, and finds texts that are similar after it', async (t) => {
  const { manifest, pairs } = await finished(t, { 'a.jsonl': LINES }, { normalize: NORMALIZE });
  t.deepEqual(pairNames(pairs), ['a.jsonl#1 a.jsonl#2 same-tokens']);
  t.deepEqual(manifest.parameters.shingle.normalize, ['nfkc', 'casefold', 'no-marks', 'no-digits']);
  const plain = await finished(t, { 'a.jsonl': LINES }, { normalize: 'nfc' });
  t.deepEqual(plain.pairs, []);
  // The default leaves no trace: results of before are results of now.
  t.false('normalize' in plain.manifest.parameters.shingle);
});

test('findDuplicates and a filter keep the same documents', async (t) => {
  const texts = [A, C, B];
  const { dropped } = await findDuplicates(texts, { normalize: NORMALIZE, threads: 0 });
  t.deepEqual(
    dropped.map(({ index }) => index),
    [2],
  );
  const kept: boolean[] = [];
  for await (const one of filterDocuments(texts, { normalize: NORMALIZE })) kept.push(one.kept);
  t.deepEqual(kept, [true, true, false]);
});

test('small functions and comparison methods accept normalize', async (t) => {
  const options = { normalize: NORMALIZE };
  t.is(resemblance(A, B, options), 1);
  t.is(fingerprint(A, options), fingerprint(B, options));
  t.is(compareTexts(A, B, options).sets.resemblance, 1);
  t.is(explainTexts(A, B, options).onlyInA.count, 0);
  t.deepEqual(canonicalTokens(ENCODER.encode('R\u00e9sum\u00e9'), { unit: 'words', normalize: 'no-marks' }), [
    'resume',
  ]);
  const [a, b] = [sketchOf(A, options), sketchOf(B, options)];
  t.deepEqual(a.slots, b.slots);
  const error = t.throws<MinHashError>(() => estimateResemblance(a, sketchOf(B)));
  t.is(error!.problems[0]!.code, 'SKETCHES_DIFFER');
  t.regex(error!.message, /normalize/);
  t.is(sketchOf(A).parameters, sketchOf(A, { normalize: 'nfc' }).parameters);
  const plain = canonicalTokens(A, options).join(' ');
  for (const method of METHOD_NAMES.filter((name) => name !== 'manber'))
    t.deepEqual(compareBy(A, B, { method, ...options }), compareBy(plain, plain, { method }), method);
  const answers: string[] = [];
  for await (const { document } of query(A, [C, B], { ...options, explain: true })) answers.push(document);
  t.deepEqual(answers, ['1']);
});

test('passages have the original text', (t) => {
  const words = ['nfc', 'no-marks'] as const;
  const [passage] = sharedPassages(
    ENCODER.encode('x R\u00e9sum\u00e9 of it'),
    ENCODER.encode('y resume OF it'),
    2,
    words,
  );
  t.is(passage!.base.text, 'R\u00e9sum\u00e9 of it');
  t.is(passage!.document.text, 'resume OF it');
});

test('options without effect and conflicting options are reported with all other problems', async (t) => {
  const problemsOf = async (options: object): Promise<readonly string[]> => {
    const error = await t.throwsAsync<MinHashError>(run({ paths: ['x'], out: 'y', ...options }));
    return error!.problems.filter(({ code }) => code === 'OPTION_INVALID').map(({ detail }) => detail);
  };
  t.deepEqual(await problemsOf({ shingle: 'bytes:4', normalize: ['nfc,nfkc'], threshold: 7 }), [
    'threshold 7: expected a number above 0 and at most 1',
    'normalize nfc,nfkc: expected nfc or nfkc, got both',
    'normalize nfc,nfkc shingle bytes:4: expected only one of these: bytes are compared as they are',
  ]);
  t.deepEqual(await problemsOf({ input: 'sets', normalize: 'nfkc' }), [
    'normalize: expected with texts, got input sets',
  ]);
  const error = t.throws<MinHashError>(() => resemblance('a', 'b', { unit: 'bytes', normalize: 'nfc,nfkc' }));
  t.is(error!.problems.length, 2);
  t.is(resemblance('ab', 'ab', { shingle: 'bytes:1', normalize: 'nfc' }), 1);
});
