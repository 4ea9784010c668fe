/**
 * The values of the fields that a run reads: of one record, from the reader, and as columns of a document table, four per field.
 *
 *      fieldKinds0     u8        MISSING, NUMBER or TEXT; the names end with the number of the field: 0, 1, ...
 *      fieldNumbers0   f64       the value of a NUMBER, never NaN; else 0
 *      fieldOffsets0   u32       n+1 offsets into fieldBytes0: a TEXT has its bytes there, other kinds have none
 *      fieldBytes0     u8
 *
 * These columns are absent if all values are missing.
 */
import { ByteColumn, Float64Column, Uint32Column } from '../arrays/growable.js';
import type { Block, Column } from './block.js';
import type { IdTable } from './ids.js';

/** The record lacks the field, or has null, an empty text, an object or an array in it. */
export const MISSING = 0;
export const NUMBER = 1;
export const TEXT = 2;

/** Maximum size of a value in bytes; longer texts are cut. */
const MOST_VALUE_BYTES = 64 << 10;

const NO_BYTES = new Uint8Array(0);

/** The values of one record, by the number of the field. One object serves all records of a reader. */
export class FieldValues {
  /** MISSING, NUMBER or TEXT. */
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  /** Text i is `bytes[i]` from `starts[i]` to `ends[i]`: memory of the reader, valid until its next call. */
  readonly bytes: Uint8Array[];
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;

  constructor(fields: number) {
    this.kinds = new Uint8Array(fields);
    this.numbers = new Float64Array(fields);
    this.bytes = Array.from({ length: fields }, () => NO_BYTES);
    this.starts = new Uint32Array(fields);
    this.ends = new Uint32Array(fields);
  }

  get length(): number {
    return this.kinds.length;
  }

  /** Makes every value missing. */
  clear(): void {
    this.kinds.fill(MISSING);
  }

  /** Sets a value to a number; NaN is missing, and -0 becomes 0. */
  setNumber(field: number, value: number): void {
    if (Number.isNaN(value)) return;
    this.kinds[field] = NUMBER;
    this.numbers[field] = value + 0;
  }

  /** Sets a value to a text; an empty text is missing. */
  setText(field: number, bytes: Uint8Array, from: number, to: number): void {
    if (to === from) return;
    this.kinds[field] = TEXT;
    this.bytes[field] = bytes;
    this.starts[field] = from;
    this.ends[field] = Math.min(to, from + MOST_VALUE_BYTES);
  }
}

/** The columns of one field while a table grows. */
class ValueColumn {
  readonly kinds = new ByteColumn();
  readonly numbers = new Float64Column();
  readonly ends = new Uint32Column();
  readonly bytes = new ByteColumn();

  /** Keeps the first `rows` values; values beyond the last one are missing. */
  resize(rows: number): void {
    this.kinds.truncate(Math.min(rows, this.kinds.length));
    this.numbers.truncate(this.kinds.length);
    this.ends.truncate(this.kinds.length);
    this.bytes.truncate(this.kinds.length === 0 ? 0 : this.ends.view[this.kinds.length - 1]!);
    while (this.kinds.length < rows) this.push(MISSING, 0);
  }

  push(kind: number, value: number): void {
    this.kinds.push(kind);
    this.numbers.push(value);
    this.ends.push(this.bytes.length);
  }
}

/** The values of the documents of a table while it grows. */
export class ValueColumns {
  private readonly fields: readonly ValueColumn[];

  constructor(fields: number) {
    this.fields = Array.from({ length: fields }, () => new ValueColumn());
  }

  /** Sets the values of row `row` (null: all missing), and removes those of later rows, whose documents were discarded. */
  row(row: number, values: FieldValues | null): void {
    for (let i = 0; i < this.fields.length; i++) {
      const field = this.fields[i]!;
      if (field.kinds.length !== row) field.resize(row);
      const kind = values === null ? MISSING : values.kinds[i]!;
      if (kind === TEXT) field.bytes.append(values!.bytes[i]!.subarray(values!.starts[i]!, values!.ends[i]!));
      field.push(kind, kind === NUMBER ? values!.numbers[i]! : 0);
    }
  }

  views(rows: number): Record<string, Column> {
    const columns: Record<string, Column> = {};
    this.fields.forEach((field, i) => {
      field.resize(rows);
      const offsets = new Uint32Array(rows + 1);
      offsets.set(field.ends.view, 1);
      columns[`fieldKinds${i}`] = field.kinds.view;
      columns[`fieldNumbers${i}`] = field.numbers.view;
      columns[`fieldOffsets${i}`] = offsets;
      columns[`fieldBytes${i}`] = field.bytes.view;
    });
    return columns;
  }
}

/** The values of the documents of a table in one field. */
export interface FieldColumns {
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  readonly texts: IdTable;
}

/** The columns of field `field` of a document table; null: all values are missing. */
export function fieldColumns({ columns }: Pick<Block, 'columns'>, field: number): FieldColumns | null {
  const kinds = columns[`fieldKinds${field}`];
  if (kinds === undefined) return null;
  return {
    kinds: kinds as Uint8Array,
    numbers: columns[`fieldNumbers${field}`] as Float64Array,
    texts: {
      offsets: columns[`fieldOffsets${field}`] as Uint32Array,
      bytes: columns[`fieldBytes${field}`] as Uint8Array,
    },
  };
}
