/**
 * Rabin fingerprints of a sliding window of fixed width: one step a byte, whatever the width.
 *
 * Floor 0. With w bytes in the window, the byte o that leaves and the leading 1 that moves (rabin.ts) add
 * o * x^8w + x^(8w+8) + x^8w, which depends on o alone: one table undoes both (Broder 1997, section 4.3).
 * Tokens of variable width: rabinTokenWindow.ts.
 */
import { powerModulo, productModulo } from './gf2.js';
import { byteTable, type RabinTables, writeFromTop } from './rabin.js';

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
 * words of 8 bytes (eightByteWords.ts) or 64-bit token hashes.
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
