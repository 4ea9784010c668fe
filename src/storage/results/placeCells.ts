/**
 * The column `place` of a table: what a row's document is found and deleted by, whatever its id.
 *
 * Floor 2. Knows how places look in each format; which document stands where it is told.
 */
import type { Column } from '../../blocks/block.js';
import { ByteColumn } from '../../blocks/growable.js';
import type { RowBatch } from '../../kernel/rowFormat.js';
import type { ResultFormat } from '../../sketch/params.js';
import { MARKED_WHOLE, WHOLE } from '../filePlaces.js';
import { ByteWriter } from './byteWriter.js';
import { appendPlace, needsPlaceForm } from './escaping.js';
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

/** Places one behind the other: byte by byte, because a call for each of so few costs more. */
class PlaceWriter {
  readonly out = new ByteWriter();
  private readonly places: RowPlaces;
  private readonly format: ResultFormat;
  /** The name written last, and the form in which it stands in the format; null: as it is. */
  private last = -1;
  private form: Uint8Array | null = null;

  constructor(places: RowPlaces, format: ResultFormat) {
    this.places = places;
    this.format = format;
  }

  append(row: number): void {
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
