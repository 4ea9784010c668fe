/**
 * Reads byte ranges of plain files of lines. A record belongs to the range in which its line starts.
 *
 *     range 1        | range 2        | range 3
 *     aaaaaa\nbbbbbbb|bbb\ncccc\nddddd|ddddd\n
 *     reads a and b  | reads c and d  | reads nothing
 */
import type { TextSink } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import { BINARY_PROBE, binaryCodeOf } from '../bytes/binaryKinds.js';
import { LineEnds } from '../bytes/recordCutter.js';
import { closeInput, openInput, readInto } from '../bytes/wholeFiles.js';
import { type ReadBuffers, type ReadParams, refusesBinary } from '../documentSink.js';
import { heldBytes, lineLimit, refuseRecord } from '../recordRoom.js';
import type { RangeSplit } from '../split.js';
import type { LinesOfFile } from './reading.js';

const LINES = new LineEnds();
const LINE_FEED = 0x0a;

/** Receives the lines that are read. */
export interface LineTaker {
  /**
   * Processes the lines of [from, to), at least one byte; each ends with a line feed, but the last may lack
   * it. Returns the number of lines, whatever they contain.
   *
   * @param first number of the first line
   * @param marked whether a byte order mark may precede the first line
   */
  run(file: number, first: number, bytes: Uint8Array, from: number, to: number, marked: boolean): number;
}

/** Gives the lines of a range, or of a chunk, to `lines`; returns how many start there. */
export function readLines(
  split: LinesOfFile,
  params: ReadParams,
  sink: Pick<TextSink, 'skip'>,
  buffers: ReadBuffers,
  lines: LineTaker,
): number {
  if (split.kind === 'range') return readRange(split, params, sink, buffers, lines);
  const { bytes, index, firstLine } = split;
  return bytes.length === 0 ? 0 : lines.run(index, 0, bytes, 0, bytes.length, firstLine === 0);
}

/** Bytes read beyond a range at a time, to complete its last line. */
const BEYOND = 64 << 10;
/** Bytes that are searched at a time, where none of them is kept. */
const LOOK_BYTES = 1 << 20;

/**
 * Emits the records of the lines that start in a range; returns the number of lines that start there
 * (including blank, broken and skipped ones), so that lines can be numbered. Lines added to the file since it
 * was listed are ignored.
 *
 * A file that cannot be opened or read, or ends before its range does, is skipped by each of its ranges; only
 * the first reports that it is binary.
 */
export function readRange(
  source: RangeSplit,
  params: ReadParams,
  sink: Pick<TextSink, 'opensFile' | 'skip'>,
  buffers: ReadBuffers,
  lines: LineTaker,
): number {
  if (sink.opensFile?.(source.index) === false) return 0;
  const descriptor = openInput(source.file.path);
  if (typeof descriptor === 'string') {
    sink.skip(source.index, -1, descriptor, null);
    return 0;
  }
  try {
    const binary = refusesBinary(params) ? binaryStart(descriptor) : null;
    if (binary !== null) {
      if (source.from === 0) sink.skip(source.index, -1, binary, null);
      return 0;
    }
    return giveLines(descriptor, source, params, sink, buffers, lines);
  } finally {
    closeInput(descriptor);
  }
}

function binaryStart(descriptor: number): ErrorCode | null {
  const probe = new Uint8Array(BINARY_PROBE);
  const end = readInto(descriptor, probe, 0, 0);
  return end > 0 ? binaryCodeOf(probe.subarray(0, end)) : null;
}

function giveLines(
  descriptor: number,
  source: RangeSplit,
  params: ReadParams,
  sink: Pick<TextSink, 'skip'>,
  buffers: ReadBuffers,
  lines: LineTaker,
): number {
  const { index, from, to } = source;
  const most = lineLimit(params);
  const held = Math.max(buffers.piece.length, heldBytes(params, most));
  const limits = { held, isShort: held < most };
  const reader = new LineReader(descriptor, buffers.piece, Math.max(0, from - 1), to, limits);
  let count = 0;
  // The byte before the range determines whether a line starts with the range.
  if (from === 0 || reader.skipLine()) {
    while (reader.next()) {
      if (reader.tooLong) {
        if (reader.lineBytes <= lineLimit(params)) refuseLine(descriptor, source, params);
        sink.skip(index, count, 'TOO_LARGE', null);
        count++;
      } else {
        const marked = from === 0 && count === 0;
        count += lines.run(index, count, reader.buffer, reader.linesFrom, reader.linesTo, marked);
      }
    }
  }
  if (reader.failed) sink.skip(index, -1, 'UNREADABLE', null);
  // The file had these lines when it was listed: otherwise their loss would go unnoticed.
  else if (reader.endsBefore(to)) sink.skip(index, -1, 'CHANGED', null);
  return count;
}

/** Ends the run with the longest line of the file that --max-document allows: other ranges may have longer lines. */
function refuseLine(descriptor: number, { file }: RangeSplit, params: ReadParams): never {
  const piece = Buffer.allocUnsafeSlow(LOOK_BYTES);
  const most = lineLimit(params);
  const longest = { line: 0, bytes: 0 };
  let line = 0;
  let bytes = 0;
  const endLine = (): void => {
    if (bytes <= most && bytes > longest.bytes) Object.assign(longest, { line, bytes });
    line++;
    bytes = 0;
  };
  let position = 0;
  for (let end = -1; end !== 0; position += end) {
    end = Math.max(0, readInto(descriptor, piece, 0, position));
    const read = piece.subarray(0, end);
    let at = 0;
    for (let feed = read.indexOf(LINE_FEED); feed >= 0; feed = read.indexOf(LINE_FEED, at)) {
      bytes += feed - at;
      endLine();
      at = feed + 1;
    }
    bytes += end - at;
  }
  endLine();
  return refuseRecord(params, `${file.id}: line ${longest.line + 1}`, longest.bytes);
}

interface HeldLimits {
  /** The longest line that is held, in bytes. */
  readonly held: number;
  /** The limit is that of memory. */
  readonly isShort: boolean;
}

/**
 * The lines of an open file that start in a range, many at a time, in a buffer that grows only for a line that does not
 * fit. Every byte is read once and searched once or twice.
 */
class LineReader {
  buffer: Buffer;
  /**
   * The current lines: [linesFrom, linesTo) of the buffer; the last line of the file may lack its line feed.
   */
  linesFrom = 0;
  linesTo = 0;
  /** The current line is longer than the limit and is not held, and how long it is. */
  tooLong = false;
  lineBytes = 0;
  failed = false;
  readonly #descriptor: number;
  readonly #to: number;
  readonly #limits: HeldLimits;
  /** Unread bytes: [start, end) of the buffer; `position` is the place of `end` in the file. */
  #start = 0;
  #end = 0;
  #position: number;
  #atEnd = false;

  constructor(descriptor: number, buffer: Uint8Array, position: number, to: number, limits: HeldLimits) {
    this.#descriptor = descriptor;
    this.buffer = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    this.#position = position;
    this.#to = to;
    this.#limits = limits;
  }

  /** Whether the file ended before `position`. */
  endsBefore(position: number): boolean {
    return this.#atEnd && this.#position < position;
  }

  /** Offset in the file where the next line starts. */
  get #offset(): number {
    return this.#position - (this.#end - this.#start);
  }

  /** Moves behind the next line feed; false if no line of the range starts after one. */
  skipLine(): boolean {
    for (;;) {
      const next = LINES.next(this.buffer, this.#start, this.#end);
      if (next >= 0) {
        this.#start = next;
        return this.#offset < this.#to;
      }
      this.#start = this.#end;
      // No line of this range can start beyond it, so a line that spans many ranges costs each of them its
      // own bytes only.
      if (this.#offset >= this.#to - 1 || !this.#fill()) return false;
    }
  }

  /**
   * Advances to the next complete lines; false after the range, at the end of the file, or if it cannot be
   * read.
   */
  next(): boolean {
    this.tooLong = false;
    this.lineBytes = 0;
    if (this.#offset >= this.#to) return false;
    let searched = this.#start;
    for (;;) {
      const end = this.tooLong ? LINES.next(this.buffer, searched, this.#end) : this.#lastEnd(searched);
      if (end >= 0) return this.#take(end);
      if (this.#atEnd) return this.#end > this.#start || this.tooLong ? this.#take(this.#end) : false;
      if (this.tooLong || this.#end - this.#start > this.#limits.held) {
        this.tooLong = true;
        this.lineBytes += this.#end - this.#start;
        this.#start = this.#end;
      }
      const held = this.#end - this.#start;
      if (!this.#fill() && this.failed) return false;
      searched = this.#start + held;
    }
  }

  #take(to: number): boolean {
    const isEnded = to > this.#start && this.buffer[to - 1] === LINE_FEED;
    this.lineBytes += to - this.#start - (isEnded ? 1 : 0);
    this.linesFrom = this.#start;
    this.linesTo = to;
    this.#start = to;
    return true;
  }

  /** The end of the range's last line or, until that is read, of the last line so far; -1 if none was read from `searched` on. */
  #lastEnd(searched: number): number {
    // The last byte of the range: the first line feed from there on ends the last line that starts in the
    // range.
    const lastByte = this.#end - (this.#position - this.#to) - 1;
    if (lastByte < this.#end) {
      const end = LINES.next(this.buffer, Math.max(searched, lastByte), this.#end);
      if (end >= 0) return end;
    }
    return LINES.last(this.buffer, searched, Math.min(lastByte, this.#end));
  }

  /** Reads more behind the unread bytes; false at the end of the file and on failure. */
  #fill(): boolean {
    if (this.#start > 0) {
      this.buffer.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    if (this.#end === this.buffer.length) {
      const { held, isShort } = this.#limits;
      // A line beyond the limit is not held, so the buffer never needs more than the limit and one read. What is allocated and
      // not filled costs nothing, while growing by steps would also need the memory that is copied from.
      const wanted = isShort ? held + 2 * BEYOND : Math.min(2 * this.buffer.length, held + 2 * BEYOND);
      const grown = Buffer.allocUnsafeSlow(Math.max(wanted, this.#end + BEYOND));
      this.buffer.copy(grown, 0, 0, this.#end);
      this.buffer = grown;
    }
    const wanted = Math.max(BEYOND, this.#to - this.#position);
    const until = Math.min(this.buffer.length, this.#end + wanted);
    const end = readInto(this.#descriptor, this.buffer, this.#end, this.#position, until);
    if (end < 0) {
      this.failed = true;
      return false;
    }
    this.#atEnd = end < until;
    const read = end - this.#end;
    this.#position += read;
    this.#end = end;
    return read > 0;
  }
}
