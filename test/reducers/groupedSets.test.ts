import test from 'ava';
import fc from 'fast-check';
import { groupedSets } from '../../reducers/exactPairs.js';

test('groupedSets copies every set to every group that needs it, and opens a block once a stretch', (t) => {
  const blocks = fc.array(fc.array(fc.array(fc.nat(50), { maxLength: 5 }), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  });
  const rows = fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.nat(4)), { maxLength: 30 });
  fc.assert(
    fc.property(blocks, rows, (sets, wanted) => {
      const list = wanted
        .map(([block, index, group]) => {
          const b = block % sets.length;
          return { block: b, index: index % sets[b]!.length, group };
        })
        .sort((x, y) => x.block - y.block);
      const opened: number[] = [];
      const found = groupedSets(
        {
          block: Uint32Array.from(list, ({ block }) => block),
          index: Uint32Array.from(list, ({ index }) => index),
          group: Uint32Array.from(list, ({ group }) => group),
        },
        (number) => {
          opened.push(number);
          const offsets = [0];
          for (const set of sets[number]!) offsets.push(offsets.at(-1)! + set.length);
          const hashes = sets[number]!.flat().flatMap((element) => [element, number]);
          return { hashes: Uint32Array.from(hashes), offsets: Float64Array.from(offsets) };
        },
      );
      t.deepEqual(opened, [...new Set(list.map(({ block }) => block))]);
      t.deepEqual([...found.keys()].sort(), [...new Set(list.map(({ group }) => group))].sort());
      for (const [group, { columns }] of found) {
        const expected = list.filter((row) => row.group === group);
        t.is(columns.offsets!.length, expected.length + 1);
        expected.forEach(({ block, index }, i) => {
          const hashes = columns.hashes!.subarray(2 * columns.offsets![i]!, 2 * columns.offsets![i + 1]!);
          t.deepEqual(
            [...hashes],
            sets[block]![index]!.flatMap((element) => [element, block]),
          );
        });
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});
