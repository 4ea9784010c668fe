/**
 * A table given as columns -> one result file, by the kernel where it can, else cell by cell: the same bytes.
 *
 * Floor 2. Knows the three formats through rowWriter.ts and escaping.ts, and nothing of what the columns mean.
 */
import type { Column } from '../../blocks/block.js';
import type { RowBatch, RowField, RowFormatting, RowLayout } from '../../kernel/rowFormat.js';
import type { ResultFormat } from '../../sketch/params.js';
import { DiskRoom } from '../diskRoom.js';
import type { FileDoor } from '../fileDoor.js';
import { AtomicFile, type WrittenFile } from './atomicFile.js';
import { CELL_ESCAPES } from './escaping.js';
import type { IdTable } from './idTable.js';
import { emptyCell, RowWriter, rowFrame } from './rowWriter.js';

/** Where a result file goes. JSON, so it can be the parameter of a task. */
export interface ResultPlace {
  /** The output folder. */
  readonly root: string;
  /** Relative to it, with `/`. */
  readonly file: string;
  readonly format: ResultFormat;
}

/** With what a result file is written. */
export interface WritingTools {
  /** Of the kernel; without it the rows are formatted here. */
  readonly formatRows?: RowFormatting | undefined;
  readonly door?: FileDoor | undefined;
}

/** What the numbers of a column stand for. */
export type TableField =
  | { readonly kind: 'id' | 'integer' }
  /** Texts of the batch, escaped as ids are. */
  | { readonly kind: 'text' }
  /** NaN is the empty cell. */
  | { readonly kind: 'fraction' }
  /** Numbers of these cells, ready for the format. */
  | { readonly kind: 'cell'; readonly cells: readonly Uint8Array[] }
  /** The same cell in every row: a column without numbers, left out of the batches. */
  | { readonly kind: 'same'; readonly cell: Uint8Array };

/** The columns of a table: their names, and a field each. */
export interface TableColumns {
  readonly names: readonly string[];
  readonly fields: readonly TableField[];
}

type VaryingField = Exclude<TableField, { readonly kind: 'same' }>;

function isVarying(field: TableField): field is VaryingField {
  return field.kind !== 'same';
}

/** The layout for the kernel: cells that never vary become part of what stands around the others. */
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
  rows: RowWriter,
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

/** Rows cell by cell: the reference, and what runs where there is no kernel. */
function writePlainRows(rows: RowWriter, fields: readonly TableField[], ids: IdTable, batch: RowBatch): void {
  for (let row = 0; row < batch.rows; row++) {
    let column = 0;
    for (const field of fields) {
      if (field.kind === 'same') rows.word(field.cell);
      else writeCell(rows, ids, batch.texts, field, batch.columns[column++]![row]!);
    }
    rows.endRow();
  }
}

/** Calls `use` on a file at this place, which is gone again when anything fails. */
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
 * Writes one result file: the rows of all batches, each with one column for every field that varies. A batch is used up
 * before the next one is asked for.
 *
 * @throws MinHashError WRITE_FAILED; then the file is not there
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
    if (formatRows === undefined) {
      const rows = new RowWriter(format, names, (piece) => file.append(piece));
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

/** Writes one result file row by row: `fill` writes its rows. @throws MinHashError WRITE_FAILED */
export function writeRows(
  place: ResultPlace,
  columns: readonly string[],
  fill: (rows: RowWriter) => void,
  { door }: Pick<WritingTools, 'door'> = {},
): WrittenFile {
  return writeFile(place, door, (file) => {
    const rows = new RowWriter(place.format, columns, (piece) => file.append(piece));
    fill(rows);
    rows.flush();
    return rows.rows;
  });
}

/** Rows [from, to) of columns as one batch. */
export function rowsOf(from: number, to: number, columns: readonly Column[]): RowBatch[] {
  return [{ rows: to - from, columns: columns.map((column) => column.subarray(from, to)) }];
}
