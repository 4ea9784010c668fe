/**
 * JSON in bytes: values by `JSON.parse`, with strings as binary strings so that no byte is lost, and the places of values.
 *
 * Places are found by quotes and brackets alone. Whether a value is valid is decided by `JSON.parse`.
 */
import { writeCodePoint } from '../../../text/unicode/utf8.js';
import { binaryOf } from '../../list/pathIds.js';

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The longest file: JSON.parse takes a string, which has a limit in V8. */
export const MOST_JSON = 256 << 20;

/** Values that are nested more deeply are not parsed: brackets alone would take gigabytes. */
const DEEPEST = 1_000_000;
/** A shorter value cannot be nested so deeply that it matters. */
const SHORT = 1 << 20;

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces escapes of characters beyond ASCII by their bytes, except those of lone surrogates. */
function withoutEscapes(bytes: Buffer, from: number, to: number): Buffer {
  const out = Buffer.allocUnsafe(to - from);
  let length = 0;
  for (let at = from; at < to; ) {
    const isEscape = bytes[at] === BACKSLASH;
    const code = isEscape && bytes[at + 1] === LETTER_U ? codeAt(bytes, at, to) : -1;
    const low = code >= 0xd800 && code < 0xdc00 ? codeAt(bytes, at + 6, to) : -1;
    const isPair = low >= 0xdc00 && low <= 0xdfff;
    if (isPair || (code >= 0x80 && (code < 0xd800 || code > 0xdfff))) {
      const point = isPair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code;
      length = writeCodePoint(out, length, point);
      at += isPair ? 12 : 6;
      continue;
    }
    out[length++] = bytes[at++]!;
    if (isEscape && at < to) out[length++] = bytes[at++]!;
  }
  return out.subarray(0, length);
}

const HEX = /^[\da-fA-F]{4}$/;

/** The code unit of the escape at this position; NaN: there is none. */
function codeAt(bytes: Buffer, at: number, to: number): number {
  if (at + 6 > to || bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return Number.NaN;
  const digits = bytes.toString('latin1', at + 2, at + 6);
  // A number may have white space around it.
  return HEX.test(digits) ? Number(`0x${digits}`) : Number.NaN;
}

/** Strings, even one without an end, so that none is searched twice; else values. */
const NOT_FINITE = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?(?:NaN|Infinity)/gs;

/**
 * The value in bytes [from, to), which may have white space around it; undefined: it is not valid. Strings and names are binary
 * strings (toBytes); NaN, Infinity and -Infinity, which Python writes, are empty arrays.
 */
export function parsedJson(bytes: Buffer, from: number, to: number): unknown {
  if (to - from > MOST_JSON || (to - from > SHORT && valueEnd(bytes, skipSpace(bytes, from, to), to) < 0))
    return undefined;
  const binary = bytes.toString('latin1', from, to);
  const source = binary.includes('\\u') ? withoutEscapes(bytes, from, to).toString('latin1') : binary;
  try {
    return JSON.parse(source) as unknown;
  } catch {
    if (!source.includes('NaN') && !source.includes('Infinity')) return undefined;
  }
  try {
    return JSON.parse(source.replace(NOT_FINITE, (part) => (part.startsWith('"') ? part : '[]'))) as unknown;
  } catch {
    return undefined;
  }
}

/** A lone surrogate: with the flag a pair is one character. */
const LONE = /[\ud800-\udfff]/u;
const REPLACEMENT = binaryOf('\ufffd');

/** The bytes of a string of `parsedJson`; a lone surrogate is U+FFFD, and `isRepaired` then. */
export function stringBytes(text: string): { readonly bytes: Buffer; readonly isRepaired: boolean } {
  const isRepaired = LONE.test(text);
  const binary = isRepaired ? text.replace(/[\ud800-\udfff]/gu, REPLACEMENT) : text;
  return { bytes: Buffer.from(binary, 'latin1'), isRepaired };
}

/** Where JSON white space ends, at most `to`. */
export function skipSpace(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(bytes[at]!)) at++;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The position behind the value that begins at `from`; -1 where it does not end before `to`, or is nested too deeply. */
export function valueEnd(bytes: Buffer, from: number, to: number): number {
  let depth = 0;
  for (let at = from; at < to; ) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at, to);
      if (depth === 0 || at < 0) return at;
      continue;
    }
    const isClose = byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;
    if (depth === 0 && at > from && (isClose || byte === COMMA || isSpace(byte))) return at;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > DEEPEST) return -1;
    } else if (isClose && --depth <= 0) return depth < 0 ? at : at + 1;
    at++;
  }
  return depth === 0 ? to : -1;
}

/** The position behind the string whose quote is at `from`; -1: it does not end before `to`. */
function stringEnd(bytes: Buffer, from: number, to: number): number {
  for (let at = bytes.indexOf(QUOTE, from + 1); at >= 0 && at < to; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at;
    while (bytes[before - 1] === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return -1;
}

/** The place of a value. */
export interface JsonPlace {
  readonly from: number;
  readonly to: number;
}

/** The bytes of a valid value without the white space outside of its strings. */
export function withoutSpace(bytes: Buffer, { from, to }: JsonPlace): Buffer {
  const out = Buffer.allocUnsafe(to - from);
  let length = 0;
  for (let at = from; at < to; ) {
    const end = bytes[at] === QUOTE ? stringEnd(bytes, at, to) : at + 1;
    if (end > at + 1) length += bytes.copy(out, length, at, end);
    else if (!isSpace(bytes[at]!)) out[length++] = bytes[at]!;
    at = end;
  }
  return out.subarray(0, length);
}

/** `comma`: where the comma before it is; -1 for the first. */
export interface ElementPlace extends JsonPlace {
  readonly comma: number;
}

/**
 * The elements of the array whose bracket is at `open`, valid or not.
 *
 * @returns the position behind the array; -1: it is damaged or cut off behind the last element that was given
 */
export function* elementPlaces(bytes: Buffer, open: number, to: number): Generator<ElementPlace, number> {
  let at = skipSpace(bytes, open + 1, to);
  if (at < to && bytes[at] === CLOSE_ARRAY) return at + 1;
  for (let comma = -1; ; comma = at++) {
    const from = skipSpace(bytes, at, to);
    const end = from < to ? valueEnd(bytes, from, to) : -1;
    if (end <= from) return -1;
    yield { comma, from, to: end };
    at = skipSpace(bytes, end, to);
    if (at < to && bytes[at] === CLOSE_ARRAY) return at + 1;
    if (at >= to || bytes[at] !== COMMA) return -1;
  }
}

/** The values of a valid object whose bracket is at `open`, with their names as binary strings, in their order. */
function* memberPlaces(
  bytes: Buffer,
  open: number,
  to: number,
): Generator<JsonPlace & { readonly name: unknown }> {
  for (let at = skipSpace(bytes, open + 1, to); at < to && bytes[at] === QUOTE; ) {
    const nameEnd = stringEnd(bytes, at, to);
    const name = parsedJson(bytes, at, nameEnd);
    const colon = skipSpace(bytes, nameEnd, to);
    const from = skipSpace(bytes, bytes[colon] === COLON ? colon + 1 : colon, to);
    const end = valueEnd(bytes, from, to);
    if (end < 0) return;
    yield { name, from, to: end };
    at = skipSpace(bytes, skipSpace(bytes, end, to) + 1, to);
  }
}

/** The first array of objects among the values of an object, which may be cut off, and its first object; null: there is none. */
export function wrappedRecord(
  bytes: Buffer,
  open: number,
  to: number,
): { readonly name: string; readonly first: JsonPlace } | null {
  for (let at = skipSpace(bytes, open + 1, to); at < to && bytes[at] === QUOTE; ) {
    const nameEnd = stringEnd(bytes, at, to);
    const colon = nameEnd < 0 ? to : skipSpace(bytes, nameEnd, to);
    const from = colon < to ? skipSpace(bytes, colon + 1, to) : to;
    if (from >= to) return null;
    if (bytes[from] === OPEN_ARRAY && bytes[skipSpace(bytes, from + 1, to)] === OPEN_OBJECT) {
      const name = parsedJson(bytes, at, nameEnd);
      for (const first of elementPlaces(bytes, from, to))
        return typeof name === 'string' ? { name, first } : null;
      return null;
    }
    const end = valueEnd(bytes, from, to);
    if (end < 0) return null;
    at = skipSpace(bytes, skipSpace(bytes, end, to) + 1, to);
  }
  return null;
}

/** A record of a file. `array`: where the bracket of its array is; -1: it is in none. */
export interface RecordPlace extends ElementPlace {
  readonly array: number;
}

/**
 * The records of a file: the elements of one array, or with --records of one value or several, each an object with the array of its
 * records, an array, or a record.
 *
 * @param steps the names that lead to the array, as binary strings; null: the file is the array
 * @returns where records are; null: what follows in an array, or in the file, is not valid JSON
 */
export function* recordPlaces(
  bytes: Buffer,
  from: number,
  steps: readonly string[] | null,
): Generator<RecordPlace | null> {
  const to = bytes.length;
  for (let at = from; at < to; ) {
    const end = steps === null ? to : valueEnd(bytes, at, to);
    if (end <= at) {
      yield null;
      return;
    }
    const value: JsonPlace = { from: at, to: end };
    const inner = (steps ?? []).reduce<JsonPlace | null>(
      (place, step) => place && memberPlace(bytes, place, step),
      value,
    );
    const { from: array } = inner !== null && bytes[inner.from] === OPEN_ARRAY ? inner : value;
    if (bytes[array] !== OPEN_ARRAY) yield { ...value, comma: -1, array: -1 };
    else {
      const places = elementPlaces(bytes, array, to);
      let next = places.next();
      for (; next.done !== true; next = places.next()) yield { ...next.value, array };
      if (next.value < 0 || (steps === null && skipSpace(bytes, next.value, to) !== to)) yield null;
    }
    at = skipSpace(bytes, end, to);
  }
}

/** The last value of this name in a valid object; null: there is none, or it is not an object. */
export function memberPlace(bytes: Buffer, object: JsonPlace, name: string): JsonPlace | null {
  if (bytes[object.from] !== OPEN_OBJECT) return null;
  let found: JsonPlace | null = null;
  for (const member of memberPlaces(bytes, object.from, object.to)) if (member.name === name) found = member;
  return found;
}
