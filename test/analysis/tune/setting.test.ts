import test from 'ava';
import fc from 'fast-check';
import {
  curveTable,
  missesOf,
  settingOf,
  similarityAt,
  slopeAt,
} from '../../../src/analysis/tune/setting.js';
import { probabilityOfCandidate, thresholdOf } from '../../../src/sketch/banding.js';

const SETTING = fc.record({ bands: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 20 }) });

test('curveTable holds figure 3.8 and the threshold once, ascending', (t) => {
  const table = curveTable(20, 5, 0.8);
  t.is(table.length, 21);
  const found = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7].map((s) => {
    return table.find(({ similarity }) => Math.abs(similarity - s) < 1e-12)!.probability.toFixed(3);
  });
  t.deepEqual(found, ['0.006', '0.047', '0.186', '0.470', '0.802', '0.975']);
  const odd = curveTable(20, 5, 0.83);
  t.is(odd.length, 22);
  t.is(odd[17]!.similarity, 0.83);
  for (let i = 1; i < odd.length; i++) t.true(odd[i]!.similarity > odd[i - 1]!.similarity);
});

test('exercise 3.4.1: r = 3 and b = 10 in closed form', (t) => {
  for (const { similarity: s, probability } of curveTable(10, 3, 0.5)) {
    t.true(Math.abs(probability - (1 - (1 - s ** 3) ** 10)) < 1e-12);
  }
});

test('similarityAt is the inverse of the S-curve in closed form', (t) => {
  fc.assert(
    fc.property(SETTING, fc.double({ min: 0.01, max: 0.99, noNaN: true }), ({ bands, rows }, p) => {
      const closed = (1 - (1 - p) ** (1 / bands)) ** (1 / rows);
      t.true(Math.abs(similarityAt(p, bands, rows) - closed) < 1e-9);
    }),
    { seed: 1, numRuns: 200 },
  );
  // MMDS 3.4.2: "just slightly more than 0.5" for 20 x 5, and (1/b)^(1/r) = .549 is its approximation.
  t.is(similarityAt(0.5, 20, 5).toFixed(4), '0.5087');
  t.is(thresholdOf(20, 5).toFixed(3), '0.549');
});

test('slopeAt is the derivative, and more than 3 in the middle of 20 x 5', (t) => {
  t.true(slopeAt(0.5, 20, 5) > 3);
  const step = 1e-6;
  fc.assert(
    fc.property(SETTING, fc.double({ min: 0.05, max: 0.95, noNaN: true }), ({ bands, rows }, s) => {
      const rise =
        probabilityOfCandidate(s + step, bands, rows) - probabilityOfCandidate(s - step, bands, rows);
      // The difference quotient is off by step^2 / 6 times the third derivative, at most about (b r)^3 here,
      // and by rounding, 1e-16 / step.
      t.true(Math.abs(rise / (2 * step) - slopeAt(s, bands, rows)) < 1e-3 * (1 + slopeAt(s, bands, rows)));
    }),
    { seed: 1, numRuns: 200 },
  );
  t.is(slopeAt(0.3, 1, 1), 1);
});

test('settingOf: 18 x 7 at 0.8', (t) => {
  const setting = settingOf(18, 7, 0.8);
  t.is(setting.slots, 126);
  t.is(setting.keys, 18);
  t.is(setting.atThreshold, probabilityOfCandidate(0.8, 18, 7));
  t.true(setting.tenth < setting.half && setting.half < setting.ninetieth);
  t.true(Math.abs(probabilityOfCandidate(setting.half, 18, 7) - 0.5) < 1e-12);
});

test('missesOf: lost pairs from the threshold up, and needless comparisons below', (t) => {
  const misses = missesOf(20, 5, 0.8);
  t.deepEqual(
    misses.map(({ similarity }) => similarity),
    [0.5, 0.6, 0.7, 0.8, 0.85, 0.9],
  );
  // MMDS example 3.11: "one in 3000" at 80 %.
  t.is(misses[3]!.missed.toFixed(5), '0.00036');
  for (const { missed, seen } of misses) t.true(Math.abs(missed + seen - 1) < 1e-12);
  const at = (threshold: number) => missesOf(4, 2, threshold).map(({ similarity }) => similarity);
  t.deepEqual(at(1), [0.7, 0.8, 0.9, 1]);
  t.deepEqual(at(0.83), [0.55, 0.65, 0.75, 0.83, 0.85, 0.9]);
  t.deepEqual(at(0.05), [0.05, 0.1, 0.15]);
  t.is(missesOf(4, 2, 1).at(-1)!.missed, 0);
});
