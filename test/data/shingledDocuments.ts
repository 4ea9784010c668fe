/**
 * Documents for property tests: bytes and texts with everything in them that could go wrong, and ways to cut
 * them.
 */
import fc from 'fast-check';

import type { ShingleParams } from '../../src/text/shingles.js';

/**
 * Code points that meet every rule: words, blanks and line ends of all kinds, marks of several combining
 * classes, jamo and Hangul syllables, what NFC replaces, scripts without blanks, cases with odd lower cases,
 * unassigned code points, default-ignorable ones.
 */
const CODE_POINTS = [
  0x61, 0x62, 0x5a, 0x31, 0x20, 0x20, 0x0a, 0x0d, 0x09, 0x00, 0x2e, 0x27, 0x41, 0x45, 0x65, 0x6f, 0x73, 0x85,
  0xa0, 0x1680, 0x2003, 0x2028, 0x2029, 0x3000, 0x2000, 0xfeff, 0x200b, 0xfffd, 0xc5, 0xe9, 0xdf, 0x130,
  0x131, 0x1e9e, 0x3a3, 0x3c2, 0x212a, 0x2126, 0x212b, 0x1f80, 0x10400, 0x1e921, 0x300, 0x301, 0x307, 0x30a,
  0x323, 0x327, 0x338, 0x345, 0x340, 0x344, 0x34f, 0x591, 0x5b0, 0x93c, 0x903, 0x1100, 0x1112, 0x1161, 0x1175,
  0x11a8, 0x11c2, 0xac00, 0xac01, 0xd7a3, 0xd7b0, 0xd7cb, 0x1113, 0x915, 0x958, 0x9c7, 0x9be, 0x9cb, 0xb47,
  0xb56, 0xdd9, 0xdcf, 0xdca, 0x1026, 0x102e, 0x1025, 0x1b05, 0x1b35, 0x4e00, 0x7ae0, 0xf900, 0x2f800, 0x3042,
  0x304b, 0x3099, 0x309a, 0x30ab, 0x30fc, 0xff76, 0x3005, 0x3007, 0xe01, 0xe31, 0xe32, 0xe48, 0xe81, 0x1780,
  0x17d2, 0x1000, 0x103a, 0x663, 0x2160, 0x24b6, 0x1d165, 0x1d158, 0x378, 0x10ffff, 0xe000, 0x1f600, 0x110bb,
  0x11099, 0x110ba, 0x1c80, 0xad, 0x200d, 0x2060, 0xfe0f, 0x115f, 0x1160, 0xe0001,
];

/** A text without its default-ignorable code points, which are no part of canonical text; U+200B stays. */
export function withoutIgnorable(text: string): string {
  return text.replace(/(?!\u200b)\p{Default_Ignorable_Code_Point}/gu, '');
}

export const texts = fc
  .array(fc.constantFrom(...CODE_POINTS), { maxLength: 60 })
  .map((codePoints) => String.fromCodePoint(...codePoints));

const BYTES = [
  0x61, 0x20, 0x0a, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xcc, 0x81, 0xdf, 0xe0, 0xe1, 0xed,
  0xef, 0xbb, 0xf0, 0xf1, 0xf4, 0xf5, 0xff,
];

/** Bytes of which nearly every sequence is broken somewhere. */
export const hostileBytes = fc
  .array(fc.constantFrom(...BYTES), { maxLength: 40 })
  .map((bytes) => Uint8Array.from(bytes));

export const documents = fc.oneof(
  texts.map((text) => new TextEncoder().encode(text)),
  hostileBytes,
  fc.uint8Array({ maxLength: 60 }),
);

/** Pieces of a document; cuts are fractions of its length. */
export const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

export function piecesOf(bytes: Uint8Array, fractions: readonly number[]): Uint8Array[] {
  const places = fractions.map((fraction) => Math.round(fraction * bytes.length)).sort((a, b) => a - b);
  const ends = [...places, bytes.length];
  return ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1]!, end));
}

export const shingleParams: fc.Arbitrary<ShingleParams> = fc.record({
  unit: fc.constantFrom('words', 'chars', 'bytes', 'lines', 'stopwords'),
  size: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(31, 32, 33, 63)),
  bag: fc.boolean(),
  stopWords: fc.constant(['a', 'b', 'the', 'aa', 'é', '一']),
  seed: fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
});

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
