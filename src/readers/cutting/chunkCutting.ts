/** Lines, and records of formats that are cut in order: in the windows of a run, so that they have the same numbers. */
import { ChunkCutter, type ChunkFault, type LineChunk } from '../bytes/chunkCutter.js';
import { isUtf8, startAfterMark } from '../bytes/encodings.js';
import { UncountedLines } from '../bytes/recordCutter.js';
import { pieceBytesOf } from '../documentSink.js';
import type { CutFormat } from '../list/formats.js';
import { lineLimit } from '../recordRoom.js';
import type { CutParams, Cutting, RecordTaker } from './recordTaker.js';

const NOTHING = Buffer.alloc(0);

/** Numbers of lines need no window of a run: what was read is passed on at once, while the next bytes are read. */
const LINES_BYTES = 256 << 10;

export class ChunkCutting implements Cutting {
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
