/** Runs over sets that are interrupted and taken up, and sets that no task can hold. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test from 'ava';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { attempt } from '../resume/attempts.js';
import { interruptAt, takeUp } from '../resume/takenUp.js';
import { finished, prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { linesAsText, naiveCommon, randomLines } from './naiveSets.js';

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

test('sets that are too large to be held together are compared range by range, to the same evidence', async (t) => {
  const count = 6000;
  const sets = { large: 0, larger: 400, 'like large': 40 };
  const lines = Object.entries(sets).flatMap(([name, from]) =>
    Array.from({ length: count - from }, (_, i) => `${name}\te${from + i}\n`),
  );
  const folder = temporaryFolder(t, { 'a.tsv': lines.join('') });
  const options: RunOptions = { input: 'sets', threshold: 0.9, paths: [join(folder, 'a.tsv')] };
  const whole = await attempt({ run: options, work: join(folder, 'whole') });
  // Two sets of a pair may take 60 KB together; each of these takes 45 or more.
  const budget = { task: 120_000 };
  const ranged = await attempt({ run: options, work: join(folder, 'ranged'), budget });
  t.deepEqual(ranged.outcome!.verified, whole.outcome!.verified);
  t.deepEqual(
    Object.keys(whole.tasks).filter((kind) => kind === 'ranged'),
    [],
  );
  t.true(ranged.tasks.ranged! >= 3);
  const elements = (from: number): string[] => Array.from({ length: count - from }, (_, i) => `${from + i}`);
  t.is(naiveCommon(elements(40), elements(400)), 5600);
  t.deepEqual(
    [...whole.outcome!.verified.exact!.jaccard].map((jaccard) => jaccard.toFixed(6)),
    [5600 / 6000, 5960 / 6000, 5600 / 5960].map((jaccard) => jaccard.toFixed(6)),
  );
});
