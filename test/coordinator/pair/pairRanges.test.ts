import test from 'ava';
import fc from 'fast-check';
import { pairRanges } from '../../../src/coordinator/pair/pairLists.js';
import { listOf, pairsOf } from '../../reducers/bruteForce.js';

const lists = fc.array(
  fc
    .uniqueArray(fc.tuple(fc.oneof(fc.nat(30), fc.constant(7)), fc.integer({ min: 31, max: 90 })), {
      maxLength: 80,
      selector: ([a, b]) => 100 * a + b,
    })
    .map((rows) => rows.sort((x, y) => x[0] - y[0] || x[1] - y[1])),
  { maxLength: 4 },
);

test('pairRanges cut all lists at the same pairs, and every row is in one range', (t) => {
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 9 }), (rows, parts) => {
      const weighed = rows.map((list, i) => ({ pairs: pairsOf(list), weight: i === 0 ? 1 / 4 : 1 }));
      const ends = pairRanges(weighed, parts);
      const total = rows.reduce((sum, list, i) => sum + list.length * weighed[i]!.weight, 0);
      t.is(ends.length > 0, total > 0);
      t.true(ends.length <= parts);
      let last = -1;
      let cutBefore = 0;
      ends.forEach((end, part) => {
        const range = rows.flatMap((list, i) =>
          listOf(pairsOf(list)).slice(ends[part - 1]?.rows[i] ?? 0, end.rows[i]),
        );
        const places = range.map(([a, b]) => 100 * a + b);
        t.true(places.length > 0);
        const cut = end.at === null ? Number.POSITIVE_INFINITY : 100 * end.at[0] + end.at[1];
        t.true(Math.max(...places) < cut);
        t.true(part === 0 || Math.min(...places) >= cutBefore);
        cutBefore = cut;
        t.true(Math.min(...places) > last);
        last = Math.max(...places);
        const weight = rows.reduce((sum, list, i) => {
          return (
            sum + (Math.min(end.rows[i]!, list.length) - (ends[part - 1]?.rows[i] ?? 0)) * weighed[i]!.weight
          );
        }, 0);
        // A cut lies within half a share before its target or at the first pair past it, which is in a list once.
        t.true(weight <= 1.5 * (total / parts) + rows.length, `${weight} of ${total} in ${parts}`);
      });
      t.deepEqual(
        ends.at(-1)?.rows ?? rows.map((list) => list.length),
        rows.map((list) => list.length),
      );
    }),
    { seed: 1, numRuns: 500 },
  );
});
