import test from 'ava';
import fc from 'fast-check';
import {
  commonDivisor,
  degreeOf,
  irreducibleCount,
  irreduciblePolynomial,
  isIrreducible,
  powerModulo,
  productModulo,
  remainderOf,
} from '../../../src/sketch/samples/rabin.js';

const MOST = 12;

/** Every reducible polynomial of degree <= MOST, as the product of two others: no division involved. */
function reduciblePolynomials(): Set<number> {
  const reducible = new Set<number>();
  const end = 2 ** (MOST + 1);
  for (let a = 2; a * a < 2 * end; a++) {
    const degree = 31 - Math.clz32(a);
    for (let b = a; 31 - Math.clz32(b) + degree <= MOST; b++) {
      let product = 0;
      for (let bit = 0; bit <= degree; bit++) if ((a >>> bit) & 1) product ^= b << bit;
      reducible.add(product);
    }
  }
  return reducible;
}

test('isIrreducible says what brute force says, for every polynomial of degree up to 12', (t) => {
  const reducible = reduciblePolynomials();
  const counts = new Array<number>(MOST + 1).fill(0);
  for (let polynomial = 2; polynomial < 2 ** (MOST + 1); polynomial++) {
    const irreducible = isIrreducible(BigInt(polynomial));
    if (irreducible === reducible.has(polynomial)) t.fail(polynomial.toString(2));
    if (irreducible) counts[31 - Math.clz32(polynomial)]!++;
  }
  t.deepEqual(
    counts.slice(1),
    counts.slice(1).map((_, i) => Number(irreducibleCount(i + 1))),
  );
  t.deepEqual(counts.slice(1, 9), [2, 1, 2, 3, 6, 9, 18, 30]);
});

test('isIrreducible: constants are not, squares and products of large factors are not', (t) => {
  t.false(isIrreducible(0n));
  t.false(isIrreducible(1n));
  for (let seed = 1; seed <= 10; seed++) {
    const a = irreduciblePolynomial(31, seed);
    const b = irreduciblePolynomial(32, seed);
    let product = 0n;
    for (let bit = 0n; bit <= 32n; bit++) if ((b >> bit) & 1n) product ^= a << bit;
    t.false(isIrreducible(product));
    t.is(commonDivisor(product, b), b);
  }
});

test('irreduciblePolynomial finds one of every degree from 1 to 63, the same for the same seed', (t) => {
  for (let degree = 1; degree <= 63; degree++) {
    const found = irreduciblePolynomial(degree, degree);
    t.is(degreeOf(found), degree);
    t.is(found & 1n, 1n);
    t.true(isIrreducible(found));
    t.is(found, irreduciblePolynomial(degree, degree));
  }
  t.is(irreduciblePolynomial(1, 5), 3n);
  t.not(irreduciblePolynomial(40, 1), irreduciblePolynomial(40, 2));
});

test('irreduciblePolynomial refuses degrees it has no room for', (t) => {
  for (const degree of [0, 64, 1.5, Number.NaN]) {
    t.throws(() => irreduciblePolynomial(degree, 1), { instanceOf: RangeError, message: /from 1 to 63/ });
  }
});

test('irreduciblePolynomial draws evenly: each of the 30 of degree 8', (t) => {
  const TRIALS = 3000;
  const seen = new Map<bigint, number>();
  for (let seed = 1; seed <= TRIALS; seed++) {
    const found = irreduciblePolynomial(8, seed);
    seen.set(found, (seen.get(found) ?? 0) + 1);
  }
  t.is(seen.size, 30);
  // Each count is Bin(3000, 1/30): mean 100, deviation 9.8; five deviations, 30 counts.
  for (const count of seen.values()) t.true(Math.abs(count - 100) < 49, String(count));
});

test('the arithmetic is that of a ring: distributive, and powers are products', (t) => {
  const polynomial = fc.bigInt({ min: 0n, max: (1n << 80n) - 1n });
  const divisor = fc.bigInt({ min: 2n, max: (1n << 64n) - 1n });
  fc.assert(
    fc.property(polynomial, polynomial, polynomial, divisor, fc.nat(200), (a, b, c, p, e) => {
      t.is(productModulo(a, b ^ c, p), productModulo(a, b, p) ^ productModulo(a, c, p));
      t.is(productModulo(a, b, p), productModulo(b, a, p));
      t.is(powerModulo(e, p), remainderOf(1n << BigInt(e), p));
      t.true(degreeOf(remainderOf(a, p)) < degreeOf(p));
    }),
    { seed: 1, numRuns: 200 },
  );
});
