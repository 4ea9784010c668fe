import test from 'ava';
import fc from 'fast-check';
import { sortByKey64, sortUnique64 } from '../../src/arrays/sort.js';
import { bigOf, randomHashes, randomWords } from '../data/randomHashes.js';

/** Words of one of several shapes: hashes, few values, small numbers, extremes. */
const SHAPES: readonly ((word: number) => number)[] = [
  (word) => word,
  (word) => word % 3,
  (word) => word % 5000,
  (word) => (word & 1 ? 0xffffffff - (word % 7) : word % 7),
  () => 42,
];

function keysOf(count: number, seed: number, low: number, high: number): Uint32Array {
  const next = randomWords(seed);
  return Uint32Array.from({ length: 2 * count }, (_, i) => SHAPES[i % 2 ? high : low]!(next()));
}

const shape = fc.nat(SHAPES.length - 1);
// Below, at and above the sizes at which the method changes: 128 and 16,384 records.
const size = fc.oneof(
  fc.integer({ min: 0, max: 140 }),
  fc.integer({ min: 120, max: 3000 }),
  fc.constantFrom(127, 128, 129, 16384, 16385, 20000),
);
const byNumber = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

test('sortByKey64 is a stable sort by the unsigned 64-bit key', (t) => {
  fc.assert(
    fc.property(size, fc.nat(1e9), shape, shape, (count, seed, low, high) => {
      const keys = keysOf(count + 3, seed, low, high);
      const original = keys.slice();
      const payload = Uint32Array.from({ length: count + 3 }, (_, i) => i);
      sortByKey64(keys, payload, count);
      const expected = Array.from({ length: count }, (_, i) => i);
      expected.sort((a, b) => byNumber(bigOf(original, a), bigOf(original, b)));
      t.deepEqual([...payload.subarray(0, count)], expected);
      let wrong = 0;
      for (let i = 0; i < count + 3; i++) if (bigOf(keys, i) !== bigOf(original, payload[i]!)) wrong++;
      t.is(wrong, 0);
    }),
    { seed: 1, numRuns: 80 },
  );
});

test('sortUnique64 sorts 64-bit hashes and drops repetitions', (t) => {
  fc.assert(
    fc.property(size, fc.nat(1e9), shape, shape, (count, seed, low, high) => {
      const hashes = keysOf(count, seed, low, high);
      const expected = [...new Set(Array.from({ length: count }, (_, i) => bigOf(hashes, i)))].sort(byNumber);
      const kept = sortUnique64(hashes, count);
      t.deepEqual(
        Array.from({ length: kept }, (_, i) => bigOf(hashes, i)),
        expected,
      );
    }),
    { seed: 1, numRuns: 60 },
  );
});

test('sortByKey64 sorts a million keys', (t) => {
  const count = 1_000_000;
  const keys = randomHashes(count, 1);
  const payload = new Uint32Array(count);
  sortByKey64(keys, payload, count);
  let falling = 0;
  for (let i = 1; i < count; i++) {
    const [before, after] = [keys[2 * i - 1]!, keys[2 * i + 1]!];
    if (before > after || (before === after && keys[2 * i - 2]! > keys[2 * i]!)) falling++;
  }
  t.is(falling, 0);
});

test('sorting an empty list does nothing', (t) => {
  sortByKey64(new Uint32Array(0), new Uint32Array(0), 0);
  t.is(sortUnique64(new Uint32Array(0), 0), 0);
});
