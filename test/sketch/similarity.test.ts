import test from 'ava';
import fc from 'fast-check';
import { sortUnique64 } from '../../src/arrays/sort.js';
import { containmentOf, intersectionSize, resemblanceOf } from '../../src/sketch/similarity.js';
import { bigOf } from '../data/randomHashes.js';

/** Sorted distinct list of the given (low, high) pairs. */
function listOf(pairs: readonly (readonly [number, number])[]): Uint32Array {
  const list = Uint32Array.from(pairs.flat());
  return list.slice(0, 2 * sortUnique64(list, pairs.length));
}

const plain = (numbers: readonly number[]): Uint32Array => listOf(numbers.map((n) => [n, 0] as const));

function resemblance(a: Uint32Array, b: Uint32Array): number {
  const [sizeA, sizeB] = [a.length / 2, b.length / 2];
  return resemblanceOf(intersectionSize(a, 0, sizeA, b, 0, sizeB), sizeA, sizeB);
}

test('intersectionSize counts common elements, with ties in either half and within ranges', (t) => {
  // Few distinct halves, the extremes among them: ties and unsigned order are tried in both halves.
  const half = fc.constantFrom(0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff);
  const pairs = fc.array(fc.tuple(half, half), { maxLength: 40 });
  fc.assert(
    fc.property(pairs, pairs, fc.nat(5), (first, second, skipped) => {
      const [a, b] = [listOf(first), listOf(second)];
      const from = Math.min(skipped, a.length / 2);
      const inA = new Set(Array.from({ length: a.length / 2 - from }, (_, i) => bigOf(a, from + i)));
      const common = Array.from({ length: b.length / 2 }, (_, i) => bigOf(b, i)).filter((x) => inA.has(x));
      t.is(intersectionSize(a, from, a.length / 2, b, 0, b.length / 2), common.length);
      t.is(intersectionSize(b, 0, b.length / 2, a, from, a.length / 2), common.length);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('resemblanceOf: the published example sets [1,2,3] [3,4,5] [2,3,4] [5,6,7] at J >= 0.1', (t) => {
  const sets = [
    [1, 2, 3],
    [3, 4, 5],
    [2, 3, 4],
    [5, 6, 7],
  ].map(plain);
  const found: [number, number, number][] = [];
  for (let x = 0; x < sets.length; x++) {
    for (let y = 0; y < x; y++) {
      const value = resemblance(sets[x]!, sets[y]!);
      if (value >= 0.1) found.push([x, y, value]);
    }
  }
  t.deepEqual(found, [
    [1, 0, 0.2],
    [2, 0, 0.5],
    [2, 1, 0.5],
    [3, 1, 0.2],
  ]);
});

test('resemblanceOf and containmentOf: 5,177 and 5,238 hashes with 2,529 in common', (t) => {
  const range = (from: number, count: number): Uint32Array =>
    plain(Array.from({ length: count }, (_, i) => from + i));
  const [a, b] = [range(0, 5177), range(5177 - 2529, 5238)];
  const common = intersectionSize(a, 0, 5177, b, 0, 5238);
  t.is(common, 2529);
  t.is(resemblanceOf(common, 5177, 5238).toFixed(6), '0.320695');
  t.is(containmentOf(common, 5177).toFixed(6), '0.488507');
  t.is(containmentOf(common, 5238).toFixed(6), '0.482818');
});

test('resemblanceOf: a resemblance of exactly the threshold is at the threshold (11/20 >= 0.55)', (t) => {
  t.true(resemblanceOf(11, 15, 16) >= 0.55);
  t.true(resemblanceOf(55, 75, 80) >= 0.55);
  // The other way to write it is wrong, which is why the division is in one place.
  t.false(55 >= 0.55 * 100);
  // Every threshold of two decimals, every union up to 300 in which it is a whole number of elements.
  for (let percent = 1; percent <= 100; percent++) {
    const threshold = Number(`${percent}e-2`);
    for (let union = 1; union <= 300; union++) {
      if ((percent * union) % 100 !== 0) continue;
      t.true(resemblanceOf((percent * union) / 100, union, (percent * union) / 100) >= threshold);
    }
  }
});

test('resemblanceOf and containmentOf of empty sets are 0', (t) => {
  t.is(resemblanceOf(0, 0, 0), 0);
  t.is(resemblanceOf(0, 0, 5), 0);
  t.is(containmentOf(0, 0), 0);
  t.is(intersectionSize(new Uint32Array(0), 0, 0, Uint32Array.of(1, 1), 0, 1), 0);
});
