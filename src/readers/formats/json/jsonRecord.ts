/**
 * Validates JSON as bytes (RFC 8259) and finds two fields of an object, without building values.
 *
 * There is no recursion: nesting is a stack of bits, so a line of 10^8 brackets costs 12 MB and nothing more.
 * A line may be longer than the longest JavaScript string. Bytes above 7F are accepted inside strings only,
 * without validation: broken UTF-8 is handled with the text.
 */
import type { ErrorCode } from '../../../errors.js';
import { holdsReplacement, isUtf8 } from '../../bytes/encodings.js';
import { MOST_ID_BYTES, type ReadBuffers, type ReadParams, type TextSink } from '../../documentSink.js';

const BACKSLASH = 0x5c;

/** Most bytes that one step of the decoder writes: a surrogate pair, or U+FFFD and the next character. */
export const STEP_BYTES = 8;

interface DecodedPiece {
  /** Where decoding continues: `to` when the string is complete. */
  readonly at: number;
  /** Bytes written to the start of `out`. */
  readonly written: number;
  /** A lone surrogate became U+FFFD. */
  readonly repaired: boolean;
}

/**
 * Decodes the inside of a valid JSON string (without quotes) from `from` until `to` or until `out` is nearly
 * full. The result is never longer than the source, so an `out` as long as the string is always enough; a
 * shorter one needs at least STEP_BYTES, and the caller continues at `at`. A lone surrogate becomes U+FFFD.
 */
export function decodeJsonString(bytes: Uint8Array, from: number, to: number, out: Uint8Array): DecodedPiece {
  const full = to - from <= out.length ? out.length : out.length - STEP_BYTES;
  let at = from;
  let n = 0;
  let repaired = false;
  while (at < to && n <= full) {
    const byte = bytes[at]!;
    if (byte !== BACKSLASH) {
      out[n++] = byte;
      at++;
      continue;
    }
    const letter = bytes[at + 1]!;
    if (letter !== 0x75) {
      out[n++] = shortEscape(letter);
      at += 2;
      continue;
    }
    let code = hex4(bytes, at + 2);
    at += 6;
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = lowSurrogate(bytes, at, to);
      if (code < 0xdc00 && low !== 0) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
      } else {
        code = 0xfffd;
        repaired = true;
      }
    }
    n = writeUtf8(out, n, code);
  }
  return { at, written: n, repaired };
}

function shortEscape(letter: number): number {
  if (letter === 0x6e) return 0x0a;
  if (letter === 0x74) return 0x09;
  if (letter === 0x72) return 0x0d;
  if (letter === 0x62) return 0x08;
  if (letter === 0x66) return 0x0c;
  return letter; // quote, backslash, slash
}

function hex4(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i]!;
    value = (value << 4) | (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);
  }
  return value;
}

/** The low surrogate escaped at `at`, or 0 if there is none. */
function lowSurrogate(bytes: Uint8Array, at: number, to: number): number {
  if (at + 6 > to || bytes[at] !== BACKSLASH || bytes[at + 1] !== 0x75) return 0;
  const code = hex4(bytes, at + 2);
  return code >= 0xdc00 && code <= 0xdfff ? code : 0;
}

function writeUtf8(out: Uint8Array, n: number, code: number): number {
  if (code < 0x80) {
    out[n++] = code;
  } else if (code < 0x800) {
    out[n++] = 0xc0 | (code >> 6);
    out[n++] = 0x80 | (code & 63);
  } else if (code < 0x10000) {
    out[n++] = 0xe0 | (code >> 12);
    out[n++] = 0x80 | ((code >> 6) & 63);
    out[n++] = 0x80 | (code & 63);
  } else {
    out[n++] = 0xf0 | (code >> 18);
    out[n++] = 0x80 | ((code >> 12) & 63);
    out[n++] = 0x80 | ((code >> 6) & 63);
    out[n++] = 0x80 | (code & 63);
  }
  return n;
}

const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** 1 for bytes that need no escape in a string: no quote, no backslash, no control character. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 0 : 1,
);

const LONGEST_ESCAPE = 6;

/** 1 for bytes that occur in numbers. */
const IN_NUMBERS = new Uint8Array(256);
for (const byte of '+-.0123456789Ee') IN_NUMBERS[byte.charCodeAt(0)] = 1;

/** 1 for letters that may follow a backslash, except `u`. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') SHORT_ESCAPES[letter.charCodeAt(0)] = 1;

/**
 * Position of a field's value: `from` (inclusive) to `to` (exclusive), quotes included. `from` -1: no such
 * field.
 */
interface JsonField {
  from: number;
  to: number;
  /** The value is a string that contains a backslash. */
  escaped: boolean;
}

export class JsonScanner {
  /** After `scan` found no value: whether the input may be the beginning of one. */
  isCut = false;
  /** After `scan`: whether the value is an object; the fields below are set only then. */
  isObject = false;
  /** Of a repeated name the last value counts, as with JSON.parse. */
  readonly text: JsonField = { from: -1, to: -1, escaped: false };
  readonly id: JsonField = { from: -1, to: -1, escaped: false };

  readonly #textName: Uint8Array;
  readonly #idName: Uint8Array;
  #bytes: Uint8Array = new Uint8Array(0);
  #to = 0;
  #at = 0;
  #depth = 0;
  /** Bit d: whether the container at depth d + 1 is an object. */
  #containers = new Uint8Array(64);
  #escaped = false;
  #key = new Uint8Array(64);
  // The field that the current value at depth 1 belongs to.
  #isText = false;
  #isId = false;
  #valueFrom = 0;

  constructor(textField: string, idField: string) {
    this.#textName = new TextEncoder().encode(textField);
    this.#idName = new TextEncoder().encode(idField);
  }

  /** The first position from `from` on that is not JSON white space, at most `to`. */
  skipSpace(bytes: Uint8Array, from: number, to: number): number {
    while (from < to && isSpace(bytes[from]!)) from++;
    return from;
  }

  /**
   * Validates one value that begins at `from` (white space before it is allowed) and ends before `to`.
   *
   * @returns the position after the value, or -1 if there is no valid one
   */
  scan(bytes: Uint8Array, from: number, to: number): number {
    this.#bytes = bytes;
    this.#to = to;
    this.#at = from;
    this.#depth = 0;
    this.text.from = -1;
    this.id.from = -1;
    this.#isText = false;
    this.#isId = false;
    this.#space();
    this.isObject = bytes[this.#at] === OPEN_OBJECT && this.#at < to;
    while (this.#at < to) {
      const before = this.#depth;
      if (!this.#value()) break;
      // An opened container that is not empty expects its first value next.
      if (this.#depth > before) continue;
      const more = this.#afterValue();
      if (more < 0) break;
      if (more === 0) return this.#at;
    }
    this.isCut = this.#at >= to;
    return -1;
  }

  /** Reads a scalar, an empty container, or the opening of a container up to its first value. */
  #value(): boolean {
    const first = this.#bytes[this.#at]!;
    if (this.#depth === 1) this.#valueFrom = this.#at;
    this.#escaped = false;
    if (first === QUOTE) return this.#string();
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) return this.#open(first === OPEN_OBJECT);
    if (first === 0x74) return this.#literal('true');
    if (first === 0x66) return this.#literal('false');
    if (first === 0x6e) return this.#literal('null');
    return this.#number();
  }

  #open(object: boolean): boolean {
    this.#at++;
    this.#space();
    if (this.#at >= this.#to) return false;
    if (this.#bytes[this.#at] === (object ? CLOSE_OBJECT : CLOSE_ARRAY)) {
      this.#at++;
      return true;
    }
    const bit = this.#depth++;
    if (bit >>> 3 >= this.#containers.length) {
      const grown = new Uint8Array(2 * this.#containers.length);
      grown.set(this.#containers);
      this.#containers = grown;
    }
    if (object) this.#containers[bit >>> 3]! |= 1 << (bit & 7);
    else this.#containers[bit >>> 3]! &= ~(1 << (bit & 7));
    return object ? this.#member() : true;
  }

  /**
   * After a value: closes the containers that end here. 1: another value follows; 0: the outermost value is
   * complete; -1: broken.
   */
  #afterValue(): number {
    for (;;) {
      if (this.#depth === 0) return 0;
      if (this.#depth === 1) this.#record();
      this.#space();
      if (this.#at >= this.#to) return -1;
      const bit = this.#depth - 1;
      const object = ((this.#containers[bit >>> 3]! >> (bit & 7)) & 1) === 1;
      const byte = this.#bytes[this.#at++]!;
      if (byte === COMMA) {
        this.#space();
        if (object) return this.#member() ? 1 : -1;
        return 1;
      }
      if (byte !== (object ? CLOSE_OBJECT : CLOSE_ARRAY)) return -1;
      this.#depth--;
    }
  }

  /** Reads a name and its colon, up to the beginning of the value. */
  #member(): boolean {
    if (this.#bytes[this.#at] !== QUOTE || this.#at >= this.#to) return false;
    const from = this.#at + 1;
    this.#escaped = false;
    if (!this.#string()) return false;
    if (this.#depth === 1 && this.isObject) this.#match(from, this.#at - 1);
    this.#space();
    if (this.#at >= this.#to || this.#bytes[this.#at] !== COLON) return false;
    this.#at++;
    this.#space();
    return true;
  }

  /** Records whether a name at depth 1 is one of the two wanted; they may be the same. */
  #match(from: number, to: number): void {
    let name = this.#bytes;
    if (this.#escaped) {
      if (to - from > this.#key.length) this.#key = new Uint8Array(2 * (to - from));
      to = decodeJsonString(this.#bytes, from, to, this.#key).written;
      name = this.#key;
      from = 0;
    }
    this.#isText = equals(name, from, to, this.#textName);
    this.#isId = equals(name, from, to, this.#idName);
  }

  #record(): void {
    if (this.#isText) this.#set(this.text);
    if (this.#isId) this.#set(this.id);
    this.#isText = false;
    this.#isId = false;
  }

  #set(field: JsonField): void {
    field.from = this.#valueFrom;
    field.to = this.#at;
    field.escaped = this.#escaped && this.#bytes[this.#valueFrom] === QUOTE;
  }

  #space(): void {
    this.#at = this.skipSpace(this.#bytes, this.#at, this.#to);
  }

  #string(): boolean {
    const bytes = this.#bytes;
    const to = this.#to;
    let at = this.#at + 1;
    for (;;) {
      while (at < to && PLAIN[bytes[at]!] === 1) at++;
      if (at >= to) return this.#stop(to);
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (byte !== BACKSLASH) return this.#stop(at);
      this.#escaped = true;
      const length = escapeLength(bytes, at, to);
      // An escape may continue behind the end.
      if (length === 0) return this.#stop(to - at < LONGEST_ESCAPE ? to : at);
      at += length;
    }
  }

  /** Records that there is no valid value up to `at`. */
  #stop(at: number): false {
    this.#at = at;
    return false;
  }

  #literal(word: string): boolean {
    if (this.#to - this.#at < word.length) return this.#stop(this.#to);
    for (let i = 0; i < word.length; i++) {
      if (this.#bytes[this.#at + i] !== word.charCodeAt(i)) return false;
    }
    this.#at += word.length;
    return true;
  }

  #number(): boolean {
    const bytes = this.#bytes;
    const to = this.#to;
    let at = this.#at;
    if (bytes[at] === 0x2d) at++;
    at = at < to && bytes[at] === 0x30 ? at + 1 : digits(bytes, at, to);
    if (at >= 0 && at < to && bytes[at] === 0x2e) at = digits(bytes, at + 1, to);
    if (at >= 0 && at < to && (bytes[at]! | 0x20) === 0x65) {
      const signed = at + 1 < to && (bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d);
      at = digits(bytes, at + (signed ? 2 : 1), to);
    }
    if (at < 0) return this.#stop(endOfNumber(bytes, this.#at, to));
    this.#at = at;
    return true;
  }
}

/** The position after all bytes that occur in numbers, valid or not. */
function endOfNumber(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && IN_NUMBERS[bytes[at]!] === 1) at++;
  return at;
}

/** The JSON white space: blank, tab, line feed, carriage return. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The position after one digit or more, or -1. */
function digits(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
  return at > from ? at : -1;
}

/** Bytes of the escape that begins with the backslash at `at`: 2, 6 for `\u`, or 0 where it is none. */
function escapeLength(bytes: Uint8Array, at: number, to: number): number {
  if (at + 1 >= to) return 0;
  const letter = bytes[at + 1]!;
  if (letter !== 0x75) return 2 * SHORT_ESCAPES[letter]!;
  // Digits behind the end do not matter: the string ends there in any case.
  for (let i = at + 2; i < at + 6; i++) {
    const byte = bytes[i]!;
    const hex = (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
    if (!hex) return 0;
  }
  return 6;
}

function equals(bytes: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  if (to - from !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name[i]) return false;
  return true;
}

/** Whether the bytes contain the key with a colon after it (blanks between them allowed). */
function holdsKey(bytes: Uint8Array, key: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
    let after = at + key.length;
    while (after < text.length && text[after]! <= 0x20) after++;
    if (text[after] === COLON) return true;
  }
  return false;
}

export class JsonRecords {
  /** The scanner of the emitted values; it is positioned behind the last one. */
  readonly scanner: JsonScanner;
  readonly #maxDocument: number;
  readonly #sink: TextSink;
  readonly #strings: Uint8Array;
  readonly #transcoded: boolean;
  /** The name of the text field as in a record, with its quotes. */
  readonly #textKey: Uint8Array;
  #idBytes = new Uint8Array(256);

  constructor(params: ReadParams, sink: TextSink, buffers: ReadBuffers) {
    this.scanner = new JsonScanner(params.textField, params.idField);
    this.#maxDocument = params.maxDocument;
    this.#sink = sink;
    this.#strings = buffers.strings;
    this.#transcoded = !isUtf8(params.encoding);
    this.#textKey = new TextEncoder().encode(JSON.stringify(params.textField));
  }

  /** Emits one line, without its line feed. A blank line is not a record. */
  line(file: number, record: number, bytes: Uint8Array, from: number, to: number): void {
    const start = this.scanner.skipSpace(bytes, from, to);
    if (start === to) return;
    const end = this.scanner.scan(bytes, start, to);
    if (end < 0 || this.scanner.skipSpace(bytes, end, to) !== to) {
      this.#sink.skip(file, record, 'JSON_BROKEN', null);
    } else this.#emit(file, record, bytes);
  }

  /**
   * Emits a whole file: one object (record -1) or an array of objects (record = index), perhaps after a byte
   * order mark. The whole file is validated before any record is emitted: a broken file is skipped
   * JSON_BROKEN.
   *
   * @param orText whether a file without the text field is a text: then the result is false and nothing was
   * emitted. A broken file is a text too, unless it has the field's name as a key.
   */
  file(file: number, bytes: Uint8Array, orText: boolean): boolean {
    const scanner = this.scanner;
    const to = bytes.length;
    const start = scanner.skipSpace(bytes, startAfterMark(bytes), to);
    const array = bytes[start] === 0x5b;
    let found = 0;
    const end = array
      ? this.#elements(bytes, start, () => {
          if (hasText(scanner, bytes)) found++;
        })
      : scanner.scan(bytes, start, to);
    const valid = end >= 0 && scanner.skipSpace(bytes, end, to) === to;
    if (orText && !(valid && (array ? found > 0 : hasText(scanner, bytes)))) {
      // A truncated or badly edited record is still a record, not a text.
      if (valid || !holdsKey(bytes, this.#textKey)) return false;
    }
    if (!valid) this.#sink.skip(file, -1, 'JSON_BROKEN', null);
    else if (array) this.#elements(bytes, start, (index) => this.#emit(file, index, bytes));
    else this.#emit(file, -1, bytes);
    return true;
  }

  /** Emits the element just scanned, or its fault. */
  emitElement(file: number, index: number, bytes: Uint8Array): void {
    this.#emit(file, index, bytes);
  }

  /**
   * Calls back after the scan of every element; returns the position after the array, or -1 if it is broken.
   */
  #elements(bytes: Uint8Array, start: number, each: (index: number) => void): number {
    const scanner = this.scanner;
    const to = bytes.length;
    let at = scanner.skipSpace(bytes, start + 1, to);
    if (bytes[at] === 0x5d) return at + 1;
    for (let index = 0; ; index++) {
      at = scanner.scan(bytes, at, to);
      if (at < 0) return -1;
      each(index);
      at = scanner.skipSpace(bytes, at, to);
      const byte = bytes[at++];
      if (byte === 0x5d) return at;
      if (byte !== 0x2c) return -1;
    }
  }

  /** Emits the record just scanned, or its fault. */
  #emit(file: number, record: number, bytes: Uint8Array): void {
    const { text, id, isObject } = this.scanner;
    if (!isObject) {
      this.#sink.skip(file, record, 'JSON_NOT_AN_OBJECT', null);
      return;
    }
    const idBytes = isMissing(bytes, id) || isBadId(bytes, id) ? null : this.#idOf(bytes, id);
    const badId = idBytes === null && !isMissing(bytes, id);
    const code: ErrorCode | null = !isString(bytes, text) ? 'JSON_NO_TEXT' : badId ? 'JSON_BAD_ID' : null;
    if (code !== null) this.#sink.skip(file, record, code, idBytes);
    else if (text.escaped) this.#emitEscaped(file, record, bytes, idBytes);
    else {
      const plain = bytes.subarray(text.from + 1, text.to - 1);
      this.#emitWhole(file, record, plain, idBytes, this.#transcoded && holdsReplacement(plain));
    }
  }

  #emitWhole(file: number, record: number, text: Uint8Array, id: Uint8Array | null, repaired: boolean): void {
    if (text.length > this.#maxDocument) this.#sink.skip(file, record, 'TOO_LARGE', id);
    else this.#sink.whole(file, record, id, text, repaired);
  }

  #emitEscaped(file: number, record: number, bytes: Uint8Array, id: Uint8Array | null): void {
    const to = this.scanner.text.to - 1;
    let at = this.scanner.text.from + 1;
    let size = 0;
    let repaired = this.#transcoded && holdsReplacement(bytes.subarray(at, to));
    if (to - at <= this.#strings.length) {
      const text = decodeJsonString(bytes, at, to, this.#strings);
      this.#emitWhole(file, record, this.#strings.subarray(0, text.written), id, repaired || text.repaired);
      return;
    }
    if (!this.#sink.begin(file, record, id)) return;
    while (at < to) {
      const piece = decodeJsonString(bytes, at, to, this.#strings);
      at = piece.at;
      size += piece.written;
      repaired ||= piece.repaired;
      if (size > this.#maxDocument) {
        this.#sink.skip(file, record, 'TOO_LARGE', id);
        return;
      }
      this.#sink.text(this.#strings.subarray(0, piece.written));
    }
    this.#sink.end(repaired);
  }

  /** The bytes of an id that is a string or a number; null if there are too many. */
  #idOf(bytes: Uint8Array, id: JsonField): Uint8Array | null {
    const quotes = bytes[id.from] === QUOTE ? 1 : 0;
    const from = id.from + quotes;
    const to = id.to - quotes;
    // An escape is at most six times as long as its character.
    if (to - from > (id.escaped ? 6 * MOST_ID_BYTES : MOST_ID_BYTES)) return null;
    if (!id.escaped) return bytes.subarray(from, to);
    if (to - from > this.#idBytes.length) this.#idBytes = new Uint8Array(2 * (to - from));
    const { written } = decodeJsonString(bytes, from, to, this.#idBytes);
    return written > MOST_ID_BYTES ? null : this.#idBytes.subarray(0, written);
  }
}

/** 3 after a UTF-8 byte order mark, else 0. */
export function startAfterMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Whether the value just scanned is an object with a text. */
export function hasText({ text }: JsonScanner, bytes: Uint8Array): boolean {
  return isString(bytes, text);
}

function isString(bytes: Uint8Array, field: JsonField): boolean {
  return field.from >= 0 && bytes[field.from] === QUOTE;
}

/** A null counts as missing, and so does an empty text: the record is named by its place. */
function isMissing(bytes: Uint8Array, field: JsonField): boolean {
  if (field.from < 0 || bytes[field.from] === 0x6e) return true;
  return bytes[field.from] === QUOTE && field.to === field.from + 2;
}

/** Neither missing nor a string nor a number (which begins with a minus or a digit). */
function isBadId(bytes: Uint8Array, field: JsonField): boolean {
  if (isMissing(bytes, field) || isString(bytes, field)) return false;
  const first = bytes[field.from]!;
  return first !== 0x2d && !(first >= 0x30 && first <= 0x39);
}
