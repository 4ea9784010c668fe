/** The median by counts against sorting. */
import test from 'ava';
import fc from 'fast-check';
import { CountedMedian } from '../../src/arrays/median.js';

/** By definition. */
function lowerMedian(values: readonly number[]): number | null {
  const sorted = values.filter((value) => value >= 1).sort((x, y) => x - y);
  return sorted.length === 0 ? null : sorted[Math.floor((sorted.length - 1) / 2)]!;
}

/** Small, around the bound between the two tables, and beyond it. */
const value = fc.oneof(
  fc.nat(9),
  fc.integer({ min: 65_530, max: 65_550 }),
  fc.integer({ min: 60_000, max: 400_000 }),
  fc.maxSafeNat(),
);

test('the counted median is the lower median of the sorted values', (t) => {
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
