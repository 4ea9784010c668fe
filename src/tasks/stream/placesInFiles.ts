/**
 * The numbers of documents in their files, as places of records have them (kinds.ts).
 *
 *      documents are compared   the number of the record, from 0; of a whole file WHOLE_RECORD
 *      units are compared       of a unit of a whole file its own number, from 1; of record r of a file with stride s:
 *                               s * (r + 1) and the number of the unit, which is less than s
 *
 * So numbers are in the order of places, with gaps. Strides are odd, which spreads the numbers over bits of files modulo a power of
 * two (rankBits.ts).
 */
import { WHOLE_RECORD } from './kinds.js';
import type { TaskManifest } from './taskManifest.js';

/** The stride of a file in which no unit has a greater number than `most`. */
export function strideOf(most: number): number {
  return most + 1 + (most % 2);
}

export class PlacesInFiles {
  private readonly strides: TaskManifest['strides'];

  constructor(strides: TaskManifest['strides']) {
    this.strides = strides;
  }

  /** The number of a record, or WHOLE_RECORD, or of a unit of it. */
  numberOf(file: number, record: number, unit: number): number {
    if (this.strides === null) return record;
    return this.strides[file]! * (record === WHOLE_RECORD ? 0 : record + 1) + unit;
  }

  /** The record, or WHOLE_RECORD, to which a number belongs. */
  recordOf(file: number, number: number): number {
    if (this.strides === null) return number;
    const slot = Math.floor(number / this.strides[file]!);
    return slot === 0 ? WHOLE_RECORD : slot - 1;
  }

  /** The number of a unit in its document, from 1; 0 where documents are compared. */
  unitOf(file: number, number: number): number {
    return this.strides === null ? 0 : number % this.strides[file]!;
  }

  /** The least number above all of a file with so many records, of which `isWhole` has none but the file. */
  endOf(file: number, records: number, isWhole: boolean): number {
    if (this.strides === null) return isWhole ? 1 : records;
    return this.strides[file]! * (isWhole ? 1 : records + 1);
  }

  /** How many records a file has of which `end` is that number. */
  recordsBefore(file: number, end: number): number {
    return this.strides === null ? end : end / this.strides[file]! - 1;
  }
}
