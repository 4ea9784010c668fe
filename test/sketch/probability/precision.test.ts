import test from 'ava';
import fc from 'fast-check';
import {
  hypergeometricAtLeast,
  hypergeometricAtMost,
  hypergeometricProbabilities,
  markedInterval,
  withinProbability,
} from '../../../src/sketch/probability.js';

function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let product = 1n;
  for (let i = 0; i < k; i++) product = (product * BigInt(n - i)) / BigInt(i + 1);
  return product;
}

/** A quotient of whole numbers to 15 digits, however small. */
function quotient(a: bigint, b: bigint): number {
  return a === 0n ? 0 : Number(`${(a * 10n ** 320n) / b}e-320`);
}

test('hypergeometricProbabilities are quotients of whole numbers, to 12 digits', (t) => {
  const sets = fc
    .integer({ min: 0, max: 300 })
    .chain((population) => fc.tuple(fc.constant(population), fc.nat(population), fc.nat(population)));
  fc.assert(
    fc.property(sets, ([population, marked, drawn]) => {
      const probabilities = hypergeometricProbabilities(population, marked, drawn);
      for (let k = 0; k <= drawn; k++) {
        const ways = choose(marked, k) * choose(population - marked, drawn - k);
        const exact = quotient(ways, choose(population, drawn));
        if (Math.abs(probabilities[k]! - exact) > 1e-12 * exact)
          t.fail(`${population} ${marked} ${drawn} ${k}`);
      }
    }),
    { seed: 1, numRuns: 150 },
  );
  t.pass();
});

test('the hypergeometric tails: their sum is 1, and large sets do not overflow', (t) => {
  for (const [population, marked, drawn, k] of [
    [1000, 300, 100, 30],
    [1e9, 4e8, 10_000, 4000],
    [1e12, 5e11, 10_000, 4900],
  ] as const) {
    const sum =
      hypergeometricAtLeast(population, marked, drawn, k) +
      hypergeometricAtMost(population, marked, drawn, k - 1);
    t.true(Math.abs(sum - 1) < 1e-11);
  }
  t.is(hypergeometricAtLeast(10, 5, 3, 0), 1);
  t.is(hypergeometricAtMost(10, 5, 3, 3), 1);
  t.deepEqual([...hypergeometricProbabilities(0, 0, 0)], [1]);
});

test('markedInterval contains the truth at least 95 % of the time, for every truth', (t) => {
  const [population, drawn] = [60, 20];
  const intervals = Array.from({ length: drawn + 1 }, (_, found) =>
    markedInterval(found, drawn, population, 0.95),
  );
  for (let marked = 0; marked <= population; marked++) {
    const probabilities = hypergeometricProbabilities(population, marked, drawn);
    let covered = 0;
    for (let found = 0; found <= drawn; found++) {
      const { lower, upper } = intervals[found]!;
      if (lower <= marked && marked <= upper) covered += probabilities[found]!;
    }
    t.true(covered > 0.95, `${marked}: ${covered}`);
  }
  t.deepEqual(markedInterval(7, 20, 20, 0.95), { lower: 7, upper: 7 });
  t.deepEqual(markedInterval(0, 0, 20, 0.95), { lower: 0, upper: 20 });
});

/** p(s, r, epsilon) with r = percent / 100 and whole limits, in whole numbers. */
function exactWithin(s: number, percent: number, from: number, to: number): number {
  let sum = 0n;
  for (let k = from; k <= to; k++) {
    sum += choose(s, k) * BigInt(percent) ** BigInt(k) * BigInt(100 - percent) ** BigInt(s - k);
  }
  return quotient(sum, 100n ** BigInt(s));
}

test('p(s, r, epsilon) is the sum of the paper, both ends included although products round', (t) => {
  for (const [s, percent, epsilon] of [
    [100, 50, 10],
    [100, 70, 10],
    [100, 30, 10],
    [100, 90, 5],
    [200, 50, 7],
    [200, 95, 5],
  ] as const) {
    const exact = exactWithin(s, percent, (s * (percent - epsilon)) / 100, (s * (percent + epsilon)) / 100);
    const got = withinProbability(s, percent / 100, epsilon / 100);
    t.true(Math.abs(got / exact - 1) < 1e-12, `${s} ${percent} ${epsilon}: ${got}, ${exact}`);
  }
  t.is(withinProbability(100, 0.5, 0.1).toFixed(4), '0.9648');
  t.is(withinProbability(100, 1, 0), 1);
  t.is(withinProbability(100, 0, 0), 1);
  t.true(withinProbability(10, 0.3, 1) > 1 - 1e-15);
  t.true(Number.isNaN(withinProbability(0, 0.5, 0.1)));
});

test('p(s, r, epsilon) is close to the normal distribution for 10,000 samples', (t) => {
  // Limits of 1.96 standard deviations, with the continuity correction in them; Berry and Esseen allow
  // .5 / sqrt(s r (1-r)) = .01, for r = .5 the skew is zero and the error of order 1/s.
  const samples = 10_000;
  t.true(Math.abs(withinProbability(samples, 0.5, 97.5 / samples) - 0.9488) < 0.0005);
  t.true(Math.abs(withinProbability(samples, 0.5, 98.5 / samples) - 0.9512) < 0.0005);
  t.true(withinProbability(samples, 0.8, 0.05) > 1 - 1e-12);
  t.true(withinProbability(samples, 0.8, 0) > 0);
});
