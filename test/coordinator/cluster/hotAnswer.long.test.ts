/** Corpora of near copies, whose buckets are hot, have the result of threads from the whole recipe of jobs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type RunOptions, run } from '../../../src/index.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { filesOf, preparedRun, runInProcess } from './comparedFolders.js';

/** Near copies of a few pages, some of them of copies, and pages of their own; some are there twice. */
function linesOf(count: number, pages: number, edits: number, seed: number): string {
  const random = randomFrom(seed);
  const texts = Array.from({ length: pages }, () => wordsFrom(random, 60));
  for (let i = pages; i < count; i++) {
    const from = texts[Math.floor(random() * (random() < 0.8 ? pages : texts.length))]!;
    const isOther = random() < 0.1;
    texts.push(isOther ? wordsFrom(random, 40) : edited(random, from, Math.floor(random() * edits)));
  }
  const ids = texts.map((_, i) => `d${(i * 7919) % 100_003}`);
  return texts.map((words, i) => `${JSON.stringify({ id: ids[i], text: words.join(' ') })}\n`).join('');
}

/** Name, options, documents, pages, edits of a copy. */
const CASES: readonly (readonly [string, RunOptions, number, number, number])[] = [
  ['sets', { hotBucket: 8, threshold: 0.8 }, 700, 1, 6],
  ['signatures', { hotBucket: 5, threshold: 0.6, verify: 'signature', sketch: 'classic' }, 700, 1, 7],
  ['no verification', { hotBucket: 16, threshold: 0.6, verify: 'none', hashes: 64 }, 700, 1, 7],
  ['the last stay', { hotBucket: 5, threshold: 0.8, keep: 'last' }, 700, 1, 6],
  [
    'protected ones stay',
    { hotBucket: 4, protect: ['b.jsonl'], keep: ['longest', 'id'], idField: 'id' },
    700,
    1,
    5,
  ],
  ['the best by a field', { hotBucket: 5, threshold: 0.6, verify: 'signature', keep: 'field:id' }, 700, 1, 7],
  ['pairs of two groups', { hotBucket: 5, threshold: 0.8, groupBy: 'path:1' }, 900, 1, 6],
  [
    'pairs of two groups, the longest stay',
    { hotBucket: 4, threshold: 0.6, groupBy: 'path:1', verify: 'signature', keep: 'longest' },
    900,
    1,
    7,
  ],
  ['one shingle in two', { sketch: 'mod-m', modulus: 2, hotBucket: 4, keep: 'last' }, 900, 2, 7],
  [
    'estimates of samples',
    { sketch: 'min-s', hashes: 32, hotBucket: 3, threshold: 0.6, verify: 'signature' },
    900,
    1,
    9,
  ],
  ['containment', { measure: 'containment', modulus: 2, hotBucket: 4, threshold: 0.8 }, 900, 2, 7],
  [
    'containment in protected ones',
    { measure: 'containment', modulus: 1, hotBucket: 3, protect: ['b.jsonl'] },
    700,
    1,
    6,
  ],
  [
    'samples of two groups',
    { sketch: 'mod-m', modulus: 2, hotBucket: 3, keep: 'last', groupBy: 'path:1' },
    900,
    1,
    7,
  ],
  [
    'containment in documents of another group',
    { measure: 'containment', modulus: 2, hotBucket: 4, threshold: 0.8, groupBy: 'path:1' },
    900,
    2,
    7,
  ],
  ['every identical pair', { hotBucket: 4, threshold: 0.8, seed: 77, expandIdentical: true }, 1000, 2, 5],
];

for (const [name, options, count, pages, edits] of CASES) {
  test(`hot buckets with more near pairs than a sample has: jobs give every byte of the result of threads, ${name}`, async (t) => {
    t.timeout(300_000);
    const folder = temporaryFolder(t);
    const corpus = join(folder, 'corpus');
    mkdirSync(corpus);
    const lines = linesOf(count, pages, edits, 5).split(/(?<=\n)/);
    const cut = options.groupBy === undefined ? count - 100 : count / 2;
    writeFileSync(join(corpus, 'a.jsonl'), lines.slice(0, cut).join(''));
    writeFileSync(join(corpus, 'b.jsonl'), lines.slice(cut).join(''));
    const of = (out: string): RunOptions => ({ ...options, paths: [corpus], out: join(folder, out) });
    const wanted = await run({ ...of('threads'), threads: 0 });
    await runInProcess(await preparedRun(of('jobs')), {
      mappers: 4,
      reducers: 5,
      byStars: false,
      splitLines: 50,
      givesRows: true,
    });
    t.deepEqual(filesOf(join(folder, 'jobs')), filesOf(join(folder, 'threads')));
    const { pairs_skipped_at_most: skipped, kept_uncompared: uncompared } = wanted.counts;
    t.true(skipped > 0 && uncompared > 0 && wanted.recall !== undefined);
  });
}
