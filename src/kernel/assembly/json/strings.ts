/**
 * JSON strings, 16 bytes at a time. src/readers/formats/json/jsonRecord.ts is the reference.
 *
 * The input ends with a line feed or a NUL. No string may contain these, so they stop every loop.
 */
import { writeUtf8 } from '../text/utf8';
import { DIGITS, ESCAPED, ESCAPES, NO_DIGIT, OUT, REPAIRED } from './state';

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const LETTER_U: u32 = 0x75;
const REPLACEMENT: u32 = 0xfffd;

/** One bit for each of 16 bytes: a quote, a backslash or a control character. */
function stopsIn(v: v128): u32 {
  const quotes = i8x16.eq(v, i8x16.splat(0x22));
  const backslashes = i8x16.eq(v, i8x16.splat(0x5c));
  const controls = i8x16.lt_u(v, i8x16.splat(0x20));
  return <u32>i8x16.bitmask(v128.or(v128.or(quotes, backslashes), controls));
}

/** The value of four hexadecimal digits; NO_DIGIT << 8 or more if one is invalid. */
function hex4(state: usize, at: usize): u32 {
  const a = <u32>load<u8>(state + load<u8>(at), DIGITS);
  const b = <u32>load<u8>(state + load<u8>(at, 1), DIGITS);
  const c = <u32>load<u8>(state + load<u8>(at, 2), DIGITS);
  const d = <u32>load<u8>(state + load<u8>(at, 3), DIGITS);
  const problems = (a | b | c | d) & NO_DIGIT;
  return (problems << 16) | (a << 12) | (b << 8) | (c << 4) | d;
}

/**
 * The position after the string whose content begins at `at`, or 0 if it is broken. ESCAPED: it contains a
 * backslash.
 */
export function stringEnd(state: usize, at: usize): usize {
  let escaped: u32 = 0;
  while (true) {
    const stops = stopsIn(v128.load(at));
    if (stops === 0) {
      at += 16;
      continue;
    }
    at += ctz(stops);
    const byte = <u32>load<u8>(at);
    if (byte === QUOTE) {
      store<u32>(state, escaped, ESCAPED);
      return at + 1;
    }
    if (byte !== BACKSLASH) return 0;
    escaped = 1;
    const letter = <usize>load<u8>(at, 1);
    if (letter === LETTER_U) {
      if (hex4(state, at + 2) > 0xffff) return 0;
      at += 6;
    } else {
      if (load<u8>(state + letter, ESCAPES) === 0) return 0;
      at += 2;
    }
  }
}

/** The low surrogate escaped at `at`, or 0 if there is none. */
function lowSurrogate(state: usize, at: usize): u32 {
  if (load<u8>(at) !== BACKSLASH || load<u8>(at, 1) !== LETTER_U) return 0;
  const code = hex4(state, at + 2);
  return code >= 0xdc00 && code <= 0xdfff ? code : 0;
}

/**
 * Decodes the string whose content begins at `at` to OUT and moves OUT after it; returns the position after
 * the string, or 0 if it is broken. REPAIRED: a lone surrogate became U+FFFD. The result is never longer than
 * the source.
 */
export function decodeString(state: usize, at: usize): usize {
  let out = <usize>load<u32>(state, OUT);
  store<u32>(state, 0, REPAIRED);
  while (true) {
    const v = v128.load(at);
    v128.store(out, v);
    const stops = stopsIn(v);
    if (stops === 0) {
      at += 16;
      out += 16;
      continue;
    }
    const clean = <usize>ctz(stops);
    at += clean;
    out += clean;
    const byte = <u32>load<u8>(at);
    if (byte === QUOTE) {
      store<u32>(state, <u32>out, OUT);
      return at + 1;
    }
    if (byte !== BACKSLASH) return 0;
    // Escapes often follow one another, so no block is loaded between them.
    do {
      const letter = <usize>load<u8>(at, 1);
      if (letter !== LETTER_U) {
        const value = load<u8>(state + letter, ESCAPES);
        if (value === 0) return 0;
        store<u8>(out, value);
        out++;
        at += 2;
        continue;
      }
      let code = hex4(state, at + 2);
      if (code > 0xffff) return 0;
      at += 6;
      if (code >> 11 === 0x1b) {
        const low = code < 0xdc00 ? lowSurrogate(state, at) : 0;
        if (low !== 0) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          at += 6;
        } else {
          code = REPLACEMENT;
          store<u32>(state, 1, REPAIRED);
        }
      }
      out = writeUtf8(out, code);
    } while (load<u8>(at) === BACKSLASH);
  }
}
