/** Decodes JSON strings as bytes (RFC 8259, section 7). */
import { writeCodePoint } from '../../../text/unicode/utf8.js';
import type { DecodedPiece } from '../recordGiver.js';

export const BACKSLASH = 0x5c;

/** Most bytes that one step of the decoder writes: a surrogate pair, or U+FFFD and the next character. */
export const STEP_BYTES = 8;

/**
 * Decodes the inside of a valid JSON string (without quotes), as DecodeString says; an `out` that is shorter than the string needs
 * at least STEP_BYTES. A lone surrogate becomes U+FFFD.
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
      const low = lowSurrogate(bytes, at);
      if (code < 0xdc00 && low !== 0) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
      } else {
        code = 0xfffd;
        repaired = true;
      }
    }
    n = writeCodePoint(out, n, code);
  }
  return { at, written: n, repaired };
}

/** A decoded string, with the place in its source of each byte. */
export interface DecodedString {
  readonly text: Uint8Array;
  /** The place in the source of the character whose first byte is this one of the text; for the length: the end of the string. */
  places(at: number): number;
}

/** Decodes the inside of a valid JSON string (without quotes). */
export function decodedString(bytes: Uint8Array, from: number, to: number): DecodedString {
  if (!bytes.subarray(from, to).includes(BACKSLASH)) {
    return { text: bytes.subarray(from, to), places: (at) => from + at };
  }
  const text = new Uint8Array(to - from);
  const places = new Float64Array(to - from + 1);
  let length = 0;
  for (let at = from; at < to; ) {
    const end = bytes[at] === BACKSLASH ? escapeEnd(bytes, at) : at + 1;
    const { written } = decodeJsonString(bytes, at, end, text.subarray(length));
    places.fill(at, length, length + written);
    length += written;
    at = end;
  }
  places[length] = to;
  return { text: text.subarray(0, length), places: (at) => places[at]! };
}

/** Where an escape ends; two of surrogates are one. */
function escapeEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== 0x75) return at + 2;
  const code = hex4(bytes, at + 2);
  return code >= 0xd800 && code < 0xdc00 && lowSurrogate(bytes, at + 6) !== 0 ? at + 12 : at + 6;
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

/** The low surrogate escaped at `at`, or 0 if there is none. No backslash follows a valid string. */
function lowSurrogate(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== 0x75) return 0;
  const code = hex4(bytes, at + 2);
  return code >= 0xdc00 && code <= 0xdfff ? code : 0;
}
