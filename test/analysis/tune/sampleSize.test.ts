import test from 'ava';
import fc from 'fast-check';
import { leastSlots, probabilityWithin, sampleSizes } from '../../../src/analysis/tune/sampleSize.js';
import { standardError } from '../../../src/sketch/probability.js';

/** C(n, k) r^k (1-r)^(n-k) by logarithms, written apart. */
function binomial(n: number, k: number, r: number): number {
  let log = k * Math.log(r) + (n - k) * Math.log(1 - r);
  for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i);
  return Math.exp(log);
}

test('probabilityWithin: sums computed by hand', (t) => {
  // Bin(4, 1/2): 1 4 6 4 1 of 16.
  t.is(probabilityWithin(4, 0.5, 0), 6 / 16);
  t.is(probabilityWithin(4, 0.5, 0.25), 14 / 16);
  t.is(probabilityWithin(4, 0.5, 0.24), 6 / 16);
  t.is(probabilityWithin(4, 0.5, 0.5), 1);
  t.is(probabilityWithin(10, 1, 0.01), 1);
  t.is(probabilityWithin(10, 0, 0.01), 1);
  // No count of 3 slots lies within .1 of 1/2.
  t.is(probabilityWithin(3, 0.5, 0.1), 0);
});

test('probabilityWithin counts bounds that are decimal', (t) => {
  // 0.7 - 0.1 is above 0.6 in binary; 60 of 100 is within all the same, and so is 80.
  let sum = 0;
  for (let k = 60; k <= 80; k++) sum += binomial(100, k, 0.7);
  t.true(Math.abs(probabilityWithin(100, 0.7, 0.1) - sum) < 1e-10);
  let narrow = 0;
  for (let k = 45; k <= 55; k++) narrow += binomial(100, k, 0.5);
  t.true(Math.abs(probabilityWithin(100, 0.5, 0.05) - narrow) < 1e-10);
  t.is(probabilityWithin(100, 0.5, 0.05).toFixed(4), '0.7287');
});

test('probabilityWithin keeps the bounds of Chebyshev and Hoeffding', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1024 }),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.double({ min: 0.02, max: 0.5, noNaN: true }),
      (slots, r, error) => {
        const outside = 1 - probabilityWithin(slots, r, error);
        t.true(outside <= (standardError(slots, r) / error) ** 2 + 1e-9);
        t.true(outside <= 2 * Math.exp(-2 * slots * error * error) + 1e-9);
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test('leastSlots: every longer signature keeps the error, the next shorter one does not', (t) => {
  for (const [r, error, confidence] of [
    [0.8, 0.05, 0.95],
    [0.5, 0.1, 0.95],
    [0.9, 0.05, 0.99],
  ] as const) {
    const slots = leastSlots(r, error, confidence)!;
    t.true(probabilityWithin(slots - 1, r, error) < confidence);
    for (let more = slots; more <= 1024; more++) t.true(probabilityWithin(more, r, error) >= confidence);
    // The normal distribution says z^2 r (1-r) / error^2; counts are whole, which takes or gives some slots.
    const z = confidence === 0.99 ? 2.576 : 1.96;
    const normal = (z * z * r * (1 - r)) / (error * error);
    t.true(Math.abs(slots - normal) < 2 / error, `${slots} against ${normal}`);
  }
});

test('leastSlots: null if the longest signature is too short', (t) => {
  t.is(leastSlots(0.5, 0.01, 0.95), null);
  t.is(leastSlots(1, 0.05, 0.95), 1);
});

test('sampleSizes: the usual lengths and the requested one', (t) => {
  const sizes = sampleSizes(150, 0.8, 0.05);
  t.deepEqual(
    sizes.map(({ slots }) => slots),
    [16, 32, 64, 100, 128, 150, 200, 256, 512, 1024],
  );
  t.is(sizes[4]!.standardError.toFixed(4), '0.0354');
  t.is(sampleSizes(128, 0.8, 0.05).length, 9);
});
