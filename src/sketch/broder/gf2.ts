/**
 * Polynomials over GF(2), a BigInt each: bit i is the coefficient of x^i, the sum is the exclusive or.
 *
 * Floor 0. For set-up only (finding a polynomial, filling tables): BigInt is a hundred times slower than
 * halves. Knows no fingerprints.
 */

/** Degree of a polynomial >= 0; -1 for the zero polynomial. */
export function degreeOf(polynomial: bigint): number {
  return polynomial === 0n ? -1 : polynomial.toString(2).length - 1;
}

/** `dividend` mod `divisor` (not zero), by long division: one step a bit of the difference of degrees. */
export function remainderOf(dividend: bigint, divisor: bigint): bigint {
  const degree = degreeOf(divisor);
  for (let shift = degreeOf(dividend) - degree; shift >= 0; shift--) {
    if (((dividend >> BigInt(shift + degree)) & 1n) === 1n) dividend ^= divisor << BigInt(shift);
  }
  return dividend;
}

/** `a * b` mod `divisor` (of degree >= 1), for factors of any degree. */
export function productModulo(a: bigint, b: bigint, divisor: bigint): bigint {
  const top = 1n << BigInt(degreeOf(divisor));
  let shifted = remainderOf(a, divisor);
  let product = 0n;
  for (let rest = remainderOf(b, divisor); rest !== 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) product ^= shifted;
    shifted <<= 1n;
    if ((shifted & top) !== 0n) shifted ^= divisor;
  }
  return product;
}

/** Greatest common divisor (Euclid); that of zero and p is p. */
export function commonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) {
    const rest = remainderOf(a, b);
    a = b;
    b = rest;
  }
  return a;
}

/** x^exponent mod `divisor` (of degree >= 1), exponent >= 0, by squaring. */
export function powerModulo(exponent: number, divisor: bigint): bigint {
  let power = remainderOf(1n, divisor);
  for (const bit of exponent.toString(2)) {
    power = productModulo(power, power, divisor);
    if (bit === '1') power = remainderOf(power << 1n, divisor);
  }
  return power;
}
