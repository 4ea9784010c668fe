/**
 * Irreducible polynomials over GF(2): proven, counted, and drawn from a seed.
 *
 * Floor 0. For set-up only. Knows no fingerprints.
 */
import { finalise64 } from '../hashing.js';
import { commonDivisor, degreeOf, productModulo, remainderOf } from './gf2.js';

/** Largest degree of a polynomial of ours: a fingerprint then fits two halves with a bit to spare. */
export const MOST_DEGREE = 63;

function primeDivisors(n: number): number[] {
  const primes: number[] = [];
  for (let prime = 2; n > 1; prime++) {
    if (n % prime !== 0) continue;
    primes.push(prime);
    while (n % prime === 0) n /= prime;
  }
  return primes;
}

/**
 * Whether a polynomial of degree d >= 1 has no divisors but itself and 1; false for constants. A proof, no
 * guess: P is irreducible exactly where x^(2^d) = x mod P, and gcd(x^(2^(d/q)) - x, P) = 1 for every prime
 * q that divides d (Rabin 1980, Probabilistic algorithms in finite fields, lemma 1).
 */
export function isIrreducible(polynomial: bigint): boolean {
  const degree = degreeOf(polynomial);
  if (degree < 1) return false;
  const x = remainderOf(2n, polynomial);
  const stops = primeDivisors(degree).map((prime) => degree / prime);
  let power = x;
  for (let squared = 1; squared <= degree; squared++) {
    power = productModulo(power, power, polynomial);
    if (stops.includes(squared) && commonDivisor(polynomial, power ^ x) !== 1n) return false;
  }
  return power === x;
}

/** Moebius function of n >= 1. */
function moebius(n: number): number {
  const primes = primeDivisors(n);
  return primes.reduce((product, prime) => product * prime, 1) === n ? (-1) ** primes.length : 0;
}

/**
 * Number of irreducible polynomials of degree d >= 1 over GF(2): the sum of moebius(d/e) 2^e over the
 * divisors e of d, divided by d (Gauss). 2 1 2 3 6 9 18 30 for d = 1..8.
 */
export function irreducibleCount(degree: number): bigint {
  let sum = 0n;
  for (let divisor = 1; divisor <= degree; divisor++) {
    if (degree % divisor === 0) sum += BigInt(moebius(degree / divisor)) << BigInt(divisor);
  }
  return sum / BigInt(degree);
}

/**
 * An irreducible polynomial of the degree (1..63) that follows from the seed (0..2^53-1) alone: the first
 * proven one of a stream of random polynomials, so each is as likely as any other, which the collision
 * bound needs. Never x itself, which keeps nothing of a string but its last bit. One polynomial in d / 2
 * tried is irreducible; degree 63 takes some milliseconds.
 */
export function irreduciblePolynomial(degree: number, seed: number): bigint {
  if (!Number.isInteger(degree) || degree < 1 || degree > MOST_DEGREE) {
    throw new RangeError(`degree ${degree}: expected an integer from 1 to ${MOST_DEGREE}`);
  }
  const ends = (1n << BigInt(degree)) | 1n;
  let state = finalise64(finalise64(BigInt(seed) + 0x9e3779b97f4a7c15n) + BigInt(degree));
  for (;;) {
    state += 0x9e3779b97f4a7c15n;
    const candidate = (finalise64(state) & ((1n << BigInt(degree)) - 1n)) | ends;
    if (isIrreducible(candidate)) return candidate;
  }
}
