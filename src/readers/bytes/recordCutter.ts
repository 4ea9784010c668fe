/**
 * Where records end in a stream of bytes that is read from its beginning.
 *
 * A cutter scans every byte once, in order: `last` and `next` are called for ranges that follow each other. Cuts follow from the bytes
 * alone, not from the pieces in which they came.
 */
import type { StreamHead } from '../split.js';
import { isUtf8, startAfterMark } from './encodings.js';

export interface RecordCutter {
  /** Goes over all of [from, to); returns the end of the last record that ends there, or -1. Absent: `next` finds it. */
  last?(bytes: Buffer, from: number, to: number): number;
  /** Goes over [from, to) up to the first end of a record, and no further; returns it, or -1. */
  next(bytes: Buffer, from: number, to: number): number;
  /** How many records a chunk holds: all bytes since the chunk before it, up to an end that was returned or the end of the stream. */
  count(chunk: Buffer): number;
  /** Known once the first chunk is counted; undefined if chunks need none. */
  readonly head?: StreamHead | undefined;
}

/** A chunk whose records are visited. */
export interface RecordChunk {
  readonly bytes: Buffer;
  /** Number of its first record in the stream, from 0. */
  readonly firstLine: number;
  readonly head?: StreamHead;
}

/**
 * Visits every byte of a chunk once, in order: records, and the bytes between them. Readers and `apply` cut in the same way.
 */
export interface ChunkRecords {
  /**
   * The kind of the last part. `head` begins a stream and is not a record; `blank` is an empty line; `empty` is an empty line that
   * counts as a record.
   */
  readonly part: 'head' | 'blank' | 'empty' | 'record';
  /** Visits the part that begins at `from`, which is not the end of the chunk; returns its end. */
  next(from: number): number;
}

/** The same for readers of documents. */
export interface ChunkDocuments extends ChunkRecords {
  /** Gives the last record, from `from` to `to`, to the sink; `number`: from 0 in the chunk. */
  give(number: number, from: number, to: number): void;
}

/** How many records a chunk holds; `visit` is called behind each. */
export function countRecords(
  records: ChunkRecords,
  bytes: Uint8Array,
  visit: (number: number, from: number, to: number) => void = () => {},
): number {
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = records.next(at);
    if (records.part === 'record') visit(count++, at, end);
    at = end;
  }
  return count;
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** Where the next line begins: behind the line feed, or at the end. */
export function lineEnd(bytes: Uint8Array, from: number, to = bytes.length): number {
  const feed = bytes.indexOf(LINE_FEED, from);
  return feed < 0 || feed >= to ? to : feed + 1;
}

/** Gives every line without its line feed; returns how many there are. */
export function eachLine(
  bytes: Buffer,
  from: number,
  to: number,
  give: (line: number, from: number, to: number) => void,
): number {
  let lines = 0;
  for (let at = from; at < to; ) {
    const end = lineEnd(bytes, at, to);
    give(lines++, at, bytes[end - 1] === LINE_FEED ? end - 1 : end);
    at = end;
  }
  return lines;
}

/** Records are lines. */
export class LineEnds implements RecordCutter {
  // A search of the whole buffer would scan stale bytes, megabytes at every call.
  last(bytes: Buffer, from: number, to: number): number {
    const feed = bytes.subarray(from, to).lastIndexOf(LINE_FEED);
    return feed < 0 ? -1 : from + feed + 1;
  }

  next(bytes: Buffer, from: number, to: number): number {
    const feed = bytes.subarray(from, to).indexOf(LINE_FEED);
    return feed < 0 ? -1 : from + feed + 1;
  }

  count(chunk: Buffer): number {
    let lines = 0;
    for (let at = 0; at < chunk.length; lines++) at = lineEnd(chunk, at);
    return lines;
  }
}

/** Lines that are numbered while they are passed on: counting them before would read all bytes again. */
export class UncountedLines extends LineEnds {
  override count(): number {
    return 0;
  }
}

/** The lines of a chunk, all of which are numbered. A byte order mark belongs to the file, not to its first line. */
export class LineRecords implements ChunkRecords {
  part: 'head' | 'empty' | 'record' = 'record';
  readonly #bytes: Buffer;
  readonly #start: number;

  constructor({ bytes, firstLine }: RecordChunk, encoding: string) {
    this.#bytes = bytes;
    this.#start = firstLine === 0 && isUtf8(encoding) ? startAfterMark(bytes) : 0;
  }

  next(from: number): number {
    if (from < this.#start) {
      this.part = 'head';
      return this.#start;
    }
    const end = lineEnd(this.#bytes, from);
    this.part = end - from <= 2 && isBlank(this.#bytes, from, end) ? 'empty' : 'record';
    return end;
  }
}

/** LF, CRLF, or a CR at the end of the bytes. */
function isBlank(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from]!;
  return to - from === 1
    ? first === LINE_FEED || first === RETURN
    : first === RETURN && bytes[from + 1] === LINE_FEED;
}
