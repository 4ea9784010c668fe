/**
 * From runs of JSON lines to documents: by the kernel where it can, else a line at a time.
 *
 * Floor 2; must never know files or ranges, nor what JSON is: only lines.
 */
import type { JsonLineScanner } from '../kernel/jsonLines.js';
import { isUtf8 } from './encodings.js';
import { JsonRecords, startAfterMark } from './jsonRecords.js';
import { giveRows } from './jsonRows.js';
import { type DocumentSink, lineLimit, type ReadBuffers, type ReadParams } from './readerSink.js';

const LINE_FEED = 0x0a;

export class JsonLines {
  readonly #sink: DocumentSink;
  readonly #records: JsonRecords;
  readonly #scanner: JsonLineScanner | null;
  readonly #params: ReadParams;
  readonly #limit: number;

  constructor(params: ReadParams, sink: DocumentSink, buffers: ReadBuffers) {
    this.#sink = sink;
    this.#records = new JsonRecords(params, sink, buffers);
    // Of bytes that were decoded before, U+FFFD as it stands in the line tells a repair: the reference looks for it.
    const kernel = isUtf8(params.encoding) ? buffers.kernel : null;
    this.#scanner = kernel?.jsonLines?.(params.textField, params.idField) ?? null;
    this.#params = params;
    this.#limit = lineLimit(params);
  }

  /**
   * Gives the records of the lines of [from, to), at least one byte; each ends with a line feed, but the last may lack
   * it. Returns how many lines these are, blank, broken and skipped ones too.
   *
   * @param first number of the first line
   * @param marked whether a byte order mark may stand before the first line
   */
  run(file: number, first: number, bytes: Uint8Array, from: number, to: number, marked: boolean): number {
    if (marked) from += startAfterMark(bytes.subarray(from, Math.min(to, from + 3)));
    if (from === to) return 1;
    // Only a Buffer searches by the C library.
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const scanner = this.#scanner;
    return scanner === null
      ? this.#eachLine(file, first, buffer, from, to)
      : this.#scanRun(scanner, file, first, buffer, from, to);
  }

  #scanRun(
    scanner: JsonLineScanner,
    file: number,
    first: number,
    buffer: Buffer,
    from: number,
    to: number,
  ): number {
    let lines = 0;
    while (from < to) {
      const end = windowEnd(buffer, from, to, scanner.window);
      if (end - from > scanner.most) {
        lines += this.#eachLine(file, first + lines, buffer, from, end);
        from = end;
        continue;
      }
      const taken = scanner.scan(buffer, from, end, this.#limit);
      from = scanner.end;
      giveRows(scanner, this.#sink, this.#params, file, first + lines, 0, taken);
      lines += taken;
    }
    return lines;
  }

  #eachLine(file: number, first: number, buffer: Buffer, from: number, to: number): number {
    let lines = 0;
    while (from < to) {
      const feed = buffer.indexOf(LINE_FEED, from);
      const end = feed < 0 || feed > to ? to : feed;
      if (end - from > this.#limit) this.#sink.skip(file, first + lines, 'TOO_LARGE', null);
      else this.#records.line(file, first + lines, buffer, from, end);
      from = end + 1;
      lines++;
    }
    return lines;
  }
}

/** Where the complete lines of a window that begins at `from` end; where it holds none, where the first line ends. */
function windowEnd(buffer: Buffer, from: number, to: number, window: number): number {
  if (to - from <= window) return to;
  const last = buffer.lastIndexOf(LINE_FEED, from + window - 1);
  if (last >= from) return last + 1;
  const next = buffer.indexOf(LINE_FEED, from + window);
  return next < 0 || next >= to ? to : next + 1;
}
