import test from 'ava';
import fc from 'fast-check';
import {
  agreementMillionths,
  ByteWriter,
  millionthsOf,
  roundedToMillionths,
} from '../../../src/result/tables/escaping.js';

function written(value: number): string {
  const out = new ByteWriter(1);
  out.appendMillionths(millionthsOf(value));
  return Buffer.from(out.written()).toString('latin1');
}

test('millionthsOf gives the digits of toFixed(6) for any fraction', (t) => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (value) => written(value) === value.toFixed(6)),
    { seed: 1, numRuns: 20000 },
  );
  t.pass();
});

test('millionthsOf gives the digits of toFixed(6) next to every kind of tie', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999999 }), fc.integer({ min: -3, max: 3 }), (n, steps) => {
      const tie = (n + 0.5) / 1e6;
      const value = tie * (1 + steps * Number.EPSILON);
      return written(value) === value.toFixed(6);
    }),
    { seed: 1, numRuns: 20000 },
  );
  t.pass();
});

test('millionthsOf rounds every share of a signature as toFixed(6) does, true ties included', (t) => {
  for (const hashes of [16, 100, 128, 200, 256, 333, 512, 1000, 1024]) {
    const shares = agreementMillionths(hashes);
    for (let count = 0; count <= hashes; count++) {
      const out = new ByteWriter();
      out.appendMillionths(shares[count]!);
      t.is(Buffer.from(out.written()).toString('latin1'), (count / hashes).toFixed(6));
    }
  }
});

test('millionthsOf of NaN is -1, the empty cell', (t) => {
  t.is(millionthsOf(Number.NaN), -1);
});

test('roundedToMillionths keeps six decimals', (t) => {
  t.is(roundedToMillionths(0.9853012345), 0.985301);
  t.is(roundedToMillionths(1), 1);
});

test('appendInteger writes what String writes', (t) => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      const out = new ByteWriter(1);
      out.appendInteger(value);
      return Buffer.from(out.written()).toString('latin1') === String(value);
    }),
    { seed: 1, numRuns: 5000, examples: [[0], [9], [10], [99], [100], [2 ** 53 - 1]] },
  );
  t.pass();
});
