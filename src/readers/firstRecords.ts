/**
 * The first records of a file, read before the file itself, for the names of their fields. Problems are left to the reader of the file.
 */
import type { InputFormat } from '../sketch/formatNames.js';
import { isBinaryTable } from './bytes/binaryKinds.js';
import { codecOf, decompressedHead } from './bytes/codecs.js';
import { isUtf8, pieceDecoder, startAfterMark, utf16Of } from './bytes/encodings.js';
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
  recordsPlaces,
  skipSpace,
  wrappedRecord,
} from './formats/json/json.js';
import { recordSteps } from './formats/json/jsonRecord.js';
import { firstRow } from './formats/parquet.js';
import { separatorOfSets } from './formats/setLines.js';
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
  const seen = lookInto(file, params, (head, isWhole, isLast) => {
    const found = firstRecordsIn(head, file.format, params, isWhole);
    if (isWhole || (found !== null && found.length > 1)) return { found };
    // One record may be all of the file.
    return isLast ? { found: found ?? wrappedRecords(head, file.format) } : null;
  });
  return seen === null ? [] : seen.found;
}

/**
 * Looks into the beginning of a file, in UTF-8, which is read in larger and larger pieces until `look` returns something. Null: the file
 * is empty, or cannot be read.
 */
function lookInto<T>(
  file: InputFile,
  params: ReadParams,
  look: (head: Uint8Array, isWhole: boolean, isLast: boolean) => T | null,
): T | null {
  const read = (descriptor: number): T | null => {
    for (let size = HEAD_BYTES; ; size *= GROWTH) {
      const head = new Uint8Array(size);
      const end = readInto(descriptor, head, 0, 0);
      if (end <= 0) return null;
      const stored = head.subarray(0, end);
      const codec = file.codec ?? codecOf(stored);
      const bytes = decoded(codec === null ? stored : decompressedHead(codec, stored), params);
      const isLast = size >= MOST_READ;
      const seen = look(bytes, end < size, isLast);
      if (seen !== null || end < size || isLast) return seen;
    }
  };
  return withInput<T | null>(file.path, read, () => null);
}

/** Whether a file that is read as a text begins with two lines that are objects of JSON. */
export function holdsJsonLines(file: InputFile, params: ReadParams): boolean {
  const areLines = lookInto(file, params, (head) => {
    const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
    const end = LINES.next(bytes, 0, bytes.length);
    if (end < 0 || bytes[skipSpace(bytes, end, bytes.length)] !== OPEN_OBJECT) return false;
    return isObject(parsedJson(bytes, startAfterMark(bytes), end));
  });
  return areLines === true;
}

/**
 * The character between the elements if lines of a file of sets, without quotes, look like whole baskets; else null. Rows of sets have two
 * fields, or three of which the last is a weight.
 */
export function basketSeparator(file: InputFile, params: ReadParams): string | null {
  const usual = String.fromCharCode(separatorOfSets(file.id, params.separator));
  const lines = lookInto(file, params, (head, isWhole) => {
    const all = Buffer.from(head).toString('latin1').split(/\r?\n/, MOST_RECORDS);
    const whole = isWhole || all.length === MOST_RECORDS ? all : all.slice(0, -1);
    return whole.filter((line) => line !== '' && !line.includes('"'));
  });
  if (lines === null || lines.length < 2) return null;
  const isUsual = lines.some((line) => line.includes(usual));
  const separator = isUsual
    ? usual
    : OTHER_SEPARATORS.find((other) => lines.some((line) => line.includes(other)));
  const rows = lines.map((line) => line.split(separator ?? usual));
  return separator !== undefined && areBaskets(rows) ? separator : null;
}

const OTHER_SEPARATORS = [',', ';', '\t', '|'];
/** A set, an element and a weight. */
const MOST_SET_FIELDS = 3;
const WEIGHT = /^\s*\+?[\d.]+(?:e[+-]?\d+)?\s*$/i;
/** The share of the values in every field that other fields have, too, if all fields are elements of baskets. */
const SHARED = 0.5;

function areBaskets(rows: readonly (readonly string[])[]): boolean {
  const counts = rows.map(({ length }) => length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (most < MOST_SET_FIELDS || (most > MOST_SET_FIELDS && least === most)) return false;
  // The first line may be a header.
  if (most > MOST_SET_FIELDS || least === 1) return true;
  const weights = rows.slice(1).flatMap(([, , weight]) => (weight === undefined ? [] : [weight]));
  if (weights.some((weight) => !WEIGHT.test(weight))) return true;
  // Numbers may be weights or elements: those of baskets are found in all fields.
  const columns = [0, 1, 2].map((at) => new Set(rows.flatMap((row) => row[at] ?? [])));
  return columns.every((values, at) => {
    const shared = [...values].filter((value) => columns.some((other, i) => i !== at && other.has(value)));
    return shared.length > SHARED * values.size;
  });
}

/** An object that is too large to be read whole, reduced to the first of the records in it; null: there is none. */
function wrappedRecords(head: Uint8Array, name: InputFormat): FirstRecords {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length).subarray(startAfterMark(head));
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
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length).subarray(startAfterMark(head));
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
    const to = isWhole ? bytes.length : Math.max(0, LINES.last(bytes, 0, bytes.length));
    eachLine(bytes.subarray(0, to), 0, to, (_, start, end) => add(start, end));
  } else if (steps !== null || bytes[from] === OPEN_ARRAY) {
    for (const found of recordsPlaces(bytes, from, steps))
      for (const place of found?.isArray ? firstOf(elementPlaces(bytes, found.from, bytes.length)) : [found])
        if (place !== null) add(place.from, place.to);
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
    const found: Wrapper | null = Array.isArray(value)
      ? { path, records: value.filter(isObject) }
      : depth > 1 && isObject(value)
        ? wrapperIn(value, `${path}.`, depth - 1)
        : null;
    if (found !== null && found.records.length > (longest?.records.length ?? 0)) longest = found;
  }
  return longest;
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
  return refusesBinary(params) && isBinaryTable(bytes) ? new Uint8Array(0) : bytes;
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
