/** The drop list at a threshold above that of the run, from the pairs of the result. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { applyResult } from '../../../src/coordinator/apply/apply.js';
import { run } from '../../../src/coordinator/run.js';
import type { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Finished, finished, resultOf } from '../runs/finished.js';

/** Families of near and exact copies, in two folders. */
function families(seed: number): Record<string, string> {
  const random = randomFrom(seed);
  const texts: Record<string, string> = {};
  for (let family = 0; family < 40; family++) {
    const words = wordsFrom(random, 90);
    let text = words.join(' ');
    for (let copy = 0; copy < 7; copy++) {
      if (random() < 0.7) text = edited(random, words, Math.floor(random() * 8)).join(' ');
      texts[`${random() < 0.4 ? 'old' : 'new'}/${Math.floor(random() * 1e9)}.txt`] = text;
    }
  }
  return texts;
}

async function droppedAt(folder: string, threshold: number): Promise<string[]> {
  const lines: string[] = [];
  const onList = (bytes: Uint8Array): unknown => lines.push(Buffer.from(bytes).toString());
  await applyResult(folder, { list: 'dropped', threshold }, { onList });
  return lines.join('').split('\n').slice(0, -1).sort();
}

/** The counts at all thresholds, and what must hold of each list. */
async function checkThresholds(t: ExecutionContext, { out, manifest, pairs }: Finished): Promise<void> {
  const { thresholds } = manifest.numbers;
  t.true(new Set(thresholds.map(({ dropped }) => dropped)).size > 4);
  for (const { threshold, dropped } of thresholds) {
    const gone = await droppedAt(out, threshold);
    t.is(gone.length, dropped, `at ${threshold}`);
    const isGone = new Set(gone);
    t.is(isGone.size, gone.length);
    for (const { a, b, jaccard } of pairs)
      if (Number(jaccard) >= threshold) t.true(isGone.has(a!) || isGone.has(b!), `${a} and ${b} are kept`);
  }
}

test('a higher threshold drops as many documents as the run reports', async (t) => {
  for (const keep of ['first', 'longest'])
    await checkThresholds(t, await finished(t, families(1), { threshold: 0.5, keep }));
});

test('a higher threshold drops no document of a reference', async (t) => {
  for (const options of [{}, { onlyAgainst: true }, { keep: 'last' }] satisfies RunOptions[]) {
    const { inputs } = await finished(t, families(2), { exactDuplicates: true });
    const out = join(inputs, '..', 'across');
    const paths = { paths: [join(inputs, 'new')], against: [join(inputs, 'old')], out };
    const report = await run({ threads: 0, threshold: 0.5, ...paths, ...options });
    await checkThresholds(t, { folder: out, inputs, ...resultOf(out), report, summary: '' });
    t.true((await droppedAt(out, 0.9)).every((place) => place.startsWith('new/')));
  }
});

test('a document that a chain kept may be dropped at a higher threshold', async (t) => {
  // b is like a, and c is like b only. At 0.7 b is dropped, so c is kept; at 0.9 b is kept, so c is dropped.
  const words = Array.from({ length: 300 }, (_, i) => `w${i}`);
  const changed = (count: number, mark: string): string =>
    words.map((word, i) => (i < count ? `${mark}${i}` : word)).join(' ');
  const texts = {
    'a.txt': words.join(' '),
    'b.txt': changed(40, 'b'),
    'c.txt': changed(40, 'b').replace('w299', 'c'),
  };
  const { out, manifest } = await finished(t, texts, { threshold: 0.7625, shingle: 'words:1' });
  t.is(manifest.counts.dropped, 1);
  t.deepEqual(
    await droppedAt(out, 0.9),
    ['in/c.txt'].map((place) => place.slice(3)),
  );
  const to = join(out, '..', 'clean');
  const report = await applyResult(out, { to, threshold: 0.9 });
  t.deepEqual(report?.documents, { read: 3, kept: 2, dropped: 1 });
  t.is(readFileSync(join(to, 'b.txt'), 'utf8'), texts['b.txt']);
});

test('a threshold below that of the run, or of a result without similarities, is rejected', async (t) => {
  const texts = { 'a.txt': 'one two three four five six', 'b.txt': 'one two three four five six' };
  const { out } = await finished(t, texts, { threshold: 0.8 });
  const detailOf = async (folder: string, options: object): Promise<string> => {
    const error = await t.throwsAsync(applyResult(folder, { list: 'dropped', ...options }));
    return (error as MinHashError).problems.map(({ detail }) => detail.replaceAll(out, 'OUT')).join('; ');
  };
  t.is(
    await detailOf(out, { threshold: 0.7 }),
    'threshold 0.7: expected 0.8 or more, the threshold of OUT; for less, run again',
  );
  t.is(
    await detailOf(out, { threshold: 0.9, dropList: 'x' }),
    'threshold dropList: expected only one of these',
  );
  const { out: same } = await finished(t, texts, { exactDuplicates: true });
  t.regex(await detailOf(same, { threshold: 0.9 }), /has token-identical ones only/);
});
