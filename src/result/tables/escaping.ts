/** Writes ids, numbers and fractions as the bytes of a result file, decodes ids again, and encodes ids for CSV and JSON. */

import { isUtf8 } from 'node:buffer';
import { unescapeBytes } from '../../blocks/ids.js';
import { bytesOf, idText, textOf } from '../../readers/list/pathIds.js';
import { utf8SequenceLength } from '../../text/unicode/utf8.js';

const ZERO = 0x30;
const POINT = 0x2e;
/** The four digits of 0..9999 as the bytes of a word, and `d.ee` of 100 d + ee: halves of a fraction. */
const FOUR_DIGITS = new Uint32Array(10000);
const BEGINNINGS = new Uint32Array(1000);
// Every thread makes these tables when it starts, so each word is composed of two halves.
const TWO_DIGITS = Uint32Array.from(
  { length: 100 },
  (_, i) => ((ZERO + (i % 10)) << 8) | (ZERO + Math.floor(i / 10)),
);
for (let high = 0, i = 0; high < 100; high++) {
  for (let low = 0; low < 100; low++) FOUR_DIGITS[i++] = (TWO_DIGITS[low]! << 16) | TWO_DIGITS[high]!;
}
for (let i = 0; i < 1000; i++) {
  const digits = FOUR_DIGITS[i]!;
  BEGINNINGS[i] = (digits & 0xffff0000) | (POINT << 8) | ((digits >> 8) & 0xff);
}
const BACKSLASH = 0x5c;
const LETTER_X = 0x78;

/** By ASCII byte, the letter after the backslash of its escape, `x` for `\xNN`; 0 if it is not escaped. */
const ESCAPES = Uint8Array.from({ length: 128 }, (_, byte) => {
  const letter = { 9: 't', 10: 'n', 13: 'r', [BACKSLASH]: '\\' }[byte];
  if (letter !== undefined) return letter.charCodeAt(0);
  return byte < 0x20 || byte === 0x7f ? LETTER_X : 0;
});

/** The longest escape of one byte: `\x00`. */
const WORST = 4;

const hexDigit = (value: number): number => '0123456789abcdef'.charCodeAt(value);

/** Number of bytes that are copied at a time. */
export const WORD = 8;

/** A view of bytes that reads words at any offset. */
export const wordsOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * A growing sequence of bytes with ids and decimal numbers: rows go from columns to bytes without strings. When the
 * buffer is full it doubles, and `bytes` is another array, so read it after `reserve`.
 */
export class ByteWriter {
  bytes: Uint8Array;
  length = 0;
  private words: DataView;

  constructor(capacity = 65536) {
    this.bytes = new Uint8Array(capacity);
    this.words = wordsOf(this.bytes);
  }

  /** Reserves `extra` more bytes. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
    this.words = wordsOf(grown);
  }

  append(bytes: Uint8Array): void {
    this.appendRange(bytes, 0, bytes.length);
  }

  appendRange(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    const target = this.bytes;
    let at = this.length;
    // Cells are short: a loop is faster than a call of `set`.
    for (let i = from; i < to; i++) target[at++] = bytes[i]!;
    this.length = at;
  }

  /**
   * Appends the bytes [from, to) of valid UTF-8 without control bytes, eight at a time: for long texts ten times as fast as single
   * bytes. They are copied as doubles. None of these is a NaN, whose bits a machine may change, because the top byte of a NaN is 0x7f
   * or 0xff. `words` ends at least `WORD` bytes after `to`.
   */
  appendWords(words: DataView, from: number, to: number): void {
    this.reserve(to - from + WORD);
    const target = this.words;
    let at = this.length;
    for (let i = from; i < to; i += WORD, at += WORD) target.setFloat64(at, words.getFloat64(i));
    this.length += to - from;
  }

  /** Appends a byte; its space must be reserved. */
  put(byte: number): void {
    this.bytes[this.length++] = byte;
  }

  /**
   * Appends the id or text `bytes[from .. to)`, any bytes, as a cell of valid UTF-8: tab, LF, CR and the backslash are `\t \n \r \\`;
   * other control bytes (0x00-0x1f, 0x7f) and bytes that are not part of valid UTF-8 are `\xNN` (lower case), so that
   * decoding gives the bytes again.
   */
  appendEscaped(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(WORST * (to - from));
    const target = this.bytes;
    let at = this.length;
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!;
      let letter = LETTER_X;
      if (byte < 0x80) {
        letter = ESCAPES[byte]!;
        if (letter === 0) {
          target[at++] = byte;
          continue;
        }
      } else {
        const length = utf8SequenceLength(bytes, i, to);
        if (length > 0) {
          for (const end = i + length - 1; i < end; i++) target[at++] = bytes[i]!;
          target[at++] = bytes[i]!;
          continue;
        }
      }
      target[at++] = BACKSLASH;
      target[at++] = letter;
      if (letter !== LETTER_X) continue;
      target[at++] = hexDigit(byte >> 4);
      target[at++] = hexDigit(byte & 15);
    }
    this.length = at;
  }

  /** Appends a whole number, 0 to 2^53 - 1. */
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

  /** Appends `millionths` / 10^6 (at least 0) with six decimals: 812500 is `0.812500`. */
  appendMillionths(millionths: number): void {
    if (millionths >= 1e7) {
      this.appendInteger(Math.floor(millionths / 1e7));
      millionths %= 1e7;
    }
    this.reserve(WORD);
    const hundredths = (millionths / 10000) | 0;
    this.words.setUint32(this.length, BEGINNINGS[hundredths]!, true);
    this.words.setUint32(this.length + 4, FOUR_DIGITS[millionths - 10000 * hundredths]!, true);
    this.length += WORD;
  }

  /** The bytes since the last `clear`, valid until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}

/**
 * The id (binary string) of a cell's text. Unknown escapes are kept, so that an id typed by hand with a single backslash is
 * still found.
 */
export function unescapeId(text: string): string {
  return unescapeBytes(Buffer.from(text, 'utf8').toString('latin1'));
}

const READS_AS_ESCAPE = /\\x[0-9a-fA-F]{2}/;

/**
 * A location (binary string) for CSV and JSON: the location itself, or that of `idText` if it has bytes that are not UTF-8
 * or a literal `\xNN`. So exactly the locations with `\xNN` must be decoded.
 */
export function placeText(place: string): string {
  return isUtf8(bytesOf(place)) && !READS_AS_ESCAPE.test(place) ? textOf(place) : idText(place);
}

const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/;

/** A cell of CSV: quoted (RFC 4180) if it has a quote, comma, CR or LF, or begins or ends with a blank or tab. */
export function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The whole number of millionths nearest to `value` (0 to 1 in our files; correct up to 1000), halves upward:
 * the digits of `value.toFixed(6)`. NaN, the empty cell, is -1.
 *
 * `value * 1e6` alone rounds too early: the double 0.0000035 is slightly less than its decimal, and would give 0.000004.
 * So the error of the product is computed too (Dekker 1971, "A floating-point technique for extending the
 * available precision"): with `value` split into halves of 26 bits both half products are exact, and at a
 * tie of the rounded product the sign of the error decides.
 */
export function millionthsOf(value: number): number {
  if (Number.isNaN(value)) return -1;
  const product = value * 1e6;
  const floor = Math.floor(product);
  const overHalf = product - floor - 0.5;
  if (overHalf !== 0) return overHalf > 0 ? floor + 1 : floor;
  const wide = value * 134217729; // 2^27 + 1
  const high = wide - (wide - value);
  const error = high * 1e6 - product + (value - high) * 1e6;
  return error >= 0 ? floor + 1 : floor;
}

/** `value` rounded to six decimals, as a number: the form of fractions in JSON files. */
export function roundedToMillionths(value: number): number {
  return millionthsOf(value) / 1e6;
}

/** Millionths of `count / hashes` for every count from 0 to hashes. */
export function agreementMillionths(hashes: number): Uint32Array {
  return Uint32Array.from({ length: hashes + 1 }, (_, count) => millionthsOf(count / hashes));
}
