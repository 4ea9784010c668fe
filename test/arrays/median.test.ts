/** The median by histograms against sorting. */
import test from 'ava';
import fc from 'fast-check';
import { CountedMedian, medianOfPositive } from '../../src/arrays/median.js';

/** By definition. */
function lowerMedian(values: readonly number[]): number | null {
  const sorted = values.filter((value) => value >= 1).sort((x, y) => x - y);
  return sorted.length === 0 ? null : sorted[Math.floor((sorted.length - 1) / 2)]!;
}

/** Small, beyond one histogram, and beyond two. */
const value = fc.oneof(
  fc.nat(9),
  fc.integer({ min: 65_530, max: 65_550 }),
  fc.integer({ min: 60_000, max: 400_000 }),
  fc.maxSafeNat(),
);

test('medianOfPositive is the lower median of what is sorted', (t) => {
  fc.assert(
    fc.property(fc.array(fc.array(value, { maxLength: 9 }), { maxLength: 3 }), fc.nat(5), (lists, skip) => {
      const all = lists.flat();
      const without = all.slice(0, skip);
      const columns = lists.map((list) => Float64Array.from(list));
      return medianOfPositive(columns, Float64Array.from(without)) === lowerMedian(all.slice(skip));
    }),
    { seed: 7, numRuns: 300 },
  );
  t.is(medianOfPositive([]), null);
  t.is(medianOfPositive([Float64Array.of(0, 0)]), null);
  t.is(medianOfPositive([Float64Array.of(3, 1), Float64Array.of(2, 4)]), 2);
});

test('values that come one by one have the same median', (t) => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 20 }), (values) => {
      const counted = new CountedMedian();
      for (const one of values) counted.add(one);
      return counted.value === lowerMedian(values);
    }),
    { seed: 8, numRuns: 300 },
  );
  t.is(new CountedMedian().value, null);
});
