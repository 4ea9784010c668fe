/** Pairs with their texts, to choose a threshold by. */
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { estimateCorpus } from '../../../src/analysis/tune/corpusEstimate.js';
import { samplePairs } from '../../../src/analysis/tune/samplePairs.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const words = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `w${from + i}`).join(' ');

/** Two texts of 60 distinct words each that share `shared` of them. */
const pairOf = (n: number, shared: number): string[] => [
  words(1000 * n, 60),
  `${words(1000 * n, shared)} ${words(1000 * n + 500, 60 - shared)}`,
];

/** Pairs with similarities of about 0.5, 0.6, 0.7, 0.8 and 0.9 by single words, four of each. */
const TEXTS = [40, 45, 49, 53, 57].flatMap((shared, level) =>
  [0, 1, 2, 3].flatMap((i) => pairOf(10 * level + i, shared)),
);

test('tune samples compressed files and CSV, and shows three pairs at each similarity', async (t) => {
  const lines = TEXTS.slice(0, 20).map((text, id) => `${JSON.stringify({ id: `r${id}`, text })}\n`);
  const folder = temporaryFolder(t, {
    'a.jsonl.gz': gzipSync(lines.join('')),
    'b.csv': `text\n${TEXTS.slice(20).join('\n')}\n`,
  });
  const options = { paths: [folder], shingle: 'words:1' };
  const { documents, whole, levels } = await samplePairs(options);
  t.deepEqual([documents, whole], [40, true]);
  t.deepEqual(
    levels.map(({ similarity, pairs }) => [similarity, pairs.length]),
    [0.5, 0.6, 0.7, 0.8, 0.9].map((level) => [level, 3]),
  );
  for (const { similarity, pairs } of levels)
    for (const { jaccard, textA, textB } of pairs) {
      t.true(Math.abs(jaccard - similarity) <= 0.05);
      t.is(TEXTS.indexOf(Buffer.from(textB).toString()), TEXTS.indexOf(Buffer.from(textA).toString()) + 1);
    }
  t.regex(levels[0]!.pairs[0]!.a, /^a\.jsonl\.gz#\d+$/);
  const estimate = await estimateCorpus({ options, settings: [{ bands: 18, rows: 7 }] });
  t.deepEqual([estimate.sample.documents, estimate.sample.whole], [40, true]);
  t.is(estimate.documents.value, 40);
});

test('the first documents of a long compressed file represent the rest', async (t) => {
  const line = (id: number): string => `${JSON.stringify({ id, text: words(20 * id, 20) })}\n`;
  const lines = Array.from({ length: 3000 }, (_, id) => line(id)).join('');
  const folder = temporaryFolder(t, { 'a.jsonl.gz': gzipSync(lines) });
  const options = { paths: [folder] };
  const { sample, documents } = await estimateCorpus({
    options,
    settings: [{ bands: 18, rows: 7 }],
    sample: 100,
  });
  t.deepEqual([sample.documents, sample.whole, sample.cut, sample.streams], [100, false, true, 1]);
  t.true(documents.lower >= 3000);
});

test('pairs have the locations of their records, in windows of large files too', async (t) => {
  const filler = (i: number): string => `${JSON.stringify({ text: words(100_000 + 40 * i, 40) })}\n`;
  const near = [1000, 1800].map((line, i) => ({ line, text: pairOf(1, 57)[i]! }));
  const lines = Array.from({ length: 2000 }, (_, i) => filler(i));
  for (const { line, text } of near) lines[line - 1] = `\n${JSON.stringify({ text })}\n`;
  const folder = temporaryFolder(t, { 'a.jsonl': lines.join('') });
  const { levels } = await samplePairs({ paths: [folder], shingle: 'words:1' });
  const [pair] = levels.find(({ similarity }) => similarity === 0.9)!.pairs;
  t.deepEqual([pair!.a, pair!.b].sort(), ['a.jsonl#1001', 'a.jsonl#1802']);
});

test('a corpus without a document is an error, which names the fields of its records', async (t) => {
  const folder = temporaryFolder(t, {
    'a.jsonl': '{"body":"a text"}\n',
    'b.csv.gz': gzipSync('title,body\nx,y\n'),
    'c.jsonl': '{"text":5}\nbroken\n',
  });
  const estimate = (file: string, textField?: string) =>
    estimateCorpus({
      options: { paths: [`${folder}/${file}`], ...(textField !== undefined && { textField }) },
      settings: [{ bands: 18, rows: 7 }],
    });
  await t.throwsAsync(estimate('a.jsonl'), { message: /"a\.jsonl" have the field "body"/ });
  await t.throwsAsync(estimate('b.csv.gz', 'text'), {
    message: /"b\.csv\.gz" have the fields "title", "body"/,
  });
  await t.throwsAsync(estimate('c.jsonl'), { message: /no record has it/ });
});
