/**
 * Rabin fingerprints: a byte string, read as a polynomial over GF(2), modulo an irreducible polynomial P.
 *
 * A string of n bytes is the polynomial s(x) of degree < 8n, its first byte highest, each byte's
 * highest bit first. Its fingerprint of d bits is (Rabin 1981; Broder 1997, sections 4.1 and 4.3)
 *
 *      F = (x^8n + s) * x^d mod P
 *
 * - x^8n, the leading 1: without it, strings that differ only in leading zero bytes have the same fingerprint.
 * - x^d, the appended zeros: without them, strings that differ only in the last byte have fingerprints that differ only in the
 *   last eight bits. The table for the entering byte includes them, so they take no time.
 *
 * The difference of two fingerprints of strings of the same length is the fingerprint of their difference without the leading 1.
 * Therefore samples apply a random permutation first (permutedElements.ts).
 *
 * While a string is read, the d bits are at the top of 64 bits: the byte that a step shifts out is the top byte of the high half
 * for any d, and the lower bits are 0.
 *
 *      step by a byte:   state = state << 8  ^  overflow[top byte]  ^  entering[byte]
 */
import { finalise64 } from '../../arrays/hashing.js';
import { checkNumber, checkObject, kindOf, MinHashError } from '../../errors.js';

/** A fingerprint of at most 63 bits fits into two 32-bit halves with a spare bit. */
const MOST_DEGREE = 63;

/*
 * Set-up computes with polynomials as BigInts: bit i is the coefficient of x^i, the sum is the exclusive or. Fingerprints are
 * computed with pairs of 32-bit halves, which are a hundred times faster than BigInts.
 */

/** The degree of a polynomial; -1 for the zero polynomial. */
function degreeOf(polynomial: bigint): number {
  return polynomial === 0n ? -1 : polynomial.toString(2).length - 1;
}

/** `dividend` mod `divisor` (not zero), by long division. */
function remainderOf(dividend: bigint, divisor: bigint): bigint {
  const degree = degreeOf(divisor);
  for (let shift = degreeOf(dividend) - degree; shift >= 0; shift--) {
    if (((dividend >> BigInt(shift + degree)) & 1n) === 1n) dividend ^= divisor << BigInt(shift);
  }
  return dividend;
}

/** The square of `a` mod `divisor`: squaring puts a zero between neighbouring bits. */
function squareModulo(a: bigint, divisor: bigint): bigint {
  return remainderOf(BigInt(`0b${a.toString(2).split('').join('0')}`), divisor);
}

function commonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, remainderOf(a, b)];
  return a;
}

/** x^exponent mod `divisor`. */
function powerOfX(exponent: number, divisor: bigint): bigint {
  let power = remainderOf(1n, divisor);
  for (const bit of exponent.toString(2)) {
    power = squareModulo(power, divisor);
    if (bit === '1') power = remainderOf(power << 1n, divisor);
  }
  return power;
}

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
 * Whether a polynomial of degree d >= 1 is irreducible; false for constants. A deterministic test: P is irreducible if and only if
 * x^(2^d) = x mod P, and gcd(x^(2^(d/q)) - x, P) = 1 for every prime
 * q that divides d (Rabin 1980, Probabilistic algorithms in finite fields, lemma 1).
 */
function isIrreducible(polynomial: bigint): boolean {
  const degree = degreeOf(polynomial);
  if (degree < 1) return false;
  const x = remainderOf(2n, polynomial);
  const stops = primeDivisors(degree).map((prime) => degree / prime);
  let power = x;
  for (let squared = 1; squared <= degree; squared++) {
    power = squareModulo(power, polynomial);
    if (stops.includes(squared) && commonDivisor(polynomial, power ^ x) !== 1n) return false;
  }
  return power === x;
}

/**
 * The first irreducible polynomial of a stream of random ones, so that all are equally likely, as the collision bound assumes.
 * Excludes x, modulo which only the last bit of a string counts. About one in d / 2 candidates is irreducible.
 */
function drawnPolynomial(degree: number, seed: number): bigint {
  const ends = (1n << BigInt(degree)) | 1n;
  let state = finalise64(finalise64(BigInt(seed) + 0x9e3779b97f4a7c15n) + BigInt(degree));
  for (;;) {
    state += 0x9e3779b97f4a7c15n;
    const candidate = (finalise64(state) & ((1n << BigInt(degree)) - 1n)) | ends;
    if (isIrreducible(candidate)) return candidate;
  }
}

/** A polynomial P and the tables that follow from it. Entries are pairs (low, high), at the top of 64 bits. */
export interface RabinTables {
  /** d, 1..63: bits of a fingerprint. */
  readonly degree: number;
  /** P with its highest bit, x^d. */
  readonly polynomial: bigint;
  /** 256 entries: byte * x^d mod P. */
  readonly steps: Uint32Array;
  /** The fingerprint of the empty string, x^d mod P. */
  readonly start: Uint32Array;
}

/**
 * Tables for a random irreducible polynomial that follows from the seed; takes some milliseconds.
 *
 * @param degree bits of a fingerprint, 1..63; default 63
 * @param seed 0..2^53-1; default 1
 * @throws MinHashError OPTION_INVALID for a degree or seed out of range
 */
export function rabinTables(degree = MOST_DEGREE, seed = 1): RabinTables {
  if (!Number.isInteger(degree) || degree < 1 || degree > MOST_DEGREE) {
    throw invalid(`degree ${kindOf(degree)}: expected an integer from 1 to ${MOST_DEGREE}`);
  }
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw invalid(`seed ${kindOf(seed)}: expected an integer from 0 to ${Number.MAX_SAFE_INTEGER}`);
  }
  return tablesOf(drawnPolynomial(degree, seed));
}

/**
 * Tables for a polynomial: bit i is the coefficient of x^i.
 *
 * @throws MinHashError OPTION_INVALID if its degree is not 1..63, it is x, or it is not irreducible
 */
export function rabinTablesOf(polynomial: bigint): RabinTables {
  if (typeof polynomial !== 'bigint')
    throw invalid(`polynomial: expected a bigint, got ${kindOf(polynomial)}`);
  const isSmall = polynomial >= 0n && degreeOf(polynomial) <= MOST_DEGREE;
  if (!isSmall || polynomial === 2n || !isIrreducible(polynomial)) {
    const expected = `expected an irreducible one of degree 1 to ${MOST_DEGREE}, and not x`;
    throw invalid(`polynomial ${polynomial}: ${expected}`);
  }
  return tablesOf(polynomial);
}

function checkTables(tables: RabinTables): void {
  checkObject('tables', tables);
  if (tables.steps instanceof Uint32Array && tables.start instanceof Uint32Array) return;
  throw invalid('tables: expected the result of rabinTables or rabinTablesOf');
}

function checkBytes(bytes: unknown): void {
  if (bytes instanceof Uint8Array) return;
  throw new MinHashError({
    code: 'DOCUMENT_INVALID',
    detail: `bytes: expected a Uint8Array, got ${kindOf(bytes)}`,
  });
}

function invalid(detail: string): MinHashError {
  return new MinHashError({ code: 'OPTION_INVALID', detail });
}

function tablesOf(polynomial: bigint): RabinTables {
  const degree = degreeOf(polynomial);
  const steps = byteTable(polynomial, degree, 0n);
  return { degree, polynomial, steps, start: steps.slice(2, 4) };
}

/** 256 entries: byte * x^power + constant mod P. The product is linear, so it is the sum of the products of the bits. */
function byteTable(polynomial: bigint, power: number, constant: bigint): Uint32Array {
  const products = Array.from({ length: 8 }, (_, bit) => powerOfX(power + bit, polynomial));
  const table = new Uint32Array(512);
  const top = BigInt(64 - degreeOf(polynomial));
  for (let byte = 0; byte < 256; byte++) {
    const sum = products.reduce(
      (rest, product, bit) => ((byte >> bit) & 1 ? rest ^ product : rest),
      constant,
    );
    table[2 * byte] = Number((sum << top) & 0xffffffffn);
    table[2 * byte + 1] = Number((sum << top) >> 32n);
  }
  return table;
}

/** Moves d bits from the top of 64 to the bottom and writes them to `out[at], out[at+1]`; d is 1..63. */
function writeFromTop(out: Uint32Array, at: number, low: number, high: number, degree: number): void {
  const shift = 64 - degree;
  // A shift count is taken modulo 32, so 32 and 0 need their own words.
  out[at] = shift >= 32 ? high >>> (shift - 32) : (low >>> shift) | (high << (32 - shift));
  out[at + 1] = shift >= 32 ? 0 : high >>> shift;
}

/** Writes the fingerprint of bytes[from, to) to `out[at], out[at+1]`. */
function write(
  tables: RabinTables,
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint32Array,
  at: number,
) {
  const { steps, start, degree } = tables;
  let low = start[0]! | 0;
  let high = start[1]! | 0;
  for (let i = from; i < to; i++) {
    const step = 2 * ((high >>> 24) ^ bytes[i]!);
    high = (high << 8) ^ (low >>> 24) ^ steps[step + 1]!;
    low = (low << 8) ^ steps[step]!;
  }
  writeFromTop(out, at, low, high, degree);
}

/** The fingerprint of a byte string, 0..2^d-1; x^d mod P for the empty string. @throws MinHashError DOCUMENT_INVALID */
export function rabinFingerprint(tables: RabinTables, bytes: Uint8Array): bigint {
  checkTables(tables);
  checkBytes(bytes);
  const out = new Uint32Array(2);
  write(tables, bytes, 0, bytes.length, out, 0);
  return (BigInt(out[1]!) << 32n) | BigInt(out[0]!);
}

/** The fingerprints of 64-bit hashes (pairs of low and high halves, like the result), read as strings of 8 bytes, little-endian. */
export function rabinIds(tables: RabinTables, hashes: Uint32Array): Uint32Array {
  const bytes = new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  const ids = new Uint32Array(hashes.length);
  for (let at = 0; at < hashes.length; at += 2) write(tables, bytes, 4 * at, 4 * at + 8, ids, at);
  return ids;
}

/**
 * The fingerprints of all windows of `width` bytes, in order; empty if there are fewer bytes. Takes one step per byte for any
 * width: the byte o that leaves and the leading 1 that moves add (o * x^8w + x^(8w+8) + x^8w) * x^d, which depends only on o (Broder
 * 1997, section 4.3).
 *
 * @throws MinHashError OPTION_INVALID for a width that is not an integer of at least 1; DOCUMENT_INVALID
 */
export function rabinWindows(tables: RabinTables, bytes: Uint8Array, width: number): BigUint64Array {
  if (!Number.isInteger(width) || width < 1) {
    throw invalid(`width ${kindOf(width)}: expected an integer of at least 1 byte`);
  }
  checkTables(tables);
  checkBytes(bytes);
  const { steps, start, degree, polynomial } = tables;
  const power = 8 * width + degree;
  const moved = powerOfX(power + 8, polynomial) ^ powerOfX(power, polynomial);
  const leaving = byteTable(polynomial, power, moved);
  const found = new Uint32Array(2 * Math.max(0, bytes.length - width + 1));
  let low = start[0]! | 0;
  let high = start[1]! | 0;
  for (let i = 0; i < bytes.length; i++) {
    const step = 2 * ((high >>> 24) ^ bytes[i]!);
    const gone = i < width ? -1 : 2 * bytes[i - width]!;
    high = (high << 8) ^ (low >>> 24) ^ steps[step + 1]! ^ (gone < 0 ? 0 : leaving[gone + 1]!);
    low = (low << 8) ^ steps[step]! ^ (gone < 0 ? 0 : leaving[gone]!);
    if (i + 1 >= width) writeFromTop(found, 2 * (i + 1 - width), low, high, degree);
  }
  return new BigUint64Array(found.buffer);
}

/**
 * An upper bound of the probability, over the choice of the polynomial, that two of `strings` different strings of at most `bits`
 * bits have the same fingerprint of `degree` bits. It holds for strings that are chosen without knowledge of the seed.
 *
 * For a pair it is m / 2^(d-1) (Broder 1997, section 4.1): their difference has degree m or less, so at most m/d divisors
 * of degree d, and there are at least 2^(d-1) / d such polynomials. The leading 1 (a degree of m) and the appended zeros (P never
 * divides x^d) do not change that. The sum over all pairs is n (n-1) m / 2^d. Two strings of 400 bits,
 * d = 40: 7.3e-10; a set of 1,000: 3.6e-4.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function rabinCollisionBound(strings: number, bits: number, degree: number): number {
  checkNumber('strings', strings, 'count or 0');
  checkNumber('bits', bits, 'count or 0');
  checkNumber('degree', degree, 'count');
  return Math.min(1, (strings * Math.max(0, strings - 1) * bits) / 2 ** degree);
}
