/** Finds where records of CSV end in a stream: line ends in quoted fields are none. */
import { startAfterMark } from '../../bytes/encodings.js';
import type { RecordCutter } from '../../bytes/recordCutter.js';
import type { StreamHead } from '../../split.js';
import { firstCells } from './cells.js';
import { CsvRecord } from './csvRecord.js';
import {
  BROKEN,
  behindLineEnd,
  CARRIAGE_RETURN,
  closingQuote,
  LINE_FEED,
  NOT_ENDED,
  placeOf,
  QUOTE,
} from './quotes.js';

/** How a table is cut. */
export interface TableShape {
  /** A byte of ASCII. */
  readonly separator: number;
  /** The first record names the fields, and is not counted. */
  readonly hasHeader: boolean;
  /** Bytes from the beginning of a record in which fields in quotes are known. */
  readonly mostQuoted: number;
}

/**
 * All places are counted from the beginning of the stream. Bytes from the beginning of the current record on must be held
 * while it is not longer than `mostQuoted`: a quote that turns out to be one too many ends the record where its line ended,
 * which may lie before the bytes that show it.
 */
export class CsvCutter implements RecordCutter {
  /** Of the chunk that was counted last: undefined where it begins the stream, then the names of the fields, none where nobody knows them. */
  head: StreamHead | undefined;
  readonly #shape: TableShape;
  /** Up to here bytes were given, and up to here gone over: a quote that ends them waits for what follows it. */
  #given = 0;
  #at = 0;
  /** Where the current record began, and its open field behind the quote, or -1. */
  #record = 0;
  #open = -1;
  /** The rest of the line is one record, whatever quotes it has. */
  #isBroken = false;
  /** A CR was the last byte given: what follows says where its line ends. It may not be held any more. */
  #isReturnOpen = false;
  /** Records that were met, without blank lines; how many of them were counted, and up to where. */
  #met = 0;
  #counted = 0;
  #countedTo = 0;
  #names: StreamHead | undefined;

  constructor(shape: TableShape) {
    this.#shape = shape;
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
    // Of a record that was too long to be held no byte comes.
    this.#countedTo = chunk.length === 0 ? this.#record : begin + chunk.length;
    const rest = this.#countedTo === this.#record ? 0 : this.#inRest(chunk, this.#record - begin);
    const records = this.#met - this.#counted + rest;
    this.#counted = this.#met;
    if (this.#names !== undefined) return records;
    const { separator, hasHeader } = this.#shape;
    if (!hasHeader || chunk.length === 0) {
      this.#names = [];
      return records;
    }
    this.#names = firstCells(chunk, startAfterMark(chunk), separator, true)?.cells;
    return this.#names === undefined ? records : records - 1;
  }

  /** Records at the end of the stream whose end was not met: of a quote that is one too many each line. */
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

  /** Goes over the bytes from where it stands to their end, or behind the first end of a record; returns the last end met. */
  #scan(bytes: Buffer, from: number, untilFirst: boolean): number {
    const base = this.#given - from;
    const end = bytes.length;
    let at = this.#at - base;
    let last = -1;
    if (this.#isReturnOpen && at < end) {
      this.#isReturnOpen = false;
      last = at = bytes[from] === LINE_FEED ? from + 1 : from;
      this.#endRecord(bytes, from - 1, last, base);
    }
    let feed = -1;
    let carriage = -1;
    let quote = -1;
    while (at < end && !(untilFirst && last >= 0)) {
      if (this.#open >= 0) {
        const close = closingQuote(
          bytes,
          at,
          this.#record - base + this.#shape.mostQuoted,
          this.#shape.separator,
        );
        if (close === NOT_ENDED || close + 1 === end) {
          at = close === NOT_ENDED ? end : close;
          break;
        }
        if (close !== BROKEN) at = close + 1;
        else {
          // What was gone over in vain is gone over again, as other records. The line ends that are known stay those: they were looked
          // for from before the field on. To look for them anew at each such field takes the length of all that follows.
          const lineEnd = this.#breakOff(bytes, base, feed, carriage);
          if (lineEnd >= 0) last = lineEnd;
          at = lineEnd >= 0 ? lineEnd : end - 1;
        }
        this.#open = -1;
        continue;
      }
      if (feed < at) feed = orEnd(placeOf(LINE_FEED, bytes, at), end);
      if (carriage < at) carriage = orEnd(placeOf(CARRIAGE_RETURN, bytes, at), end);
      if (quote < at) quote = this.#isBroken ? end : orEnd(placeOf(QUOTE, bytes, at), end);
      const stop = Math.min(feed, carriage);
      if (quote < stop) {
        if (this.#opens(bytes, quote, base)) this.#open = base + quote + 1;
        at = quote + 1;
      } else if (isUnclear(bytes, stop)) {
        this.#isReturnOpen = true;
        at = end;
      } else if (stop < end) {
        if (this.#isBroken) quote = -1;
        last = at = behindLineEnd(bytes, stop);
        this.#endRecord(bytes, stop, at, base);
      } else at = end;
    }
    this.#at = base + at;
    this.#given = untilFirst && last >= 0 ? this.#at : base + end;
    return last;
  }

  /** The record of the open field ends with the line on which that began: returns its end, or -1 where that was not met yet. */
  #breakOff(bytes: Buffer, base: number, feed: number, carriage: number): number {
    const from = this.#open - base;
    const stop = Math.min(
      feed >= from ? feed : orEnd(placeOf(LINE_FEED, bytes, from), bytes.length),
      carriage >= from ? carriage : orEnd(placeOf(CARRIAGE_RETURN, bytes, from), bytes.length),
    );
    if (stop === bytes.length || isUnclear(bytes, stop)) {
      this.#isBroken = true;
      return -1;
    }
    const end = behindLineEnd(bytes, stop);
    this.#endRecord(bytes, stop, end, base);
    return end;
  }

  /** Whether a quote is the first byte of a field. */
  #opens(bytes: Buffer, quote: number, base: number): boolean {
    const record = this.#record - base;
    if (quote - record >= this.#shape.mostQuoted) return false;
    return quote === record + this.#markAt(bytes, record) || bytes[quote - 1] === this.#shape.separator;
  }

  /** Its line end stands from `stop` to `end`. */
  #endRecord(bytes: Buffer, stop: number, end: number, base: number): void {
    const record = this.#record - base;
    // Of a record that is too long to be held the beginning is not here.
    const from = record < 0 ? record : record + this.#markAt(bytes, record);
    if (stop > from) this.#met++;
    this.#record = base + end;
    this.#isBroken = false;
  }

  /** Bytes of a byte order mark that begins the stream. */
  #markAt(bytes: Buffer, record: number): number {
    return this.#record === 0 ? startAfterMark(bytes.subarray(record, record + 3)) : 0;
  }
}

function orEnd(place: number, end: number): number {
  return place < 0 ? end : place;
}

/** Whether a CR ends the bytes: a LF may follow it. */
function isUnclear(bytes: Buffer, stop: number): boolean {
  return stop + 1 === bytes.length && bytes[stop] === CARRIAGE_RETURN;
}
