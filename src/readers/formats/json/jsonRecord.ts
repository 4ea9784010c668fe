/** Gives records of JSON as documents, with their problems: one value, or the elements of an array. */
import type { TextSink } from '../../../blocks/documents.js';
import { FieldValues } from '../../../blocks/fieldValues.js';
import type { ErrorCode } from '../../../errors.js';
import { startAfterMark } from '../../bytes/encodings.js';
import type { LineTaker, ReadParams } from '../../documentSink.js';
import { binaryOf } from '../../list/pathIds.js';
import { type FieldPath, fieldNamed, idFieldOf, textFieldsOf, textsOf, valuesAt } from '../fields.js';
import { RecordGiver } from '../recordGiver.js';
import {
  isObject,
  type JsonPlace,
  type JsonRecord,
  MOST_JSON,
  OPEN_ARRAY,
  parsedJson,
  recordPlaces,
  skipSpace,
  stringBytes,
  withoutSpace,
} from './json.js';
import { fieldPlaces } from './textPlaces.js';

/** The names by which MongoDB writes values with their type (Extended JSON, both versions). */
const NUMBER_TYPES = ['$numberLong', '$numberInt', '$numberDouble', '$numberDecimal'];
const TYPES = ['$oid', '$uuid', '$date', '$binary', 'base64', '$symbol', ...NUMBER_TYPES];

/** The value inside a typed one: `x` of `{"$oid": x}`, a number of `{"$numberLong": "1"}`, and so on; any other value as it is. */
function untyped(value: unknown, hasNumbers: boolean): unknown {
  let inner = value;
  for (let isTyped = false; isObject(inner); isTyped = true) {
    const object: JsonRecord = inner;
    const type = TYPES.find((name) => Object.hasOwn(object, name) && (isTyped || name.startsWith('$')));
    if (type === undefined) return inner;
    inner = object[type];
    if (hasNumbers && typeof inner === 'string' && NUMBER_TYPES.includes(type)) inner = Number(inner);
  }
  return inner;
}

/** Bytes with the methods of Node, whose types the declarations of the package do not need. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

const FEED = 0x0a;
const RETURN = 0x0d;
/** Bytes of elements that are passed on at once. */
const WINDOW = 128 << 10;

/** The next line feed from `at` on, or the end. */
function feedFrom(bytes: Buffer, at: number): number {
  const feed = bytes.indexOf(FEED, at);
  return feed < 0 ? bytes.length : feed;
}

/** A field as `parsedJson` names it. */
function binaryPath({ name }: FieldPath): FieldPath {
  return fieldNamed(binaryOf(name));
}

/** The names of --records, as binary strings; null: the option is not set. */
export function recordSteps({ records }: Pick<ReadParams, 'records'>): readonly string[] | null {
  return records === undefined ? null : records.split('.').map(binaryOf);
}

export class JsonRecords {
  /** Whether records are given with the values of fields. */
  readonly givesFields: boolean;
  readonly #sink: TextSink;
  readonly #giver: RecordGiver;
  readonly #texts: readonly FieldPath[];
  readonly #id: FieldPath;
  /** The names that lead to the array of records; null: a file is the array. */
  readonly #steps: readonly string[] | null;
  readonly #fields: readonly FieldPath[];
  readonly #values: FieldValues;

  constructor(params: ReadParams, sink: TextSink) {
    const { fields = [] } = params;
    this.#sink = sink;
    this.#giver = new RecordGiver(params, sink, 'JSON_NO_TEXT');
    this.#texts = textFieldsOf(params.textField).map(binaryPath);
    this.#id = binaryPath(idFieldOf(params.idField));
    this.#steps = recordSteps(params);
    this.#fields = fields.map((name) => binaryPath(fieldNamed(name)));
    this.#values = new FieldValues(fields.length);
    this.givesFields = fields.length > 0;
  }

  /** Emits one line, without its line feed. A blank line is not a record. Files that were joined have byte order marks within. */
  line(file: number, record: number, line: Uint8Array, from: number, to: number): void {
    const bytes = bufferOf(line);
    const start = skipSpace(bytes, from + startAfterMark(bytes.subarray(from, to)), to);
    if (start < to) this.#give(file, record, bytes, { from: start, to });
  }

  /**
   * Emits a whole file: one object (record -1) or an array of objects (record = index), perhaps after a byte order mark; with --records the
   * records of all its values, counted together. Of a damaged array the elements before the damage are records, and the rest
   * is skipped as the next one.
   *
   * @param lines reads elements faster than one at a time
   * @param damage why these are not all bytes: then only the elements of an array are read; null: they are
   */
  file(file: number, whole: Uint8Array, lines: LineTaker, damage: ErrorCode | null): void {
    const bytes = bufferOf(whole);
    const to = bytes.length;
    const from = skipSpace(bytes, startAfterMark(bytes), to);
    const steps = damage === null ? this.#steps : null;
    const hasRecords = steps !== null || bytes[from] === OPEN_ARRAY;
    if (!hasRecords && damage === null) {
      this.#give(file, -1, bytes, { from, to });
      return;
    }
    // Records are passed on many at once, as lines: their line feeds are white space, or not valid, as the returns that replace them.
    const window = Buffer.allocUnsafeSlow(Math.min(WINDOW, to + 1 - from));
    let [count, first, size, feed] = [0, 0, 0, -1];
    const emit = (): void => {
      if (size > 0) lines.run(file, first, window.subarray(0, size), false);
      [first, size] = [count, 0];
    };
    let isDamaged = damage !== null;
    for (const place of hasRecords ? recordPlaces(bytes, from, steps) : []) {
      if (place === null) {
        isDamaged = true;
        continue;
      }
      const length = place.to - place.from;
      if (size + length >= window.length) emit();
      if (length >= window.length) {
        this.#give(file, count, bytes, place);
        first = ++count;
        continue;
      }
      bytes.copy(window, size, place.from, place.to);
      if (feed < place.from) feed = feedFrom(bytes, place.from);
      for (; feed < place.to; feed = feedFrom(bytes, feed + 1)) window[size + feed - place.from] = RETURN;
      size += length;
      window[size++] = FEED;
      count++;
    }
    emit();
    if (isDamaged) this.#sink.skip(file, count === 0 ? -1 : count, damage ?? 'JSON_BROKEN', null);
  }

  /** Whether a file has a record with the text field, or is a damaged one. */
  areRecords(whole: Uint8Array): boolean {
    const bytes = bufferOf(whole);
    const from = skipSpace(bytes, startAfterMark(bytes), bytes.length);
    const isArray = bytes[from] === OPEN_ARRAY;
    let [isEmpty, isBroken] = [isArray, false];
    for (const place of isArray ? recordPlaces(bytes, from, null) : [{ from, to: bytes.length }]) {
      const value = place === null ? undefined : parsedJson(bytes, place.from, place.to);
      if (isObject(value) && textsOf(value, this.#texts) !== null) return true;
      isBroken ||= value === undefined;
      isEmpty = false;
    }
    // An empty array holds no record, and is not a text.
    if (isEmpty) return true;
    // A truncated or badly edited record is still a record, not a text.
    const keys = this.#texts.flatMap(({ name, steps }) => [name, steps[0]!]);
    return isBroken && keys.some((key) => bytes.includes(`"${key}"`, from, 'latin1'));
  }

  /** Gives the fields of a line that is known to be a record, right before the caller emits it. */
  fieldsOfLine(line: Uint8Array, from: number, to: number): void {
    const value = parsedJson(bufferOf(line), from, to);
    if (isObject(value)) this.#sink.fields?.(this.#fieldsOf(value));
  }

  /** Emits the record in these bytes, or its problem. */
  #give(file: number, record: number, bytes: Buffer, place: JsonPlace): void {
    const value = place.to - place.from > MOST_JSON ? 'TOO_LARGE' : parsedJson(bytes, place.from, place.to);
    if (value === undefined) this.#sink.skip(file, record, 'JSON_BROKEN', null);
    else if (!isObject(value))
      this.#sink.skip(file, record, value === 'TOO_LARGE' ? value : 'JSON_NOT_AN_OBJECT', null);
    else {
      const texts = textsOf(value, this.#texts)?.map(stringBytes) ?? null;
      const fields = this.givesFields ? this.#fieldsOf(value) : null;
      const isRepaired = texts?.some((text) => text.isRepaired);
      const id = this.#idOf(value, bytes, place);
      this.#giver.give(file, record, id, texts?.map((text) => text.bytes) ?? null, fields, isRepaired);
    }
  }

  /**
   * A string, or the JSON text of any other value without white space, so that numbers keep their digits. Null and an empty string count as
   * missing: the id is the location then.
   */
  #idOf(record: JsonRecord, bytes: Buffer, place: JsonPlace): Uint8Array | null {
    const [value = null] = valuesAt(record, this.#id);
    const id = untyped(value, false);
    if (id === null || id === '') return null;
    if (typeof id === 'string') return stringBytes(id).bytes;
    if (id !== value && typeof id !== 'object') return Buffer.from(String(id));
    const object = { from: skipSpace(bytes, place.from, place.to), to: place.to };
    const [found] = fieldPlaces(bytes, object, this.#id);
    return found === undefined ? null : withoutSpace(bytes, found);
  }

  /** The values of fields, for rules: numbers, texts, booleans as 0 and 1; valid until the next call. */
  #fieldsOf(record: JsonRecord): FieldValues {
    const values = this.#values;
    values.clear();
    this.#fields.forEach((path, i) => {
      const [value, ...others] = valuesAt(record, path);
      if (others.length > 0) return;
      const held = untyped(value, true);
      if (typeof held === 'number') values.setNumber(i, held);
      else if (typeof held === 'boolean') values.setNumber(i, held ? 1 : 0);
      else if (typeof held === 'string') {
        const { bytes } = stringBytes(held);
        values.setText(i, bytes, 0, bytes.length);
      }
    });
    return values;
  }
}
