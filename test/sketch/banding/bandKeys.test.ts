import test from 'ava';
import { writeBandKeys } from '../../../src/sketch/slots.js';

function keysOf(slots: readonly number[], bands: number, rows: number): Uint32Array {
  const keys = new Uint32Array(bands);
  writeBandKeys(Uint16Array.from(slots), slots.length, { bands, rows }, keys);
  return keys;
}

test('equal rows in two bands have two keys; a changed slot changes one key', (t) => {
  const signature = new Array<number>(32).fill(5);
  const keys = keysOf(signature, 8, 4);
  t.is(new Set(keys).size, 8);
  signature[9] = 6;
  const changed = keysOf(signature, 8, 4);
  for (let band = 0; band < 8; band++) t.is(changed[band] === keys[band], band !== 2);
});

test('the order of the slots of a band matters', (t) => {
  t.notDeepEqual(keysOf([1, 2, 3], 1, 3), keysOf([1, 3, 2], 1, 3));
});
