/** Writes ids, numbers and fractions as the bytes of a result file, and decodes ids again. */

import type { ByteColumn } from '../../arrays/growable.js';
import type { IdTable } from '../../blocks/ids.js';
import { type CellEscapes, QUOTED } from '../../kernel/kernel.js';
import type { ResultFormat } from '../../sketch/params.js';
import { utf8SequenceLength } from '../../text/unicode/utf8.js';

/** The table of the given binary strings, in their order. For tests and small lists: one string an id. */
export function idTableOf(ids: readonly string[]): IdTable {
  const offsets = new Uint32Array(ids.length + 1);
  for (let i = 0; i < ids.length; i++) offsets[i + 1] = offsets[i]! + ids[i]!.length;
  const bytes = new Uint8Array(offsets[ids.length]!);
  for (let i = 0; i < ids.length; i++) bytes.set(Buffer.from(ids[i]!, 'latin1'), offsets[i]!);
  return { offsets, bytes };
}

const ZERO = 0x30;
const POINT = 0x2e;

/**
 * A growing run of bytes with decimal numbers: rows go from numbers to bytes without a string in between. The
 * buffer doubles when it is full; `bytes` is another array then, so read it after `reserve`.
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

  /** A view of the bytes since the last `clear`, valid until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}

/** The replacement of a byte: null, the byte itself. */
interface Escapes {
  readonly ascii: readonly (Uint8Array | null)[];
  readonly invalid: readonly Uint8Array[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const JSON_SHORT: Readonly<Record<number, string>> = {
  8: '\\b',
  9: '\\t',
  10: '\\n',
  12: '\\f',
  13: '\\r',
};
const TSV_SHORT: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r' };

const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;
const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

function asciiText(format: ResultFormat, byte: number): string | null {
  if (format === 'parquet') return null;
  if (format === 'csv') return byte === QUOTE ? '""' : null;
  if (byte === BACKSLASH) return '\\\\';
  if (byte === QUOTE) return format === 'jsonl' ? '\\"' : null;
  if (!isControl(byte)) return null;
  if (format === 'jsonl') return JSON_SHORT[byte] ?? `\\u00${hex(byte)}`;
  return TSV_SHORT[byte] ?? `\\x${hex(byte)}`;
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);

function escapesOf(format: ResultFormat): Escapes {
  const ascii = Array.from({ length: 128 }, (_, byte) => {
    const text = asciiText(format, byte);
    return text === null ? null : Buffer.from(text, 'latin1');
  });
  const invalid = Array.from({ length: 256 }, (_, byte) =>
    format === 'tsv' ? Buffer.from(`\\x${hex(byte)}`, 'latin1') : REPLACEMENT,
  );
  return { ascii, invalid };
}

const ESCAPES: Readonly<Record<ResultFormat, Escapes>> = {
  tsv: escapesOf('tsv'),
  csv: escapesOf('csv'),
  jsonl: escapesOf('jsonl'),
  parquet: escapesOf('parquet'),
};

/**
 * The replacements of every byte in each format, and when it quotes a cell, for code that escapes many ids at
 * once.
 */
export const CELL_ESCAPES: Readonly<Record<ResultFormat, CellEscapes>> = {
  tsv: cellEscapesOf('tsv', QUOTED.never),
  csv: cellEscapesOf('csv', QUOTED.separated),
  jsonl: cellEscapesOf('jsonl', QUOTED.always),
  parquet: cellEscapesOf('parquet', QUOTED.never),
};

function cellEscapesOf(format: ResultFormat, quoted: CellEscapes['quoted']): CellEscapes {
  const { ascii, invalid } = ESCAPES[format];
  return { replacements: [...ascii, ...invalid.slice(0x80)], runs: format !== 'tsv', quoted };
}

/** Longest escape of one byte: a JSON \u0000. */
const WORST = 6;

/**
 * Length of the unfinished sequence from `at` on, where no valid sequence starts: one U+FFFD replaces it. At
 * least one byte (the Encoding Standard: "maximal subpart").
 */
function invalidLength(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at]!;
  const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  let found = 1;
  while (found < length && at + found < to) {
    const byte = bytes[at + found]!;
    const least = found > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const most = found > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (byte < least || byte > most) return found;
    found++;
  }
  return found;
}

/** Whether `bytes[from .. to)` are valid UTF-8. */
export function isValidUtf8(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; ) {
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, to);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

/** Number of ids that are not UTF-8. */
export function countNotUtf8({ offsets, bytes }: IdTable): number {
  let count = 0;
  for (let i = 0; i + 1 < offsets.length; i++) if (!isValidUtf8(bytes, offsets[i]!, offsets[i + 1]!)) count++;
  return count;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

function needsQuotes(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === to) return false;
  if (isBlank(bytes[from]) || isBlank(bytes[to - 1])) return true;
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    if (byte === COMMA || byte === QUOTE || byte === 10 || byte === 13) return true;
  }
  return false;
}

function put(target: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) target[at++] = bytes[i]!;
  return at;
}

/**
 * Writes the cell of the id or text `bytes[from .. to)`, with the quotes of its format. A result file is
 * valid UTF-8, an id is any bytes:
 *
 *   tsv    tab, LF, CR and the backslash are `\t \n \r \\`; other control bytes (0x00-0x1f, 0x7f) and bytes that are
 *          not part of valid UTF-8 are `\xNN` (lower case), which makes decoding unambiguous; no quotes
 *   csv    the id itself; the cell is quoted (RFC 4180, quotes doubled) when it has a quote, comma, CR or LF, or begins
 *          or ends with a blank or tab
 *   jsonl  the id itself as a JSON string: quote, backslash and control bytes as JSON escapes them
 *   parquet  the id itself
 *
 * In csv, jsonl and parquet U+FFFD replaces bytes that are not part of valid UTF-8, one for as many as the Encoding
 * Standard replaces at once, so that decoding a path with replacement elsewhere gives the same id. Places
 * (`a.txt#3`) keep these bytes in every format, see `appendPlace`.
 */
export function appendEscaped(
  out: ByteWriter,
  format: ResultFormat,
  bytes: Uint8Array,
  from: number,
  to: number,
): void {
  const { ascii, invalid } = ESCAPES[format];
  out.reserve(WORST * (to - from) + 2);
  const target = out.bytes;
  let at = out.length;
  const quoted = format === 'jsonl' || (format === 'csv' && needsQuotes(bytes, from, to));
  if (quoted) target[at++] = QUOTE;
  for (let i = from; i < to; ) {
    const byte = bytes[i]!;
    if (byte < 0x80) {
      const replacement = ascii[byte]!;
      if (replacement === null) target[at++] = byte;
      else at = put(target, at, replacement);
      i++;
      continue;
    }
    const length = utf8SequenceLength(bytes, i, to);
    if (length === 0) {
      at = put(target, at, invalid[byte]!);
      i += format === 'tsv' ? 1 : invalidLength(bytes, i, to);
    }
    for (let end = i + length; length > 0 && i < end; i++) target[at++] = bytes[i]!;
  }
  if (quoted) target[at++] = QUOTE;
  out.length = at;
}

const HEX = /^[0-9a-fA-F]$/;

/** Whether `\xNN` is at `at`, which decoding would take for an escape. */
function readsAsEscape(bytes: Uint8Array, at: number, to: number): boolean {
  if (bytes[at] !== BACKSLASH || at + 4 > to || bytes[at + 1] !== 0x78) return false;
  return HEX.test(String.fromCharCode(bytes[at + 2]!)) && HEX.test(String.fromCharCode(bytes[at + 3]!));
}

/** Whether the form of a place in csv and jsonl differs from that of an id. */
export function needsPlaceForm(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; ) {
    if (readsAsEscape(bytes, at, to)) return true;
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, to);
    if (length === 0) return true;
    at += length;
  }
  return false;
}

/**
 * Appends a place in the form of csv and jsonl, before the escapes of the format: usually the place itself.
 * If it has bytes that are not UTF-8, these become `\xNN` and its backslashes are doubled; the same holds if
 * it contains a literal `\xNN`. So exactly the places with `\xNN` must be decoded.
 */
export function appendPlace(out: ByteColumn, bytes: Uint8Array, from: number, to: number): void {
  if (!needsPlaceForm(bytes, from, to)) {
    out.append(bytes.subarray(from, to));
    return;
  }
  for (let at = from; at < to; ) {
    const byte = bytes[at]!;
    const length = byte < 0x80 ? 1 : utf8SequenceLength(bytes, at, to);
    if (byte === BACKSLASH) out.appendBinary('\\\\');
    else if (length === 0) out.appendBinary(`\\x${hex(byte)}`);
    else out.append(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
}

const TSV_ESCAPE = /\\(?:([tnr\\])|x([0-9a-fA-F]{2}))/g;
const PLACE_ESCAPE = /\\(?:(\\)|x([0-9a-fA-F]{2}))/g;
const HAS_PLACE_ESCAPE = /\\x[0-9a-fA-F]{2}/;
const TSV_MEANING: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/**
 * The id (binary string) of a cell's text: the cell of a TSV file, or the value from a CSV or JSON reader.
 * Unknown escapes stay as they are, so an id typed by hand with a lone backslash is still found.
 */
export function unescapeId(text: string, format: ResultFormat): string {
  return unescapeBytes(Buffer.from(text, 'utf8').toString('latin1'), format);
}

/** The same for a cell that was read as bytes (a binary string). */
export function unescapeBytes(cell: string, format: ResultFormat): string {
  return format === 'tsv' ? undone(cell, TSV_ESCAPE) : cell;
}

/** The place (binary string) of a cell that was read as bytes. */
export function unescapePlace(cell: string, format: ResultFormat): string {
  if (format === 'tsv') return undone(cell, TSV_ESCAPE);
  return HAS_PLACE_ESCAPE.test(cell) ? undone(cell, PLACE_ESCAPE) : cell;
}

function undone(cell: string, pattern: RegExp): string {
  if (!cell.includes('\\')) return cell;
  return cell.replace(pattern, (_, letter: string | undefined, digits: string | undefined) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(digits!, 16)) : TSV_MEANING[letter]!,
  );
}

/**
 * The whole number of millionths nearest to `value` (0 to 1 in our files; right up to 1000), halves upward:
 * the digits of `value.toFixed(6)`. NaN, the empty cell, is -1.
 *
 * `value * 1e6` alone rounds before we do: 0.0000035 is really a little less, and would come out as 0.000004.
 * So the error of the product is computed, too (Dekker 1971, "A floating-point technique for extending the
 * available precision"): with `value` split in halves of 26 bits both half products are exact, and only at a
 * tie of the rounded product does the error's sign decide.
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

/** `value` rounded to six decimals, as a number: what a fraction in a JSON file is. */
export function roundedToMillionths(value: number): number {
  return millionthsOf(value) / 1e6;
}

/** Millionths of `count / hashes` for every count 0..hashes: similarities have few values. */
export function agreementMillionths(hashes: number): Uint32Array {
  return Uint32Array.from({ length: hashes + 1 }, (_, count) => millionthsOf(count / hashes));
}
