import test from 'ava';
import fc from 'fast-check';
import { keyRanges, NO_KEY, RangedKeys } from '../../src/blocks/pairs.js';

test('keyRanges cover all words once', (t) => {
  t.deepEqual(keyRanges(1, 2 ** 32), [{ from: 0, to: 2 ** 32 }]);
  t.deepEqual(keyRanges(3, 10), [
    { from: 0, to: 3 },
    { from: 3, to: 6 },
    { from: 6, to: 10 },
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2 ** 32 }), (parts, words) => {
      let end = 0;
      for (const { from, to } of keyRanges(parts, words)) {
        t.is(from, end);
        t.true(to >= from);
        end = to;
      }
      t.is(end, words);
    }),
    { seed: 1, numRuns: 300 },
  );
});

/** Columns with the document of each, in any order, with gaps, and some without one. */
const columns = fc.uniqueArray(fc.nat(400), { maxLength: 120 }).chain((documents) =>
  fc.record({
    rows: fc.tuple(
      ...documents.map((document) =>
        fc.tuple(
          fc.oneof({ weight: 9, arbitrary: fc.constant(document) }, fc.constant(NO_KEY)),
          fc.constantFrom(0, 7, 0xffffffff),
          fc.oneof(fc.nat(20), fc.constantFrom(0x80000000, 0xffffffff)),
        ),
      ),
    ),
    ascending: fc.boolean(),
    cuts: fc.array(fc.nat(120), { maxLength: 3 }),
    range: fc.constantFrom(
      { from: 0, to: 2 ** 32 },
      { from: 5, to: 15 },
      { from: 0x80000000, to: 2 ** 32 },
      { from: 3, to: 3 },
    ),
    expected: fc.nat(60),
  }),
);

test('RangedKeys are the documents whose high words are in the range, ascending, each with its key', (t) => {
  fc.assert(
    fc.property(columns, ({ rows, ascending, cuts, range, expected }) => {
      const order = ascending ? [...rows].sort((x, y) => x[0] - y[0]) : rows;
      const documentOf = Uint32Array.from(order, ([document]) => document);
      const keys = Uint32Array.from(order.flatMap(([, low, high]) => [low, high]));
      const ranged = new RangedKeys(range, expected);
      const ends = [...cuts.map((cut) => Math.min(cut, order.length)), order.length].sort((x, y) => x - y);
      ends.forEach((end, i) => {
        const at = ends[i - 1] ?? 0;
        ranged.add(keys.subarray(2 * at, 2 * end), documentOf, at);
      });
      const found = ranged.finish();
      const wanted = order
        .filter(([document, , high]) => document !== NO_KEY && high >= range.from && high < range.to)
        .sort((x, y) => x[0] - y[0]);
      t.deepEqual(
        [...found.documents],
        wanted.map(([document]) => document),
      );
      const [block] = found.keys.blocks;
      wanted.forEach(([, low, high], i) => {
        const place = found.keys.places?.[i] ?? i;
        t.deepEqual([block![2 * place], block![2 * place + 1]], [low, high]);
      });
      t.is(block!.length, 2 * wanted.length);
    }),
    { seed: 1, numRuns: 500 },
  );
});
