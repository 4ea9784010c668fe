/**
 * The promises of the sketches, measured: estimates are unbiased and spread as predicted. Everything is
 * seeded; a tolerance is five standard errors, so a right implementation fails less than once in a million
 * such checks.
 */
import test from 'ava';
import { createSketcher } from '../../../src/sketch/family.js';
import type { SketchName } from '../../../src/sketch/params.js';
import { agreementOf, leastAgreement } from '../../../src/sketch/probability.js';
import { pairSketcher } from '../pairSketcher.js';

const TRIALS = 500;

/**
 * Mean and variance of the agreement over TRIALS random pairs of sets with `shared` of `union` elements in
 * common.
 */
function measure(sketch: SketchName, hashes: number, union: number, shared: number): [number, number] {
  const pairs = pairSketcher(createSketcher({ sketch, hashes, seed: 1 }), union, shared, hashes + union);
  let sum = 0;
  let squares = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    const [a, b] = pairs.next();
    const share = agreementOf(a, 0, b, 0, hashes) / hashes;
    sum += share;
    squares += share * share;
  }
  const mean = sum / TRIALS;
  return [mean, (squares / TRIALS - mean * mean) * (TRIALS / (TRIALS - 1))];
}

/**
 * Variance over the binomial J(1-J)/N: least and most. classic: 1 (one hash yields all slots: allow 5 %).
 * fss: slots are filled without replacement, at most 1; about half of it for sets of fewer elements than
 * slots.
 */
const SPREAD: Record<SketchName, readonly [number, number]> = {
  classic: [0.95, 1.05],
  fss: [0.35, 1],
};

for (const sketch of ['fss', 'classic'] as const) {
  for (const hashes of [100, 128, 200]) {
    test(`${sketch}, ${hashes} slots: the agreement is unbiased and spreads as predicted`, (t) => {
      for (const union of [50, 200, 1000]) {
        for (const share of [0.3, 0.8]) {
          const [mean, variance] = measure(sketch, hashes, union, share * union);
          const binomial = (share * (1 - share)) / hashes;
          const [least, most] = SPREAD[sketch];
          const what = `union ${union}, J ${share}: mean ${mean}, variance / binomial ${variance / binomial}`;
          t.true(Math.abs(mean - share) < 5 * Math.sqrt((most * binomial) / TRIALS), what);
          // The variance of n nearly normal trials has the relative standard error sqrt(2/n): 6.3 %.
          const error = 5 * Math.sqrt(2 / TRIALS);
          t.true(variance / binomial < most * (1 + error), what);
          t.true(variance / binomial > least * (1 - error), what);
        }
      }
    });
  }
}

test('fss varies less than independent slots on sets of fewer elements than slots', (t) => {
  for (const hashes of [100, 200]) {
    const [, variance] = measure('fss', hashes, 50, 25);
    // Measured standard deviation 0.71 of the binomial, variance 0.5; the bound is midway to 1, nearly eight
    // standard errors off.
    t.true(variance / (0.25 / hashes) < 0.75);
  }
});

test('leastAgreement: a pair at the threshold is lost in less than 1 of 10,000 cases', (t) => {
  const trials = 2000;
  for (const sketch of ['fss', 'classic'] as const) {
    for (const [threshold, union] of [
      [0.5, 4],
      [0.5, 60],
      [0.8, 5],
      [0.8, 10],
      [0.8, 60],
    ] as const) {
      const hashes = 128;
      const least = leastAgreement(threshold, hashes);
      const pairs = pairSketcher(createSketcher({ sketch, hashes, seed: 1 }), union, threshold * union, 7);
      let lost = 0;
      for (let trial = 0; trial < trials; trial++) {
        const [a, b] = pairs.next();
        const equal = agreementOf(a, 0, b, 0, hashes);
        // A pair without an equal slot is not a candidate, so nothing is lost.
        if (equal > 0 && equal < least) lost++;
      }
      // At most 0.2 expected; a Poisson variable of mean 0.2 exceeds 4 with probability 2.3e-6.
      t.true(lost <= 4, `${sketch}, T ${threshold}, union ${union}: ${lost} of ${trials}`);
    }
  }
});
