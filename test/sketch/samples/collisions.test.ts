import test from 'ava';
import {
  collisionBound,
  expectedDistinct,
  pairCollisionBound,
  resemblanceDeviation,
} from '../../../src/sketch/probability.js';
import {
  degreeOf,
  irreduciblePolynomial,
  RabinFingerprint,
  rabinTables,
} from '../../../src/sketch/samples/rabin.js';
import { randomWords } from '../../data/randomHashes.js';

test('the bounds of the paper, with its own numbers', (t) => {
  // The clustering of the web: 1,000 shingles of 400 bits, fingerprints of 40.
  t.is(pairCollisionBound(400, 40), 400 / 2 ** 39);
  t.true(collisionBound(1000, 400, 40) <= (1000 * 1000 * 400) / 2 ** 40);
  t.is(collisionBound(1000, 400, 40).toPrecision(2), '0.00036');
  t.is(resemblanceDeviation(1000, 40).toPrecision(2), '0.0000019');
  t.is(collisionBound(1, 400, 40), 0);
  t.is(collisionBound(0, 400, 40), 0);
  t.is(collisionBound(1e6, 1e6, 20), 1);
});

test('expectedDistinct is n - n(n-1)/2 / 2^l + ..., and exact for small functions', (t) => {
  t.true(Math.abs(expectedDistinct(1000, 40) - (1000 - (1000 * 999) / 2 / 2 ** 40)) < 1e-9);
  // All functions from 3 elements to 2 values: 2 with one image, 6 with two.
  t.true(Math.abs(expectedDistinct(3, 1) - (2 * 1 + 6 * 2) / 8) < 1e-12);
  t.is(expectedDistinct(0, 40), 0);
});

function difference(a: Uint8Array, b: Uint8Array, degree: number, seed: number): number {
  const fingerprint = new RabinFingerprint(rabinTables(degree, seed));
  const out = new Uint32Array(4);
  fingerprint.push(a);
  fingerprint.write(out, 0);
  fingerprint.reset();
  fingerprint.push(b);
  fingerprint.write(out, 2);
  return (out[0]! ^ out[2]!) | (out[1]! ^ out[3]!);
}

test('strings chosen to collide do so as often as they have divisors, within the bound', (t) => {
  // The difference is the product of 12 of the 30 irreducible polynomials of degree 8: 96 bits.
  const divisors = new Set<bigint>();
  for (let seed = 1; divisors.size < 12; seed++) divisors.add(irreduciblePolynomial(8, seed));
  let product = 1n;
  for (const divisor of divisors) {
    let next = 0n;
    for (let bit = 0n; bit <= 8n; bit++) if ((divisor >> bit) & 1n) next ^= product << bit;
    product = next;
  }
  t.is(degreeOf(product), 96);
  const a = new Uint8Array(13).fill(77);
  const b = a.map((byte, i) => byte ^ Number((product >> BigInt(8 * (12 - i))) & 255n));
  const TRIALS = 2000;
  let collisions = 0;
  for (let seed = 1; seed <= TRIALS; seed++) if (difference(a, b, 8, seed) === 0) collisions++;
  // Bin(2000, 12/30): mean 800, deviation 21.9; five of them.
  t.true(Math.abs(collisions - 800) < 110, String(collisions));
  t.true(collisions / TRIALS < pairCollisionBound(104, 8));
});

test('random strings collide about once in 2^d, far within the bound', (t) => {
  const words = randomWords(5);
  const TRIALS = 400;
  let pairs = 0;
  let collisions = 0;
  const fingerprint = new Uint32Array(2);
  for (let seed = 1; seed <= TRIALS; seed++) {
    const rabin = new RabinFingerprint(rabinTables(12, seed));
    const counts = new Map<number, number>();
    for (let i = 0; i < 100; i++) {
      rabin.reset();
      rabin.push(Uint8Array.from({ length: 20 }, () => words() & 255));
      rabin.write(fingerprint, 0);
      const before = counts.get(fingerprint[0]!) ?? 0;
      collisions += before;
      counts.set(fingerprint[0]!, before + 1);
    }
    pairs += (100 * 99) / 2;
  }
  // Pairs of random strings collide independently with probability 2^-12 each: 1,980,000 pairs, mean 483,
  // deviation 22 (pairs of one group are pairwise independent, which is all a variance needs).
  t.true(Math.abs(collisions - pairs / 4096) < 110, String(collisions));
  t.true(collisions / pairs < pairCollisionBound(160, 12));
});
