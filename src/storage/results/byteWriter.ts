/**
 * A growing run of bytes, and numbers written into it as decimal digits.
 *
 * Floor 2. Rows go from numbers to bytes without a string between; knows nothing of columns, formats or
 * files.
 */

const ZERO = 0x30;
const POINT = 0x2e;

/**
 * Owns a buffer that doubles when it is full. `bytes` changes identity when it grows: read it after
 * `reserve`.
 */
export class ByteWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 65536) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for `extra` more bytes. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    // Cells are short: a loop is cheaper than the call behind `set`.
    for (let i = 0; i < bytes.length; i++) this.bytes[this.length++] = bytes[i]!;
  }

  /** A whole number, 0 to 2^53 - 1. */
  appendInteger(value: number): void {
    let digits = 1;
    for (let bound = 10; bound <= value; bound *= 10) digits++;
    this.reserve(digits);
    for (let at = this.length + digits - 1; at >= this.length; at--) {
      const rest = Math.floor(value / 10);
      this.bytes[at] = ZERO + (value - 10 * rest);
      value = rest;
    }
    this.length += digits;
  }

  /** `millionths` / 10^6 with six decimals, at least 0: 812500 is `0.812500`. */
  appendMillionths(millionths: number): void {
    const whole = Math.floor(millionths / 1e6);
    this.appendInteger(whole);
    this.reserve(7);
    let rest = millionths - whole * 1e6;
    this.bytes[this.length] = POINT;
    for (let at = this.length + 6; at > this.length; at--) {
      const next = Math.floor(rest / 10);
      this.bytes[at] = ZERO + (rest - 10 * next);
      rest = next;
    }
    this.length += 7;
  }

  /** What was written since the last `clear`: a view, valid until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}
