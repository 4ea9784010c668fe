/** Searches in columns against loops. */
import test from 'ava';
import fc from 'fast-check';
import { positionsOf } from '../../src/arrays/search.js';

test('positionsOf gives the positions that a plain loop finds', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ max: 2, maxLength: 40 }), fc.nat(3), (flags, value) => {
      const wanted = Array.from(flags.keys()).filter((at) => flags[at] === value);
      t.deepEqual([...positionsOf(value, flags)], wanted);
    }),
    { seed: 9, numRuns: 300 },
  );
});
