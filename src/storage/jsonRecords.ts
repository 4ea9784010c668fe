/**
 * From JSON records to documents. Floor 2; must never know files, lines or ranges, only the bytes of a
 * record.
 */
import type { ErrorCode } from '../errors.js';
import { holdsReplacement, isUtf8 } from './encodings.js';
import { type JsonField, JsonScanner } from './jsonScanner.js';
import { decodeJsonString } from './jsonStrings.js';
import { type DocumentSink, MOST_ID_BYTES, type ReadBuffers, type ReadParams } from './readerSink.js';

const QUOTE = 0x22;
const COLON = 0x3a;

/** Whether the key stands somewhere in the bytes with a colon after it (blanks between them allowed). */
function holdsKey(bytes: Uint8Array, key: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
    let after = at + key.length;
    while (after < text.length && text[after]! <= 0x20) after++;
    if (text[after] === COLON) return true;
  }
  return false;
}

export class JsonRecords {
  /** Of the values given; it stands behind the one it scanned last. */
  readonly scanner: JsonScanner;
  readonly #maxDocument: number;
  readonly #sink: DocumentSink;
  readonly #strings: Uint8Array;
  readonly #transcoded: boolean;
  /** The text field's name as it stands in a record, with its quotes. */
  readonly #textKey: Uint8Array;
  #idBytes = new Uint8Array(256);

  constructor(params: ReadParams, sink: DocumentSink, buffers: ReadBuffers) {
    this.scanner = new JsonScanner(params.textField, params.idField);
    this.#maxDocument = params.maxDocument;
    this.#sink = sink;
    this.#strings = buffers.strings;
    this.#transcoded = !isUtf8(params.encoding);
    this.#textKey = new TextEncoder().encode(JSON.stringify(params.textField));
  }

  /** One line, the line feed not included. A blank line is no record. */
  line(file: number, record: number, bytes: Uint8Array, from: number, to: number): void {
    const start = this.scanner.skipSpace(bytes, from, to);
    if (start === to) return;
    const end = this.scanner.scan(bytes, start, to);
    if (end < 0 || this.scanner.skipSpace(bytes, end, to) !== to) {
      this.#sink.skip(file, record, 'JSON_BROKEN', null);
    } else this.#emit(file, record, bytes);
  }

  /**
   * A whole file: one object (record -1) or an array of objects (record = index), perhaps after a byte order
   * mark. It is validated as a whole before anything of it is given: a broken file is skipped JSON_BROKEN.
   *
   * @param orText whether a file without the text field is a text: then false is returned and nothing was
   * given. A broken file is a text too, unless it has the field's name as a key.
   */
  file(file: number, bytes: Uint8Array, orText: boolean): boolean {
    const scanner = this.scanner;
    const to = bytes.length;
    const start = scanner.skipSpace(bytes, startAfterMark(bytes), to);
    const array = bytes[start] === 0x5b;
    let found = 0;
    const end = array
      ? this.#elements(bytes, start, () => {
          if (hasText(scanner, bytes)) found++;
        })
      : scanner.scan(bytes, start, to);
    const valid = end >= 0 && scanner.skipSpace(bytes, end, to) === to;
    if (orText && !(valid && (array ? found > 0 : hasText(scanner, bytes)))) {
      // Cut off or mended badly, it still is a record, and no text that somebody wrote.
      if (valid || !holdsKey(bytes, this.#textKey)) return false;
    }
    if (!valid) this.#sink.skip(file, -1, 'JSON_BROKEN', null);
    else if (array) this.#elements(bytes, start, (index) => this.#emit(file, index, bytes));
    else this.#emit(file, -1, bytes);
    return true;
  }

  /** Gives the element just scanned, or names why it is no record. */
  emitElement(file: number, index: number, bytes: Uint8Array): void {
    this.#emit(file, index, bytes);
  }

  /**
   * Calls back after the scan of every element; returns the position after the array, or -1 where it is
   * broken.
   */
  #elements(bytes: Uint8Array, start: number, each: (index: number) => void): number {
    const scanner = this.scanner;
    const to = bytes.length;
    let at = scanner.skipSpace(bytes, start + 1, to);
    if (bytes[at] === 0x5d) return at + 1;
    for (let index = 0; ; index++) {
      at = scanner.scan(bytes, at, to);
      if (at < 0) return -1;
      each(index);
      at = scanner.skipSpace(bytes, at, to);
      const byte = bytes[at++];
      if (byte === 0x5d) return at;
      if (byte !== 0x2c) return -1;
    }
  }

  /** Gives the record just scanned, or names why it is none. */
  #emit(file: number, record: number, bytes: Uint8Array): void {
    const { text, id, isObject } = this.scanner;
    if (!isObject) {
      this.#sink.skip(file, record, 'JSON_NOT_AN_OBJECT', null);
      return;
    }
    const idBytes = isMissing(bytes, id) || isBadId(bytes, id) ? null : this.#idOf(bytes, id);
    const badId = idBytes === null && !isMissing(bytes, id);
    const code: ErrorCode | null = !isString(bytes, text) ? 'JSON_NO_TEXT' : badId ? 'JSON_BAD_ID' : null;
    if (code !== null) this.#sink.skip(file, record, code, idBytes);
    else if (text.escaped) this.#emitEscaped(file, record, bytes, idBytes);
    else {
      const plain = bytes.subarray(text.from + 1, text.to - 1);
      this.#emitWhole(file, record, plain, idBytes, this.#transcoded && holdsReplacement(plain));
    }
  }

  #emitWhole(file: number, record: number, text: Uint8Array, id: Uint8Array | null, repaired: boolean): void {
    if (text.length > this.#maxDocument) this.#sink.skip(file, record, 'TOO_LARGE', id);
    else this.#sink.whole(file, record, id, text, repaired);
  }

  #emitEscaped(file: number, record: number, bytes: Uint8Array, id: Uint8Array | null): void {
    const to = this.scanner.text.to - 1;
    let at = this.scanner.text.from + 1;
    let size = 0;
    let repaired = this.#transcoded && holdsReplacement(bytes.subarray(at, to));
    if (to - at <= this.#strings.length) {
      const text = decodeJsonString(bytes, at, to, this.#strings);
      this.#emitWhole(file, record, this.#strings.subarray(0, text.written), id, repaired || text.repaired);
      return;
    }
    if (!this.#sink.begin(file, record, id)) return;
    while (at < to) {
      const piece = decodeJsonString(bytes, at, to, this.#strings);
      at = piece.at;
      size += piece.written;
      repaired ||= piece.repaired;
      if (size > this.#maxDocument) {
        this.#sink.skip(file, record, 'TOO_LARGE', id);
        return;
      }
      this.#sink.text(this.#strings.subarray(0, piece.written));
    }
    this.#sink.end(repaired);
  }

  /** The bytes of an id that is a string or a number; null where they are too many. */
  #idOf(bytes: Uint8Array, id: JsonField): Uint8Array | null {
    const quotes = bytes[id.from] === QUOTE ? 1 : 0;
    const from = id.from + quotes;
    const to = id.to - quotes;
    // An escape is at most six times as long as what it stands for.
    if (to - from > (id.escaped ? 6 * MOST_ID_BYTES : MOST_ID_BYTES)) return null;
    if (!id.escaped) return bytes.subarray(from, to);
    if (to - from > this.#idBytes.length) this.#idBytes = new Uint8Array(2 * (to - from));
    const { written } = decodeJsonString(bytes, from, to, this.#idBytes);
    return written > MOST_ID_BYTES ? null : this.#idBytes.subarray(0, written);
  }
}

/** 3 after a UTF-8 byte order mark, else 0. */
export function startAfterMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Whether the value just scanned is an object with a text. */
export function hasText({ text }: JsonScanner, bytes: Uint8Array): boolean {
  return isString(bytes, text);
}

function isString(bytes: Uint8Array, field: JsonField): boolean {
  return field.from >= 0 && bytes[field.from] === QUOTE;
}

/** A null counts as missing, and so does an empty text, which names nothing: the record is called after its place. */
function isMissing(bytes: Uint8Array, field: JsonField): boolean {
  if (field.from < 0 || bytes[field.from] === 0x6e) return true;
  return bytes[field.from] === QUOTE && field.to === field.from + 2;
}

/** Neither missing nor a string nor a number, which begins with a minus or a digit. */
function isBadId(bytes: Uint8Array, field: JsonField): boolean {
  if (isMissing(bytes, field) || isString(bytes, field)) return false;
  const first = bytes[field.from]!;
  return first !== 0x2d && !(first >= 0x30 && first <= 0x39);
}
