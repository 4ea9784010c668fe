import test from 'ava';
import fc from 'fast-check';
import { DistinctSets } from '../../../src/coordinator/query/distinctSets.js';
import { jaccardOf } from '../../../src/index.js';

/** A set of small numbers as hashes whose order is that of the numbers. */
const hashesOf = (numbers: ReadonlySet<number>): Uint32Array =>
  Uint32Array.from([...numbers].sort((a, b) => a - b).flatMap((number) => [7 * number, number]));

const SETS = fc.array(
  fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 10 }).map((list) => new Set(list)),
  { maxLength: 25 },
);

test('the kept sets equal those of comparing each set with all kept ones', (t) => {
  fc.assert(
    fc.property(SETS, fc.constantFrom(0.1, 0.5, 0.8, 2 / 3, 1), (sets, threshold) => {
      const distinct = new DistinctSets(threshold);
      const kept: ReadonlySet<number>[] = [];
      for (const set of sets) {
        const isNew = kept.every((better) => jaccardOf(better, set) < threshold);
        t.is(distinct.add(hashesOf(set)), isNew);
        if (isNew) kept.push(set);
      }
    }),
    { seed: 3, numRuns: 500 },
  );
});
