import { Readable } from 'node:stream';
import test from 'ava';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { interruptAt, takeUp } from '../resume/takenUp.js';
import { finished, prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { linesAsText, randomLines } from './naiveSets.js';

const SETS: RunOptions = {
  ...{ input: 'sets', ratings: 'stars', threshold: 0.5, threads: 0 },
  // As `finished` lists them.
  candidates: 'all',
};
const TEXT = linesAsText(randomLines(11, true));

for (const stage of ['bands', 'verify', 'write'] as const) {
  test(`a run over sets that is interrupted in the stage ${stage} is taken up, to the same bytes`, async (t) => {
    const whole = resultBytes((await finished(t, { 'a.tsv': TEXT }, SETS)).out);
    const { options } = prepared(t, { 'a.tsv': TEXT });
    await interruptAt(t, { ...SETS, ...options }, stage);
    const { found } = await takeUp({ ...SETS, ...options, shards: 5 });
    t.deepEqual(resultBytes(options.out), whole);
    t.is(found.kind, 'taken up');
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
