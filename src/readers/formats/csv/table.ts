/** Gives the records of CSV and TSV as documents. */
import type { TextSink } from '../../../blocks/documents.js';
import { FieldValues } from '../../../blocks/fieldValues.js';
import { startAfterMark } from '../../bytes/encodings.js';
import type { ChunkDocuments, ChunkRecords, RecordChunk } from '../../bytes/recordCutter.js';
import { lineLimit, type ReadParams } from '../../documentSink.js';
import { type FieldPath, fieldNamed, idFieldOf, textFieldsOf } from '../fields.js';
import type { FormatReading } from '../reading.js';
import { RecordGiver, type TextPart } from '../recordGiver.js';
import { CsvCutter, type TableShape } from './csvCutter.js';
import { CsvRecord, cellDecoder, firstCells, MOST_QUOTED, NO_QUOTE, placeNamed } from './csvRecord.js';

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

function shapeOf(params: TableParams, usual: TableMarks): TableShape {
  const quote = params.quote ?? usual.quote;
  return {
    separator: (params.separator ?? usual.separator).charCodeAt(0),
    quote: quote === 'none' ? NO_QUOTE : quote.charCodeAt(0),
    hasHeader: hasHeader(params),
    mostQuoted: Math.min(MOST_QUOTED, lineLimit(params)),
  };
}

/** Cuts a table between its records. `usual`: the marks of the format. */
export function tableCutter(params: TableParams, usual: TableMarks): CsvCutter {
  return new CsvCutter(shapeOf(params, usual));
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
  protected readonly record: CsvRecord;
  /** Where the records begin. */
  readonly #from: number;

  /** @param names the wanted fields by the names of all fields; empty where they are not known */
  constructor(
    { bytes, head }: RecordChunk,
    params: TableParams,
    usual: TableMarks,
    wanted: (names: readonly string[]) => number = () => 0,
  ) {
    const shape = shapeOf(params, usual);
    const mark = head === undefined ? startAfterMark(bytes) : 0;
    const isNamed = head === undefined && shape.hasHeader;
    const header = isNamed ? firstCells(bytes, mark, shape, true) : null;
    this.#from = isNamed ? (header?.end ?? bytes.length) : mark;
    const names = head ?? header?.cells ?? [];
    // Without a header, or with one that was too long to be held, the number of fields is not known.
    const rules = names.length === 0 ? shape : { ...shape, mostFields: names.length };
    this.record = new CsvRecord({ ...rules, wanted: wanted(names), endsAtReturns: true });
    this.record.open(bytes);
  }

  next(from: number): number {
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
  readonly #others: CsvFields | null;
  readonly #sink: TextSink;
  readonly #giver: RecordGiver;
  readonly #file: number;
  readonly #limit: number;
  readonly #bytes: Buffer;

  constructor(chunk: RecordChunk, file: number, { params, sink, buffers }: FormatReading, usual: TableMarks) {
    let fields: TableFields | undefined;
    super(chunk, params, usual, (names) => {
      fields = tableFieldsOf(names, params);
      return 1 + Math.max(fields.id, ...fields.texts, ...fields.others);
    });
    this.#fields = fields!;
    this.#others = this.#fields.others.length === 0 ? null : new CsvFields(this.#fields.others);
    this.#bytes = chunk.bytes;
    this.#sink = sink;
    const decode = cellDecoder(shapeOf(params, usual).quote);
    this.#giver = new RecordGiver(params, sink, 'CSV_NO_TEXT', decode, buffers.strings);
    this.#file = file;
    this.#limit = lineLimit(params);
  }

  give(row: number, from: number, to: number): void {
    const { record } = this;
    const file = this.#file;
    if (to - from > this.#limit) this.#sink.skip(file, row, 'TOO_LARGE', null);
    else if (record.isBroken) this.#sink.skip(file, row, 'CSV_BAD_QUOTES', null);
    else if (record.hasTooMany) this.#sink.skip(file, row, 'CSV_TOO_MANY_FIELDS', null);
    else {
      const others = this.#others?.of(record, this.#bytes) ?? null;
      this.#giver.give(file, row, this.#id(), this.#texts(), others);
    }
  }

  #id(): Uint8Array | null {
    const { fields, starts, ends, doubled } = this.record;
    const { id } = this.#fields;
    if (id < 0 || id >= fields || ends[id] === starts[id]) return null;
    return doubled[id] === 1
      ? this.#giver.decodedId(this.#bytes, starts[id]!, ends[id]!)
      : this.#bytes.subarray(starts[id]!, ends[id]!);
  }

  /** Null: the record has none of the fields. */
  #texts(): readonly TextPart[] | null {
    const { fields, starts, ends, doubled } = this.record;
    const texts: TextPart[] = [];
    for (const place of this.#fields.texts) {
      if (place >= fields) continue;
      texts.push({
        bytes: this.#bytes,
        from: starts[place]!,
        to: ends[place]!,
        escaped: doubled[place] === 1,
      });
    }
    return texts.length === 0 ? null : texts;
  }
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Longer cells are texts. */
const MOST_DIGITS = 400;

const NINE = 0x39;

/** The values of fields of a record: numbers where all of a cell is a decimal number, else texts; an empty cell is missing. */
class CsvFields {
  readonly #values: FieldValues;
  /** By field: its place in a record, from 0; negative: the table lacks it. */
  readonly #places: readonly number[];

  constructor(places: readonly number[]) {
    this.#values = new FieldValues(places.length);
    this.#places = places;
  }

  /** The values of the record that was just read from these bytes; valid until the next call. */
  of(record: CsvRecord, bytes: Buffer): FieldValues {
    this.#values.clear();
    this.#places.forEach((place, field) => {
      if (place >= 0 && place < record.fields) this.#set(field, record, place, bytes);
    });
    return this.#values;
  }

  #set(field: number, record: CsvRecord, place: number, bytes: Buffer): void {
    const from = record.starts[place]!;
    const to = record.ends[place]!;
    if (record.doubled[place] === 1) {
      const cell = Buffer.allocUnsafe(to - from);
      this.#values.setText(field, cell, 0, record.copyField(place, cell, 0));
      return;
    }
    const value = decimalIn(bytes, from, to);
    if (Number.isFinite(value)) this.#values.setNumber(field, value);
    else this.#values.setText(field, bytes, from, to);
  }
}

/** NaN: the cell is not a decimal number. */
function decimalIn(bytes: Buffer, from: number, to: number): number {
  // Most texts begin with a letter.
  if (to === from || bytes[from]! > NINE || to - from > MOST_DIGITS) return Number.NaN;
  const text = bytes.toString('latin1', from, to);
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}
