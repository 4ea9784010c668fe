/** Records that follow one another in bytes: what readers, the cutting of streams and `apply` share. */
import type { ReadParams } from '../documentSink.js';
import type { StreamHead } from '../split.js';
import { isUtf8, startAfterMark } from './encodings.js';

/** Bytes that begin with a record or with the stream. */
export interface RecordChunk {
  readonly bytes: Buffer;
  /** Number of its first record in the stream, from 0. */
  readonly firstLine: number;
  /** Absent: the chunk begins the stream, or its format needs no head. */
  readonly head?: StreamHead;
  /** More bytes may follow: a part ends only where they cannot change its end. */
  readonly isOpen?: boolean;
}

/** Visits every byte of a chunk once, in order: records, and the bytes between them. */
export interface ChunkRecords {
  /**
   * The kind of the last part. `head` begins a stream and is not a record; `blank` is an empty line; `empty` is an empty line that
   * counts as a record.
   */
  readonly part: 'head' | 'blank' | 'empty' | 'record';
  /** What later chunks of the stream need. */
  readonly head?: StreamHead | undefined;
  /** Visits the part that begins at `from`, which is not the end of the chunk; returns its end, or -1 if an open chunk does not show it. */
  next(from: number): number;
}

/** The same for readers of documents. */
export interface ChunkDocuments extends ChunkRecords {
  /** Gives the last record, from `from` to `to`, to the sink; `number`: from 0 in the chunk. */
  give(number: number, from: number, to: number): void;
}

/** How a stream of records is cut. */
export interface RecordRule {
  records(chunk: RecordChunk, params: ReadParams): ChunkRecords;
  /**
   * Where, behind a record that is too long to be held, the next one begins; -1: these bytes do not show it. 2 KB are shown again.
   *
   * @param isOpen more bytes may follow
   */
  resume(bytes: Buffer, isOpen: boolean): number;
}

/** Gives the records of a chunk; returns how many there are. */
export function giveRecords(records: ChunkDocuments, bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = records.next(at);
    if (records.part === 'record') records.give(count++, at, end);
    at = end;
  }
  return count;
}

export const LINE_FEED = 0x0a;
export const RETURN = 0x0d;

/** Where the next line begins: behind the line feed, or at the end. */
export function lineEnd(bytes: Uint8Array, from: number, to = bytes.length): number {
  const feed = bytes.indexOf(LINE_FEED, from);
  return feed < 0 || feed >= to ? to : feed + 1;
}

/** Behind the last line feed in [from, to); -1: there is none. A search of the whole buffer would scan stale bytes. */
export function lastLineEnd(bytes: Buffer, from: number, to: number): number {
  const feed = bytes.subarray(from, to).lastIndexOf(LINE_FEED);
  return feed < 0 ? -1 : from + feed + 1;
}

/** Behind the first line feed in [from, to); -1: there is none. */
export function firstLineEnd(bytes: Buffer, from: number, to: number): number {
  const feed = bytes.subarray(from, to).indexOf(LINE_FEED);
  return feed < 0 ? -1 : from + feed + 1;
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

/** The lines of a chunk, all of which are numbered. A byte order mark belongs to the file, not to its first line. */
class LineRecords implements ChunkRecords {
  part: 'head' | 'empty' | 'record' = 'record';
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #isOpen: boolean;

  constructor({ bytes, firstLine, isOpen = false }: RecordChunk, encoding: string) {
    this.#bytes = bytes;
    this.#start = firstLine === 0 && isUtf8(encoding) ? startAfterMark(bytes) : 0;
    this.#isOpen = isOpen;
  }

  next(from: number): number {
    const bytes = this.#bytes;
    if (from < this.#start) {
      this.part = 'head';
      return this.#start;
    }
    const end = lineEnd(bytes, from);
    if (this.#isOpen && bytes[end - 1] !== LINE_FEED) return -1;
    this.part = isEmptyLine(bytes, from, end) ? 'empty' : 'record';
    return end;
  }
}

/** LF, CRLF, or a CR at the end of the bytes. */
function isEmptyLine(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from];
  if (to - from === 1) return first === LINE_FEED || first === RETURN;
  return to - from === 2 && first === RETURN && bytes[from + 1] === LINE_FEED;
}

export const LINES: RecordRule = {
  records: (chunk, { encoding }) => new LineRecords(chunk, encoding),
  resume: (bytes) => firstLineEnd(bytes, 0, bytes.length),
};
