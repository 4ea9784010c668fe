/**
 * The first records of a file, read before the file itself, for the names of their fields. Problems are left to the reader of the file.
 */
import type { InputFormat } from '../sketch/formatNames.js';
import { isBinary } from './bytes/binaryKinds.js';
import { isUtf8, pieceDecoder, startAfterMark, utf16Of } from './bytes/encodings.js';
import { packingNamed, packingOf } from './bytes/packings.js';
import { eachLine, LineEnds } from './bytes/recordCutter.js';
import { readInto, withInput } from './bytes/wholeFiles.js';
import { type ReadParams, refusesBinary } from './documentSink.js';
import { type FieldPath, textFieldsOf, textsOf, valuesAt } from './formats/fields.js';
import {
  elementPlaces,
  isObject,
  type JsonRecord,
  OPEN_ARRAY,
  OPEN_OBJECT,
  parsedJson,
  skipSpace,
  wrappedRecord,
} from './formats/json/json.js';
import { firstRow } from './formats/parquet.js';
import type { InputFile } from './list/fileList.js';
import { formatNamed, hasRows } from './list/formats.js';

/** More than one, because bulk formats begin with a line about the next record. */
const MOST_RECORDS = 100;
/** Bytes of a file that are read at first; more if they hold no complete record. */
export const HEAD_BYTES = 64 << 10;
const MOST_READ = 16 << 20;
const GROWTH = 16;

const LINES = new LineEnds();

/** Objects as JSON.parse makes them; none of an empty file, null if something else comes first. */
export type FirstRecords = readonly JsonRecord[] | null;

/** The first records of a file, at most 100. A file that cannot be read counts as empty. */
export function firstRecordsOf(file: InputFile, params: ReadParams): FirstRecords {
  if (hasRows(formatNamed(file.format))) return firstRow(file.path);
  const look = (descriptor: number): FirstRecords => {
    for (let size = HEAD_BYTES; ; size *= GROWTH) {
      const head = new Uint8Array(size);
      const end = readInto(descriptor, head, 0, 0);
      if (end <= 0) return [];
      const read = head.subarray(0, end);
      const packing = file.packing ?? packingOf(read);
      const bytes = decoded(packing === null ? read : packingNamed(packing).head(read), params);
      const found = firstRecordsIn(bytes, file.format, params, end < size);
      if (found === null && end === size && size >= MOST_READ) return wrappedRecords(bytes, file.format);
      if (found === null ? end < size : found.length > 0 || end < size) return found;
    }
  };
  return withInput(file.path, look, () => []);
}

/** An object that is too large to be read whole, reduced to the first of the records in it; null: there is none. */
function wrappedRecords(head: Uint8Array, name: InputFormat): FirstRecords {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length).subarray(startAfterMark(head));
  const from = skipSpace(bytes, 0, bytes.length);
  if (bytes[from] !== OPEN_OBJECT || formatNamed(name).splits !== 'nowhere') return null;
  const around = wrappedRecord(bytes, from, bytes.length);
  const first = around === null ? null : parsedJson(bytes, around.first.from, around.first.to);
  return around === null || !isObject(first) ? null : [decodedNames({ [around.name]: [first] })];
}

/** The first records of UTF-8 bytes that begin a file. `isWhole`: the last record is complete, too. */
export function firstRecordsIn(
  head: Uint8Array,
  name: InputFormat,
  params: ReadParams,
  isWhole: boolean,
): FirstRecords {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length).subarray(startAfterMark(head));
  const from = skipSpace(bytes, 0, bytes.length);
  if (from === bytes.length) return [];
  const format = formatNamed(name);
  if (format.splits === 'in order') return [...firstOf(format.fields?.(bytes, isWhole, params) ?? [])];
  const values: unknown[] = [];
  const add = (start: number, end: number): void => {
    if (values.length < MOST_RECORDS) values.push(parsedJson(bytes, start, end));
  };
  if (format.splits === 'by lines') {
    const to = isWhole ? bytes.length : Math.max(0, LINES.last(bytes, 0, bytes.length));
    eachLine(bytes.subarray(0, to), 0, to, (_, start, end) => add(start, end));
  } else if (bytes[from] === OPEN_ARRAY) {
    for (const place of firstOf(elementPlaces(bytes, from, bytes.length))) add(place.from, place.to);
  } else add(from, bytes.length);
  const objects = values.filter(isObject);
  return objects.length === 0 ? null : objects.map(decodedNames);
}

function* firstOf<T>(values: Iterable<T>): Generator<T> {
  let count = 0;
  for (const value of values) {
    yield value;
    if (++count === MOST_RECORDS) return;
  }
}

/** The field of a file's only record that holds an array of objects, the actual records; null: there is none. */
export function wrapperOf(records: readonly JsonRecord[]): string | null {
  const [record, ...others] = records;
  if (record === undefined || others.length > 0) return null;
  const found = Object.entries(record).find(([, value]) => Array.isArray(value) && isObject(value[0]));
  return found?.[0] ?? null;
}

/** A record with its strings and names decoded; without fields if it is nested too deeply. */
function decodedNames(value: JsonRecord): JsonRecord {
  try {
    const found: unknown = JSON.parse(Buffer.from(JSON.stringify(value), 'latin1').toString());
    return isObject(found) ? found : {};
  } catch {
    return {};
  }
}

function decoded(bytes: Uint8Array, params: ReadParams): Uint8Array {
  const encoding = isUtf8(params.encoding) ? (utf16Of(bytes) ?? params.encoding) : params.encoding;
  if (!isUtf8(encoding)) return pieceDecoder(encoding, false).push(bytes, false);
  return refusesBinary(params) && isBinary(bytes) ? new Uint8Array(0) : bytes;
}

/**
 * Whether records have a text in the fields of --text-field (`text`), something else in these fields (`other`), or none of these fields
 * (`none`).
 */
export function textIn(records: readonly JsonRecord[], textField: string): 'text' | 'other' | 'none' {
  const paths = textFieldsOf(textField);
  if (records.some((record) => textsOf(record, paths) !== null)) return 'text';
  return paths.some((path) => haveField(records, path)) ? 'other' : 'none';
}

/** Whether any record has a field, with any value. */
export function haveField(records: readonly JsonRecord[], path: FieldPath): boolean {
  return records.some((record) => valuesAt(record, path).length > 0);
}

/** Fields of objects in objects are listed up to this depth. */
const NAMED_DEPTH = 3;

/** The fields of records that an option can name, in their order, and the one with the longest string; null: none has one. */
export function fieldsOf(records: readonly JsonRecord[]): {
  readonly fields: readonly string[];
  readonly longest: string | null;
} {
  const fields = new Set<string>();
  let longest: string | null = null;
  let most = 0;
  // Of an object its fields are listed, of an array of objects those of the first.
  const add = (value: JsonRecord, before: string, depth: number): void => {
    for (const [key, held] of Object.entries(value)) {
      const name = before + key;
      const [inner]: unknown[] = Array.isArray(held) ? held : [held];
      if (depth < NAMED_DEPTH && isObject(inner) && Object.keys(inner).length > 0) {
        add(inner, `${name}.`, depth + 1);
        continue;
      }
      fields.add(name);
      if (typeof held === 'string' && held.length > most) [longest, most] = [name, held.length];
    }
  };
  for (const record of records) add(record, '', 1);
  return { fields: [...fields], longest };
}
