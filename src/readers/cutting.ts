/**
 * Cuts the bytes of a file into records while they are read, for `apply`. Records are numbered as in locations.
 *
 *      lines       from 1, every line                        array       elements, from 1
 *      in order    from 1, valid or not; the header and blank lines of a table are not records
 *
 * Every byte is passed on once, in order. Records are cut as in a run.
 */
import { WHOLE_FILE } from '../blocks/documents.js';
import type { InputFormat } from '../sketch/formatNames.js';
import { ChunkCutter, type ChunkProblem, type LineChunk } from './bytes/chunkCutter.js';
import { isUtf8, startAfterMark } from './bytes/encodings.js';
import { lineLimit, type PieceParams, pieceBytesOf, type ReadParams } from './documentSink.js';
import { recordPlaces, skipSpace } from './formats/json/json.js';
import { recordSteps } from './formats/json/jsonRecord.js';
import { type CutFormat, formatNamed, hasValues, isCut } from './list/formats.js';

/** Takes the parts of a file. Bytes are valid during the call. */
export interface RecordTaker {
  /** The next bytes of a record; `ends`: its last ones, which may be none. */
  record(number: number, bytes: Buffer, from: number, to: number, ends: boolean): void;
  /** Bytes between records: brackets, commas, names of fields. `stays`: they belong to records that are kept. */
  between(bytes: Buffer, from: number, to: number, stays: boolean): void;
  /** A line without a byte but its end. */
  blank(bytes: Buffer, from: number, to: number): void;
  /** Whether a record is removed; called for this one or the next. */
  leavesOut(number: number): boolean;
}

export interface Cutting {
  push(bytes: Buffer): void;
  end(): void;
}

export type CutParams = ReadParams & PieceParams;

const NOTHING = Buffer.alloc(0);

/** A file that is one document. */
export class WholeCutting implements Cutting {
  readonly #taker: RecordTaker;

  constructor(taker: RecordTaker) {
    this.#taker = taker;
  }

  push(bytes: Buffer): void {
    this.#taker.record(WHOLE_FILE, bytes, 0, bytes.length, false);
  }

  end(): void {
    this.#taker.record(WHOLE_FILE, NOTHING, 0, 0, true);
  }
}

export function cuttingOf(name: InputFormat, params: CutParams, taker: RecordTaker): Cutting {
  const format = formatNamed(name);
  if (isCut(format)) return new ChunkCutting(format, params, taker);
  if (hasValues(format)) return new ArrayCutting(taker, recordSteps(params));
  throw new Error(`${name} has no records that are cut as bytes`);
}

/** Numbers of lines do not depend on windows, so lines use small ones, which are passed on while the next bytes are read. */
const LINES_BYTES = 256 << 10;

/** Lines, and records of formats that are cut in order. The latter use the windows of a run, so that they have the same numbers. */
class ChunkCutting implements Cutting {
  readonly #format: CutFormat;
  readonly #params: CutParams;
  readonly #taker: RecordTaker;
  readonly #cutter: ChunkCutter;
  /** Number of the last record. */
  #number = 0;
  /** The record is too long to be held, and has not ended. */
  #isLong = false;

  constructor(format: CutFormat, params: CutParams, taker: RecordTaker) {
    this.#format = format;
    this.#params = params;
    this.#taker = taker;
    const isLines = format.splits === 'by lines';
    const window = isLines ? LINES_BYTES : pieceBytesOf(params);
    // Lines need only their ends: a long one is passed on in pieces.
    const most = isLines ? window : Math.max(window, lineLimit(params));
    const rule = isLines ? null : { of: format, params };
    this.#cutter = new ChunkCutter(rule, window, { most }, (bytes, from, to) => this.#pass(bytes, from, to));
  }

  push(bytes: Buffer): void {
    this.#cutter.push(bytes);
    for (const chunk of this.#cutter.chunks()) this.#take(chunk);
  }

  end(): void {
    for (const chunk of this.#cutter.rest(false)) this.#take(chunk);
  }

  #pass(bytes: Buffer, from: number, to: number): void {
    const hasMark = !this.#isLong && this.#number === 0 && isUtf8(this.#params.encoding);
    const start = hasMark ? from + startAfterMark(bytes.subarray(from, to)) : from;
    if (start > from) this.#taker.between(bytes, from, start, true);
    if (!this.#isLong) this.#number++;
    this.#isLong = true;
    this.#taker.record(this.#number, bytes, start, to, false);
  }

  #take(chunk: LineChunk | ChunkProblem): void {
    if ('problem' in chunk) {
      this.#isLong = false;
      this.#taker.record(this.#number, NOTHING, 0, 0, true);
      return;
    }
    const taker = this.#taker;
    const { bytes } = chunk;
    const records = this.#format.records({ ...chunk, firstLine: this.#number }, this.#params);
    for (let at = 0; at < bytes.length; ) {
      const end = records.next(at);
      const { part } = records;
      if (part === 'record' || part === 'empty') this.#number++;
      if (part === 'record') taker.record(this.#number, bytes, at, end, true);
      else if (part === 'head') taker.between(bytes, at, end, true);
      else taker.blank(bytes, at, end);
      at = end;
    }
  }
}

/**
 * Elements of a file that is one JSON array, or with --records the records of its values, counted from 1: each ends where the reader of a
 * run ends it. The file is held whole, as there.
 *
 *      [ a , b , c ]     without b:  [ a , c ]     without a:  [ b , c ]     without c:  [ a  ]
 *
 * A comma is kept if the element behind it and any before it are kept. White space belongs to its element, except before the
 * closing bracket.
 */
class ArrayCutting implements Cutting {
  readonly #taker: RecordTaker;
  readonly #steps: readonly string[] | null;
  readonly #pieces: Buffer[] = [];

  constructor(taker: RecordTaker, steps: readonly string[] | null) {
    this.#taker = taker;
    this.#steps = steps;
  }

  push(bytes: Buffer): void {
    this.#pieces.push(Buffer.from(bytes));
  }

  end(): void {
    const taker = this.#taker;
    const bytes = Buffer.concat(this.#pieces);
    const start = skipSpace(bytes, startAfterMark(bytes), bytes.length);
    let [at, number, current, hasKept] = [0, 0, -1, false];
    for (const place of recordPlaces(bytes, start, this.#steps)) {
      if (place === null) continue;
      const { array, comma, from, to } = place;
      if (array !== current && array >= 0) {
        taker.between(bytes, at, array + 1, true);
        [at, hasKept] = [array + 1, false];
      }
      current = array;
      if (comma >= 0) {
        const stays = !taker.leavesOut(number);
        if (comma > at) taker.between(bytes, at, comma, stays);
        hasKept ||= stays;
        taker.between(bytes, comma, comma + 1, hasKept && !taker.leavesOut(number + 1));
        at = comma + 1;
      }
      number++;
      if (from > at) taker.between(bytes, at, from, !taker.leavesOut(number));
      taker.record(number, bytes, from, to, true);
      at = to;
    }
    if (at < bytes.length) taker.between(bytes, at, bytes.length, true);
  }
}
