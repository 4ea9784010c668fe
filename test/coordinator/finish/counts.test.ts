/** The numbers that people report of a run, on corpora where they are known. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { detailLines } from '../../../src/result/details.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Files, finished, prepared, resultOf } from '../runs/finished.js';
import { manifestIn, rowsOf } from '../runs/resultFiles.js';

/** `count` words that no other text has, the last ones replaced. */
function words(name: string, count: number, changed = 0): string {
  return Array.from({ length: count }, (_, i) => `${name}${i < count - changed ? '' : 'x'}${i}`).join(' ');
}

const lines = (...texts: readonly string[]): string =>
  texts.map((text) => `${JSON.stringify({ text })}\n`).join('');

/** Three sources beside each other, one of them files that are a document each, and every reason to drop. */
const THREE: Files = {
  'a.txt': words('a', 100),
  // 96 shingles of 5 words, 4 of them others: 92 / 100.
  'b.txt': words('a', 100, 4),
  'mail/1.txt': words('a', 100),
  'mail/2.txt': words('a', 100).toUpperCase(),
  'mail/deep/3.txt': words('c', 50),
  // 46 shingles, 4 others: 42 / 50.
  'records.jsonl': lines(words('c', 50, 4), words('d', 10), words('d', 10), words('e', 10)),
};

const bytes = (text: string): number => Buffer.byteLength(text);
const amount = (...texts: readonly string[]) => ({
  documents: texts.length,
  bytes: texts.reduce((sum, text) => sum + bytes(text), 0),
  tokens: texts.reduce((sum, text) => sum + text.split(' ').length, 0),
});

test('kept and dropped, by reason, by source and at other thresholds', async (t) => {
  const { manifest, summary, report } = await finished(t, THREE);
  const a = words('a', 100);
  const near = words('a', 100, 4);
  const last = words('c', 50, 4);
  const d = words('d', 10);
  const { numbers } = manifest;
  t.deepEqual(numbers, {
    kept: amount(a, words('c', 50), d, words('e', 10)),
    dropped: amount(near, a, a.toUpperCase(), last, d),
    reasons: { identical: amount(a, d), same_tokens: amount(a.toUpperCase()), near: amount(near, last) },
    sources: [
      { source: 'mail', kept: amount(words('c', 50)), dropped: amount(a, a.toUpperCase()) },
      { source: 'records.jsonl', kept: amount(d, words('e', 10)), dropped: amount(last, d) },
      { source: '.', kept: amount(a), dropped: amount(near) },
    ],
    other_sources: 0,
    thresholds: [
      { threshold: 0.95, dropped: 3 },
      { threshold: 0.9, dropped: 4 },
      { threshold: 0.85, dropped: 4 },
      { threshold: 0.8, dropped: 5 },
    ],
    // Of 96, 96, 96, 96, 46, 46, 6, 6, 6.
    median_shingles: 46,
    median_tokens: 50,
  });
  t.deepEqual(report.numbers, numbers);
  for (const line of [
    '4  documents are kept',
    '636 bytes  of text are kept',
    '170  tokens are kept',
    '5  can be dropped: each resembles a kept one',
    '2  of them are identical to the kept one, byte for byte',
    '1  of them has the same tokens as the kept one',
    '2  of them are similar to the kept one',
    '1.4 KB  of text can be dropped',
    '360  tokens can be dropped',
    '50  tokens in the median document',
    'mail: 2 of 3 documents',
    'records.jsonl: 2 of 4 documents',
    '.: 1 of 2 documents',
  ])
    t.true(summary.includes(` ${line}`), line);
});

test('each of several PATHs is a source, and the sources with the most dropped documents are reported', async (t) => {
  const { inputs, options } = prepared(t, THREE);
  const paths = ['a.txt', 'b.txt', 'mail', 'records.jsonl'].map((name) => join(inputs, name));
  await run({ ...options, paths, threads: 0 });
  const told = manifestIn(options.out).numbers!.sources.map(
    ({ source, kept, dropped }) => `${source} ${kept.documents} ${dropped.documents}`,
  );
  t.deepEqual(told, ['mail 1 2', 'records.jsonl 2 2', 'b.txt 0 1', 'a.txt 1 0']);
  for (let i = 0; i < 102; i++) {
    mkdirSync(join(inputs, `many/${String(i).padStart(3, '0')}`), { recursive: true });
    const name = join(inputs, `many/${String(i).padStart(3, '0')}/t.txt`);
    appendFileSync(name, i % 2 === 0 ? words(`k${i}k`, 8) : words(`k${i - 1}k`, 8));
  }
  const report = await run({ ...options, paths: [join(inputs, 'many')], threads: 0, force: true });
  const { sources, other_sources: others } = manifestIn(options.out).numbers!;
  t.is(sources.length, 101);
  t.is(others, 2);
  t.deepEqual(
    sources.slice(49, 53).map(({ source, dropped }) => `${source} ${dropped.documents}`),
    ['099 1', '101 1', '000 0', '002 0'],
  );
  t.deepEqual(sources[100], {
    source: null,
    kept: amount(words('k98k', 8), words('k100k', 8)),
    dropped: amount(),
  });
  t.true(detailLines(report).includes('  all others: 46 of 97 documents'));
});

test('tokens are counted in the unit of the shingles, for documents of any size', async (t) => {
  // Larger than what the kernel takes at once, and with letters of two bytes.
  const text = `${words('größe', 30_000)}\n`;
  const units = { words: 30_000, chars: text.length - 1, bytes: bytes(text), lines: 1 };
  for (const [unit, tokens] of Object.entries(units)) {
    for (const shards of [1, 3]) {
      const { manifest } = await finished(t, { 'large.txt': text }, { shingle: `${unit}:2`, shards });
      t.deepEqual(manifest.numbers!.kept, { documents: 1, bytes: bytes(text), tokens }, `${unit} ${shards}`);
    }
  }
});

test('sets are counted in elements, and have no source and no bytes', async (t) => {
  const rows = 'mon\tbread\nmon\tmilk\ntue\tbread\ntue\tmilk\nwed\tnails\n';
  const { manifest } = await finished(t, { 's.tsv': rows }, { input: 'sets' });
  const { kept, dropped, sources, median_shingles: median } = manifest.numbers!;
  t.deepEqual(
    [kept, dropped, sources, median],
    [{ documents: 2, tokens: 3 }, { documents: 1, tokens: 2 }, [], 2],
  );
});

test('a threshold drops what a run at that threshold drops, by any measure', async (t) => {
  const random = randomFrom(177);
  const files: Record<string, string> = {};
  for (let family = 0; family < 8; family++) {
    let version = wordsFrom(random, 120);
    for (let i = 0; i < 9; i++) {
      files[`${family}${i}`] = version.join(' ');
      version = edited(random, version, 1);
    }
  }
  // Every pair is a candidate, so that the pairs of one run are those of the other.
  const usual = { hashes: 64, bands: 64, rows: 1 };
  const cases = [{ ...usual }, { ...usual, verify: 'signature' }] as const;
  for (const options of cases) {
    const { manifest, inputs, folder } = await finished(t, files, { ...options, threshold: 0.6 });
    const { thresholds } = manifest.numbers!;
    t.is(thresholds.length, 8);
    t.is(thresholds[7]!.dropped, manifest.counts.dropped);
    t.true(new Set(thresholds.map(({ dropped }) => dropped)).size > 3);
    for (const { threshold, dropped } of [thresholds[1]!, thresholds[4]!]) {
      const out = join(folder, `at ${threshold}`);
      await run({ ...options, paths: [inputs], out, threads: 0, threshold });
      t.is(rowsOf(out, 'duplicates').length, dropped, `${JSON.stringify(options)} ${threshold}`);
    }
  }
  for (const options of [{ verify: 'none' }, { exactDuplicates: true }] as const) {
    const { manifest } = await finished(t, files, options);
    t.deepEqual(manifest.numbers!.thresholds, []);
  }
});

test('with a reference, the median is that of the new documents only', async (t) => {
  const { inputs, options } = prepared(t, {
    'new/a': words('a', 24),
    'old/b': words('b', 90),
    'old/c': words('c', 80),
  });
  const places = { paths: [join(inputs, 'new')], against: [join(inputs, 'old')] };
  const { numbers } = await run({ ...options, ...places, threads: 0 });
  t.deepEqual([numbers!.median_shingles, numbers!.median_tokens], [20, 24]);
});

test('documents without tokens are not part of the median, and a corpus of them has no median', async (t) => {
  const { manifest, out } = await finished(t, { a: '', b: ' ', c: '\n', d: 'two words' });
  t.is(manifest.numbers!.median_shingles, 1);
  t.deepEqual(resultOf(out).manifest.numbers!.kept, { documents: 4, bytes: 11, tokens: 2 });
  t.is((await finished(t, { a: '', b: ' ' })).manifest.numbers!.median_shingles, null);
});
