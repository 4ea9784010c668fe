import test from 'ava';
import fc from 'fast-check';
import { NameTable } from '../../src/arrays/hashTable.js';

test('a NameTable numbers names in the order in which they are first met, whatever their hashes', (t) => {
  const name = fc.uint8Array({ minLength: 1, maxLength: 3 });
  // Few different hashes, and the same one for different names: places are contended.
  const names = fc.array(fc.tuple(name, fc.nat(3)), { maxLength: 3000 });
  fc.assert(
    fc.property(names, fc.boolean(), (given, collide) => {
      const table = new NameTable();
      const expected = new Map<string, number>();
      for (const [bytes] of given) {
        const key = bytes.join(' ');
        const known = expected.get(key) ?? expected.size;
        expected.set(key, known);
        const padded = Uint8Array.of(1, ...bytes, 2);
        const low = collide ? bytes[0]! & 3 : (bytes[0]! * 0x9e3779b1) >>> 0;
        if (table.numberOf(padded, 1, 1 + bytes.length, low, 5) !== known) t.fail(key);
      }
      const { bytes, offsets, hashes } = table.columnsFrom(0);
      const many = new NameTable();
      const numbers = new Uint32Array(expected.size);
      const { size } = expected;
      for (let time = 0; time < 2; time++)
        many.numbersOf(bytes, offsets, offsets.subarray(1), hashes, size, numbers);
      t.is(many.length, expected.size);
      t.true(numbers.every((number, i) => number === i));
      t.is(table.length, expected.size);
      t.is(hashes.length, 2 * expected.size);
      for (const first of [0, Math.floor(size / 2), size]) {
        const later = table.columnsFrom(first);
        t.deepEqual(
          [...expected.keys()].slice(first),
          Array.from({ length: size - first }, (_, i) =>
            later.bytes.subarray(later.offsets[i]!, later.offsets[i + 1]!).join(' '),
          ),
        );
        t.deepEqual(later.hashes, hashes.subarray(2 * first));
      }
    }),
    { seed: 4, numRuns: 30 },
  );
});

test('a NameTable grows over many names', (t) => {
  const table = new NameTable();
  const encoder = new TextEncoder();
  const count = 20_000;
  for (const round of [0, 1]) {
    for (let i = 0; i < count; i++) {
      const bytes = encoder.encode(`name ${i}`);
      const low = Math.imul(i, 0x9e3779b1) >>> 0;
      if (table.numberOf(bytes, 0, bytes.length, low, i) !== i) t.fail(`${round} ${i}`);
    }
  }
  t.is(table.length, count);
});
