/** The bounds of the estimates that a comparison of two texts gives, over many seeds. */
import test from 'ava';
import { compareTexts } from '../../../src/index.js';

/** Two texts of `size` different words each, half of a's in b. */
function halves(size: number): [string, string] {
  const words = (from: number): string => Array.from({ length: size }, (_, i) => `w${from + i}`).join(' ');
  return [words(0), words(size / 2)];
}

/*
 * Of SEEDS independent seeds at least 95 % hold in expectation: 76 of 80, standard deviation at most
 * sqrt(80 * .95 * .05) = 2.0. Eight estimates of resemblance and four of containment, each with P(less than 64) below
 * 1e-5 by the exact binomial sum.
 */
const SEEDS = 80;
const LEAST = 64;

test('the bounds of every sketch hold the exact value for at least the stated share of seeds', (t) => {
  const [x, y] = halves(240);
  const held = new Map<string, number>();
  const sums = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const options = { size: 1, seed, hashes: 64, samples: 60, modulus: 4, levelUnit: 40 };
    for (const { sketch, measure, holds, error } of compareTexts(x, y, options).sets.estimates) {
      const name = `${sketch} ${measure}`;
      held.set(name, (held.get(name) ?? 0) + (holds ? 1 : 0));
      sums.set(name, (sums.get(name) ?? 0) + error!);
    }
  }
  t.is(held.size, 11);
  for (const [name, count] of held) t.true(count >= LEAST, `${name}: ${count} of ${SEEDS}`);
  // Unbiased: an estimate from 30 or more samples has a standard deviation below .5/sqrt(30) = .092;
  // the mean of 80 is within 5 * .092 / sqrt(80) = .052 of the truth in all but 1 of a million.
  for (const [name, sum] of sums) t.true(Math.abs(sum / SEEDS) < 0.052, `${name}: ${sum / SEEDS}`);
});
