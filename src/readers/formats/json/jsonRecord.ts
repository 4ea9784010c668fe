/** Gives records of JSON as documents, with their faults: one value, or the elements of an array. */
import type { TextSink } from '../../../blocks/documents.js';
import { FieldValues, MOST_VALUE_BYTES } from '../../../blocks/fieldValues.js';
import { startAfterMark } from '../../bytes/encodings.js';
import type { ReadBuffers, ReadParams } from '../../documentSink.js';
import { RecordGiver, type RecordId } from '../recordGiver.js';
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
  readonly #sink: TextSink;
  readonly #giver: RecordGiver;
  /** Names of text fields as in a record, with their quotes. */
  readonly #textKeys: readonly Uint8Array[];

  constructor(params: ReadParams, sink: TextSink, buffers: ReadBuffers) {
    const { fields = [] } = params;
    this.scanner = new RecordScanner(params.textField, params.idField, fields);
    this.#fields = fields.length === 0 ? null : new JsonFields(fields.length);
    this.#sink = sink;
    this.#giver = new RecordGiver(params, sink, 'JSON_NO_TEXT', decodeJsonString, buffers.strings);
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
    const id = this.#idOf(bytes, this.scanner.idIn(bytes));
    const strings = isPlain && isString(bytes, text) ? [text] : this.scanner.strings(bytes);
    const texts = strings?.map(({ from, to, escaped }) => ({ bytes, from: from + 1, to: to - 1, escaped }));
    this.#giver.give(file, record, id, texts ?? null, this.#fields?.of(this.scanner, bytes) ?? null);
  }

  /** A null counts as missing, and so does an empty text: the record is named by its place. */
  #idOf(bytes: Uint8Array, { from, to, escaped }: JsonField): RecordId {
    if (from < 0 || bytes[from] === NULL) return null;
    if (bytes[from] === QUOTE)
      return to === from + 2 ? null : this.#giver.id(bytes, from + 1, to - 1, escaped);
    return isNumber(bytes, from) ? this.#giver.id(bytes, from, to) : 'bad';
  }
}

const NULL = 0x6e;

/** Whether the value at this place is a number, and finite. */
function isNumber(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] === MINUS ? bytes[at + 1]! : bytes[at]!;
  return first >= ZERO && first <= NINE;
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
    else if (isNumber(bytes, held.from)) this.#values.setNumber(field, numberIn(bytes, held.from, held.to));
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
