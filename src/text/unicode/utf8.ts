/**
 * Reads and writes UTF-8 in a byte array, one code point at a time, without checks: callers pass output of canonicalText.ts.
 */

/** Bytes of the code point that starts with `lead`: 1..4. */
export function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The code point that starts at `at` in valid UTF-8. */
export function codePointAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return lead;
  const second = bytes[at + 1]! & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = bytes[at + 2]! & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f);
}

/** Writes a code point (not a surrogate) at `at`, where 4 bytes must be free; returns the position after it. */
export function writeCodePoint(out: Uint8Array, at: number, codePoint: number): number {
  if (codePoint < 0x80) {
    out[at++] = codePoint;
    return at;
  }
  if (codePoint < 0x800) {
    out[at++] = 0xc0 | (codePoint >> 6);
  } else {
    if (codePoint < 0x10000) {
      out[at++] = 0xe0 | (codePoint >> 12);
    } else {
      out[at++] = 0xf0 | (codePoint >> 18);
      out[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
    }
    out[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
  }
  out[at++] = 0x80 | (codePoint & 0x3f);
  return at;
}

/**
 * Length of the valid UTF-8 sequence that starts at `at` and ends before `to`: 2..4, or 0 if it is invalid (RFC 3629: no overlong
 * forms, no surrogates, nothing above U+10FFFF). Only for a first byte >= 0x80.
 */
export function utf8SequenceLength(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at]!;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > to) return 0;
  const second = bytes[at + 1]!;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i = 2; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  return length;
}
