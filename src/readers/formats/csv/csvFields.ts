/** The values of fields of a record of CSV: numbers where all of a cell is a decimal number, else texts; an empty cell is missing. */
import { FieldValues } from '../../../blocks/fieldValues.js';
import type { CsvRecord } from './csvRecord.js';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Longer cells are texts. */
const MOST_DIGITS = 400;

const NINE = 0x39;

export class CsvFields {
  readonly #values: FieldValues;
  /** By field: its place in a record, from 0; negative: the table has it not. */
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

/** NaN: the cell is no decimal number. */
function decimalIn(bytes: Buffer, from: number, to: number): number {
  // Most texts begin with a letter.
  if (to === from || bytes[from]! > NINE || to - from > MOST_DIGITS) return Number.NaN;
  const text = bytes.toString('latin1', from, to);
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}
