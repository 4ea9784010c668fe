import test from 'ava';
import fc from 'fast-check';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { componentGroups, PairCutter } from '../../../src/coordinator/verify/groups.js';
import { pairsOf } from '../../reducers/bruteForce.js';

/** One for all: it begins anew with every task. */
const CUTTER = new PairCutter();

const ascending = (x: number, y: number): number => x - y;

/** The documents that some of the pairs join with these, these among them: by walking. */
function joinedTo(some: Iterable<number>, list: readonly (readonly [number, number])[]): Set<number> {
  const component = new Set(some);
  for (let grown = 0; grown !== component.size; ) {
    grown = component.size;
    for (const [a, b] of list) if (component.has(a) || component.has(b)) component.add(a).add(b);
  }
  return component;
}

/** Distinct pairs a < b of up to 30 documents, sorted, and sizes of the documents' sets. */
const corpora = fc.record({
  pairs: fc
    .uniqueArray(fc.tuple(fc.nat(29), fc.nat(29)), { maxLength: 60, selector: ([a, b]) => `${a} ${b}` })
    .map(
      (list) => list.filter(([a, b]) => a < b).sort(([a, b], [c, d]) => a - c || b - d) as [number, number][],
    ),
  sizes: fc.array(fc.nat(20), { minLength: 30, maxLength: 30 }),
  bound: fc.constantFrom(0, 10, 40, 100, 1e9),
});

test('componentGroups has whole components, within the bounds, and leaves the larger ones', (t) => {
  fc.assert(
    fc.property(corpora, ({ pairs: list, sizes, bound }) => {
      const pairs = pairsOf(list);
      const rows = Uint32Array.from(list.keys());
      const alone = 2 * bound;
      // Every seventh document has to stay out with all of its component.
      const bytesOf = (d: number): number => (d % 7 === 6 ? Number.POSITIVE_INFINITY : sizes[d]!);
      const { groups, rest } = atOnce(componentGroups(pairs, rows, bytesOf, { gathered: bound, alone }));
      t.deepEqual([...groups.flatMap((group) => [...group.rows]), ...rest].sort(ascending), [...rows]);
      const groupOf = new Map<number, number>();
      groups.forEach((group, number) => {
        const documents = [...group.documents].sort(ascending);
        const named = new Set([...group.rows].flatMap((row) => list[row]!));
        t.deepEqual(documents, [...named].sort(ascending));
        const bytes = documents.reduce((sum, d) => sum + bytesOf(d), 0);
        t.true(bytes <= alone);
        if (bytes > bound) t.deepEqual([...joinedTo([documents[0]!], list)].sort(ascending), documents);
        for (const d of documents) {
          t.false(groupOf.has(d));
          groupOf.set(d, number);
        }
      });
      for (const row of rest) for (const d of list[row]!) t.false(groupOf.has(d));
      // What is left has a reason.
      for (const row of rest) {
        t.true([...joinedTo(list[row]!, list)].reduce((sum, d) => sum + bytesOf(d), 0) > alone);
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('PairCutter names the place of every set its pairs need, and no other', (t) => {
  fc.assert(
    fc.property(corpora, fc.constantFrom(1, 1 << 21, 1 << 30), ({ pairs: list }, hashes) => {
      const pairs = pairsOf(list);
      const rows = Uint32Array.from(list.keys()).reverse();
      const places = {
        block: Uint32Array.from({ length: 30 }, (_, d) => d % 4),
        index: Uint32Array.from({ length: 30 }, (_, d) => 100 + d),
        names: ['w', 'x', 'y', 'z'],
      };
      const tasks = [...CUTTER.tasks(pairs, rows, places, () => hashes)];
      t.deepEqual(
        tasks.flatMap((task) => [...task.rows]),
        [...rows],
      );
      if (hashes === 1 << 30) t.is(tasks.length, rows.length);
      for (const { rows: mine, columns, blocks } of tasks) {
        const { a, b, setBlock, setIndex } = columns;
        t.true(mine.length > 0);
        mine.forEach((row, i) => {
          const documents = [setIndex[a[i]!]! - 100, setIndex[b[i]!]! - 100];
          t.deepEqual(documents, [...list[row]!]);
        });
        setIndex.forEach((index, s) => {
          t.is(blocks[setBlock[s]!], places.names[(index - 100) % 4]);
        });
        t.is(new Set(setIndex).size, setIndex.length);
        t.is(new Set(blocks).size, blocks.length);
        // A set is counted once: small ones are together, however many pairs they are in.
        if (hashes === 1) t.is(mine.length, rows.length);
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});
