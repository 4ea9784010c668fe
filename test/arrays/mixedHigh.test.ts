import test from 'ava';
import { finalise64, mixedHigh } from '../../src/arrays/hashing.js';
import { bigOf, randomHashes } from '../data/randomHashes.js';

test('mixedHigh is the high half of the 64-bit finaliser', (t) => {
  const hashes = randomHashes(2000, 1);
  hashes.set([0, 0, 1, 0, 0, 1, 0xffffffff, 0xffffffff]);
  for (let i = 0; i < 2000; i++) {
    const high = mixedHigh(hashes[2 * i]!, hashes[2 * i + 1]!) >>> 0;
    t.is(high, Number(finalise64(bigOf(hashes, i)) >> 32n));
  }
});
