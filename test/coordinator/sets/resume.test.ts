/** Runs over sets that are interrupted and taken up, and sets that no task can hold. */
import { Readable } from 'node:stream';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { interruptAt, takeUp } from '../resume/takenUp.js';
import { finished, prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { linesAsText, naiveCommon, randomLines } from './naiveSets.js';

const SETS: RunOptions = { input: 'sets', ratings: 'stars', threshold: 0.5, threads: 0 };
const TEXT = linesAsText(randomLines(11, true));

for (const stage of ['bands', 'verify', 'write'] as const) {
  test(`a run over sets that is interrupted in the stage ${stage} is taken up, to the same bytes`, async (t) => {
    const whole = resultBytes((await finished(t, { 'a.tsv': TEXT }, SETS)).out);
    const { options } = prepared(t, { 'a.tsv': TEXT });
    await interruptAt(t, { ...SETS, ...options }, stage);
    const { report, found } = await takeUp({ ...SETS, ...options, shards: 5 });
    t.deepEqual(resultBytes(options.out), whole);
    t.is(found.kind, 'taken up');
    // Pairs that were compared are not compared again.
    const { resumed } = report;
    const recalled = resumed === 'finished' ? 0 : (resumed?.verifiedPairs ?? 0);
    if (stage === 'write') t.true(recalled > 10);
  });
}

test('with other ratings a run over sets is not taken up', async (t) => {
  const { options } = prepared(t, { 'a.tsv': TEXT });
  await interruptAt(t, { ...SETS, ...options }, 'verify');
  const other: RunOptions = { ...SETS, ...options, ratings: 'liked', likedFrom: 3 };
  const error = await t.throwsAsync(takeUp(other), { instanceOf: MinHashError });
  t.regex(error!.message, /ratings was stars, is liked/);
});

test('lines of standard input are kept for the run that takes this one up', async (t) => {
  const whole = resultBytes((await finished(t, { '-': TEXT }, SETS)).out);
  const { options } = prepared(t, {});
  const asked = { ...SETS, ...options, paths: ['-'] };
  await interruptAt(t, asked, 'verify', 1, { stdin: Readable.from([TEXT]) });
  const { found } = await takeUp(asked, { stdin: Readable.from([]) });
  t.is(found.kind, 'taken up');
  t.deepEqual(resultBytes(options.out), whole);
});

test('sets that are too large to be held together are compared range by range, to the same bytes', async (t) => {
  t.timeout(240_000);
  const count = 300_000;
  const sets = { large: 0, larger: 20_000, 'like large': 2_000 };
  const lines: string[] = [];
  for (const [name, from] of Object.entries(sets)) {
    for (let i = from; i < count; i++) lines.push(`${name}\te${i}\n`);
  }
  const files = { 'a.tsv': lines.join('') };
  const options: RunOptions = { input: 'sets', threshold: 0.9 };
  const whole = await finished(t, files, options);
  const { options: places } = prepared(t, files);
  // A task may hold 4 MB, and each of these sets is more than 2 MB, two of them 4.6 and more.
  const report = await run({ ...options, ...places, threads: 1, memory: '84MB' });
  t.deepEqual(resultBytes(places.out), resultBytes(whole.out));
  t.is(report.counts.verified_pairs, 3);
  const elements = (from: number): string[] => Array.from({ length: count - from }, (_, i) => `${from + i}`);
  const common = naiveCommon(elements(2_000), elements(20_000));
  t.is(common, 280_000);
  t.deepEqual(
    whole.pairs.map(({ a, b, jaccard }) => [a, b, jaccard]),
    [
      ['large', 'larger', (280 / 300).toFixed(6)],
      ['large', 'like large', (298 / 300).toFixed(6)],
      ['larger', 'like large', (280 / 298).toFixed(6)],
    ],
  );
});
