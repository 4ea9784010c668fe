import test from 'ava';
import fc from 'fast-check';
import { firstNotBefore, mergePairs, mergeStretches } from '../../reducers/verifiedPairs.js';
import { atOnce } from '../../src/arrays/stepwise.js';
import { listOf, pairsOf } from './bruteForce.js';

/** Distinct sorted pairs, each said to be of one list or the other; long stretches of one are common. */
const rowLists = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.nat(20), fc.integer({ min: 21, max: 60 })), {
      maxLength: 200,
      selector: ([a, b]) => 100 * a + b,
    }),
    fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
    fc.integer({ min: 1, max: 60 }),
  )
  .map(([rows, pattern, width]) =>
    rows
      .sort((x, y) => x[0] - y[0] || x[1] - y[1])
      .map(([a, b], i) => ({ a, b, later: pattern[Math.floor(i / width) % pattern.length]! })),
  );

test('mergeStretches puts the columns of two lists in the order of their union', (t) => {
  fc.assert(
    fc.property(rowLists, (rows) => {
      const list = (later: boolean) => rows.filter((row) => row.later === later);
      const pairs = (later: boolean) => pairsOf(list(later).map(({ a, b }) => [a, b] as const));
      const values = (of: typeof rows): Float64Array => Float64Array.from(of, ({ a, b }) => a / b);
      const { merge } = atOnce(mergeStretches(pairs(false), pairs(true)));
      t.deepEqual(atOnce(merge(values(list(false)), values(list(true)))), values(rows));
      t.deepEqual(
        listOf(atOnce(mergePairs(pairs(false), pairs(true)))),
        rows.map(({ a, b }) => [a, b]),
      );
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('firstNotBefore is the place of a pair from a row on', (t) => {
  fc.assert(
    fc.property(rowLists, fc.nat(210), fc.nat(22), fc.nat(62), (rows, start, a, b) => {
      const from = Math.min(start, rows.length);
      const found = firstNotBefore(pairsOf(rows.map((row) => [row.a, row.b] as const)), from, a, b);
      const wanted = rows.findIndex((row, i) => i >= from && (row.a > a || (row.a === a && row.b >= b)));
      t.is(found, wanted < 0 ? rows.length : wanted);
    }),
    { seed: 2, numRuns: 500 },
  );
});
