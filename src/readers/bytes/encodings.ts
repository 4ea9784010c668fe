/**
 * Decodes texts in encodings other than UTF-8 to UTF-8.
 *
 * Pieces are decoded, so a text may be longer than the longest JavaScript string. windows-1252 (which `latin1`,
 * `ascii` and `iso-8859-1` mean on the web) has its own table here: the fast path of TextDecoder gives
 * control characters for the bytes 80 to 9F in some Node versions, and the same input must give the same
 * output on all. Source: WHATWG Encoding Standard, index windows-1252.
 */

import { writeCodePoint } from '../../text/unicode/utf8.js';

/** Bytes decoded at a time. */
const PIECE = 4 << 20;

const WINDOWS_1252_80_TO_9F =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

const encoder = new TextEncoder();

/** Whether a label that TextDecoder knows means UTF-8. */
export function isUtf8(label: string): boolean {
  return label === 'utf-8' || new TextDecoder(label).encoding === 'utf-8';
}

/** UTF-16 that begins with its byte order mark, by its name; null: something else. */
export function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head[0] !== 0xff || head[1] !== 0xfe) return null;
  // The same two bytes and two zeros begin UTF-32.
  return head.length >= 4 && head[2] === 0 && head[3] === 0 ? null : 'utf-16le';
}

/** A decoder that takes a text in pieces. A byte order mark at the start is dropped. */
interface PieceDecoder {
  /** The next piece as UTF-8, in new memory, with U+FFFD for bytes that cannot be decoded; `last` ends the text. */
  push(bytes: Uint8Array, last: boolean): Uint8Array;
}

/** A decoder for a label that TextDecoder knows. */
export function pieceDecoder(label: string): PieceDecoder {
  const decoder = new TextDecoder(label);
  if (decoder.encoding === 'windows-1252') return { push: encodeWindows1252 };
  return { push: (bytes, last) => encoder.encode(decoder.decode(bytes, { stream: !last })) };
}

/** Each byte is a character of at most 3 bytes in UTF-8; no byte is invalid. */
function encodeWindows1252(bytes: Uint8Array): Uint8Array {
  let size = bytes.length;
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) size += 2;
  const out = new Uint8Array(size);
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    const code = byte >= 0x80 && byte <= 0x9f ? WINDOWS_1252_80_TO_9F.charCodeAt(byte - 0x80) : byte;
    at = writeCodePoint(out, at, code);
  }
  return out.subarray(0, at);
}

/** A whole text in UTF-8, and whether it has U+FFFD, as for bytes that cannot be decoded. */
export function decoded(
  bytes: Uint8Array,
  label: string,
  pieceBytes = PIECE,
): { readonly text: Uint8Array; readonly repaired: boolean } {
  const decoder = pieceDecoder(label);
  const pieces: Uint8Array[] = [];
  for (let from = 0; from === 0 || from < bytes.length; from += pieceBytes) {
    const isLast = from + pieceBytes >= bytes.length;
    pieces.push(decoder.push(bytes.subarray(from, from + pieceBytes), isLast));
  }
  const text = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  return { text, repaired: holdsReplacement(text) };
}

/** Whether UTF-8 bytes contain U+FFFD itself. */
export function holdsReplacement(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) return true;
  }
  return false;
}

/** 3 after a UTF-8 byte order mark, else 0. */
export function startAfterMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
