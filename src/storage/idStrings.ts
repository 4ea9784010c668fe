/**
 * Ids of documents as the strings of the library, and back to bytes.
 *
 * Floor 2. An id is bytes, because names of files are; a string of the library is its text. A byte that is no part of
 * valid UTF-8 becomes the lone surrogate U+DC00 + byte (U+DC80..U+DCFF, as `surrogateescape` of Python does), so that ids
 * stay apart and can be asked for again. Any other lone surrogate becomes U+FFFD on its way to bytes.
 */
import { binaryOf, bytesOf } from './ids.js';
import { utf8SequenceLength } from './results/escaping.js';

const SURROGATE = 0xdc00;
/** A lone one: with the flag u a pair is one character. */
const LONE_BYTE = /[\udc80-\udcff]/u;
const LONE_BYTES = /([\udc80-\udcff]+)/u;
const NOT_ASCII = /[^\0-\x7f]/;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The id of bytes. */
export function idOfBytes(bytes: Uint8Array): string {
  // A copy where memory is shared: decoders refuse that.
  const own = bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice();
  try {
    return decoder.decode(own);
  } catch {
    return piecewise(own);
  }
}

/** The id of a binary string: every char code is a byte. */
export function idOfBinary(binary: string): string {
  return NOT_ASCII.test(binary) ? idOfBytes(bytesOf(binary)) : binary;
}

function piecewise(bytes: Uint8Array): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, bytes.length);
    if (length > 0) {
      at += length;
      continue;
    }
    text += decoder.decode(bytes.subarray(from, at)) + String.fromCharCode(SURROGATE + bytes[at]!);
    from = ++at;
  }
  return text + decoder.decode(bytes.subarray(from));
}

/** The bytes of an id as a binary string. */
export function binaryOfId(id: string): string {
  if (!NOT_ASCII.test(id)) return id;
  if (!LONE_BYTE.test(id)) return binaryOf(id);
  const parts = id.split(LONE_BYTES);
  return parts
    .map((part, i) =>
      i % 2 === 0
        ? binaryOf(part)
        : part.replace(/./gsu, (lone) => String.fromCharCode(lone.charCodeAt(0) - SURROGATE)),
    )
    .join('');
}
