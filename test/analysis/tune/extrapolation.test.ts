import test from 'ava';
import {
  documentsOf,
  type PairCounts,
  pairSum,
  pairsOf,
  seenGroup,
} from '../../../src/analysis/tune/corpusEstimate.js';

const exactly = (value: number) => ({ value, lower: value, upper: value });

/** Units of size 1. */
const even = (units: number, documentsIn: readonly number[]) =>
  documentsOf({
    whole: documentsIn.length === units,
    ...{ units, documentsIn, sizes: documentsIn.map(() => 1), allSizes: units },
  });

test('documentsOf: the estimate is exact if everything is read, and 0 if nothing is', (t) => {
  t.deepEqual(even(3, [5, 0, 2]), exactly(7));
  t.deepEqual(even(0, []), exactly(0));
});

test('documentsOf: the mean per unit times the units, with bounds from the spread', (t) => {
  const whole = even(1000, new Array<number>(100).fill(1));
  t.deepEqual(whole, exactly(1000));
  const spread = even(1000, [10, 30, 20, 20]);
  t.is(spread.value, 20_000);
  // Variance 200/3, of the mean 200/12; times 1000 and 1.96, less what was drawn (4 of 1000).
  t.true(Math.abs(spread.upper - 20_000 - 1.96 * 1000 * Math.sqrt((200 / 12) * 0.996)) < 1e-6);
  t.true(even(2, [7]).lower >= 7);
});

test('documentsOf: a shorter unit counts for less', (t) => {
  const half = documentsOf({ whole: false, units: 3, documentsIn: [20, 10], sizes: [1, 0.5], allSizes: 2.5 });
  t.deepEqual(half, exactly(50));
});

test('pairsOf: the upper bound without sampled pairs is 3.8 pairs', (t) => {
  const none = pairsOf({ sum: 0, variance: 0 }, 100, exactly(1_000_000));
  t.is(none.value, 0);
  t.is(none.lower, 0);
  const scale = (1e6 * (1e6 - 1)) / (100 * 99);
  t.true(Math.abs(none.upper / scale - 1.96 ** 2) < 1e-3);
});

test('pairsOf: a complete sample is exact, and one document gives no estimate', (t) => {
  t.deepEqual(pairsOf({ sum: 12, variance: 30 }, 50, exactly(50)), exactly(12));
  t.deepEqual(pairsOf({ sum: 0, variance: 0 }, 1, exactly(10)), { value: 0, lower: 0, upper: 45 });
  t.deepEqual(pairsOf({ sum: 0, variance: 0 }, 0, exactly(0)), { value: 0, lower: 0, upper: 0 });
});

test('pairsOf: bounds lie between the sampled pairs and all pairs', (t) => {
  const few = pairsOf({ sum: 3, variance: 9 }, 10, exactly(100));
  t.true(few.lower >= 3 && few.lower <= few.value && few.value <= few.upper);
  const most = pairsOf({ sum: 44, variance: 100 }, 10, exactly(100));
  t.is(most.upper, 4950);
});

test('seenGroup: a group of that size leaves two documents in 95 of 100 samples', (t) => {
  const size = seenGroup(1000, 100_000);
  t.is(size, 475);
  // Poisson: 1 - (1 + m) e^-m with m = size * 1000 / 100000.
  const m = size / 100;
  t.true(Math.abs(1 - (1 + m) * Math.exp(-m) - 0.95) < 1e-3);
  t.is(seenGroup(10, 10), 2);
  t.is(seenGroup(2, 5), 5);
});

test('pairSum: the sum over pairs, and the variance of leaving one out by hand', (t) => {
  // Three documents, 1 slot: pairs (0,1) equal, (0,2) and (1,2) not. Columns: 0 equal, 1 equal, same content.
  const counts: PairCounts = { documents: 3, hashes: 1, counts: Uint32Array.of(1, 1, 0, 1, 1, 0, 2, 0, 0) };
  const { sum, variance } = pairSum(counts, Float64Array.of(0, 1, 0));
  t.is(sum, 1);
  // Leaving out 0 or 1 leaves 0, leaving out 2 leaves 1; times 3: 0, 0, 3; mean 1; 2/3 (1 + 1 + 4) = 4.
  t.true(Math.abs(variance - 4) < 1e-12);
  t.is(
    pairSum({ ...counts, documents: 2, counts: Uint32Array.of(0, 1, 0, 0, 1, 0) }, Float64Array.of(0, 1, 0))
      .variance,
    0,
  );
});
