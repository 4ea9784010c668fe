/**
 * Skips JSON values and validates them: RFC 8259, and NaN, Infinity and -Infinity, which Python writes.
 * src/readers/formats/json/jsonRecord.ts is the reference.
 *
 * No function reads past the line feed that ends the input.
 */
import { OUT } from './state';
import { stringEnd } from './strings';

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const MINUS: u32 = 0x2d;
const ZERO: u32 = 0x30;
const OPEN_OBJECT: u32 = 0x7b;
const CLOSE_OBJECT: u32 = 0x7d;
const OPEN_ARRAY: u32 = 0x5b;

const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const NULL: u32 = 0x6c6c756e;
/** The first four and the last four letters of `Infinity`. */
const INFI: u32 = 0x69666e49;
const NITY: u32 = 0x7974696e;

/** The first position from `at` on that is not white space. */
export function spaceEnd(at: usize): usize {
  let byte = <u32>load<u8>(at);
  while (byte <= 0x20 && (byte === 0x20 || byte === 0x09 || byte === 0x0d)) {
    byte = load<u8>(++at);
  }
  return at;
}

function digitsEnd(at: usize): usize {
  while (<u32>load<u8>(at) - ZERO < 10) at++;
  return at;
}

/** The position after `Infinity` at `at`, or 0. */
function infinityEnd(at: usize): usize {
  return load<u32>(at) === INFI && load<u32>(at, 4) === NITY ? at + 8 : 0;
}

function numberEnd(at: usize): usize {
  if (load<u8>(at) === MINUS) at++;
  if (load<u8>(at) === 0x49) return infinityEnd(at);
  const whole = at;
  at = load<u8>(at) === ZERO ? at + 1 : digitsEnd(at);
  if (at === whole) return 0;
  if (load<u8>(at) === 0x2e) {
    const fraction = at + 1;
    at = digitsEnd(fraction);
    if (at === fraction) return 0;
  }
  if ((load<u8>(at) | 0x20) === 0x65) {
    const sign = load<u8>(at, 1);
    const exponent = at + (sign === 0x2b || sign === MINUS ? 2 : 1);
    at = digitsEnd(exponent);
    if (at === exponent) return 0;
  }
  return at;
}

/** The position after the string, number or literal at `at`, or 0 if there is none. */
function scalarEnd(state: usize, at: usize): usize {
  const first = <u32>load<u8>(at);
  if (first === QUOTE) return stringEnd(state, at + 1);
  const word = load<u32>(at);
  if (word === TRUE || word === NULL) return at + 4;
  if (word === FALS) return load<u8>(at, 4) === 0x65 ? at + 5 : 0;
  // NaN
  if ((word & 0xffffff) === 0x4e614e) return at + 3;
  return numberEnd(at);
}

/** The position after the colon that follows a name ending before `at`, and after white space; or 0. */
export function afterColon(at: usize): usize {
  at = spaceEnd(at);
  return load<u8>(at) === COLON ? spaceEnd(at + 1) : 0;
}

/** Skips a name and its colon; returns the position where the value begins, or 0 if they are broken. */
function memberStart(state: usize, at: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0;
  at = stringEnd(state, at + 1);
  return at === 0 ? 0 : afterColon(at);
}

/**
 * The position after the value that begins at `at`, or 0 if it is broken. Open containers are a stack of the
 * brackets that close them, after the decoded strings: a bracket takes one byte there, as it does in the
 * line.
 */
export function valueEnd(state: usize, at: usize): usize {
  const bottom = <usize>load<u32>(state, OUT);
  let top = bottom;
  while (true) {
    const first = <u32>load<u8>(at);
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      at = spaceEnd(at + 1);
      if (load<u8>(at) !== first + 2) {
        store<u8>(top++, first + 2);
        if (first === OPEN_OBJECT) {
          at = memberStart(state, at);
          if (at === 0) return 0;
        }
        continue;
      }
      at++;
    } else {
      at = scalarEnd(state, at);
      if (at === 0) return 0;
    }
    // After a value: closes the containers that end here, until a comma announces another value.
    while (true) {
      if (top === bottom) return at;
      at = spaceEnd(at);
      const close = <u32>load<u8>(top - 1);
      const byte = <u32>load<u8>(at);
      at++;
      if (byte === COMMA) {
        at = spaceEnd(at);
        if (close === CLOSE_OBJECT) {
          at = memberStart(state, at);
          if (at === 0) return 0;
        }
        break;
      }
      if (byte !== close) return 0;
      top--;
    }
  }
}
