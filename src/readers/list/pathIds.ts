/**
 * Ids and locations of documents, from paths, and back to bytes.
 *
 * Names of files are bytes that need not be UTF-8, so paths and ids are binary strings here: every char code is one byte. Their order by
 * char code is the order by bytes.
 */

import type { IdTable } from '../../blocks/ids.js';
import { utf8SequenceLength } from '../../text/unicode/utf8.js';

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The UTF-8 bytes of a text as a binary string. */
export function binaryOf(text: string): string {
  return binaryOfBytes(utf8.encode(text));
}

/** Bytes as a binary string. */
export function binaryOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes of a binary string. @internal */
export function bytesOf(binary: string): Buffer {
  return Buffer.from(binary, 'latin1');
}

/**
 * A binary string decoded as UTF-8, with U+FFFD for other bytes: for globs and messages, not for opening files.
 */
export function textOf(binary: string): string {
  return decoder.decode(bytesOf(binary));
}

/** An id (binary string) as text: UTF-8, `\` doubled, `\xNN` for bytes that are not UTF-8. Control characters stay. */
export function idText(id: string): string {
  return textWith(bytesOf(id.replaceAll('\\', '\\\\')), (byte) => `\\x${byte.toString(16)}`);
}

/** Bytes decoded as UTF-8, with the text of `other` for each byte that is not valid. */
function textWith(bytes: Uint8Array, other: (byte: number) => string): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, bytes.length);
    if (length > 0) {
      at += length;
      continue;
    }
    text += decoder.decode(bytes.subarray(from, at)) + other(bytes[at]!);
    from = ++at;
  }
  return text + decoder.decode(bytes.subarray(from));
}

/** The order of binary strings: that of their bytes. */
export function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Last component of a path; of `/` it is the empty string. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder that a path is in; of a path in `/`, and of `/` itself, `/`. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** `folder/relative`, where either may be empty and the folder may be the file system's root. */
export function joinPath(folder: string, relative: string): string {
  if (relative === '') return folder;
  if (folder === '') return relative;
  return folder.endsWith('/') ? folder + relative : `${folder}/${relative}`;
}

/**
 * The prefixes of the relative paths of several PATHs, which keep equal names in two of them apart:
 * the last n components of the absolute path, n the least number (the same for all) with which no two of them
 * can have a file of the same id. Of a single PATH it is the empty string. The answer does not depend on the order of the
 * PATHs.
 *
 * @param absolutes distinct absolute paths; `-` (standard input) is a path of one component
 * @example rootPrefixes(['/data/a/mail', '/data/b/mail']) is ['a/mail', 'b/mail']
 */
export function rootPrefixes(absolutes: readonly string[]): string[] {
  if (absolutes.length < 2) return absolutes.map(() => '');
  const parts = absolutes.map((path) => path.split('/').filter((part) => part !== ''));
  const deepest = parts.reduce((most, list) => Math.max(most, list.length), 1);
  for (let n = 1; n < deepest; n++) {
    const suffixes = parts.map((list) => list.slice(-n).join('/'));
    if (areApart(suffixes)) return suffixes;
  }
  const whole = parts.map((list) => list.join('/'));
  return new Set(whole).size === whole.length ? whole : [...absolutes];
}

/** Whether no prefix is another one, or a folder of it: `p` of a PATH /p, which has no more, and `p/x` of /a/p/x. */
function areApart(prefixes: readonly string[]): boolean {
  const all = new Set(prefixes);
  if (all.size < prefixes.length) return false;
  return prefixes.every((prefix) => {
    for (let at = prefix.indexOf('/'); at >= 0; at = prefix.indexOf('/', at + 1)) {
      if (all.has(prefix.slice(0, at))) return false;
    }
    return true;
  });
}

/*
 * Ids of documents as the strings of the library, and back to bytes.
 *
 * An id is bytes, because names of files are; in the library it is a string. A byte that is not valid UTF-8 becomes the lone surrogate
 * U+DC00 + byte (U+DC80..U+DCFF, like `surrogateescape` of Python), so that ids stay distinct and can be turned back to bytes. Any other
 * lone surrogate becomes U+FFFD.
 */

const SURROGATE = 0xdc00;
/** A lone one: with the flag u a pair is one character. */
const LONE_BYTE = /[\udc80-\udcff]/u;
const LONE_BYTES = /([\udc80-\udcff]+)/u;
const NOT_ASCII = /[^\0-\x7f]/;

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function idOfBytes(bytes: Uint8Array): string {
  // A copy where memory is shared: decoders refuse that.
  const own = bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice();
  try {
    return strictDecoder.decode(own);
  } catch {
    return textWith(own, (byte) => String.fromCharCode(SURROGATE + byte));
  }
}

/** The id of a binary string: every char code is a byte. */
export function idOfBinary(binary: string): string {
  return NOT_ASCII.test(binary) ? idOfBytes(bytesOf(binary)) : binary;
}

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

/*
 * Locations: `path` for a document that is a file, `path#number` for a record of one.
 *
 *      a.jsonl#3     the third line of a.jsonl, or a file of that name?
 *
 * If both exist, the file is `a.jsonl#3#`: the last `#` is followed by the number of a record, or by nothing for the whole file. For the
 * same reason a file whose name ends in `#` has one more: `c#` is `c##`. So locations are unique, and of all other files the location is
 * the id.
 */

/** Number of a document that is a whole file, and of one whose location is marked by `#`. */
const WHOLE = -1;
const MARKED_WHOLE = -2;

const HASH = 0x23;

/**
 * The number of a record in its location, from 1; readers count from 0 in each split. `before`: records of earlier splits of the file,
 * 0 if readers count through the file. A whole file has WHOLE or MARKED_WHOLE.
 */
export function numberInPlace(record: number, before: number, isMarked: boolean): number {
  if (record >= 0) return before + record + 1;
  return isMarked ? MARKED_WHOLE : WHOLE;
}

/** The part of a location after the id of the file. */
export function placeEnd(number: number): string {
  if (number === WHOLE) return '';
  return number === MARKED_WHOLE ? '#' : `#${number}`;
}

/** The files that a location may be in: all of it, without the number of a paragraph or line, and without that of a record. */
export function filesOfPlace(place: string): readonly string[] {
  const document = place.replace(/#[pl]\d+$/, '');
  return [place, document, document.replace(/#\d*$/, '')];
}

/** The position of the last `#` of an id if only digits follow, or nothing; else -1. */
function numberAt({ offsets, bytes }: IdTable, index: number): number {
  let at = offsets[index + 1]! - 1;
  while (at >= offsets[index]! && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at--;
  return at >= offsets[index]! && bytes[at] === HASH ? at : -1;
}

/**
 * By file: 1 if its id ends in `#`, or looks like the location of a record of another file. Null: there is none, which is usual.
 *
 * @param find the file with an id; -1: none. Called only for an id that looks like a place
 * @param isDocument the file is one document, so that its location has no number
 */
export function markedFiles(
  ids: IdTable,
  find: (id: Uint8Array) => number,
  isDocument: (file: number) => boolean,
): Uint8Array | null {
  let marked: Uint8Array | null = null;
  for (let index = 0; index + 1 < ids.offsets.length; index++) {
    const at = numberAt(ids, index);
    if (at < 0) continue;
    if (at + 1 < ids.offsets[index + 1]!) {
      const other = find(ids.bytes.subarray(ids.offsets[index]!, at));
      if (other < 0 || isDocument(other)) continue;
    }
    marked ??= new Uint8Array(ids.offsets.length - 1);
    marked[index] = 1;
  }
  return marked;
}
