import test from 'ava';
import { FingerprintTable } from '../../src/arrays/hashTable.js';
import { randomHashes } from '../data/randomHashes.js';

test('FingerprintTable numbers fingerprints in the order of insertion, also if all low or high bits are 0', (t) => {
  const hashes = randomHashes(20_000, 1);
  const table = new FingerprintTable();
  for (const [lowMask, highMask] of [
    [-1, -1],
    [0, -1],
    [-1, 0],
    [0xfff << 20, 0x7f],
  ] as const) {
    table.clear();
    const numbers = new Map<string, number>();
    for (let i = 0; i < hashes.length; i += 2) {
      const low = hashes[i]! & lowMask;
      const high = hashes[i + 1]! & highMask;
      const known = numbers.get(`${low} ${high}`);
      const before = table.size;
      if (table.numberOf(low, high) !== (known ?? -1)) t.fail('numberOf');
      if (table.add(low, high) !== (known ?? before)) t.fail('add');
      numbers.set(`${low} ${high}`, known ?? before);
    }
    t.is(table.size, numbers.size);
    t.is(table.numberOf(1, 1), -1);
  }
});

test('FingerprintTable is empty after clear, and frees the memory of a large set', (t) => {
  const table = new FingerprintTable();
  const hashes = randomHashes(50_000, 2);
  for (let i = 0; i < hashes.length; i += 2) table.add(hashes[i]!, hashes[i + 1]!);
  table.clear();
  t.is(table.numberOf(hashes[0]!, hashes[1]!), -1);
  t.is(table.add(0, 0), 0);
  table.clear();
  t.true(table.keys.length < 1000);
  t.is(table.numberOf(0, 0), -1);
});
