/** Decodes code points from user input, and encodes them (WHATWG Encoding, UTF-8 decoder). */

/** Flag of a decoded code point: its bytes were invalid, and it is U+FFFD. */
export const INVALID: u32 = 0x80000000;
const REPLACEMENT: u32 = INVALID | 0xfffd;
/** The bits of the code point; above them the number of bytes read, 1..4. */
export const CODE_POINT: u32 = 0x1fffff;
export const LENGTH_SHIFT: u32 = 24;

function isContinuation(byte: u32): bool {
  return (byte & 0xc0) === 0x80;
}

function replacement(bytes: u32): u32 {
  return REPLACEMENT | (bytes << LENGTH_SHIFT);
}

/**
 * The code point that begins at `at`: code point | bytes << 24. With INVALID, the bytes (the longest prefix of a valid sequence, at
 * least one byte) are replaced. Bytes from `end` on are not text.
 */
export function textDecode(at: usize, end: usize): u32 {
  const lead = <u32>load<u8>(at);
  if (lead < 0x80) return (1 << LENGTH_SHIFT) | lead;
  const left = end - at;
  if (lead < 0xc2 || lead > 0xf4 || left < 2) return replacement(1);
  const second = <u32>load<u8>(at, 1);
  if (!isContinuation(second)) return replacement(1);
  if (lead < 0xe0) return (2 << LENGTH_SHIFT) | ((lead & 31) << 6) | (second & 63);
  // The bounds of the second byte exclude overlong forms, surrogates and code points above U+10FFFF.
  if (lead === 0xe0 ? second < 0xa0 : lead === 0xed ? second > 0x9f : false) return replacement(1);
  if (lead === 0xf0 ? second < 0x90 : lead === 0xf4 ? second > 0x8f : false) return replacement(1);
  if (left < 3) return replacement(2);
  const third = <u32>load<u8>(at, 2);
  if (!isContinuation(third)) return replacement(2);
  const upper = ((second & 63) << 6) | (third & 63);
  if (lead < 0xf0) return (3 << LENGTH_SHIFT) | ((lead & 15) << 12) | upper;
  if (left < 4) return replacement(3);
  const fourth = <u32>load<u8>(at, 3);
  if (!isContinuation(fourth)) return replacement(3);
  return (4 << LENGTH_SHIFT) | ((lead & 7) << 18) | (upper << 6) | (fourth & 63);
}

/** The code point of the first two of four bytes. */
export function pairIn(bytes: u32): u32 {
  return ((bytes & 31) << 6) | ((bytes >> 8) & 63);
}

/** Whether four bytes begin with a valid sequence of three; false for a few valid ones, too. */
export function isPlainTriple(bytes: u32): bool {
  if ((bytes & 0xc0c0f0) !== 0x8080e0) return false;
  // After the lead 0xe0 a second byte below 0xa0 is an overlong form; the lead 0xed also begins surrogates.
  return (bytes & 0x20ff) !== 0xe0 && (bytes & 0xff) !== 0xed;
}

/** The code point of the first three of four bytes, in the form of textDecode. */
export function tripleIn(bytes: u32): u32 {
  return (3 << LENGTH_SHIFT) | ((bytes & 15) << 12) | (((bytes >> 8) & 63) << 6) | ((bytes >> 16) & 63);
}

/** The code point beyond ASCII at `at` in valid UTF-8: code point | bytes << 24. */
export function decodeValid(at: usize): u32 {
  const lead = <u32>load<u8>(at);
  const second = <u32>load<u8>(at, 1) & 63;
  if (lead < 0xe0) return (2 << LENGTH_SHIFT) | ((lead & 31) << 6) | second;
  const upper = (second << 6) | (<u32>load<u8>(at, 2) & 63);
  if (lead < 0xf0) return (3 << LENGTH_SHIFT) | ((lead & 15) << 12) | upper;
  return (4 << LENGTH_SHIFT) | ((lead & 7) << 18) | (upper << 6) | (<u32>load<u8>(at, 3) & 63);
}

/** Writes a code point; returns the position after it. */
export function writeUtf8(at: usize, codePoint: u32): usize {
  if (codePoint < 0x80) {
    store<u8>(at, codePoint);
    return at + 1;
  }
  if (codePoint < 0x800) {
    store<u8>(at, 0xc0 | (codePoint >> 6));
    store<u8>(at, 0x80 | (codePoint & 63), 1);
    return at + 2;
  }
  if (codePoint < 0x10000) {
    store<u8>(at, 0xe0 | (codePoint >> 12));
    store<u8>(at, 0x80 | ((codePoint >> 6) & 63), 1);
    store<u8>(at, 0x80 | (codePoint & 63), 2);
    return at + 3;
  }
  store<u8>(at, 0xf0 | (codePoint >> 18));
  store<u8>(at, 0x80 | ((codePoint >> 12) & 63), 1);
  store<u8>(at, 0x80 | ((codePoint >> 6) & 63), 2);
  store<u8>(at, 0x80 | (codePoint & 63), 3);
  return at + 4;
}
