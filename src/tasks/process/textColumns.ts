/**
 * Columns of text engines: hex, which sorts as its bytes do, and base64 (RFC 4648). The decoders find the first wrong character;
 * those of the platform skip unknown characters, so that a wrong separator would pass for data.
 */

const NONE = 1 << 24;

/** The value of each digit by character code; NONE: the character is no digit. */
function digitsOf(alphabet: string): Int32Array {
  const digits = new Int32Array(256).fill(NONE);
  for (let i = 0; i < alphabet.length; i++) digits[alphabet.charCodeAt(i)] = i;
  return digits;
}

const HEX = '0123456789abcdef';
/** Lower case only: upper case sorts differently. */
const LOWER = digitsOf(HEX);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SIXES = digitsOf(ALPHABET);
/** By two characters, the second in the high byte: 12 bits, or WRONG. One lookup for two characters is 1.7 times as fast. */
const WRONG = 1 << 12;
const TWELVES = new Uint16Array(1 << 16).fill(WRONG);
for (let i = 0; i < 4096; i++) TWELVES[ALPHABET.charCodeAt(i >> 6) | (ALPHABET.charCodeAt(i & 63) << 8)] = i;
/** By 12 bits: the two characters. */
const PAIRS_FIRST = Uint8Array.from({ length: 4096 }, (_, i) => ALPHABET.charCodeAt(i >> 6));
const PAIRS_SECOND = Uint8Array.from({ length: 4096 }, (_, i) => ALPHABET.charCodeAt(i & 63));
const HEX_FIRST = Uint8Array.from({ length: 256 }, (_, i) => HEX.charCodeAt(i >> 4));
const HEX_SECOND = Uint8Array.from({ length: 256 }, (_, i) => HEX.charCodeAt(i & 15));
const PAD = 0x3d;
/** For columns of so many characters or more, the platform's coders are faster than ours. */
const LONG = 340;
/** The platform's coders use strings, which have a maximum length. */
const LONGEST = 1 << 28;

/** Memory for a decoded column, reused; a view of the same length stays the same object. */
export class DecodedColumn {
  view: Uint8Array = new Uint8Array(0);
  private bytes = Buffer.alloc(1 << 10);

  /** Makes room for so many bytes, and sets `view` to them. */
  room(bytes: number): Buffer {
    if (bytes > this.bytes.length) this.bytes = Buffer.alloc(2 * bytes);
    const { buffer, byteOffset } = this.bytes;
    if (this.view.length !== bytes || this.view.buffer !== buffer)
      this.view = new Uint8Array(buffer, byteOffset, bytes);
    return this.bytes;
  }
}

/** Decodes text[from..to). Returns -1, or where the first wrong character is; `to`: a digit is missing. */
export function fromHex(text: Uint8Array, from: number, to: number, into: DecodedColumn): number {
  const bytes = into.room((to - from) >> 1);
  let all = 0;
  for (let i = from, o = 0; i + 1 < to; i += 2) {
    const byte = (LOWER[text[i]!]! << 4) | LOWER[text[i + 1]!]!;
    all |= byte;
    bytes[o++] = byte;
  }
  if (all < 256 && (to - from) % 2 === 0) return -1;
  for (let i = from; i < to; i++) if (LOWER[text[i]!] === NONE) return i;
  return to;
}

/**
 * Decodes text[from..to), which must have padding, and zeros in unused bits. Returns -1, or where the first wrong character
 * is; `to`: characters are missing.
 */
export function fromBase64(text: Buffer, from: number, to: number, into: DecodedColumn): number {
  const length = to - from;
  const pads = length === 0 || text[to - 1] !== PAD ? 0 : text[to - 2] !== PAD ? 1 : 2;
  // The end of all quadruples without padding.
  const full = to - (pads > 0 ? 4 : 0);
  const bytes = into.room(length < 4 ? 0 : 3 * (length >> 2) - pads);
  if (
    length >= LONG &&
    length <= LONGEST &&
    isDecoded(text.toString('latin1', from, to), bytes, into.view.length)
  )
    return -1;
  let all = 0;
  let o = 0;
  for (let i = from; i + 3 < full; i += 4) {
    const high = TWELVES[text[i]! | (text[i + 1]! << 8)]!;
    const low = TWELVES[text[i + 2]! | (text[i + 3]! << 8)]!;
    all |= high | low;
    bytes[o] = high >> 4;
    bytes[o + 1] = (high << 4) | (low >> 8);
    bytes[o + 2] = low;
    o += 3;
  }
  if (all >= WRONG || length % 4 !== 0) return wrongBase64(text, from, to);
  if (pads === 0) return -1;
  const bits =
    (SIXES[text[full]!]! << 18) |
    (SIXES[text[full + 1]!]! << 12) |
    (pads === 1 ? SIXES[text[full + 2]!]! << 6 : 0);
  const isDigits = SIXES[text[full]!]! < 64 && SIXES[text[full + 1]!]! < 64;
  if (!isDigits || (pads === 1 && SIXES[text[full + 2]!]! >= 64)) return wrongBase64(text, from, to);
  if ((bits & (pads === 1 ? 0xff : 0xffff)) !== 0) return to - pads - 1;
  bytes[o++] = bits >> 16;
  if (pads === 1) bytes[o] = bits >> 8;
  return -1;
}

/** Decodes with the platform's decoder, which skips unknown characters; true: encoding the bytes again gives the text. */
function isDecoded(text: string, into: Buffer, length: number): boolean {
  return into.write(text, 0, 'base64') === length && into.toString('base64', 0, length) === text;
}

/** The first character outside the alphabet of base64, or else padding that is not at the end. */
function wrongBase64(text: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) if (SIXES[text[i]!] === NONE && text[i] !== PAD) return i;
  for (let i = from; i < to; i++) {
    if (SIXES[text[i]!]! >= 64 && !(text[i] === PAD && i >= to - 2 && (i === to - 1 || text[i + 1] === PAD)))
      return i;
  }
  return to;
}

/** Writes hex at `at`; returns where the hex ends. */
export function toHex(bytes: Uint8Array, into: Uint8Array, at: number): number {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    into[at] = HEX_FIRST[byte]!;
    into[at + 1] = HEX_SECOND[byte]!;
    at += 2;
  }
  return at;
}

export const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3);

/** Writes base64 at `at`; returns where the base64 ends. */
export function toBase64(bytes: Uint8Array, into: Buffer, at: number): number {
  const { length } = bytes;
  if (base64Length(length) >= LONG && length <= LONGEST) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('base64');
    return at + into.write(text, at, 'latin1');
  }
  let i = 0;
  for (; i + 2 < length; i += 3, at += 4) {
    const second = bytes[i + 1]!;
    const high = (bytes[i]! << 4) | (second >> 4);
    const low = ((second & 15) << 8) | bytes[i + 2]!;
    into[at] = PAIRS_FIRST[high]!;
    into[at + 1] = PAIRS_SECOND[high]!;
    into[at + 2] = PAIRS_FIRST[low]!;
    into[at + 3] = PAIRS_SECOND[low]!;
  }
  if (i === length) return at;
  const second = i + 1 < length ? bytes[i + 1]! : 0;
  const high = (bytes[i]! << 4) | (second >> 4);
  into[at] = PAIRS_FIRST[high]!;
  into[at + 1] = PAIRS_SECOND[high]!;
  into[at + 2] = i + 1 < length ? PAIRS_FIRST[(second & 15) << 8]! : PAD;
  into[at + 3] = PAD;
  return at + 4;
}
