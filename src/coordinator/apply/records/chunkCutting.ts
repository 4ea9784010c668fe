/** Records of tables and of archives, cut by the cutters of their readers in the windows of a run, so that they have its numbers. */
import { ChunkCutter, type ChunkFault, type LineChunk } from '../../../readers/bytes/chunks.js';
import { pieceBytesOf } from '../../../readers/documentSink.js';
import { eachTablePart, tableCutter } from '../../../readers/formats/csv/table.js';
import { WarcEnds, warcStarts } from '../../../readers/formats/web/warcRecords.js';
import { lineLimit } from '../../../readers/recordRoom.js';
import type { CutParams, Cutting, RecordTaker } from './recordTaker.js';

const NOTHING = Buffer.alloc(0);
const SEPARATORS = { csv: ',', tsv: '\t' } as const;

export class ChunkCutting implements Cutting {
  readonly #format: 'csv' | 'tsv' | 'warc';
  readonly #params: CutParams;
  readonly #taker: RecordTaker;
  readonly #cutter: ChunkCutter;
  /** Number of the record in hand that is too long to be held; -1: there is none. */
  #long = -1;

  constructor(format: 'csv' | 'tsv' | 'warc', params: CutParams, taker: RecordTaker) {
    this.#format = format;
    this.#params = params;
    this.#taker = taker;
    const ends = format === 'warc' ? new WarcEnds() : tableCutter(params, SEPARATORS[format]);
    const window = pieceBytesOf(params);
    this.#cutter = new ChunkCutter(ends, window, Math.max(window, lineLimit(params)), (bytes, from, to) => {
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
    else if (this.#format === 'warc') this.#archive(chunk);
    else this.#table(chunk, SEPARATORS[this.#format]);
  }

  #endLong(): void {
    if (this.#long >= 0) this.#taker.record(this.#long, NOTHING, 0, 0, true);
    this.#long = -1;
  }

  #table({ bytes, firstLine, head }: LineChunk, usual: string): void {
    const taker = this.#taker;
    let number = firstLine;
    const chunk = { bytes, ...(head !== undefined && { head }) };
    eachTablePart(chunk, this.#params, usual, (part, from, to) => {
      if (part === 'record') taker.record(++number, bytes, from, to, true);
      else if (part === 'blank') taker.blank(bytes, from, to);
      else taker.between(bytes, from, to, true);
    });
  }

  /** A record has the blank lines behind it. */
  #archive({ bytes, firstLine }: LineChunk): void {
    const taker = this.#taker;
    let number = firstLine;
    let from = -1;
    for (const start of warcStarts(bytes)) {
      if (from < 0) taker.between(bytes, 0, start, true);
      else taker.record(++number, bytes, from, start, true);
      from = start;
    }
    if (from < 0) taker.between(bytes, 0, bytes.length, true);
    else taker.record(++number, bytes, from, bytes.length, true);
  }
}
