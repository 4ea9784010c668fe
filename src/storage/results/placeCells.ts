/**
 * The column `place` of a table: what a row's document is found and deleted by, whatever its id.
 *
 * Floor 2. Knows how places look in each format; which document stands where it is told.
 */
import type { Column } from '../../blocks/block.js';
import { ByteColumn } from '../../blocks/growable.js';
import type { RowBatch } from '../../kernel/rowFormat.js';
import type { ResultFormat } from '../../sketch/params.js';
import { placeEnd } from '../filePlaces.js';
import { appendPlace } from './escaping.js';
import type { IdTable } from './idTable.js';
import { rowsOf, type TableField } from './tableWriter.js';

/** Places by row: a name, and the number behind it (src/storage/filePlaces.ts). */
export interface RowPlaces {
  readonly names: IdTable;
  readonly name: Uint32Array;
  readonly number: Float64Array;
}

/** Rows whose places are made at a time, so that they take no memory to speak of. */
const BATCH = 8192;

const NUMBERS = Uint32Array.from({ length: BATCH }, (_, i) => i);

/** The field of the column; places null: the id of every document is its place. */
export function placeField(places: RowPlaces | null): TableField {
  return { kind: places === null ? 'id' : 'text' };
}

/** Rows [from, to) of the columns and, as the last one, their places; those of `places` are of these rows alone. */
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
  const bytes = new ByteColumn();
  const offsets = new Uint32Array(BATCH + 1);
  for (let start = from; start < to; start += BATCH) {
    const rows = Math.min(BATCH, to - start);
    bytes.truncate(0);
    for (let row = 0; row < rows; row++) {
      appendOne(bytes, places, start - from + row, format);
      offsets[row + 1] = bytes.length;
    }
    const numbers = NUMBERS.subarray(0, rows);
    const [batch] = rowsOf(start, start + rows, columns);
    const texts = { bytes: bytes.view, offsets: offsets.subarray(0, rows + 1) };
    yield { rows, columns: [...batch!.columns, numbers], texts };
  }
}

function appendOne(out: ByteColumn, { names, name, number }: RowPlaces, row: number, format: ResultFormat) {
  const from = names.offsets[name[row]!]!;
  const to = names.offsets[name[row]! + 1]!;
  if (format === 'tsv') out.append(names.bytes.subarray(from, to));
  else appendPlace(out, names.bytes, from, to);
  out.appendBinary(placeEnd(number[row]!));
}
