/** Side files of rows of one width: the number of rows u32, then the rows, ascending. A task holds all of them. */
import { FieldWriter, u32At } from './records.js';
import type { StagePlace } from './stage.js';

/** Bytes of the number of rows. */
const ROWS = 4;

/** Rows of one width, in the order of their bytes. */
export class SortedRows {
  readonly count: number;
  private readonly bytes: Uint8Array;
  private readonly width: number;

  constructor(bytes: Uint8Array, width: number) {
    this.bytes = bytes;
    this.width = width;
    this.count = bytes.length / width;
  }

  static ofSide(here: StagePlace, name: string, width: number): SortedRows {
    const rows = u32At(here.side(name, 0, ROWS), 0);
    return new SortedRows(here.side(name, ROWS, rows * width), width);
  }

  row(number: number): Uint8Array {
    return this.bytes.subarray(number * this.width, (number + 1) * this.width);
  }

  /** The first row that is not before `bytes`, which may be shorter than a row; `count`: there is none. */
  from(bytes: Uint8Array): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, bytes) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Compares the beginning of a row with `bytes`. Compares in place: a view in every step would be many objects a record. */
  private compare(row: number, bytes: Uint8Array): number {
    const at = row * this.width;
    for (let i = 0; i < bytes.length; i++) {
      if (this.bytes[at + i] !== bytes[i]) return this.bytes[at + i]! - bytes[i]!;
    }
    return 0;
  }

  /** The first row that begins with `bytes`; -1: there is none. */
  beginningWith(bytes: Uint8Array): number {
    const row = this.from(bytes);
    return row < this.count && this.compare(row, bytes) === 0 ? row : -1;
  }
}

export function sideOfRows(rows: Uint8Array, width: number): Uint8Array {
  return new FieldWriter().u32(rows.length / width).raw(rows).view;
}
