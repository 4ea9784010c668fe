/** Records of formats that are cut in order, by the windows of a run, so that they have its numbers. */
import { ChunkCutter, type ChunkFault, type LineChunk } from '../bytes/chunks.js';
import { pieceBytesOf } from '../documentSink.js';
import type { OrderedFormat } from '../list/formats.js';
import { lineLimit } from '../recordRoom.js';
import type { CutParams, Cutting, RecordTaker } from './recordTaker.js';

const NOTHING = Buffer.alloc(0);

export class ChunkCutting implements Cutting {
  readonly #format: OrderedFormat;
  readonly #params: CutParams;
  readonly #taker: RecordTaker;
  readonly #cutter: ChunkCutter;
  /** Number of the record in hand that is too long to be held; -1: there is none. */
  #long = -1;

  constructor(format: OrderedFormat, params: CutParams, taker: RecordTaker) {
    this.#format = format;
    this.#params = params;
    this.#taker = taker;
    const window = pieceBytesOf(params);
    const limit = Math.max(window, lineLimit(params));
    this.#cutter = new ChunkCutter(format.cutter(params), window, limit, (bytes, from, to) => {
      taker.record(this.#long, bytes, from, to, false);
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
    if ('fault' in chunk) this.#long = chunk.line + 1;
    else this.#cut(chunk);
  }

  #endLong(): void {
    if (this.#long >= 0) this.#taker.record(this.#long, NOTHING, 0, 0, true);
    this.#long = -1;
  }

  #cut(chunk: LineChunk): void {
    const taker = this.#taker;
    const { bytes } = chunk;
    const records = this.#format.records(chunk, this.#params);
    let number = chunk.firstLine;
    for (let at = 0; at < bytes.length; ) {
      const end = records.next(at);
      if (records.part === 'record') taker.record(++number, bytes, at, end, true);
      else if (records.part === 'blank') taker.blank(bytes, at, end);
      else taker.between(bytes, at, end, true);
      at = end;
    }
  }
}
