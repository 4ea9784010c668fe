/**
 * Cuts the bytes of a file into records, numbered as places in results number them, while they are read.
 *
 *      lines       from 1, every line                        array       elements, from 1
 *      in order    from 1, whatever a record holds: of tables neither the first line nor blank ones are one
 *
 * Every byte is passed on once, in order. Records are those of the readers of a run.
 */
import { WHOLE_FILE } from '../blocks/documents.js';
import type { InputFormat } from '../sketch/formatNames.js';
import { ChunkCutter, type ChunkFault, type LineChunk } from './bytes/chunkCutter.js';
import { isUtf8, startAfterMark } from './bytes/encodings.js';
import { UncountedLines } from './bytes/recordCutter.js';
import { type PieceParams, pieceBytesOf, type ReadParams } from './documentSink.js';
import { CLOSE_ARRAY, COMMA, JsonScanner, OPEN_ARRAY } from './formats/json/jsonScanner.js';
import { type CutFormat, formatNamed, hasValues, isCut } from './list/formats.js';
import { lineLimit } from './recordRoom.js';

/** Takes the parts of a file. Bytes are valid during the call. */
export interface RecordTaker {
  /** The next bytes of a record; `ends`: its last ones, which may be none. */
  record(number: number, bytes: Buffer, from: number, to: number, ends: boolean): void;
  /** Bytes between records: brackets, commas, names of fields. `stays`: they belong to the records that stay. */
  between(bytes: Buffer, from: number, to: number, stays: boolean): void;
  /** A line without a byte but its end. */
  blank(bytes: Buffer, from: number, to: number): void;
  /** Whether a record is left out; called for this one or the next. */
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
  if (hasValues(format)) return new ArrayCutting(taker);
  throw new Error(`${name} has no records that are cut as bytes`);
}

/** Numbers of lines need no window of a run: what was read is passed on at once, while the next bytes are read. */
const LINES_BYTES = 256 << 10;

/** Lines, and records of formats that are cut in order: in the windows of a run, so that they have the same numbers. */
class ChunkCutting implements Cutting {
  readonly #format: CutFormat;
  readonly #params: CutParams;
  readonly #taker: RecordTaker;
  readonly #cutter: ChunkCutter;
  /** Number of the last record. */
  #number = 0;
  /** The record is too long to be held, and has not ended. */
  #isLong = false;
  #isStart = true;

  constructor(format: CutFormat, params: CutParams, taker: RecordTaker) {
    this.#format = format;
    this.#params = params;
    this.#taker = taker;
    const isLines = format.splits === 'by lines';
    const window = isLines ? LINES_BYTES : pieceBytesOf(params);
    const ends = isLines ? new UncountedLines() : format.cutter(params);
    // Lines need only their ends: a long one is passed on in pieces.
    const limit = isLines ? window : Math.max(window, lineLimit(params));
    this.#cutter = new ChunkCutter(ends, window, limit, (bytes, from, to) => {
      this.#pass(bytes, from, to);
    });
  }

  push(bytes: Buffer): void {
    this.#cutter.push(bytes);
    for (const chunk of this.#cutter.chunks()) this.#take(chunk);
  }

  end(): void {
    for (const chunk of this.#cutter.rest(false)) this.#take(chunk);
    this.#endLong();
  }

  #take(chunk: LineChunk | ChunkFault): void {
    this.#endLong();
    if ('fault' in chunk) {
      this.#number++;
      this.#isLong = true;
    } else this.#cut(chunk);
  }

  #pass(bytes: Buffer, from: number, to: number): void {
    const hasMark = this.#isStart && isUtf8(this.#params.encoding);
    const start = hasMark ? from + startAfterMark(bytes.subarray(from, to)) : from;
    this.#isStart = false;
    if (start > from) this.#taker.between(bytes, from, start, true);
    this.#taker.record(this.#number, bytes, start, to, false);
  }

  #endLong(): void {
    if (this.#isLong) this.#taker.record(this.#number, NOTHING, 0, 0, true);
    this.#isLong = false;
  }

  #cut(chunk: LineChunk): void {
    this.#isStart = false;
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

type State = 'start' | 'before' | 'element' | 'after' | 'tail';

/**
 * Elements of a file that is one JSON array, counted from 1: each ends where the scanner of a run ends it, and is held whole, as
 * there.
 *
 *      [ a , b , c ]     without b:  [ a , c ]     without a:  [ b , c ]     without c:  [ a  ]
 *
 * A comma stays where the element behind it does and one before it did; white space goes with its element, but for that before
 * the closing bracket.
 */
class ArrayCutting implements Cutting {
  readonly #taker: RecordTaker;
  #state: State = 'start';
  #number = 1;
  readonly #scanner = new JsonScanner([]);
  /** The beginning of an element whose end was not read yet, and the number of bytes at which it is scanned again. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #wanted = 0;
  #isLast = false;
  #hasKept = false;
  /** White space behind an element or a comma, until it is known to which element it belongs. */
  #space: Buffer[] = [];

  constructor(taker: RecordTaker) {
    this.#taker = taker;
  }

  push(bytes: Buffer): void {
    if (this.#state === 'element') {
      // Pieces share memory, so they are copied. The length that is scanned again doubles, so that the time stays linear.
      this.#held.push(Buffer.from(bytes));
      this.#heldBytes += bytes.length;
      if (this.#heldBytes >= this.#wanted) this.#goOn(this.#taken());
    } else this.#goOn(bytes);
  }

  end(): void {
    this.#isLast = true;
    this.#goOn(this.#taken());
    this.#giveSpace(true);
  }

  #goOn(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at = this.#step(bytes, at);
  }

  #taken(): Buffer {
    const taken = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return taken;
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'start':
        return this.#untilOpened(bytes, at);
      case 'tail':
        this.#taker.between(bytes, at, bytes.length, true);
        return bytes.length;
      case 'element':
        return this.#element(bytes, at);
      default:
        return this.#around(bytes, at);
    }
  }

  #untilOpened(bytes: Buffer, at: number): number {
    const open = bytes.indexOf(OPEN_ARRAY, at);
    const end = open < 0 ? bytes.length : open + 1;
    this.#taker.between(bytes, at, end, true);
    if (open >= 0) this.#state = 'before';
    return end;
  }

  /** Before an element, or behind one. */
  #around(bytes: Buffer, at: number): number {
    const to = this.#scanner.skipSpace(bytes, at, bytes.length);
    if (to > at) {
      this.#space.push(Buffer.from(bytes.subarray(at, to)));
      return to;
    }
    const taker = this.#taker;
    const byte = bytes[at]!;
    if (byte === CLOSE_ARRAY) {
      this.#giveSpace(true);
      this.#state = 'tail';
      return at;
    }
    if (this.#state === 'before') {
      this.#giveSpace(!taker.leavesOut(this.#number));
      this.#state = 'element';
      return at;
    }
    this.#giveSpace(!taker.leavesOut(this.#number));
    this.#hasKept ||= !taker.leavesOut(this.#number);
    this.#number++;
    taker.between(bytes, at, at + 1, byte === COMMA && this.#hasKept && !taker.leavesOut(this.#number));
    this.#state = 'before';
    return at + 1;
  }

  #giveSpace(stays: boolean): void {
    for (const space of this.#space) this.#taker.between(space, 0, space.length, stays);
    this.#space = [];
  }

  #element(bytes: Buffer, from: number): number {
    const { length } = bytes;
    const end = this.#scanner.scan(bytes, from, length);
    // A number may go on in the next piece.
    if (!this.#isLast && (end === length || (end < 0 && this.#scanner.isCut))) {
      this.#held = [Buffer.from(bytes.subarray(from))];
      this.#heldBytes = length - from;
      this.#wanted = 2 * this.#heldBytes;
      return length;
    }
    if (end < 0) {
      // No further element stands here: the counts will show it.
      this.#state = 'tail';
      return from;
    }
    this.#taker.record(this.#number, bytes, from, end, true);
    this.#state = 'after';
    return end;
  }
}
