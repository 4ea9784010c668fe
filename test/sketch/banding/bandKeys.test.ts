import test from 'ava';
import { bigOf } from '../../data/randomHashes.js';
import { bandKeys } from '../../kernel/bandKeys.js';

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

test('bandKeys: keys are the same as in earlier versions', (t) => {
  const out = new Uint32Array(4);
  bandKeys(Uint32Array.of(1, 2, 3, 4, 0xffffffff, 0), { bands: 2, rows: 3 }, 1, out);
  t.deepEqual(
    [bigOf(out, 0).toString(16), bigOf(out, 1).toString(16)],
    ['ff86e3a596f33c3e', 'ab388f00b6aed553'],
  );
});
