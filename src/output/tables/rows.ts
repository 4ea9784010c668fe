/**
 * Rows to bytes: cells in column order, in one of the formats; those of Parquet by parquetRows.ts.
 *
 * The form of a row is defined here only: `a TAB b LF`, `a,b LF`, `{"a":"..","b":".."} LF`. CSV lines end in
 * LF, not CR LF, so that every format has one LF per row.
 */

import { ByteColumn } from '../../arrays/growable.js';
import type { Column } from '../../blocks/block.js';
import type { IdTable } from '../../blocks/ids.js';
import type { RowBatch, RowField, RowFormatting, RowLayout } from '../../kernel/kernel.js';
import { MARKED_WHOLE, WHOLE } from '../../readers/list/pathIds.js';
import type { ResultFormat } from '../../sketch/params.js';
import { DiskRoom } from '../../store/disk.js';
import type { FileDoor } from '../../store/fileDoor.js';
import { AtomicFile, type WrittenFile } from '../../store/files.js';
import {
  appendEscaped,
  appendPlace,
  ByteWriter,
  CELL_ESCAPES,
  millionthsOf,
  needsPlaceForm,
} from './escaping.js';
import { ParquetRows } from './parquetRows.js';

/** Bytes collected before they are written. */
const PIECE = 1 << 20;

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const NULL = ascii('null');
const NOTHING = ascii('');

/** The bytes around the cells of a row. */
interface RowFrame {
  /** The line of column names; nothing in JSON lines. */
  readonly head: Uint8Array;
  /** Before each cell. */
  readonly before: readonly Uint8Array[];
  /** After the last one. */
  readonly after: Uint8Array;
}

/** The frame of a table with these columns. */
function rowFrame(format: ResultFormat, columns: readonly string[]): RowFrame {
  const json = format === 'jsonl';
  const separator = format === 'tsv' ? '\t' : ',';
  return {
    head: json ? NOTHING : ascii(`${columns.join(separator)}\n`),
    before: columns.map((name, i) =>
      ascii(json ? `${i === 0 ? '{' : ','}"${name}":` : i === 0 ? '' : separator),
    ),
    after: ascii(json ? '}\n' : '\n'),
  };
}

/** The cell of a missing value. */
export function emptyCell(format: ResultFormat): Uint8Array {
  return format === 'jsonl' ? NULL : NOTHING;
}

/** The cell of a number of millionths, at least 0. */
export function millionthsCell(millionths: number): Uint8Array {
  const out = new ByteWriter(16);
  out.appendMillionths(millionths);
  return out.written();
}

/** A cell with a fixed text in a format: `wordCell('near', 'jsonl')` is `"near"`. */
export function wordCell(text: string, format: ResultFormat): Uint8Array {
  const out = new ByteWriter(64);
  const bytes = Buffer.from(text, 'utf8');
  appendEscaped(out, format, bytes, 0, bytes.length);
  return out.written();
}

/** Collects rows and emits them in pieces of about 1 MB. Every row fills every column, in order. */
export class RowWriter {
  readonly format: ResultFormat;
  readonly #out = new ByteWriter(PIECE + 65536);
  readonly #sink: (piece: Uint8Array) => void;
  readonly #before: readonly Uint8Array[];
  readonly #after: Uint8Array;
  #column = 0;
  #rows = 0;

  /** Begins with the line of column names (none in JSON lines). `sink` must use a piece before it returns. */
  constructor(format: ResultFormat, columns: readonly string[], sink: (piece: Uint8Array) => void) {
    this.format = format;
    this.#sink = sink;
    const { head, before, after } = rowFrame(format, columns);
    this.#before = before;
    this.#after = after;
    this.#out.append(head);
  }

  /** Number of complete rows. */
  get rows(): number {
    return this.#rows;
  }

  id(ids: IdTable, document: number): void {
    this.text(ids.bytes, ids.offsets[document]!, ids.offsets[document + 1]!);
  }

  /** Any bytes, escaped like ids. */
  text(bytes: Uint8Array, from: number, to: number): void {
    this.#begin();
    appendEscaped(this.#out, this.format, bytes, from, to);
  }

  /** 0 to 1; NaN is the empty cell, in JSON null. */
  fraction(value: number): void {
    this.millionths(millionthsOf(value));
  }

  /** A fraction already rounded; below 0 is the empty cell. */
  millionths(value: number): void {
    this.#begin();
    if (value >= 0) this.#out.appendMillionths(value);
    else this.#out.append(emptyCell(this.format));
  }

  integer(value: number): void {
    this.#begin();
    this.#out.appendInteger(value);
  }

  /** A cell made by `wordCell` for this format. */
  word(cell: Uint8Array): void {
    this.#begin();
    this.#out.append(cell);
  }

  endRow(): void {
    this.#out.append(this.#after);
    this.#column = 0;
    this.#rows++;
    if (this.#out.length >= PIECE) this.flush();
  }

  flush(): void {
    this.#sink(this.#out.written());
    this.#out.clear();
  }

  #begin(): void {
    this.#out.append(this.#before[this.#column++]!);
  }
}

/** What takes the cells of rows, in any format. */
export type RowTaker = Pick<
  RowWriter,
  'id' | 'text' | 'fraction' | 'integer' | 'word' | 'endRow' | 'flush' | 'rows'
>;

function rowTaker(
  format: ResultFormat,
  names: readonly string[],
  sink: (piece: Uint8Array) => void,
): RowTaker {
  return format === 'parquet' ? new ParquetRows(names, sink) : new RowWriter(format, names, sink);
}

/** The location of a result file. JSON, so it can be the parameter of a task. */
export interface ResultPlace {
  /** The output folder. */
  readonly root: string;
  /** Relative to it, with `/`. */
  readonly file: string;
  readonly format: ResultFormat;
}

/** The tools that write a result file. */
export interface WritingTools {
  /** From the kernel; without it the rows are formatted here. */
  readonly formatRows?: RowFormatting | undefined;
  readonly door?: FileDoor | undefined;
}

/** The meaning of the numbers in a column. */
export type TableField =
  | { readonly kind: 'id' | 'integer' }
  /** Texts of the batch, escaped like ids. */
  | { readonly kind: 'text' }
  /** NaN is the empty cell. */
  | { readonly kind: 'fraction' }
  /** Indices into these cells, which have the form of the format. */
  | { readonly kind: 'cell'; readonly cells: readonly Uint8Array[] }
  /** The same cell in every row: a column without numbers, absent in the batches. */
  | { readonly kind: 'same'; readonly cell: Uint8Array };

/** The columns of a table: their names, and one field each. */
export interface TableColumns {
  readonly names: readonly string[];
  readonly fields: readonly TableField[];
}

type VaryingField = Exclude<TableField, { readonly kind: 'same' }>;

function isVarying(field: TableField): field is VaryingField {
  return field.kind !== 'same';
}

/** The layout for the kernel: constant cells become part of the text around the others. */
function layoutOf({ names, fields }: TableColumns, format: ResultFormat): RowLayout {
  const frame = rowFrame(format, names);
  const before: Uint8Array[] = [];
  let fixed: Uint8Array[] = [];
  fields.forEach((field, i) => {
    fixed.push(frame.before[i]!);
    if (field.kind === 'same') {
      fixed.push(field.cell);
      return;
    }
    before.push(Buffer.concat(fixed));
    fixed = [];
  });
  const rowFields = fields.filter(isVarying).map((field): RowField => {
    if (field.kind === 'fraction') return { kind: 'fraction', empty: emptyCell(format) };
    return field.kind === 'cell' ? { kind: 'cell', cells: field.cells } : { kind: field.kind };
  });
  return {
    fields: rowFields,
    before,
    after: Buffer.concat([...fixed, frame.after]),
    escapes: CELL_ESCAPES[format],
  };
}

function writeCell(
  rows: RowTaker,
  ids: IdTable,
  texts: IdTable | undefined,
  field: VaryingField,
  value: number,
): void {
  if (field.kind === 'cell') rows.word(field.cells[value]!);
  else if (field.kind === 'id') rows.id(ids, value);
  else if (field.kind === 'text') rows.id(texts!, value);
  else if (field.kind === 'integer') rows.integer(value);
  else rows.fraction(value);
}

/** Rows cell by cell: the reference, used without a kernel. */
function writePlainRows(rows: RowTaker, fields: readonly TableField[], ids: IdTable, batch: RowBatch): void {
  for (let row = 0; row < batch.rows; row++) {
    let column = 0;
    for (const field of fields) {
      if (field.kind === 'same') rows.word(field.cell);
      else writeCell(rows, ids, batch.texts, field, batch.columns[column++]![row]!);
    }
    rows.endRow();
  }
}

/** Calls `use` on a file at this location; removes the file after an error. */
function writeFile(
  place: ResultPlace,
  door: FileDoor | undefined,
  use: (file: AtomicFile) => number,
): WrittenFile {
  const file = new AtomicFile(place.root, place.file, door, new DiskRoom(place.root, door));
  try {
    return file.finish(use(file));
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/**
 * Writes one result file: the rows of all batches, each with one column for every variable field, by the
 * kernel if there is one, else cell by cell, with the same bytes. A batch is consumed before the next one is
 * requested.
 *
 * @throws MinHashError WRITE_FAILED; then the file does not exist
 */
export function writeTable(
  place: ResultPlace,
  table: TableColumns,
  ids: IdTable,
  batches: Iterable<RowBatch>,
  { formatRows, door }: WritingTools = {},
): WrittenFile {
  const { format } = place;
  const { names } = table;
  return writeFile(place, door, (file) => {
    // The kernel formats lines of bytes.
    if (formatRows === undefined || format === 'parquet') {
      const rows = rowTaker(format, names, (piece) => file.append(piece));
      for (const batch of batches) writePlainRows(rows, table.fields, ids, batch);
      rows.flush();
      return rows.rows;
    }
    file.append(rowFrame(format, names).head);
    let rows = 0;
    const counted = function* (): Iterable<RowBatch> {
      for (const batch of batches) {
        yield batch;
        rows += batch.rows;
      }
    };
    formatRows(layoutOf(table, format), ids, counted(), (piece) => file.append(piece));
    return rows;
  });
}

/** A result file whose rows come one by one. End it with `finish` or `abandon`, after an error too. */
export class OpenRows {
  readonly rows: RowTaker;
  private readonly file: AtomicFile;

  /** @throws MinHashError WRITE_FAILED, DISK_FULL; as do calls of `rows` and `finish` */
  constructor(place: ResultPlace, columns: readonly string[], door?: FileDoor) {
    this.file = new AtomicFile(place.root, place.file, door, new DiskRoom(place.root, door));
    this.rows = rowTaker(place.format, columns, (piece) => this.file.append(piece));
  }

  finish(): WrittenFile {
    this.rows.flush();
    return this.file.finish(this.rows.rows);
  }

  /** Removes the file. Never throws. */
  abandon(): void {
    this.file.abandon();
  }
}

/** Writes one result file row by row: `fill` writes its rows. @throws MinHashError WRITE_FAILED */
export function writeRows(
  place: ResultPlace,
  columns: readonly string[],
  fill: (rows: RowTaker) => void,
  { door }: Pick<WritingTools, 'door'> = {},
): WrittenFile {
  const open = new OpenRows(place, columns, door);
  try {
    fill(open.rows);
    return open.finish();
  } catch (error) {
    open.abandon();
    throw error;
  }
}

/** Rows [from, to) of columns as one batch. */
export function rowsOf(from: number, to: number, columns: readonly Column[]): RowBatch[] {
  return [{ rows: to - from, columns: columns.map((column) => column.subarray(from, to)) }];
}

/**
 * Places by row: a name, and the number behind it (src/readers/list/pathIds.ts). The column `place` locates a
 * row's document for deletion, whatever its id.
 */
export interface RowPlaces {
  readonly names: IdTable;
  readonly name: Uint32Array;
  readonly number: Float64Array;
  /** Where units of documents are compared: what stands before their numbers, and these. */
  readonly units?: { readonly mark: string; readonly number: Float64Array };
}

/** Rows whose places are made at a time, so that they take little memory. */
const BATCH = 8192;

const NUMBERS = Uint32Array.from({ length: BATCH }, (_, i) => i);

/** The field of the column; without places the id of every document is its place. */
export function placeField(places: RowPlaces | null): TableField {
  return { kind: places === null ? 'id' : 'text' };
}

/**
 * Rows [from, to) of the columns and, as the last column, their places; those of `places` are of these rows
 * alone.
 */
export function placedRows(
  from: number,
  to: number,
  columns: readonly Column[],
  document: Uint32Array,
  places: RowPlaces | null,
  format: ResultFormat,
): Iterable<RowBatch> {
  return places === null
    ? rowsOf(from, to, [...columns, document])
    : batchesOf(from, to, columns, places, format);
}

function* batchesOf(
  from: number,
  to: number,
  columns: readonly Column[],
  places: RowPlaces,
  format: ResultFormat,
): Iterable<RowBatch> {
  const writer = new PlaceWriter(places, format);
  const offsets = new Uint32Array(BATCH + 1);
  for (let start = from; start < to; start += BATCH) {
    const rows = Math.min(BATCH, to - start);
    writer.out.clear();
    for (let row = 0; row < rows; row++) {
      writer.append(start - from + row);
      offsets[row + 1] = writer.out.length;
    }
    const [batch] = rowsOf(start, start + rows, columns);
    const texts = { bytes: writer.out.written(), offsets: offsets.subarray(0, rows + 1) };
    yield { rows, columns: [...batch!.columns, NUMBERS.subarray(0, rows)], texts };
  }
}

const HASH = 0x23;

/** Writes places one after the other: byte by byte, because calls for such short runs cost more. */
export class PlaceWriter {
  readonly out = new ByteWriter();
  private readonly places: RowPlaces;
  private readonly format: ResultFormat;
  /** The last name written, and its form in the format; null: unchanged. */
  private last = -1;
  private form: Uint8Array | null = null;
  private readonly mark: Uint8Array;

  constructor(places: RowPlaces, format: ResultFormat) {
    this.places = places;
    this.format = format;
    this.mark = ascii(places.units?.mark ?? '');
  }

  append(row: number): void {
    const { out, places } = this;
    this.appendDocument(row);
    if (places.units === undefined) return;
    out.append(this.mark);
    out.appendInteger(places.units.number[row]!);
  }

  private appendDocument(row: number): void {
    const { out, places } = this;
    const name = places.name[row]!;
    if (this.format !== 'tsv' && name !== this.last) this.form = this.formOf(name);
    this.last = name;
    if (this.form !== null) out.append(this.form);
    else {
      const { bytes, offsets } = places.names;
      const end = offsets[name + 1]!;
      out.reserve(end - offsets[name]!);
      const target = out.bytes;
      let at = out.length;
      for (let i = offsets[name]!; i < end; i++) target[at++] = bytes[i]!;
      out.length = at;
    }
    const number = places.number[row]!;
    if (number === WHOLE) return;
    out.reserve(1);
    out.bytes[out.length++] = HASH;
    if (number !== MARKED_WHOLE) out.appendInteger(number);
  }

  private formOf(name: number): Uint8Array | null {
    const { bytes, offsets } = this.places.names;
    if (!needsPlaceForm(bytes, offsets[name]!, offsets[name + 1]!)) return null;
    const form = new ByteColumn();
    appendPlace(form, bytes, offsets[name]!, offsets[name + 1]!);
    return form.view;
  }
}
