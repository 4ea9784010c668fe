import test from 'ava';
import fc from 'fast-check';
import {
  type Choice,
  type ChoiceWish,
  chooseSetting,
  type Refusal,
} from '../../../src/analysis/tune/setting.js';
import { chooseBands } from '../../../src/sketch/banding.js';

const USUAL: ChoiceWish = { threshold: 0.8, recall: 0.95, hashes: 128 };

function choiceOf(changes: Partial<ChoiceWish>): Choice {
  const choice = chooseSetting({ ...USUAL, ...changes });
  if ('detail' in choice) throw new Error(choice.detail);
  return choice;
}

const shapes = (settings: readonly { bands: number; rows: number }[]) =>
  settings.map(({ bands, rows }) => `${bands}x${rows}`);

test('with a recall only, the choice is that of a run', (t) => {
  const choice = choiceOf({});
  t.is(choice.reason, 'recall');
  t.deepEqual(shapes([choice.setting]), ['18x7']);
  t.deepEqual(shapes(choice.neighbours), ['25x5', '21x6', '18x7', '16x8', '14x9']);
  t.true(choice.neighbours[3]!.atThreshold < 0.95);
  const wish = fc.record({
    threshold: fc.double({ min: 0.3, max: 1, noNaN: true }),
    recall: fc.double({ min: 0.5, max: 0.99, noNaN: true }),
    hashes: fc.integer({ min: 16, max: 512 }),
  });
  fc.assert(
    fc.property(wish, (asked) => {
      const run = chooseBands(asked);
      const found = chooseSetting(asked);
      t.is('detail' in found, run.probability < asked.recall);
      if (!('detail' in found)) t.deepEqual(shapes([found.setting]), shapes([run]));
    }),
    { seed: 1, numRuns: 100 },
  );
});

test('bands and rows of the user are kept, and a missing one is computed', (t) => {
  t.deepEqual(shapes([choiceOf({ bands: 20, rows: 5 }).setting]), ['20x5']);
  t.is(choiceOf({ bands: 20, rows: 5 }).reason, 'given');
  t.deepEqual(shapes([choiceOf({ bands: 20 }).setting]), ['20x6']);
  t.deepEqual(shapes([choiceOf({ rows: 5 }).setting]), ['25x5']);
  t.deepEqual(choiceOf({ rows: 5 }).neighbours, []);
});

test('an unreachable recall is rejected with the message of a run', (t) => {
  const refused = chooseSetting({ ...USUAL, threshold: 0.01 }, { threshold: 0.01 }) as Refusal;
  t.is(refused.option, 'threshold');
  t.regex(refused.detail, /^--threshold 0\.01: the default --recall 0\.95 is not reachable/);
});
