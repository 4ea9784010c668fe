import test from 'ava';
import fc from 'fast-check';
import {
  degreeOf,
  irreduciblePolynomial,
  RabinFingerprint,
  type RabinOptions,
  type RabinTables,
  rabinTables,
  rabinTablesOf,
} from '../../../src/sketch/samples/rabin.js';
import { bigOf } from '../../data/randomHashes.js';
import { naiveFingerprint } from './naiveRabin.js';

const OPTIONS: readonly RabinOptions[] = [
  {},
  { leadingOne: false },
  { appendedNulls: false },
  { leadingOne: false, appendedNulls: false },
];

function fingerprintOf(tables: RabinTables, bytes: Uint8Array): bigint {
  const out = new Uint32Array(2);
  const fingerprint = new RabinFingerprint(tables);
  fingerprint.push(bytes);
  fingerprint.write(out, 0);
  return bigOf(out, 0);
}

test('a fingerprint is what the division of polynomials leaves, for every degree and option', (t) => {
  for (let degree = 1; degree <= 63; degree++) {
    for (const options of OPTIONS) {
      const tables = rabinTables(degree, degree + 7, options);
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
          t.is(fingerprintOf(tables, bytes), naiveFingerprint(tables, bytes), `degree ${degree}`);
        }),
        { seed: degree, numRuns: 6, examples: [[new Uint8Array(0)], [new Uint8Array(9).fill(255)]] },
      );
    }
  }
});

test('a fingerprint does not depend on where the bytes are cut, and reset forgets', (t) => {
  const tables = rabinTables(53, 1);
  const fingerprint = new RabinFingerprint(tables);
  const out = new Uint32Array(2);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(60), (bytes, at) => {
      const cut = Math.min(at, bytes.length);
      fingerprint.reset();
      fingerprint.push(bytes, 0, cut);
      fingerprint.push(bytes, cut);
      fingerprint.write(out, 0);
      t.is(bigOf(out, 0), fingerprintOf(tables, bytes));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('without the leading 1 a fingerprint is linear; with it the exclusive or of three strings is', (t) => {
  const linear = rabinTables(61, 3, { leadingOne: false });
  const affine = rabinTables(61, 3);
  const strings = fc.integer({ min: 0, max: 30 }).chain((length) => {
    const bytes = fc.uint8Array({ minLength: length, maxLength: length });
    return fc.tuple(bytes, bytes, bytes);
  });
  fc.assert(
    fc.property(strings, ([a, b, c]) => {
      const ab = a.map((byte, i) => byte ^ b[i]!);
      const abc = ab.map((byte, i) => byte ^ c[i]!);
      t.is(fingerprintOf(linear, ab), fingerprintOf(linear, a) ^ fingerprintOf(linear, b));
      const sum = fingerprintOf(affine, a) ^ fingerprintOf(affine, b) ^ fingerprintOf(affine, c);
      t.is(fingerprintOf(affine, abc), sum);
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('the leading 1 tells leading zero bytes apart, which are lost without it', (t) => {
  const a = Uint8Array.of(1, 2, 3);
  const b = Uint8Array.of(0, 0, 1, 2, 3);
  const without = rabinTables(40, 1, { leadingOne: false });
  t.is(fingerprintOf(without, a), fingerprintOf(without, b));
  t.is(fingerprintOf(without, new Uint8Array(5)), 0n);
  const tables = rabinTables(40, 1);
  t.not(fingerprintOf(tables, a), fingerprintOf(tables, b));
  t.not(fingerprintOf(tables, new Uint8Array(4)), fingerprintOf(tables, new Uint8Array(5)));
});

test('appended nulls spread the last byte: without them only the last eight bits differ', (t) => {
  const a = new TextEncoder().encode('a rose is a rose is a rosa');
  const b = new TextEncoder().encode('a rose is a rose is a rose');
  const difference = (options: RabinOptions): bigint => {
    const tables = rabinTables(60, 1, options);
    return fingerprintOf(tables, a) ^ fingerprintOf(tables, b);
  };
  t.is(difference({ appendedNulls: false }), BigInt('a'.charCodeAt(0) ^ 'e'.charCodeAt(0)));
  t.true(degreeOf(difference({})) > 40);
});

test('a polynomial of one own must be irreducible', (t) => {
  // x^4 + x + 1 is; x^4 + x^3 + x + 1 = (x + 1)^2 (x^2 + x + 1) is not.
  t.is(
    fingerprintOf(rabinTablesOf(0b10011n, { leadingOne: false, appendedNulls: false }), Uint8Array.of(16)),
    3n,
  );
  for (const polynomial of [0b11011n, 0n, 1n, 2n, (1n << 64n) | 1n]) {
    t.throws(() => rabinTablesOf(polynomial), { instanceOf: RangeError, message: /expected an irreducible/ });
  }
});

test('tables for a seed are those of the polynomial of that seed', (t) => {
  t.deepEqual(rabinTables(37, 9), rabinTablesOf(irreduciblePolynomial(37, 9)));
});
