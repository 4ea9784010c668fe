/** Gives records of JSON as documents, with their faults: one value, or the elements of an array. */
import type { TextSink } from '../../../blocks/documents.js';
import { FieldValues, MOST_VALUE_BYTES } from '../../../blocks/fieldValues.js';
import { holdsReplacement, isUtf8, startAfterMark } from '../../bytes/encodings.js';
import { MOST_ID_BYTES, type ReadBuffers, type ReadParams } from '../../documentSink.js';
import { betweenTexts } from '../fields.js';
import { COLON, type JsonField, OPEN_ARRAY, QUOTE } from './jsonScanner.js';
import { decodeJsonString, STEP_BYTES } from './jsonStrings.js';
import { isString, RecordScanner } from './recordScanner.js';

/** Whether the bytes contain the key with a colon after it (blanks between them allowed). */
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
  /** The scanner of the emitted values; it is positioned behind the last one. */
  readonly scanner: RecordScanner;
  /** Null: no further fields are read. */
  readonly #fields: JsonFields | null;
  readonly #maxDocument: number;
  readonly #sink: TextSink;
  readonly #strings: Uint8Array;
  /** At most as long as the quotes of a string. */
  readonly #between: Uint8Array;
  readonly #transcoded: boolean;
  /** Names of text fields as in a record, with their quotes. */
  readonly #textKeys: readonly Uint8Array[];
  #idBytes = new Uint8Array(256);

  constructor(params: ReadParams, sink: TextSink, buffers: ReadBuffers) {
    const { fields = [] } = params;
    this.scanner = new RecordScanner(params.textField, params.idField, fields);
    this.#fields = fields.length === 0 ? null : new JsonFields(fields.length);
    this.#maxDocument = params.maxDocument;
    this.#sink = sink;
    this.#strings = buffers.strings;
    this.#between = Buffer.from(betweenTexts(params));
    this.#transcoded = !isUtf8(params.encoding);
    this.#textKeys = this.scanner.textKeys.map((key) => new TextEncoder().encode(JSON.stringify(key)));
  }

  /** Emits one line, without its line feed. A blank line is not a record. */
  line(file: number, record: number, bytes: Uint8Array, from: number, to: number): void {
    const start = this.scanner.skipSpace(bytes, from, to);
    if (start === to) return;
    const end = this.scanner.scan(bytes, start, to);
    if (end < 0 || this.scanner.skipSpace(bytes, end, to) !== to) {
      this.#sink.skip(file, record, 'JSON_BROKEN', null);
    } else this.emit(file, record, bytes);
  }

  /**
   * Emits a whole file: one object (record -1) or an array of objects (record = index), perhaps after a byte
   * order mark. The whole file is validated before any record is emitted: a broken file is skipped
   * JSON_BROKEN.
   *
   * @param orText whether a file without the text field is a text: then the result is false and nothing was
   * emitted. A broken file is a text too, unless it has the field's name as a key.
   */
  file(file: number, bytes: Uint8Array, orText: boolean): boolean {
    const scanner = this.scanner;
    const to = bytes.length;
    const start = scanner.skipSpace(bytes, startAfterMark(bytes), to);
    const array = bytes[start] === OPEN_ARRAY;
    let someText = false;
    const look = (): boolean => {
      someText ||= scanner.hasText(bytes);
      return true;
    };
    const end = array ? scanner.elements(bytes, start, to, look) : scanner.scan(bytes, start, to);
    if (!array) look();
    const valid = end >= 0 && scanner.skipSpace(bytes, end, to) === to;
    if (orText && !(valid && someText)) {
      // A truncated or badly edited record is still a record, not a text.
      if (valid || !this.#textKeys.some((key) => holdsKey(bytes, key))) return false;
    }
    if (!valid) this.#sink.skip(file, -1, 'JSON_BROKEN', null);
    else if (!array) this.emit(file, -1, bytes);
    else
      scanner.elements(bytes, start, to, (index) => {
        this.emit(file, index, bytes);
        return true;
      });
    return true;
  }

  /** Whether records are given with the values of fields. */
  get givesFields(): boolean {
    return this.#fields !== null;
  }

  /** Gives the fields of a line that is known to be a record, right before the caller emits it. */
  fieldsOfLine(bytes: Uint8Array, from: number, to: number): void {
    this.scanner.scan(bytes, from, to, true);
    this.giveFields(bytes);
  }

  /** Gives the fields of the record just scanned, right before it is emitted. */
  giveFields(bytes: Uint8Array): void {
    if (this.#fields !== null) this.#sink.fields?.(this.#fields.of(this.scanner, bytes));
  }

  /** Emits the record or element just scanned, or its fault. */
  emit(file: number, record: number, bytes: Uint8Array): void {
    const { text, isPlain, isObject } = this.scanner;
    if (!isObject) {
      this.#sink.skip(file, record, 'JSON_NOT_AN_OBJECT', null);
      return;
    }
    const id = this.scanner.idIn(bytes);
    const idBytes = isMissing(bytes, id) || isBadId(bytes, id) ? null : this.#idOf(bytes, id);
    const badId = idBytes === null && !isMissing(bytes, id);
    const strings = isPlain && isString(bytes, text) ? [text] : this.scanner.strings(bytes);
    if (strings === null) {
      this.#sink.skip(file, record, 'JSON_NO_TEXT', idBytes);
      return;
    }
    if (badId) {
      this.#sink.skip(file, record, 'JSON_BAD_ID', null);
      return;
    }
    this.giveFields(bytes);
    if (strings.length === 1 && !strings[0]!.escaped) {
      const plain = bytes.subarray(strings[0]!.from + 1, strings[0]!.to - 1);
      this.#emitWhole(file, record, plain, idBytes, this.#transcoded && holdsReplacement(plain));
    } else this.#emitStrings(file, record, bytes, strings, idBytes);
  }

  #emitWhole(file: number, record: number, text: Uint8Array, id: Uint8Array | null, repaired: boolean): void {
    if (text.length > this.#maxDocument) this.#sink.skip(file, record, 'TOO_LARGE', id);
    else this.#sink.whole(file, record, id, text, repaired);
  }

  #emitStrings(
    file: number,
    record: number,
    bytes: Uint8Array,
    strings: readonly JsonField[],
    id: Uint8Array | null,
  ): void {
    const replaced = ({ from, to }: JsonField): boolean => holdsReplacement(bytes.subarray(from, to));
    let repaired = this.#transcoded && strings.some(replaced);
    const most = strings.reduce((sum, { from, to }) => sum + to - from, 0);
    if (most > this.#strings.length) {
      this.#emitPieces(file, record, bytes, strings, id, repaired);
      return;
    }
    let at = 0;
    for (const { from, to } of strings) {
      if (at > 0) {
        this.#strings.set(this.#between, at);
        at += this.#between.length;
      }
      const text = decodeJsonString(bytes, from + 1, to - 1, this.#strings.subarray(at));
      at += text.written;
      repaired ||= text.repaired;
    }
    this.#emitWhole(file, record, this.#strings.subarray(0, at), id, repaired);
  }

  #emitPieces(
    file: number,
    record: number,
    bytes: Uint8Array,
    strings: readonly JsonField[],
    id: Uint8Array | null,
    isReplaced: boolean,
  ): void {
    if (!this.#sink.begin(file, record, id)) return;
    let size = 0;
    let repaired = isReplaced;
    for (const string of strings) {
      if (size > 0) {
        this.#sink.text(this.#between);
        size += this.#between.length;
      }
      const to = string.to - 1;
      for (let at = string.from + 1; at < to; ) {
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
    }
    this.#sink.end(repaired);
  }

  /** The bytes of an id that is a string or a number; null if there are too many. */
  #idOf(bytes: Uint8Array, id: JsonField): Uint8Array | null {
    const quotes = bytes[id.from] === QUOTE ? 1 : 0;
    const from = id.from + quotes;
    const to = id.to - quotes;
    // An escape is at most six times as long as its character.
    if (to - from > (id.escaped ? 6 * MOST_ID_BYTES : MOST_ID_BYTES)) return null;
    if (!id.escaped) return bytes.subarray(from, to);
    if (to - from > this.#idBytes.length) this.#idBytes = new Uint8Array(2 * (to - from));
    const { written } = decodeJsonString(bytes, from, to, this.#idBytes);
    return written > MOST_ID_BYTES ? null : this.#idBytes.subarray(0, written);
  }
}

const NULL = 0x6e;

/** A null counts as missing, and so does an empty text: the record is named by its place. */
function isMissing(bytes: Uint8Array, field: JsonField): boolean {
  if (field.from < 0 || bytes[field.from] === NULL) return true;
  return bytes[field.from] === QUOTE && field.to === field.from + 2;
}

/** Neither missing nor a string nor a number. */
function isBadId(bytes: Uint8Array, field: JsonField): boolean {
  if (isMissing(bytes, field) || isString(bytes, field)) return false;
  return !beginsNumber(bytes[field.from]!);
}

function beginsNumber(first: number): boolean {
  return first === MINUS || (first >= ZERO && first <= NINE);
}

const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const TRUE = 0x74;
const FALSE = 0x66;

/** Numbers of so many digits are exact as doubles. */
const EXACT_DIGITS = 15;

/** The values of fields of a record, for rules: numbers, texts, booleans as 0 and 1. */
class JsonFields {
  readonly #values: FieldValues;
  /** By field: a string with escapes, decoded. */
  readonly #decoded: Uint8Array[];

  /** @param fields their number, as the scanner has them */
  constructor(fields: number) {
    this.#values = new FieldValues(fields);
    this.#decoded = Array.from({ length: fields }, () => new Uint8Array(0));
  }

  /** The values of the object that the scanner has just scanned; valid until the next call. */
  of(scanner: RecordScanner, bytes: Uint8Array): FieldValues {
    const values = this.#values;
    values.clear();
    for (let i = 0; i < values.length; i++) {
      const held = scanner.otherIn(bytes, i);
      if (held.from >= 0) this.#set(i, bytes, held);
    }
    return values;
  }

  #set(field: number, bytes: Uint8Array, held: JsonField): void {
    const first = bytes[held.from]!;
    if (first === QUOTE) this.#setString(field, bytes, held);
    else if (first === TRUE || first === FALSE) this.#values.setNumber(field, first === TRUE ? 1 : 0);
    else if (beginsNumber(first)) this.#values.setNumber(field, numberIn(bytes, held.from, held.to));
  }

  #setString(field: number, bytes: Uint8Array, { from, to, escaped }: JsonField): void {
    if (!escaped) {
      this.#values.setText(field, bytes, from + 1, to - 1);
      return;
    }
    const room = Math.min(to - from, MOST_VALUE_BYTES + STEP_BYTES);
    if (this.#decoded[field]!.length < room) this.#decoded[field] = new Uint8Array(room);
    const { written } = decodeJsonString(bytes, from + 1, to - 1, this.#decoded[field]!);
    this.#values.setText(field, this.#decoded[field]!, 0, written);
  }
}

/** The number in JSON at this place. */
function numberIn(bytes: Uint8Array, from: number, to: number): number {
  if (to - from <= EXACT_DIGITS) {
    let value = 0;
    let at = from;
    for (; at < to && bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) value = 10 * value + bytes[at]! - ZERO;
    if (at === to) return value;
  }
  return Number(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1'));
}
