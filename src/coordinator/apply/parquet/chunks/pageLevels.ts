/**
 * Levels of a page: which of its entries are of rows that stay, and which of its values.
 *
 *      entry   a value, or a place where it is missing; repetition level 0: it begins a row
 *      value   an entry whose definition level is the greatest
 */
import type { PhysicalType, SchemaNode } from '../../../../readers/formats/parquet/footer.js';
import { ParquetFault } from '../../../../readers/formats/parquet/thrift.js';
import type { PageBuffer } from '../values/pageBuffer.js';
import { writeRuns } from '../values/runs.js';
import { compact } from '../values/valueFilter.js';

/** A column of values: what its pages consist of. */
export interface FilteredColumn {
  /** Its number among the columns of the file. */
  readonly index: number;
  readonly path: string;
  readonly type: PhysicalType;
  /** Bytes of a value; 0 of BOOLEAN and BYTE_ARRAY. */
  readonly width: number;
  /** Greatest definition and repetition level. */
  readonly defined: number;
  readonly repeated: number;
}

const WIDTHS: Readonly<Record<PhysicalType, number>> = {
  BOOLEAN: 0,
  INT32: 4,
  INT64: 8,
  INT96: 12,
  FLOAT: 4,
  DOUBLE: 8,
  BYTE_ARRAY: 0,
  FIXED_LEN_BYTE_ARRAY: 0,
};

/** @param told by the schema, for what has no width of its own */
function bytesOfValue(type: PhysicalType, told: number): number {
  if (type !== 'FIXED_LEN_BYTE_ARRAY') return WIDTHS[type];
  if (told < 0) throw new ParquetFault('PARQUET_FOOTER');
  return told;
}

/** The columns of a file in the order of their chunks. @throws ParquetFault */
export function filteredColumns(root: SchemaNode): FilteredColumn[] {
  const found: FilteredColumn[] = [];
  const walk = (node: SchemaNode, names: readonly string[], defined: number, repeated: number): void => {
    const { type, width, repetition } = node;
    const own = [...names, node.name];
    if (repetition !== 'required') defined++;
    if (repetition === 'repeated') repeated++;
    if (type !== null)
      found.push({
        index: found.length,
        path: own.join('.'),
        type,
        width: bytesOfValue(type, width),
        defined,
        repeated,
      });
    for (const child of node.children) walk(child, own, defined, repeated);
  };
  for (const child of root.children) walk(child, [], 0, 0);
  return found;
}

/** Levels by entry; null: all are 0. */
export interface PageLevels {
  readonly count: number;
  readonly repetitions: Uint8Array | null;
  readonly definitions: Uint8Array | null;
}

/** What stays of a page. */
export interface PageSelection {
  /** By entry and by value, a byte each, 0 or 1. */
  readonly entries: Uint8Array;
  readonly values: Uint8Array;
  /** Entries that stay, those of them without a value, and rows that begin with them. */
  readonly kept: number;
  readonly nulls: number;
  readonly rows: number;
}

/** Goes with the pages of a column through the rows of a row group. */
export class RowCursor {
  /** Rows that have begun. */
  begun = 0;
  private readonly keeps: Uint8Array;

  /** @param keeps by row of the row group, a byte each, 0 or 1 */
  constructor(keeps: Uint8Array) {
    this.keeps = keeps;
  }

  /** Whether all or none of the next rows stay; null: some do. */
  fateOf(rows: number): boolean | null {
    const { begun, keeps } = this;
    if (rows > keeps.length - begun) throw new ParquetFault();
    const dropped = keeps.indexOf(0, begun);
    if (dropped < 0 || dropped >= begun + rows) return true;
    const kept = keeps.indexOf(1, begun);
    return kept < 0 || kept >= begun + rows ? false : null;
  }

  /** What stays of the next page. @throws ParquetFault where it has rows that the row group has not */
  select({ count, repetitions, definitions }: PageLevels, { defined }: FilteredColumn): PageSelection {
    const entries = repetitions === null ? this.nextRows(count) : this.repeatedRows(repetitions);
    let kept = 0;
    let rows = 0;
    for (let i = 0; i < count; i++) {
      kept += entries[i]!;
      if (repetitions !== null && repetitions[i] === 0) rows += entries[i]!;
    }
    const values = definitions === null ? entries : valuesOf(entries, definitions, defined);
    let there = 0;
    for (let i = 0; i < values.length; i++) there += values[i]!;
    return { entries, values, kept, nulls: kept - there, rows: repetitions === null ? kept : rows };
  }

  private nextRows(count: number): Uint8Array {
    if (count > this.keeps.length - this.begun) throw new ParquetFault();
    this.begun += count;
    return this.keeps.subarray(this.begun - count, this.begun);
  }

  private repeatedRows(repetitions: Uint8Array): Uint8Array {
    const { keeps } = this;
    const entries = new Uint8Array(repetitions.length);
    let row = this.begun - 1;
    for (let i = 0; i < entries.length; i++) {
      if (repetitions[i] === 0) row++;
      entries[i] = keeps[row]!;
    }
    if (row >= keeps.length || (entries.length > 0 && this.begun === 0 && repetitions[0] !== 0))
      throw new ParquetFault();
    this.begun = row + 1;
    return entries;
  }
}

function valuesOf(entries: Uint8Array, definitions: Uint8Array, defined: number): Uint8Array {
  const values = new Uint8Array(entries.length);
  let there = 0;
  for (let i = 0; i < entries.length; i++) {
    values[there] = entries[i]!;
    if (definitions[i] === defined) there++;
  }
  return values.subarray(0, there);
}

/** Appends the levels of entries that stay. */
export function writeLevels(levels: Uint8Array, entries: Uint8Array, most: number, out: PageBuffer): void {
  writeRuns(levels, compact(levels, entries), 32 - Math.clz32(most), out);
}
