import test from 'ava';
import fc from 'fast-check';
import { seededConstants } from '../../../src/arrays/hashing.js';
import { bandKeys } from '../../../src/sketch/banding.js';
import { bigOf, randomHashes } from '../../data/randomHashes.js';

const MASK = (1n << 64n) - 1n;

function byDefinition(signature: Uint32Array, band: number, rows: number, seed: number): bigint {
  const start = bigOf(seededConstants(seed, 'band', 1), 0);
  let h = (start + BigInt(band + 1) * 0x9e3779b97f4a7c15n) & MASK;
  for (let row = 0; row < rows; row++) {
    h = ((h ^ BigInt(signature[band * rows + row]!)) * 0xc2b2ae3d27d4eb4fn) & MASK;
    h ^= h >> 32n;
  }
  h = (h * 0xff51afd7ed558ccdn) & MASK;
  return h ^ (h >> 29n);
}

test('bandKeys: every key is the 64-bit hash of its band, in integer halves as with whole numbers', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      fc.integer({ min: 1, max: 1e9 }),
      (bands, rows, seed, elements) => {
        const signature = randomHashes(72, elements);
        const out = new Uint32Array(2 * bands);
        bandKeys(signature, { bands, rows }, seed, out);
        for (let band = 0; band < bands; band++) {
          t.is(bigOf(out, band), byDefinition(signature, band, rows, seed));
        }
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});

test('bandKeys: equal rows in two bands have two keys; a changed slot changes one key', (t) => {
  const signature = new Uint32Array(32).fill(5);
  const keys = new Uint32Array(16);
  bandKeys(signature, { bands: 8, rows: 4 }, 1, keys);
  t.is(new Set(Array.from({ length: 8 }, (_, band) => bigOf(keys, band))).size, 8);
  signature[9] = 6;
  const changed = new Uint32Array(16);
  bandKeys(signature, { bands: 8, rows: 4 }, 1, changed);
  for (let band = 0; band < 8; band++) t.is(bigOf(changed, band) === bigOf(keys, band), band !== 2);
});

test('bandKeys: the order of the rows matters, and so does the seed, also when seeds alternate', (t) => {
  const keyOf = (slots: number[], seed: number): bigint => {
    const out = new Uint32Array(2);
    bandKeys(Uint32Array.from(slots), { bands: 1, rows: slots.length }, seed, out);
    return bigOf(out, 0);
  };
  t.not(keyOf([1, 2, 3], 1), keyOf([1, 3, 2], 1));
  const first = keyOf([1, 2, 3], 1);
  t.not(keyOf([1, 2, 3], 2), first);
  t.is(keyOf([1, 2, 3], 1), first);
});

test('bandKeys: keys are those of every earlier version', (t) => {
  const out = new Uint32Array(4);
  bandKeys(Uint32Array.of(1, 2, 3, 4, 0xffffffff, 0), { bands: 2, rows: 3 }, 1, out);
  t.deepEqual(
    [bigOf(out, 0).toString(16), bigOf(out, 1).toString(16)],
    ['ff86e3a596f33c3e', 'ab388f00b6aed553'],
  );
});
