/**
 * Rabin fingerprints: a byte string, read as a polynomial over GF(2), modulo an irreducible polynomial P.
 *
 * Floor 0. A string of n bytes is the polynomial s(x) of degree < 8n, its first byte highest, each byte's
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
import { degreeOf, powerModulo, productModulo, remainderOf } from './gf2.js';
import { irreduciblePolynomial, isIrreducible, MOST_DEGREE } from './irreducible.js';

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
export function topAligned(fingerprint: bigint, degree: number): Uint32Array {
  const value = fingerprint << BigInt(64 - degree);
  return Uint32Array.of(Number(value & 0xffffffffn), Number(value >> 32n));
}

/** 256 entries: (byte * factor + constant) mod P. */
export function byteTable(polynomial: bigint, factor: bigint, constant: bigint): Uint32Array {
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
export function writeFromTop(out: Uint32Array, at: number, low: number, high: number, degree: number): void {
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
