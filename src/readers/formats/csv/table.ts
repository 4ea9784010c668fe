/** Gives the records of CSV and TSV as documents. */
import type { TextSink } from '../../../blocks/documents.js';
import type { FieldValues } from '../../../blocks/fieldValues.js';
import { startAfterMark } from '../../bytes/encodings.js';
import {
  type ChunkDocuments,
  type ChunkRecords,
  LINE_FEED,
  RETURN,
  type RecordChunk,
} from '../../bytes/records.js';
import { lineLimit, type ReadParams } from '../../documentSink.js';
import type { StreamHead } from '../../split.js';
import { type FieldPath, fieldNamed, idFieldOf, textFieldsOf } from '../fields.js';
import type { FormatReading } from '../reading.js';
import { RecordGiver } from '../recordGiver.js';
import {
  CsvRecord,
  firstCells,
  MOST_QUOTED,
  NO_QUOTE,
  placeNamed,
  type TableMarkBytes,
} from './csvRecord.js';

/** Parameters that decide how a table is read. */
type TableParams = Pick<
  ReadParams,
  'textField' | 'idField' | 'maxDocument' | 'separator' | 'quote' | 'fields'
>;

const NUMBER = /^[1-9]\d{0,4}$/;
const NO_FIELD = -1;

/** Whether the first record names the fields: not where all text fields are numbers. */
function hasHeader({ textField }: Pick<TableParams, 'textField'>): boolean {
  return !textFieldsOf(textField).every(({ name }) => NUMBER.test(name));
}

/** The places of the wanted fields that exist, from 0. */
export interface TableFields {
  readonly texts: readonly number[];
  /** NO_FIELD (-1): none. */
  readonly id: number;
  /** The other fields that are read; NO_FIELD: the table lacks it. */
  readonly others: readonly number[];
}

/** The wanted fields of a table with these names: of equal ones the first, dots and all; without a header numbers are places, from 1. */
function tableFieldsOf(names: readonly string[], params: TableParams): TableFields {
  const isNamed = hasHeader(params);
  const placeOfField = ({ name }: FieldPath): number =>
    isNamed ? placeNamed(names, name) : NUMBER.test(name) ? Number(name) - 1 : NO_FIELD;
  const texts = textFieldsOf(params.textField).map(placeOfField);
  const others = (params.fields ?? []).map((name) => placeOfField(fieldNamed(name)));
  return { texts: texts.filter((place) => place >= 0), id: placeOfField(idFieldOf(params.idField)), others };
}

/** The characters between and around fields, unless options set others. */
export interface TableMarks {
  readonly separator: string;
  /** Or `none`. */
  readonly quote: string;
}

/** How a table is read. */
interface TableShape extends TableMarkBytes {
  /** The first record names the fields, and is not counted. */
  readonly hasHeader: boolean;
  /** Bytes from the beginning of a record in which fields in quotes are known. */
  readonly mostQuoted: number;
}

function shapeOf(params: TableParams, usual: TableMarks): TableShape {
  const quote = params.quote ?? usual.quote;
  return {
    separator: (params.separator ?? usual.separator).charCodeAt(0),
    quote: quote === 'none' ? NO_QUOTE : quote.charCodeAt(0),
    hasHeader: hasHeader(params),
    mostQuoted: Math.min(MOST_QUOTED, lineLimit(params)),
  };
}

/** Behind a record that is too long, the next one begins in the next line. */
export function nextLine(bytes: Buffer): number {
  const feed = bytes.indexOf(LINE_FEED);
  const end = bytes.subarray(0, feed < 0 ? bytes.length : feed).indexOf(RETURN);
  if (end < 0) return feed + 1 || -1;
  if (end + 1 === bytes.length) return -1;
  return bytes[end + 1] === LINE_FEED ? end + 2 : end + 1;
}

/**
 * The first records of a table by the names of their fields, or by numbers where it has no header; a header itself comes first,
 * without texts.
 *
 * @param isWhole whether the last record is complete, too
 */
export function* firstTableRecords(
  bytes: Buffer,
  isWhole: boolean,
  params: TableParams,
  usual: TableMarks,
): Generator<Readonly<Record<string, string>>> {
  const shape = shapeOf(params, usual);
  const isNamed = shape.hasHeader;
  let names: readonly string[] | null = null;
  for (let at = startAfterMark(bytes); ; ) {
    const found = firstCells(bytes, at, shape, true);
    if (found === null || (found.end === bytes.length && !isWhole)) return;
    const { cells } = found;
    const isHeader = isNamed && names === null;
    names ??= isNamed ? namesAsTyped(cells, params) : cells.map((_, i) => String(i + 1));
    yield record(names, isHeader ? [] : cells);
    at = found.end;
  }
}

/** The names of a header, spelled as in options. */
function namesAsTyped(names: readonly string[], { textField, idField, fields = [] }: TableParams): string[] {
  const typed = [...textFieldsOf(textField), idFieldOf(idField), ...fields.map(fieldNamed)];
  const spelled = [...names];
  for (const { name } of typed) {
    const place = placeNamed(names, name);
    if (place >= 0) spelled[place] = name;
  }
  return spelled;
}

/** Of equal names the first counts. */
function record(names: readonly string[], cells: readonly string[]): Record<string, string> {
  const found = new Map<string, string>();
  names.forEach((name, i) => {
    if (!found.has(name)) found.set(name, cells[i] ?? '');
  });
  return Object.fromEntries(found);
}

/** The parts of a chunk of a table: the head (a mark, the names of the fields), blank lines, records with their line ends. */
export class TableRecords implements ChunkRecords {
  part: ChunkRecords['part'] = 'head';
  /** The names of the fields, empty where they are unknown; undefined if a stream has none so far. */
  readonly head: StreamHead | undefined;
  protected readonly record: CsvRecord;
  /** Where the records begin; -1: an open chunk does not show it. */
  readonly #from: number;

  /** @param wanted the wanted fields by the names of all fields; empty where they are not known */
  constructor(
    { bytes, head, isOpen = false }: RecordChunk,
    params: TableParams,
    usual: TableMarks,
    wanted: (names: readonly string[]) => number = () => 0,
  ) {
    const shape = shapeOf(params, usual);
    const mark = head === undefined ? startAfterMark(bytes) : 0;
    const isNamed = head === undefined && shape.hasHeader;
    const header = isNamed ? firstCells(bytes, mark, shape, true, isOpen) : null;
    this.#from = isNamed ? (header?.end ?? (isOpen ? -1 : bytes.length)) : mark;
    this.head = head ?? (isNamed ? header?.cells : []);
    const names = this.head ?? [];
    // Without a header, or with one that was too long to be held, the number of fields is not known.
    const rules = names.length === 0 ? shape : { ...shape, mostFields: names.length };
    this.record = new CsvRecord({ ...rules, wanted: wanted(names), endsAtReturns: true });
    this.record.open(bytes, isOpen);
  }

  next(from: number): number {
    if (this.#from < 0) return -1;
    if (from < this.#from) {
      this.part = 'head';
      return this.#from;
    }
    const end = this.record.read(from);
    this.part = this.record.isBlank ? 'blank' : 'record';
    return end;
  }
}

/**
 * The same as documents. A document is one record; the texts of several fields are joined by a line break. Skipped:
 * CSV_BAD_QUOTES, CSV_TOO_MANY_FIELDS, CSV_NO_TEXT, TOO_LARGE.
 */
export class TableDocuments extends TableRecords implements ChunkDocuments {
  readonly #fields: TableFields;
  /** Null: no further fields are read. */
  readonly #values: FieldValues | null;
  readonly #sink: TextSink;
  readonly #giver: RecordGiver;
  readonly #file: number;
  readonly #limit: number;

  constructor(
    chunk: RecordChunk,
    file: number,
    { params, sink, extraFields }: FormatReading,
    usual: TableMarks,
  ) {
    let fields: TableFields | undefined;
    super(chunk, params, usual, (names) => {
      fields = tableFieldsOf(names, params);
      return 1 + Math.max(fields.id, ...fields.texts, ...fields.others);
    });
    this.#fields = fields!;
    this.#values = extraFields?.values ?? null;
    this.#sink = sink;
    this.#giver = new RecordGiver(params, sink, 'CSV_NO_TEXT');
    this.#file = file;
    this.#limit = lineLimit(params);
  }

  give(row: number, from: number, to: number): void {
    const { record } = this;
    const { texts, id, others } = this.#fields;
    const code =
      to - from > this.#limit
        ? 'TOO_LARGE'
        : record.isBroken
          ? 'CSV_BAD_QUOTES'
          : record.hasTooMany
            ? 'CSV_TOO_MANY_FIELDS'
            : null;
    if (code !== null) {
      this.#sink.skip(this.#file, row, code, null);
      return;
    }
    const label = this.#cell(id);
    const values: Uint8Array[] = [];
    for (const place of texts) {
      const value = this.#cell(place);
      if (value !== null) values.push(value);
    }
    if (this.#values !== null) setValues(this.#values, record, others);
    const text = values.length === 0 ? null : values;
    this.#giver.give(this.#file, row, label?.length === 0 ? null : label, text, this.#values);
  }

  /** The bytes of a field; null: the record ends before it, or it is `\N`, the NULL of PostgreSQL, MySQL and Hive. */
  #cell(place: number): Buffer | null {
    if (place < 0 || place >= this.record.fields) return null;
    const cell = this.record.field(place);
    return cell.length === 2 && cell[0] === BACKSLASH && cell[1] === LETTER_N ? null : cell;
  }
}

const BACKSLASH = 0x5c;
const LETTER_N = 0x4e;

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Longer cells are texts. */
const MOST_DIGITS = 400;

/** The values of fields of a record: numbers where all of a cell is a decimal number, else texts; an empty cell is missing. */
function setValues(values: FieldValues, record: CsvRecord, places: readonly number[]): void {
  values.clear();
  places.forEach((place, i) => {
    if (place < 0 || place >= record.fields) return;
    const cell = record.field(place);
    const text = cell.length <= MOST_DIGITS ? cell.toString('latin1') : '';
    const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
    if (Number.isFinite(number)) values.setNumber(i, number);
    else values.setText(i, cell, 0, cell.length);
  });
}
