/**
 * The first records of a file, read before the file itself: which fields they have.
 *
 * Reads a few, and reports no faults: the reader of the file does.
 */

import type { InputFormat } from '../../sketch/formatNames.js';
import { isBinary } from '../bytes/binaryKinds.js';
import { isUtf8, pieceDecoder, startAfterMark, utf16Of } from '../bytes/encodings.js';
import { packingNamed } from '../bytes/packings.js';
import { LineEnds, lineEnd } from '../bytes/recordCutter.js';
import { readInto, sizeOf, withInput } from '../bytes/wholeFiles.js';
import { type ReadParams, refusesBinary } from '../documentSink.js';
import {
  eachField,
  type FieldPath,
  type FirstRecords,
  fieldNamed,
  hasField,
  NOTHING,
  pickText,
  textFieldsOf,
} from '../formats/fields.js';
import { JsonScanner, OPEN_ARRAY, OPEN_OBJECT } from '../formats/json/jsonScanner.js';
import { firstColumnsOf } from '../formats/parquet.js';
import type { InputFile } from '../list/fileList.js';
import { formatNamed, hasRows } from '../list/formats.js';

/**
 * The number of records that are looked at: the first may be a line about the others, as in bulk formats that put one before
 * each record.
 */
const MOST_RECORDS = 100;

/** Bytes that are read of a file; more where no record ends in them. */
const FIRST_READ = 64 << 10;
const MOST_READ = 16 << 20;
const GROWTH = 16;

const LINES = new LineEnds();

/** Looks at the beginning of a file. */
export function firstRecordsOf(file: InputFile, params: ReadParams): FirstRecords {
  const look = (descriptor: number): FirstRecords => {
    if (hasRows(formatNamed(file.format)) && file.packing === null) {
      const size = sizeOf(descriptor);
      return typeof size === 'string' ? NOTHING : firstColumnsOf(descriptor, size, params);
    }
    const packing = file.packing === null ? null : packingNamed(file.packing);
    for (let size = packing?.headBytes ?? FIRST_READ; ; size *= GROWTH) {
      const head = new Uint8Array(size);
      const end = readInto(descriptor, head, 0, 0);
      if (end <= 0) return NOTHING;
      const read = head.subarray(0, end);
      const bytes = decoded(packing?.head(read) ?? read, params);
      const found = firstRecordsIn({ bytes, isWhole: end < size }, file.format, params);
      if (found.seen !== 'unclear' || found.fields.length > 0 || end < size || size >= MOST_READ)
        return found;
    }
  };
  return withInput(file.path, look, () => NOTHING);
}

/** The beginning of a stream of lines, kept to be looked at, and whether it is all. */
export interface LinesHead {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** The beginning of records, unpacked and in UTF-8; a copy. */
export function headOfLines(bytes: Uint8Array): LinesHead {
  return { bytes: bytes.slice(0, FIRST_READ), isWhole: bytes.length <= FIRST_READ };
}

/** @param format the format of the stream */
export function firstRecordsIn(
  { bytes: head, isWhole }: LinesHead,
  name: InputFormat,
  params: ReadParams,
): FirstRecords {
  if (head.length === 0) return NOTHING;
  const bytes = head.subarray(startAfterMark(head));
  const looker = new Looker(params);
  const format = formatNamed(name);
  if (format.splits === 'by lines') looker.lines(bytes, isWhole);
  else if (format.splits === 'in order') {
    const records = format.fields?.(Buffer.from(bytes), isWhole, params) ?? [];
    looker.records(records);
  } else looker.values(bytes);
  return looker.found();
}

function decoded(bytes: Uint8Array, params: ReadParams): Uint8Array {
  const encoding = isUtf8(params.encoding) ? (utf16Of(bytes) ?? params.encoding) : params.encoding;
  if (!isUtf8(encoding)) return pieceDecoder(encoding, false).push(bytes, false);
  return refusesBinary(params) && isBinary(bytes) ? new Uint8Array(0) : bytes;
}

class Looker {
  private readonly fields = new Set<string>();
  private objects = 0;
  private texts = 0;
  /** Records whose text field has no string. */
  private others = 0;
  private longest: string | null = null;
  private longestLength = 0;
  private isEmpty = true;
  private readonly wish: readonly FieldPath[];
  private lacked: readonly FieldPath[];
  private lackedFields: readonly FieldPath[];

  constructor({ textField, fields = [] }: ReadParams) {
    this.wish = this.lacked = textFieldsOf(textField);
    this.lackedFields = fields.map(fieldNamed);
  }

  found(): FirstRecords {
    const { fields, longest } = this;
    const seen =
      this.texts > 0
        ? 'has'
        : this.objects > 0 && this.others === 0
          ? 'lacks'
          : this.isEmpty
            ? 'nothing'
            : 'unclear';
    const lacked = this.lacked.map(({ name }) => name);
    const lackedFields = this.lackedFields.map(({ name }) => name);
    return { seen, fields: [...fields], longest, lacked, lackedFields };
  }

  /** Lines; `isWhole`: the last is complete, too. */
  lines(bytes: Uint8Array, isWhole: boolean): void {
    const whole = isWhole ? bytes.length : Math.max(0, LINES.last(Buffer.from(bytes), 0, bytes.length));
    if (whole < bytes.length) this.isEmpty = false;
    for (let from = 0, lines = 0; from < whole && lines < MOST_RECORDS; lines++) {
      const to = lineEnd(bytes, from, whole);
      this.record(bytes.subarray(from, to));
      from = to;
    }
  }

  records(values: Iterable<object>): void {
    let records = 0;
    this.isEmpty = false;
    for (const value of values) {
      this.value(value);
      if (++records === MOST_RECORDS) return;
    }
  }

  /** One object, or the elements of an array. */
  values(bytes: Uint8Array): void {
    const scanner = new JsonScanner([]);
    const to = bytes.length;
    const at = scanner.skipSpace(bytes, 0, to);
    if (at === to) return;
    this.isEmpty = false;
    const give = (from: number, end: number): void => this.record(bytes.subarray(from, end));
    if (bytes[at] === OPEN_ARRAY) {
      scanner.elements(bytes, at, to, (index, from, end) => {
        give(from, end);
        return index + 1 < MOST_RECORDS;
      });
    } else {
      const end = scanner.scan(bytes, at, to);
      if (end >= 0) give(at, end);
    }
  }

  private record(bytes: Uint8Array): void {
    const text = new TextDecoder().decode(bytes).trim();
    if (text === '') return;
    this.isEmpty = false;
    if (text.charCodeAt(0) !== OPEN_OBJECT) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    if (typeof value === 'object' && value !== null) this.value(value);
  }

  private value(value: object): void {
    this.objects++;
    const names = new Set(Object.keys(value));
    eachField(value, (name, held) => {
      names.add(name);
      this.fields.add(name);
      if (typeof held !== 'string' || held.length <= this.longestLength) return;
      this.longest = name;
      this.longestLength = held.length;
    });
    const isLacked = (path: FieldPath): boolean => !hasField(value, path);
    if (this.lacked.length > 0) this.lacked = this.lacked.filter(isLacked);
    if (this.lackedFields.length > 0) this.lackedFields = this.lackedFields.filter(isLacked);
    if (pickText(value, this.wish) !== null) this.texts++;
    else if (this.wish.some(({ name }) => names.has(name))) this.others++;
  }
}
