/** Finds where records of CSV end in a stream, which is not at line ends in quoted fields. */
import { startAfterMark } from '../../bytes/encodings.js';
import type { RecordCutter } from '../../bytes/recordCutter.js';
import type { StreamHead } from '../../split.js';
import { CsvRecord, firstCells } from './csvRecord.js';

/** How a table is cut. */
export interface TableShape {
  /** A byte of ASCII. */
  readonly separator: number;
  /** A byte of ASCII, or NO_QUOTE. */
  readonly quote: number;
  /** The first record names the fields, and is not counted. */
  readonly hasHeader: boolean;
  /** Bytes from the beginning of a record in which fields in quotes are known. */
  readonly mostQuoted: number;
}

/**
 * Positions are counted from the beginning of the stream. The caller holds the current record while it is not longer than `mostQuoted`:
 * an unmatched quote ends the record at the end of its line, which may be before the bytes that show it.
 */
export class CsvCutter implements RecordCutter {
  /** The head of the chunk that was counted last: undefined for the first one, then the names of the fields, empty if they are unknown. */
  head: StreamHead | undefined;
  readonly #shape: TableShape;
  readonly #steps: CsvRecord;
  /** The end of all bytes so far, and where the last ones begin in the stream. */
  #given = 0;
  #base = 0;
  /** Where the current record began. */
  #record = 0;
  /** Records so far, without blank lines; how many of them were counted, and up to where. */
  #met = 0;
  #counted = 0;
  #countedTo = 0;
  #names: StreamHead | undefined;

  constructor(shape: TableShape) {
    this.#shape = shape;
    this.#steps = new CsvRecord({ ...shape, wanted: 0, endsAtReturns: true, isStream: true });
  }

  last(bytes: Buffer, from: number, to: number): number {
    return this.#scan(bytes.subarray(0, to), from, false);
  }

  next(bytes: Buffer, from: number, to: number): number {
    return this.#scan(bytes.subarray(0, to), from, true);
  }

  count(chunk: Buffer): number {
    this.head = this.#names;
    const begin = this.#countedTo;
    // No byte comes of a record that was too long to be held.
    this.#countedTo = chunk.length === 0 ? this.#record : begin + chunk.length;
    const rest = this.#countedTo === this.#record ? 0 : this.#inRest(chunk, this.#record - begin);
    const records = this.#met - this.#counted + rest;
    this.#counted = this.#met;
    if (this.#names !== undefined) return records;
    const { hasHeader } = this.#shape;
    if (!hasHeader || chunk.length === 0) {
      this.#names = [];
      return records;
    }
    this.#names = firstCells(chunk, startAfterMark(chunk), this.#shape, true)?.cells;
    return this.#names === undefined ? records : records - 1;
  }

  /** Records at the end of the stream: after an unmatched quote each line is one. */
  #inRest(chunk: Buffer, from: number): number {
    const record = new CsvRecord({ ...this.#shape, wanted: 0, endsAtReturns: true });
    record.open(chunk);
    let records = 0;
    for (let at = from === 0 && this.#record === 0 ? startAfterMark(chunk) : from; at < chunk.length; ) {
      at = record.read(at);
      if (!record.isBlank) records++;
    }
    return records;
  }

  /** Reads the bytes from the current place to their end, or to the first end of a record; returns the last end found. */
  #scan(bytes: Buffer, from: number, untilFirst: boolean): number {
    const steps = this.#steps;
    const base = this.#given - from;
    steps.follow(bytes, base - this.#base);
    this.#base = base;
    let last = -1;
    for (let end = steps.goOn(); end >= 0; end = steps.goOn()) {
      last = end;
      if (!steps.isBlank) this.#met++;
      steps.begin(end);
      if (untilFirst) break;
    }
    if (last >= 0) this.#record = base + last;
    this.#given = base + (untilFirst && last >= 0 ? last : bytes.length);
    return last;
  }
}
