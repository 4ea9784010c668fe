/**
 * Polynomials over GF(2), a BigInt each: bit i is the coefficient of x^i, the sum is the exclusive or.
 *
 * For set-up only (finding a polynomial, filling tables): BigInt is a hundred times slower than
 * halves. Knows no fingerprints.
 */
import { finalise64 } from '../../arrays/hashing.js';

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

/*
 * Irreducible polynomials over GF(2): proven, counted, and drawn from a seed.
 *
 * For set-up only. Knows no fingerprints.
 */

/** Largest degree of a polynomial of ours: a fingerprint then fits two halves with a bit to spare. */
const MOST_DEGREE = 63;

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

/*
 * Rabin fingerprints: a byte string, read as a polynomial over GF(2), modulo an irreducible polynomial P.
 *
 * A string of n bytes is the polynomial s(x) of degree < 8n, its first byte highest, each byte's
 * highest bit first. Its fingerprint of d bits is (Rabin 1981; Broder 1997, sections 4.1 and 4.3)
 *
 *      F = (x^8n + s) * x^d mod P
 *
 * - x^8n, the leading 1: without it strings that differ in leading zero bytes alone have one fingerprint.
 * - x^d, the appended nulls: without them strings that differ in the last byte alone have fingerprints that
 *   differ in the last eight bits alone. They cost nothing: another table stands for the entering byte.
 *
 * Both can be left out. Then F is linear: F(a xor b) = F(a) xor F(b) for strings of one length.
 *
 * While a string is read the d bits lie at the top of 64: the byte that a step pushes out is the top byte
 * of the high half whatever d is, and what d leaves free stays zero.
 *
 *      step by a byte:   state = state << 8  ^  overflow[top byte]  ^  entering[byte]
 */

export interface RabinOptions {
  /** Strings that differ in leading zero bytes differ. Default true. */
  readonly leadingOne?: boolean;
  /** Multiply by x^d, which spreads the last byte over all bits. Default true. */
  readonly appendedNulls?: boolean;
}

/** A polynomial and what follows from it. Entries of tables are pairs (low, high), at the top of 64 bits. */
export interface RabinTables {
  /** d, 1..63: bits of a fingerprint. */
  readonly degree: number;
  /** P with its highest bit, x^d. */
  readonly polynomial: bigint;
  readonly leadingOne: boolean;
  readonly appendedNulls: boolean;
  /** 256 entries: t * x^d mod P for the byte t that a step pushes out. */
  readonly overflow: Uint32Array;
  /** 256 entries: what an entering byte adds. */
  readonly entering: Uint32Array;
  /** The fingerprint of the empty string. */
  readonly start: Uint32Array;
}

/** Tables for a polynomial drawn from the seed: degree 1..63, seed 0..2^53-1. */
export function rabinTables(degree: number, seed: number, options: RabinOptions = {}): RabinTables {
  return rabinTablesOf(irreduciblePolynomial(degree, seed), options);
}

/** Tables for a polynomial of one's own: degree 1..63, proven irreducible here; RangeError if it is not. */
export function rabinTablesOf(polynomial: bigint, options: RabinOptions = {}): RabinTables {
  const degree = degreeOf(polynomial);
  if (degree > MOST_DEGREE || polynomial === 2n || !isIrreducible(polynomial)) {
    const given = `0b${polynomial.toString(2)}`;
    throw new RangeError(`polynomial ${given}: expected an irreducible one of degree 1 to 63, and not x`);
  }
  const { leadingOne = true, appendedNulls = true } = options;
  const factor = appendedNulls ? powerModulo(degree, polynomial) : 1n;
  const start = leadingOne ? factor : 0n;
  return {
    degree,
    polynomial,
    leadingOne,
    appendedNulls,
    overflow: byteTable(polynomial, powerModulo(degree, polynomial), 0n),
    entering: byteTable(polynomial, factor, 0n),
    start: topAligned(remainderOf(start, polynomial), degree),
  };
}

/** The pair of halves of a fingerprint at the top of 64 bits. */
function topAligned(fingerprint: bigint, degree: number): Uint32Array {
  const value = fingerprint << BigInt(64 - degree);
  return Uint32Array.of(Number(value & 0xffffffffn), Number(value >> 32n));
}

/** 256 entries: (byte * factor + constant) mod P. */
function byteTable(polynomial: bigint, factor: bigint, constant: bigint): Uint32Array {
  const degree = degreeOf(polynomial);
  const table = new Uint32Array(512);
  for (let byte = 0; byte < 256; byte++) {
    const entry = remainderOf(productModulo(BigInt(byte), factor, polynomial) ^ constant, polynomial);
    table.set(topAligned(entry, degree), 2 * byte);
  }
  return table;
}

/** The fingerprint of the bytes so far, one string after the other. */
export class RabinFingerprint {
  private readonly tables: RabinTables;
  private low: number;
  private high: number;

  constructor(tables: RabinTables) {
    this.tables = tables;
    this.low = tables.start[0]! | 0;
    this.high = tables.start[1]! | 0;
  }

  /** Starts a new string. */
  reset(): void {
    this.low = this.tables.start[0]! | 0;
    this.high = this.tables.start[1]! | 0;
  }

  /** Appends bytes [from, to). */
  push(bytes: Uint8Array, from = 0, to = bytes.length): void {
    const { overflow, entering } = this.tables;
    let { low, high } = this;
    for (let i = from; i < to; i++) {
      const out = 2 * (high >>> 24);
      const byte = 2 * bytes[i]!;
      high = (high << 8) ^ (low >>> 24) ^ overflow[out + 1]! ^ entering[byte + 1]!;
      low = (low << 8) ^ overflow[out]! ^ entering[byte]!;
    }
    this.low = low;
    this.high = high;
  }

  /** Writes the fingerprint, 0..2^d-1, to `out[at], out[at+1]`; the string may go on. */
  write(out: Uint32Array, at: number): void {
    writeFromTop(out, at, this.low, this.high, this.tables.degree);
  }

  /** Writes the fingerprint as it lies at the top of 64 bits. */
  writeTop(out: Uint32Array, at: number): void {
    out[at] = this.low;
    out[at + 1] = this.high;
  }
}

/** Moves d bits from the top of 64 to the bottom and writes them to `out[at], out[at+1]`; d is 1..63. */
function writeFromTop(out: Uint32Array, at: number, low: number, high: number, degree: number): void {
  const shift = 64 - degree;
  // A shift count is taken modulo 32, so 32 and 0 need their own words.
  if (shift >= 32) {
    out[at] = high >>> (shift - 32);
    out[at + 1] = 0;
  } else {
    out[at] = (low >>> shift) | (high << (32 - shift));
    out[at + 1] = high >>> shift;
  }
}

/*
 * Rabin fingerprints of a sliding window of fixed width: one step a byte, whatever the width.
 *
 * With w bytes in the window, the byte o that leaves and the leading 1 that moves (rabin.ts) add
 * o * x^8w + x^(8w+8) + x^8w, which depends on o alone: one table undoes both (Broder 1997, section 4.3).
 * Tokens of variable width: `RabinTokenWindow`.
 */

export class RabinWindow {
  /** Bytes in the window, 0..width. */
  length = 0;

  private readonly tables: RabinTables;
  private readonly width: number;
  private readonly leaving: Uint32Array;
  /** The bytes in the window, a ring. */
  private readonly ring: Uint8Array;
  private next = 0;
  private low = 0;
  private high = 0;

  /** A window of `width` bytes, >= 1. */
  constructor(tables: RabinTables, width: number) {
    if (!Number.isInteger(width) || width < 1) {
      throw new RangeError(`width ${width}: expected an integer of at least 1 byte`);
    }
    this.tables = tables;
    this.width = width;
    this.ring = new Uint8Array(width);
    const { polynomial, degree, leadingOne, appendedNulls } = tables;
    const nulls = appendedNulls ? degree : 0;
    const factor = powerModulo(8 * width + nulls, polynomial);
    const moved = leadingOne ? productModulo(factor, 0b100000001n, polynomial) : 0n;
    this.leaving = byteTable(polynomial, factor, moved);
    this.reset();
  }

  /** Empties the window. */
  reset(): void {
    this.length = 0;
    this.next = 0;
    this.low = this.tables.start[0]! | 0;
    this.high = this.tables.start[1]! | 0;
  }

  /** Appends a byte; where the window is full its first byte leaves. */
  push(byte: number): void {
    const { overflow, entering } = this.tables;
    const out = 2 * (this.high >>> 24);
    let high = (this.high << 8) ^ (this.low >>> 24) ^ overflow[out + 1]! ^ entering[2 * byte + 1]!;
    let low = (this.low << 8) ^ overflow[out]! ^ entering[2 * byte]!;
    if (this.length === this.width) {
      const gone = 2 * this.ring[this.next]!;
      low ^= this.leaving[gone]!;
      high ^= this.leaving[gone + 1]!;
    } else this.length++;
    this.ring[this.next] = byte;
    this.next = this.next + 1 === this.width ? 0 : this.next + 1;
    this.low = low;
    this.high = high;
  }

  /** Writes the fingerprint of the bytes in the window, from scratch the same, to `out[at], out[at+1]`. */
  write(out: Uint32Array, at: number): void {
    writeFromTop(out, at, this.low, this.high, this.tables.degree);
  }
}

/**
 * Fingerprints of all windows of `width` bytes of a string, in text order, as pairs (low, high); none where
 * the string is shorter.
 */
export function byteShingleFingerprints(tables: RabinTables, width: number, bytes: Uint8Array): Uint32Array {
  const window = new RabinWindow(tables, width);
  const fingerprints = new Uint32Array(2 * Math.max(0, bytes.length - width + 1));
  for (let i = 0; i < bytes.length; i++) {
    window.push(bytes[i]!);
    if (i + 1 >= width) window.write(fingerprints, 2 * (i + 1 - width));
  }
  return fingerprints;
}

/**
 * Fingerprints of all shingles of k >= 1 tokens of 8 bytes each, in text order, as pairs (low, high); none
 * where there are fewer than k. A token is a pair (low, high) and its lowest byte comes first, as in memory:
 * words of 8 bytes (`eightByteWords`) or 64-bit token hashes.
 */
export function tokenShingleFingerprints(tables: RabinTables, k: number, tokens: Uint32Array): Uint32Array {
  const window = new RabinWindow(tables, 8 * k);
  const count = tokens.length >>> 1;
  const fingerprints = new Uint32Array(2 * Math.max(0, count - k + 1));
  for (let i = 0; i < count; i++) {
    for (let shift = 0; shift < 32; shift += 8) window.push((tokens[2 * i]! >>> shift) & 255);
    for (let shift = 0; shift < 32; shift += 8) window.push((tokens[2 * i + 1]! >>> shift) & 255);
    if (i + 1 >= k) window.write(fingerprints, 2 * (i + 1 - k));
  }
  return fingerprints;
}

/*
 * Rabin fingerprints of a sliding window of k tokens of any length: of their bytes, one after the other.
 *
 * Tokens "ab", "c" and "a", "bc" are the same bytes: where that matters a token ends in a byte that
 * is in none. The window is the polynomial x^8L + t, L bytes. A token of n bytes appended makes t * x^8n plus
 * its own polynomial; the first one, with R bytes after it, leaves by its polynomial * x^8R. So a token costs
 * a step a byte of its own and three products modulo P, whatever k is. A product is as dear as some 60 steps:
 * it pays for windows of some 300 bytes (lines, long shingles); below, fingerprints from scratch (rabin.ts)
 * or tokens of one width (`RabinWindow`) are faster. Memory: 8 bytes for every byte of the longest window.
 */

/** Halves of values are kept at the top of 64 bits, as rabin.ts does while it reads. */
export class RabinTokenWindow {
  /** Tokens in the window, 0..k. */
  length = 0;

  private readonly tables: RabinTables;
  private readonly k: number;
  private readonly token: RabinFingerprint;
  /** P without its highest bit. */
  private readonly low: number;
  private readonly high: number;
  /** x^8n mod P for n = 0, 1, ..., as pairs; grown as windows need them. */
  private powers: Uint32Array;
  private powersKnown = 1;
  /** The tokens in the window, a ring: fingerprints (linear) and lengths in bytes. */
  private readonly fingerprints: Uint32Array;
  private readonly lengths: Uint32Array;
  private next = 0;
  private bytes = 0;
  /** What the window's bytes amount to, and the result of the latest product. */
  private readonly sum = new Uint32Array(2);
  private readonly product = new Uint32Array(2);

  /** A window of k >= 1 tokens. */
  constructor(tables: RabinTables, k: number) {
    if (!Number.isInteger(k) || k < 1)
      throw new RangeError(`k ${k}: expected an integer of at least 1 token`);
    this.tables = tables;
    this.k = k;
    const { polynomial, degree, appendedNulls } = tables;
    this.token = new RabinFingerprint(rabinTablesOf(polynomial, { leadingOne: false, appendedNulls }));
    const rest = topAligned(polynomial ^ (1n << BigInt(degreeOf(polynomial))), degree);
    this.low = rest[0]! | 0;
    this.high = rest[1]! | 0;
    this.powers = new Uint32Array(128);
    this.powers.set(topAligned(powerModulo(0, polynomial), degree));
    this.fingerprints = new Uint32Array(2 * k);
    this.lengths = new Uint32Array(k);
  }

  /** Empties the window. */
  reset(): void {
    this.length = 0;
    this.next = 0;
    this.bytes = 0;
    this.sum.fill(0);
  }

  /** Appends the token bytes[from, to); where the window is full its first token leaves. */
  push(bytes: Uint8Array, from: number, to: number): void {
    const { sum, fingerprints, lengths, product, next } = this;
    if (this.length === this.k) {
      this.bytes -= lengths[next]!;
      this.multiply(fingerprints[2 * next]!, fingerprints[2 * next + 1]!, this.bytes);
      sum[0]! ^= product[0]!;
      sum[1]! ^= product[1]!;
    } else this.length++;
    this.token.reset();
    this.token.push(bytes, from, to);
    this.token.writeTop(fingerprints, 2 * next);
    lengths[next] = to - from;
    this.multiply(sum[0]!, sum[1]!, to - from);
    sum[0] = product[0]! ^ fingerprints[2 * next]!;
    sum[1] = product[1]! ^ fingerprints[2 * next + 1]!;
    this.bytes += to - from;
    this.next = next + 1 === this.k ? 0 : next + 1;
  }

  /** Writes the fingerprint of the window's bytes, from scratch the same, to `out[at], out[at+1]`. */
  write(out: Uint32Array, at: number): void {
    const { sum, product, tables } = this;
    this.multiply(tables.start[0]!, tables.start[1]!, this.bytes);
    writeFromTop(out, at, sum[0]! ^ product[0]!, sum[1]! ^ product[1]!, tables.degree);
  }

  /** product = (low, high) * x^8n mod P, bit by bit from the highest. */
  private multiply(low: number, high: number, n: number): void {
    if (n >= this.powersKnown) this.extendPowers(n);
    const { powers, low: pLow, high: pHigh, product } = this;
    let powerLow = powers[2 * n]!;
    let powerHigh = powers[2 * n + 1]!;
    let toLow = 0;
    let toHigh = 0;
    for (let bit = this.tables.degree; bit > 0; bit--) {
      // All ones where the highest bit is set, else all zeros.
      const over = toHigh >> 31;
      const taken = powerHigh >> 31;
      toHigh = ((toHigh << 1) | (toLow >>> 31)) ^ (pHigh & over) ^ (high & taken);
      toLow = (toLow << 1) ^ (pLow & over) ^ (low & taken);
      powerHigh = (powerHigh << 1) | (powerLow >>> 31);
      powerLow <<= 1;
    }
    product[0] = toLow;
    product[1] = toHigh;
  }

  private extendPowers(n: number): void {
    if (2 * n >= this.powers.length) {
      const grown = new Uint32Array(2 * Math.max(n + 1, this.powers.length));
      grown.set(this.powers);
      this.powers = grown;
    }
    const { powers, low: pLow, high: pHigh } = this;
    for (; this.powersKnown <= n; this.powersKnown++) {
      const at = 2 * this.powersKnown;
      let low = powers[at - 2]!;
      let high = powers[at - 1]!;
      for (let bit = 0; bit < 8; bit++) {
        const over = high >> 31;
        high = ((high << 1) | (low >>> 31)) ^ (pHigh & over);
        low = (low << 1) ^ (pLow & over);
      }
      powers[at] = low;
      powers[at + 1] = high;
    }
  }
}

/*
 * Words as tokens of exactly 8 bytes: shorter ones padded with NUL, longer ones cut into several.
 *
 * Broder 1997, section 4.3: a window of k such tokens has one width, so its fingerprint rolls at one
 * step a byte. Two words with one form: a word that ends in NUL and the same without; canonical words hold
 * no NUL. A word of 17 bytes and three words of 8, 8 and 1 are one sequence, as the paper means it.
 */

/** Number of 8-byte tokens of a word of `length` bytes: at least one. */
function piecesOf(length: number): number {
  return Math.max(1, Math.ceil(length / 8));
}

/**
 * The tokens of a list of words as pairs (low, high), first byte lowest. Word i is bytes [ends[i-1], ends[i])
 * of `bytes` (the first begins at 0): words lie one after the other, without blanks. `ends` must not fall; an
 * empty word is one token of zeros.
 */
export function eightByteWords(bytes: Uint8Array, ends: Uint32Array): Uint32Array {
  let pieces = 0;
  for (let word = 0, from = 0; word < ends.length; from = ends[word++]!) {
    pieces += piecesOf(ends[word]! - from);
  }
  const tokens = new Uint32Array(2 * pieces);
  const room = new Uint8Array(8);
  let piece = 0;
  for (let word = 0, from = 0; word < ends.length; from = ends[word++]!) {
    const last = piece + piecesOf(ends[word]! - from);
    for (let at = from; piece < last; at += 8, piece++) {
      room.fill(0);
      room.set(bytes.subarray(at, Math.min(at + 8, ends[word]!)));
      tokens[2 * piece] = room[0]! | (room[1]! << 8) | (room[2]! << 16) | (room[3]! << 24);
      tokens[2 * piece + 1] = room[4]! | (room[5]! << 8) | (room[6]! << 16) | (room[7]! << 24);
    }
  }
  return tokens;
}
