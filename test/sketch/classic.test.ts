import test from 'ava';
import { seededConstants } from '../../src/arrays/hashing.js';
import { createClassicSketcher } from '../../src/sketch/schemes/classic.js';
import { EMPTY_SLOT } from '../../src/sketch/signature.js';
import { randomHashes } from '../data/randomHashes.js';

test('createClassicSketcher: slot k is the minimum of (high + a_k * low) mod 2^32', (t) => {
  for (const slots of [16, 17, 18, 19, 130]) {
    for (const count of [1, 5, 2048, 2049, 5000]) {
      const hashes = randomHashes(count, slots + count);
      const sketcher = createClassicSketcher(slots, 3);
      const signature = new Uint32Array(sketcher.stride).fill(EMPTY_SLOT);
      sketcher.update(signature, hashes, count);
      const multipliers = seededConstants(3, 'classic', slots, true);
      for (let k = 0; k < slots; k++) {
        let least = EMPTY_SLOT;
        for (let i = 0; i < count; i++) {
          const value = (hashes[2 * i + 1]! + Math.imul(multipliers[2 * k]!, hashes[2 * i]!)) >>> 0;
          least = Math.min(least, value);
        }
        if (signature[k] !== least) t.fail(`slot ${k} of ${slots}, ${count} hashes`);
      }
    }
  }
  t.pass();
});
