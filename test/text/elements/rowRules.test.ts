import test from 'ava';
import fc from 'fast-check';
import {
  combined,
  contributionOf,
  copiesOf,
  isValue,
  MOST_COPIES,
  NOTHING,
  type RowRule,
} from '../../../src/text/elements.js';

const RULES: readonly RowRule[] = ['set', 'bag', 'liked', 'liked-hated', 'stars'];

/** How often an element with these values in its lines is in the set; -1: as the element hated. */
function together(rule: RowRule, values: readonly number[]): number {
  const given = values.map((value) => contributionOf(rule, value, 4)).filter((one) => one !== NOTHING);
  if (given.length === 0) return 0;
  const all = given.reduce((a, b) => combined(rule, a, b));
  return rule === 'liked-hated' && all === 0 ? -1 : copiesOf(rule, all);
}

test('values are finite numbers of at least 0; stars are whole numbers from 1 to 5', (t) => {
  for (const rule of RULES) {
    for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY]) t.false(isValue(rule, bad), rule);
    t.is(isValue(rule, 0), rule !== 'stars');
    t.is(isValue(rule, 2.5), rule !== 'stars');
    t.is(isValue(rule, 6), rule !== 'stars');
    t.true(isValue(rule, 1) && isValue(rule, 5));
  }
});

test('a line that occurs twice counts once in a set, weights add in a bag, the highest rating counts', (t) => {
  t.is(together('set', [1, 1]), 1);
  t.is(together('set', [0, 0]), 0);
  t.is(together('set', [0, 0.25]), 1);
  t.is(together('bag', [1, 1]), 2);
  t.is(together('bag', [0.5, 0.25]), 0);
  t.is(together('bag', [0.5, 2.75]), 3);
  t.is(together('liked', [3.9, 2]), 0);
  t.is(together('liked', [1, 4]), 1);
  t.is(together('liked-hated', [3.5, 0]), -1);
  t.is(together('liked-hated', [1, 4, 2]), 1);
  t.is(together('stars', [2, 5, 1]), 5);
});

test('ten tenths are one: sums are decimal', (t) => {
  t.is(together('bag', Array(10).fill(0.1)), 1);
  t.is(together('bag', Array(1000).fill(0.001)), 1);
});

test('the order and the grouping of lines do not change a set', (t) => {
  const values = fc.array(
    fc.oneof(fc.double({ min: 0, max: 1e7, noNaN: true }), fc.integer({ min: 1, max: 5 })),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(values, fc.constantFrom(...RULES), (given, rule) => {
      const list = rule === 'stars' ? given.map((value) => 1 + (Math.floor(value) % 5)) : given;
      const contributions = list
        .map((value) => contributionOf(rule, value, 4))
        .filter((one) => one !== NOTHING);
      if (contributions.length === 0) return;
      const left = contributions.reduce((a, b) => combined(rule, a, b));
      t.is(
        contributions.reduceRight((a, b) => combined(rule, b, a)),
        left,
      );
    }),
    { seed: 3, numRuns: 500 },
  );
});

test('an element is in a bag at most 65,535 times, for any order of sums', (t) => {
  t.is(copiesOf('bag', contributionOf('bag', MOST_COPIES, 0)), MOST_COPIES);
  t.true(together('bag', [1e300]) > MOST_COPIES);
  t.true(together('bag', [60_000, 5_536]) > MOST_COPIES);
  t.is(together('bag', [60_000, 5_535]), MOST_COPIES);
});
