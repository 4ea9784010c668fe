import test from 'ava';
import fc from 'fast-check';
import { sortUniqueHashes } from '../../src/arrays/sort.js';

function sorted(values: readonly bigint[]): bigint[] {
  const hashes = new Uint32Array(2 * values.length + 4).fill(7);
  values.forEach((value, i) => {
    hashes[2 * i] = Number(value & 0xffffffffn);
    hashes[2 * i + 1] = Number(value >> 32n);
  });
  const count = sortUniqueHashes(hashes, values.length);
  // What lies behind the list is not ours.
  if (hashes.subarray(2 * values.length).some((word) => word !== 7)) throw new Error('wrote past the end');
  return Array.from(
    { length: count },
    (_, i) => BigInt(hashes[2 * i]!) | (BigInt(hashes[2 * i + 1]!) << 32n),
  );
}

const expected = (values: readonly bigint[]): bigint[] =>
  [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));

const spread = fc.bigInt({ min: 0n, max: 0xffffffffffffffffn });
/** Few high halves, few low ones: long runs of equal halves and many repetitions. */
const crowded = fc
  .tuple(fc.constantFrom(0n, 1n, 0x80000000n, 0xffffffffn), fc.bigInt({ min: 0n, max: 300n }))
  .map(([high, low]) => (high << 32n) | (low << 22n) | low);

test('sortUniqueHashes sorts as unsigned 64-bit numbers and drops repetitions', (t) => {
  const lists = fc.oneof(
    fc.array(spread, { maxLength: 400, size: 'max' }),
    fc.array(crowded, { maxLength: 400, size: 'max' }),
  );
  fc.assert(
    fc.property(lists, (values) => {
      t.deepEqual(sorted(values), expected(values));
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('sortUniqueHashes sorts lists of every length around its own limits', (t) => {
  for (let count = 0; count < 110; count++) {
    const values = Array.from(
      { length: count },
      (_, i) => (BigInt(i * 2654435761) * 0x9e3779b97f4a7c15n) & (2n ** 64n - 1n),
    );
    t.deepEqual(sorted(values), expected(values));
  }
});

test('sortUniqueHashes takes hostile lists: one high half, one hash, descending', (t) => {
  const oneHigh = Array.from({ length: 20_000 }, (_, i) => (5n << 32n) | BigInt(20_000 - i));
  t.deepEqual(sorted(oneHigh), expected(oneHigh));
  t.deepEqual(sorted(new Array<bigint>(20_000).fill(3n)), [3n]);
  const descending = Array.from({ length: 20_000 }, (_, i) => BigInt(20_000 - i) << 44n);
  t.deepEqual(sorted(descending), expected(descending));
});
