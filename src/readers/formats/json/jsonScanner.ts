/**
 * Validates JSON as bytes (RFC 8259, and NaN, Infinity and -Infinity, which Python writes) and finds fields of an object, without
 * building values.
 *
 * There is no recursion: nesting is a stack of bits, so a line of 10^8 brackets costs 12 MB and nothing more.
 * A line may be longer than the longest JavaScript string. Bytes above 7F are accepted inside strings only,
 * without validation: broken UTF-8 is handled with the text.
 */
import { grown } from '../../../arrays/growable.js';
import { BACKSLASH, decodeJsonString } from './jsonStrings.js';

export const QUOTE = 0x22;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const COMMA = 0x2c;
export const COLON = 0x3a;

/** 1 for bytes that need no escape in a string: no quote, no backslash, no control character. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 0 : 1,
);

const MINUS = 0x2d;
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
export interface JsonField {
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
  /** Of the names, in their order. Of a repeated name the last value counts, as with JSON.parse. */
  readonly fields: readonly JsonField[];

  readonly #names: readonly Uint8Array[];
  #bytes: Uint8Array = new Uint8Array(0);
  #to = 0;
  #at = 0;
  #depth = 0;
  /** Bit d: whether the container at depth d + 1 is an object. */
  #containers = new Uint8Array(64);
  #isSound = false;
  #escaped = false;
  #key = new Uint8Array(64);
  // Which names the current value at depth 1 has, if any; they may be equal.
  #isWanted = false;
  readonly #isNamed: boolean[];
  #valueFrom = 0;

  /** @param names of the fields that are looked for */
  constructor(names: readonly string[]) {
    this.#names = names.map((name) => new TextEncoder().encode(name));
    this.fields = names.map(() => ({ from: -1, to: -1, escaped: false }));
    this.#isNamed = names.map(() => false);
  }

  /** The first position from `from` on that is not JSON white space, at most `to`. */
  skipSpace(bytes: Uint8Array, from: number, to: number): number {
    while (from < to && isSpace(bytes[from]!)) from++;
    return from;
  }

  /**
   * Validates one value that begins at `from` (white space before it is allowed) and ends before `to`.
   *
   * @param isSound the value is known to be valid: strings are passed over without a look at their bytes
   * @returns the position after the value, or -1 if there is no valid one
   */
  scan(bytes: Uint8Array, from: number, to: number, isSound = false): number {
    this.#bytes = bytes;
    this.#isSound = isSound;
    this.#to = to;
    this.#at = from;
    this.#depth = 0;
    for (const field of this.fields) field.from = -1;
    this.#isWanted = false;
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

  /**
   * Visits the elements of the array whose bracket is at `open`, and that ends before `to`; each is scanned when `each` is called.
   *
   * @param each false: ends the visit
   * @returns the position after the array; -1 where it is broken or cut off, or `each` ended the visit
   */
  elements(
    bytes: Uint8Array,
    open: number,
    to: number,
    each: (index: number, from: number, to: number) => boolean,
  ): number {
    let at = this.skipSpace(bytes, open + 1, to);
    if (at < to && bytes[at] === CLOSE_ARRAY) return at + 1;
    for (let index = 0; ; index++) {
      const from = this.skipSpace(bytes, at, to);
      const end = this.scan(bytes, from, to);
      if (end < 0 || !each(index, from, end)) return -1;
      at = this.skipSpace(bytes, end, to);
      const byte = at < to ? bytes[at++] : -1;
      if (byte === CLOSE_ARRAY) return at;
      if (byte !== COMMA) return -1;
    }
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
    if (first === 0x4e) return this.#literal('NaN');
    if (first === 0x49) return this.#literal('Infinity');
    if (first === MINUS && this.#bytes[this.#at + 1] === 0x49) return this.#literal('-Infinity');
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
    this.#containers = grown(this.#containers, (bit >>> 3) + 1);
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
    if (this.#isSound) this.#escaped = holdsBackslash(this.#bytes, from, this.#at);
    if (this.#depth === 1 && this.isObject) this.#match(from, this.#at - 1);
    this.#space();
    if (this.#at >= this.#to || this.#bytes[this.#at] !== COLON) return false;
    this.#at++;
    this.#space();
    return true;
  }

  /** Records whether a name at depth 1 is wanted. */
  #match(from: number, to: number): void {
    let name = this.#bytes;
    if (this.#escaped) {
      if (to - from > this.#key.length) this.#key = new Uint8Array(2 * (to - from));
      to = decodeJsonString(this.#bytes, from, to, this.#key).written;
      name = this.#key;
      from = 0;
    }
    this.#isWanted = false;
    for (let i = 0; i < this.#names.length; i++) {
      const isNamed = equals(name, from, to, this.#names[i]!);
      this.#isNamed[i] = isNamed;
      if (isNamed) this.#isWanted = true;
    }
  }

  #record(): void {
    if (!this.#isWanted) return;
    if (this.#isSound) this.#escaped = holdsBackslash(this.#bytes, this.#valueFrom, this.#at);
    for (let i = 0; i < this.#names.length; i++) if (this.#isNamed[i]) this.#set(this.fields[i]!);
    this.#isWanted = false;
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
    if (this.#isSound) {
      this.#at = behindString(bytes, this.#at);
      return true;
    }
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
    if (bytes[at] === MINUS) at++;
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

/** A search by the C library takes longer to begin than so many bytes here. */
const MOST_IN_LOOP = 24;

/** The position behind the valid string that begins at `at`. */
function behindString(bytes: Uint8Array, at: number): number {
  for (;;) {
    const soon = at + MOST_IN_LOOP;
    do at++;
    while (at < soon && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH);
    if (bytes[at] === BACKSLASH) {
      at++;
      continue;
    }
    if (bytes[at] !== QUOTE) at = bytes.indexOf(QUOTE, at);
    if (bytes[at - 1] !== BACKSLASH || !isEscaped(bytes, at)) return at + 1;
  }
}

/** Whether an odd number of backslashes stands before a byte of a string. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let from = at;
  while (bytes[from - 1] === BACKSLASH) from--;
  return (at - from) % 2 === 1;
}

function holdsBackslash(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
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
