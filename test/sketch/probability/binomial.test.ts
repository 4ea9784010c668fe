import test from 'ava';
import { binomialAtLeast, binomialBelow, binomialProbabilities } from '../../../src/sketch/probability.js';

/** P(Bin(n, percent / 100) >= k) as a fraction of whole numbers, to 15 digits: no rounding on the way. */
function exactAtLeast(n: number, percent: number, k: number): number {
  let sum = 0n;
  let choose = 1n;
  for (let i = 0; i <= n; i++) {
    if (i >= k) sum += choose * BigInt(percent) ** BigInt(i) * BigInt(100 - percent) ** BigInt(n - i);
    choose = (choose * BigInt(n - i)) / BigInt(i + 1);
  }
  const digits = ((sum * 10n ** 60n) / 100n ** BigInt(n)).toString();
  return Number(`${digits}e-60`);
}

test('binomialAtLeast: the rule of 90 equal slots of 100', (t) => {
  const p = (resemblance: number): number => binomialAtLeast(100, resemblance, 90);
  t.true(p(0.8) < 0.006 && p(0.8) > 0.005);
  t.true(p(0.5) > 1e-18 && p(0.5) < 1e-16);
  t.is(p(0.9).toFixed(3), '0.583');
  t.is(p(0.95).toFixed(3), '0.989');
});

test('binomialAtLeast and binomialBelow agree with whole numbers to 12 digits, tails included', (t) => {
  for (const [n, percent, k] of [
    [100, 80, 90],
    [100, 50, 90],
    [128, 80, 103],
    [1024, 80, 770],
    [1024, 80, 900],
    [1024, 5, 90],
    [16, 99, 10],
  ] as const) {
    const exact = exactAtLeast(n, percent, k);
    t.true(Math.abs(binomialAtLeast(n, percent / 100, k) / exact - 1) < 1e-12, `${n} ${percent} ${k}`);
    const below = exactAtLeast(n, 100 - percent, n - k + 1);
    t.true(Math.abs(binomialBelow(n, percent / 100, k) / below - 1) < 1e-12, `${n} ${percent} ${k}`);
  }
});

test('binomialProbabilities: certain and impossible slots, and no slots at all', (t) => {
  t.deepEqual([...binomialProbabilities(3, 0)], [1, 0, 0, 0]);
  t.deepEqual([...binomialProbabilities(3, 1)], [0, 0, 0, 1]);
  t.deepEqual([...binomialProbabilities(0, 0.3)], [1]);
  t.is(binomialAtLeast(10, 0.3, 0), 1);
  t.is(binomialAtLeast(10, 0.3, 11), 0);
  t.is(binomialBelow(10, 0.3, 0), 0);
  t.is(binomialBelow(10, 0.3, 11), 1);
});
