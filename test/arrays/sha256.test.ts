import { createHash } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { sha256Heads } from '../../src/arrays/sha256.js';

test('sha256Heads is the beginning of SHA-256 of each string asked for', (t) => {
  const lengths = fc.oneof(fc.nat(80), fc.constantFrom(0, 55, 56, 63, 64, 119, 120, 1000));
  const strings = fc.array(
    lengths.chain((n) => fc.uint8Array({ minLength: n, maxLength: n })),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(strings, fc.array(fc.nat(5), { maxLength: 8 }), (list, picks) => {
      const offsets = new Uint32Array(list.length + 1);
      list.forEach((one, i) => {
        offsets[i + 1] = offsets[i]! + one.length;
      });
      const asked = Uint32Array.from(picks, (pick) => pick % list.length);
      const heads = sha256Heads(asked, offsets, Uint8Array.from(list.flatMap((one) => [...one])));
      const wanted = [...asked].flatMap((i) => {
        const digest = createHash('sha256').update(list[i]!).digest();
        return [digest.readUInt32BE(0), digest.readUInt32BE(4)];
      });
      t.deepEqual([...heads], wanted);
    }),
    { seed: 1, numRuns: 300 },
  );
});
