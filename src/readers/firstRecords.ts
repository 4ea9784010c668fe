/**
 * The beginning of a file and the first records in it, read before the file itself, for its format and the names of fields. Errors are left
 * to the reader of the file.
 */
import type { InputFormat } from '../sketch/formatNames.js';
import { isBinaryTable } from './bytes/binaryKinds.js';
import { codecNamed, codecOf, decompressedHead } from './bytes/codecs.js';
import { isUtf8, pieceDecoder, startAfterMark, utf16Of } from './bytes/encodings.js';
import { eachLine, firstLineEnd, lastLineEnd } from './bytes/records.js';
import { closeInput, openInput, readInto } from './bytes/wholeFiles.js';
import { type ReadParams, refusesBinary } from './documentSink.js';
import { type FieldPath, textFieldsOf, textsOf, valuesAt } from './formats/fields.js';
import {
  isObject,
  type JsonRecord,
  OPEN_ARRAY,
  OPEN_OBJECT,
  parsedJson,
  recordPlaces,
  skipSpace,
  wrappedRecord,
} from './formats/json/json.js';
import { recordSteps } from './formats/json/jsonRecord.js';
import { firstRow } from './formats/parquet.js';
import { separatorOfSets } from './formats/setLines.js';
import type { Codec, InputFile } from './list/fileList.js';
import { formatNamed, hasRows } from './list/formats.js';

/** More than one, because bulk formats begin with a line about the next record. */
const MOST_RECORDS = 100;
/** Bytes of a file that are read at first; more if they hold no complete record. */
export const HEAD_BYTES = 64 << 10;
const MOST_READ = 16 << 20;
const GROWTH = 16;

const SET_SEPARATORS = [',', ';', '\t', '|'];

/** Objects as JSON.parse makes them; none of an empty file, null if something else comes first. */
export type FirstRecords = readonly JsonRecord[] | null;

/** The beginning of a file, decompressed. */
export interface Head {
  readonly bytes: Uint8Array;
  readonly codec: Codec | null;
  /** The file has no more bytes. */
  readonly isWhole: boolean;
}

/** Larger and larger beginnings of a file, up to MOST_READ bytes of it; none if it is empty or cannot be read. `size`: of the first. */
export function* headsOf(
  path: string | Uint8Array,
  named: Codec | null,
  size = HEAD_BYTES,
): Generator<Head, void> {
  const descriptor = openInput(path);
  if (typeof descriptor === 'string') return;
  try {
    for (let isWhole = false; !isWhole && size <= MOST_READ; size *= GROWTH) {
      let stored = firstBytes(descriptor, size);
      if (stored.length === 0) return;
      const codec = named ?? codecOf(stored);
      const least = codec === null ? size : Math.max(size, codecNamed(codec).headBytes);
      if (least > size) stored = firstBytes(descriptor, least);
      isWhole = stored.length < least;
      yield { bytes: codec === null ? stored : decompressedHead(codec, stored), codec, isWhole };
    }
  } finally {
    closeInput(descriptor);
  }
}

function firstBytes(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  return bytes.subarray(0, Math.max(0, readInto(descriptor, bytes, 0, 0)));
}

/** The bytes of a beginning in UTF-8, after a byte order mark; none of a binary file. */
export function utf8Of({ bytes }: Pick<Head, 'bytes'>, params: ReadParams): Buffer {
  const encoding = isUtf8(params.encoding) ? (utf16Of(bytes) ?? params.encoding) : params.encoding;
  const isOther = !isUtf8(encoding);
  if (!isOther && refusesBinary(params) && isBinaryTable(bytes)) return Buffer.alloc(0);
  const utf8 = isOther ? pieceDecoder(encoding).push(bytes, false) : bytes;
  return bufferOf(utf8);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(startAfterMark(bytes));
}

/** The first records of a file, at most 100. A file that cannot be read counts as empty. */
export function firstRecordsOf(file: InputFile, params: ReadParams): FirstRecords {
  if (hasRows(formatNamed(file.format))) return firstRow(file.path);
  let records: FirstRecords = [];
  for (const head of headsOf(file.path, file.codec)) {
    const bytes = utf8Of(head, params);
    records = firstRecordsIn(bytes, file.format, params, head.isWhole);
    // One record may be all of the file.
    if (records !== null && records.length > 1) break;
    if (!head.isWhole && bytes.length >= MOST_READ) records ??= wrappedRecords(bytes, file.format);
  }
  return records;
}

/** The beginning of a file whose first line is an object of JSON, and whose second begins one; null: it begins with something else. */
export function headOfLines(path: string | Uint8Array, named: Codec | null, params: ReadParams): Head | null {
  for (const head of headsOf(path, named)) {
    const bytes = utf8Of(head, params);
    const from = skipSpace(bytes, 0, bytes.length);
    if (bytes[from] !== OPEN_OBJECT) return null;
    const end = firstLineEnd(bytes, from, bytes.length);
    const second = end < 0 ? bytes.length : skipSpace(bytes, end, bytes.length);
    if (second < bytes.length)
      return bytes[second] === OPEN_OBJECT && isObject(parsedJson(bytes, from, end)) ? head : null;
  }
  return null;
}

/** The first lines of a file of sets, without those with quotes, cut at the usual separator or at another one that they have. */
export function firstSetRows(
  file: InputFile,
  params: ReadParams,
): { readonly separator: string; readonly isUsual: boolean; readonly rows: readonly string[][] } | null {
  const [head] = headsOf(file.path, file.codec);
  if (head === undefined) return null;
  const lines = Buffer.from(utf8Of(head, params)).toString().split(/\r?\n/, MOST_RECORDS).slice(0, -1);
  const plain = lines.filter((line) => line !== '' && !line.includes('"'));
  const usual = String.fromCharCode(separatorOfSets(file.id, params.separator));
  const separator = [usual, ...SET_SEPARATORS].find((other) => plain.some((line) => line.includes(other)));
  if (separator === undefined) return null;
  return { separator, isUsual: separator === usual, rows: plain.map((line) => line.split(separator)) };
}

/** An object that is too large to be read whole, reduced to the first of the records in it; null: there is none. */
function wrappedRecords(bytes: Buffer, name: InputFormat): FirstRecords {
  const from = skipSpace(bytes, 0, bytes.length);
  if (bytes[from] !== OPEN_OBJECT || !['nowhere', 'by lines'].includes(formatNamed(name).splits)) return null;
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
  const bytes = bufferOf(head);
  const from = skipSpace(bytes, 0, bytes.length);
  if (from === bytes.length) return [];
  const format = formatNamed(name);
  if (format.splits === 'in order') return [...firstOf(format.fields?.(bytes, isWhole, params) ?? [])];
  const values: unknown[] = [];
  const add = (start: number, end: number): void => {
    if (values.length < MOST_RECORDS) values.push(parsedJson(bytes, start, end));
  };
  const steps = recordSteps(params);
  if (format.splits === 'by lines') {
    const to = isWhole ? bytes.length : Math.max(0, lastLineEnd(bytes, 0, bytes.length));
    eachLine(bytes.subarray(0, to), 0, to, (_, start, end) => add(start, end));
  } else if (steps !== null || bytes[from] === OPEN_ARRAY) {
    for (const place of firstOf(recordPlaces(bytes, from, steps)))
      if (place !== null) add(place.from, place.to);
  } else add(from, bytes.length);
  const objects = values.filter(isObject);
  if (objects.length > 0) return objects.map(decodedNames);
  // Elements of an array that are not objects have no fields.
  return bytes[from] === OPEN_ARRAY && values.length > 0 && !values.includes(undefined) ? [{}] : null;
}

function* firstOf<T>(values: Iterable<T>): Generator<T> {
  let count = 0;
  for (const value of values) {
    yield value;
    if (++count === MOST_RECORDS) return;
  }
}

/** An array of records within the only record of a file. */
export interface Wrapper {
  /** The dotted path to it, as in --records. */
  readonly path: string;
  readonly records: readonly JsonRecord[];
}

/** The longest array of objects in a file's only record: the records that are meant. Null: there is none. */
export function wrapperOf(records: readonly JsonRecord[]): Wrapper | null {
  const [record] = records;
  return record === undefined || records.length > 1 ? null : wrapperIn(record, '', NAMED_DEPTH);
}

function wrapperIn(record: JsonRecord, before: string, depth: number): Wrapper | null {
  let longest: Wrapper | null = null;
  for (const [name, value] of Object.entries(record)) {
    const path = before + name;
    const wrapper: Wrapper | null = Array.isArray(value)
      ? { path, records: value.filter(isObject) }
      : depth > 1 && isObject(value)
        ? wrapperIn(value, `${path}.`, depth - 1)
        : null;
    if (wrapper !== null && wrapper.records.length > (longest?.records.length ?? 0)) longest = wrapper;
  }
  return longest;
}

/** A record with its strings and names decoded; without fields if it is nested too deeply. */
function decodedNames(value: JsonRecord): JsonRecord {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(JSON.stringify(value), 'latin1').toString());
    return isObject(decoded) ? decoded : {};
  } catch {
    return {};
  }
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

/**
 * The fields of records that an option can name, those with the longest texts first, and the one with the longest; null: no field holds a
 * text. Of an object its fields are named, of an array of objects those of all of them.
 */
export function fieldsOf(records: readonly JsonRecord[]): {
  readonly fields: readonly string[];
  readonly longest: string | null;
} {
  const lengths = new Map<string, number>();
  const add = (value: JsonRecord, before: string, depth: number): void => {
    for (const [key, held] of Object.entries(value)) {
      const name = before + key;
      const parts: readonly unknown[] = Array.isArray(held) ? held : [held];
      const objects =
        depth < NAMED_DEPTH ? parts.filter(isObject).filter((part) => Object.keys(part).length > 0) : [];
      for (const object of objects) add(object, `${name}.`, depth + 1);
      if (objects.length > 0) continue;
      const length = parts.reduce<number>(
        (sum, part) => sum + (typeof part === 'string' ? part.length : 0),
        0,
      );
      lengths.set(name, (lengths.get(name) ?? 0) + length);
    }
  };
  for (const record of records) add(record, '', 1);
  const fields = [...lengths.keys()].sort((a, b) => lengths.get(b)! - lengths.get(a)!);
  return { fields, longest: (lengths.get(fields[0] ?? '') ?? 0) > 0 ? fields[0]! : null };
}
