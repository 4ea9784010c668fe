import test from 'ava';
import { ElementHash } from '../../../src/text/elements.js';
import { shingleSet } from '../../../src/text/shingles.js';

function hashed(bytes: Uint8Array, seed: number): number[] {
  const out = new Uint32Array(4);
  // Not at the start of the array: neighbours must not get in.
  const padded = Uint8Array.of(7, ...bytes, 9, 9, 9);
  new ElementHash(seed).write(padded, 1, 1 + bytes.length, out, 2);
  return [...out.subarray(2)];
}

test('the hash of an element is that of the shingle lines:1 of its bytes', (t) => {
  for (const element of ['a', 'milk', 'item 123456', 'a line of more than sixteen bytes', 'ünï']) {
    const bytes = new TextEncoder().encode(element);
    const set = shingleSet(bytes, { unit: 'lines', size: 1, bag: false, stopWords: [], seed: 5 });
    t.deepEqual(hashed(bytes, 5), [...set], element);
  }
});

test('the hash of an element depends on the seed, and on trailing NUL bytes', (t) => {
  t.notDeepEqual(hashed(Uint8Array.of(97), 1), hashed(Uint8Array.of(97), 2));
  t.notDeepEqual(hashed(Uint8Array.of(97), 1), hashed(Uint8Array.of(97, 0), 1));
});
