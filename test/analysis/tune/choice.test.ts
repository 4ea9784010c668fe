import test from 'ava';
import fc from 'fast-check';
import {
  type Choice,
  type ChoiceWish,
  chooseSetting,
  type Refusal,
} from '../../../src/analysis/tune/setting.js';
import { chooseBands, probabilityOfCandidate } from '../../../src/sketch/banding.js';

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

test('keys: at most this many bands, and as many rows as the recall allows', (t) => {
  // 18 keys suffice for 18 x 7. With 10 the best is 5 rows: 1 - (1 - .8^5)^10 = .981; 6 rows give .952; 7 give .905.
  t.deepEqual(shapes([choiceOf({ keys: 64 }).setting]), ['18x7']);
  t.deepEqual(shapes([choiceOf({ keys: 10 }).setting]), ['10x6']);
  t.true(probabilityOfCandidate(0.8, 10, 7) < 0.95);
  const refused = chooseSetting({ ...USUAL, threshold: 0.5, keys: 2 }) as Refusal;
  t.is(refused.option, 'keys');
  t.regex(refused.detail, /^--keys 2: --recall 0\.95 is not reachable .* the best is 0\.7500 with one row/);
});

test('ceiling: the fewest slots that keep both, by trying all', (t) => {
  const wishes = [
    { threshold: 0.8, recall: 0.95, similarity: 0.5, probability: 0.05 },
    { threshold: 0.9, recall: 0.99, similarity: 0.6, probability: 0.01 },
    { threshold: 0.5, recall: 0.9, similarity: 0.2, probability: 0.1 },
    { threshold: 1, recall: 0.9, similarity: 0.9, probability: 0.5 },
  ];
  for (const { similarity, probability, ...goals } of wishes) {
    const { setting, reason } = choiceOf({ ...goals, ceiling: { similarity, probability } });
    t.is(reason, 'ceiling');
    t.true(setting.atThreshold >= goals.recall - 1e-12);
    t.true(probabilityOfCandidate(similarity, setting.bands, setting.rows) <= probability);
    let fewest = Number.POSITIVE_INFINITY;
    for (let rows = 1; rows <= 60; rows++) {
      for (let bands = 1; bands * rows <= 1024; bands++) {
        const isGood =
          probabilityOfCandidate(goals.threshold, bands, rows) >= goals.recall &&
          probabilityOfCandidate(similarity, bands, rows) <= probability;
        if (isGood) fewest = Math.min(fewest, bands * rows);
      }
    }
    t.is(setting.slots, fewest);
  }
});

test('ceiling: an unreachable one is rejected with the lowest that is reachable', (t) => {
  const refused = chooseSetting({ ...USUAL, ceiling: { similarity: 0.78, probability: 0.01 } }) as Refusal;
  t.is(refused.option, 'ceiling');
  t.regex(refused.detail, /^--ceiling 0\.78 0\.01: not reachable with 1024 slots .* the lowest is 0\.\d+;/);
  const hopeless = { threshold: 0.001, recall: 0.99, hashes: 128 };
  const none = chooseSetting({ ...hopeless, ceiling: { similarity: 0.0001, probability: 0.5 } }) as Refusal;
  t.regex(none.detail, /the recall itself is not/);
});

test('a short signature is still one of 16 slots', (t) => {
  const choice = choiceOf({ threshold: 1, ceiling: { similarity: 0.1, probability: 0.5 } });
  t.is(choice.hashes, 16);
});

test('an unreachable recall is rejected with the message of a run', (t) => {
  const refused = chooseSetting({ ...USUAL, threshold: 0.01 }, { threshold: 0.01 }) as Refusal;
  t.is(refused.option, 'threshold');
  t.regex(refused.detail, /^--threshold 0\.01: the default --recall 0\.95 is not reachable/);
});
