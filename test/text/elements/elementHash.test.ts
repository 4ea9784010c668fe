import test from 'ava';
import fc from 'fast-check';
import { writeFmix64 } from '../../../src/arrays/hashing.js';
import { ElementHash } from '../../../src/text/elements.js';
import { shingleSet } from '../../../src/text/shingles.js';
import { TokenHash } from '../../../src/text/tokenHash.js';

function hashed(bytes: Uint8Array, seed: number): number[] {
  const out = new Uint32Array(4);
  // Not at the start of the array: neighbours must not get in.
  const padded = Uint8Array.of(7, ...bytes, 9, 9, 9);
  new ElementHash(seed).write(padded, 1, 1 + bytes.length, out, 2);
  return [...out.subarray(2)];
}

test('the hash of an element is fmix64 of the hash of a token of its bytes, of any length', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(), (bytes, seed) => {
      const token = new TokenHash(seed, true);
      for (const byte of bytes) token.add(byte);
      const out = new Uint32Array(2);
      token.finish(out, 0);
      writeFmix64(out, 0, out[0]! | 0, out[1]! | 0);
      t.deepEqual(hashed(bytes, seed), [...out]);
    }),
    { seed: 1, numRuns: 300 },
  );
});

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
