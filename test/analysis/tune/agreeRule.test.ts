import test from 'ava';
import { agreeRule, passesRule } from '../../../src/analysis/tune/setting.js';

test('90 of 100: below .006 at .8, .583 at .9, .9885 at .95, 1.5e-17 at .5', (t) => {
  t.true(passesRule(0.8, 90, 100) < 0.006);
  t.is(passesRule(0.8, 90, 100).toFixed(4), '0.0057');
  t.is(passesRule(0.9, 90, 100).toFixed(3), '0.583');
  // A well-known lecture gives ".988" to r = .9: it belongs to .95.
  t.is(passesRule(0.95, 90, 100).toFixed(4), '0.9885');
  t.true(passesRule(0.96, 90, 100) > 0.997);
  // All terms exactly: the sum of C(100, k) for k >= 90, over 2^100.
  let terms = 0n;
  for (let k = 0n, term = 1n; k <= 10n; term = (term * (100n - k)) / (k + 1n), k++) terms += term;
  t.true(Math.abs(passesRule(0.5, 90, 100) / (Number(terms) / 2 ** 100) - 1) < 1e-12);
  t.is(passesRule(0.5, 90, 100).toExponential(1), '1.5e-17');
});

test('agreeRule: a table that rises, with m/n in it', (t) => {
  const rule = agreeRule(90, 100);
  t.is(rule.points.length, 21);
  t.is(agreeRule(91, 100).points.length, 22);
  for (let i = 1; i < 21; i++) t.true(rule.points[i]!.probability >= rule.points[i - 1]!.probability);
  t.true(Math.abs(passesRule(rule.half, 90, 100) - 0.5) < 1e-9);
  t.true(rule.hundredth < rule.half && rule.half < rule.ninetyNinth);
  t.is(rule.hundredth.toFixed(2), '0.81');
});

test('agreeRule at its ends: 0 of n always passes, n of n is r^n', (t) => {
  const none = agreeRule(0, 16);
  t.true(none.points.every(({ probability }) => probability === 1));
  t.is(none.half, 0);
  t.true(Math.abs(passesRule(0.9, 16, 16) - 0.9 ** 16) < 1e-15);
});
