/**
 * How likely fingerprints collide, and what that does to the resemblance.
 *
 * Floor 0. The Rabin bounds hold for strings that were chosen without knowledge of the polynomial, which must
 * be a random one: the seed is what stands for chance (irreducible.ts draws evenly).
 */

/**
 * At most this probable: two different strings of at most `bits` bits have one Rabin fingerprint of `degree`
 * bits. Broder 1997, section 4.1: max(|s1|, |s2|) / 2^(d-1). The difference of the strings has degree m or
 * less, so at most m/d divisors of degree d, and there are at least 2^(d-1) / d such polynomials. Neither the
 * leading 1 (a degree of m itself) nor the appended nulls (P never divides x^d) change that. 400 bits and
 * d = 40: 7.3e-10.
 */
export function pairCollisionBound(bits: number, degree: number): number {
  return Math.min(1, bits / 2 ** (degree - 1));
}

/**
 * At most this probable: some two of `strings` different strings of at most `bits` bits collide. The sum over
 * all pairs of the bound above, n (n-1) m / 2^d, a little less than the n^2 m / 2^d of Broder 1993. A set of
 * 1,000 shingles of 400 bits, d = 40: 3.6e-4.
 */
export function collisionBound(strings: number, bits: number, degree: number): number {
  return Math.min(1, (strings * Math.max(0, strings - 1) * bits) / 2 ** degree);
}

/**
 * Expected pairs of different items among `items` that get one id, under an even random function to `bits` bits:
 * n (n-1) / 2^(b+1). It also bounds the probability that there is any such pair. 10^6 items and 64 bits: 2.7e-8;
 * 10^9: 0.027; 10^9 and 128 bits: 1.5e-21.
 */
export function expectedCollisions(items: number, bits: number): number {
  return (items * Math.max(0, items - 1)) / 2 ** (bits + 1);
}

/**
 * Expected number of distinct ids of `elements` distinct elements under an even random function to `bits`
 * bits: 2^l (1 - (1 - 2^-l)^n), about n - n(n-1)/2 / 2^l (Broder 1997, section 4.1).
 */
export function expectedDistinct(elements: number, bits: number): number {
  return -(2 ** bits) * Math.expm1(elements * Math.log1p(-(2 ** -bits)));
}

/**
 * By this much at most, with probability better than 99.9 %, does the resemblance of the ids (`bits` bits,
 * even and random) differ from that of the elements themselves, `union` distinct ones in both sets together:
 * |A or B| / 2^(l-11) (Broder 1997, section 4.1). 1,000 elements, l = 40: 1.9e-6.
 */
export function resemblanceDeviation(union: number, bits: number): number {
  return Math.min(1, union / 2 ** (bits - 11));
}
