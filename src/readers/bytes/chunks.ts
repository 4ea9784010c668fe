/**
 * Cuts streams of lines into chunks: gzipped lines, lines in another encoding, standard input.
 *
 * It runs in the coordinator, because such a stream can only be read from its beginning. A chunk ends with
 * the last line feed in each window of `chunkBytes`, or, if the window has none, with the next one: cuts
 * follow from the unpacked bytes alone, so a re-read gives the same chunks.
 */
import type { Readable } from 'node:stream';
import { type ErrorCode, MinHashError } from '../../errors.js';
import { plainCauseOf, systemCodeOf } from '../../store/files.js';
import {
  lineLimit,
  type PieceParams,
  pieceBytesOf,
  type ReadParams,
  refusesBinary,
} from '../documentSink.js';
import type { InputFile } from '../list/fileList.js';
import { BINARY_PROBE, binaryCodeOf, packedBinaryCodeOf } from './binaryKinds.js';
import { isUtf8, pieceDecoder } from './encodings.js';
import { gunzipFile } from './gzip.js';
import { closeInput, openInput, readInto } from './wholeFiles.js';

/** Whether the lines of a file can only be read from its beginning. */
export function isStream({ gzip, stdin }: InputFile, { encoding }: Pick<ReadParams, 'encoding'>): boolean {
  return stdin || gzip || !isUtf8(encoding);
}

/** Complete lines (but the last of the stream may lack its line feed) in an ArrayBuffer of their own. */
export interface LineChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of the first line in the file, from 0. */
  readonly firstLine: number;
  readonly lines: number;
}

/**
 * TOO_LARGE: the line (from 0) was too long to be held, and the stream continues behind it. Any other code is
 * the last value: everything from that line on is lost.
 */
export interface ChunkFault {
  readonly fault: ErrorCode;
  readonly line: number;
}

const LINE_FEED = 0x0a;
const READ_BYTES = 256 << 10;

/**
 * The lines of a stream source as chunks of UTF-8. An empty stream has none. Complete lines before a fault
 * are delivered before it.
 *
 * Faults: VANISHED, UNREADABLE, those of binary files, GZIP_TRUNCATED, GZIP_DAMAGED, GZIP_BOMB; TOO_LARGE for
 * a line.
 *
 * @param stdin read where `file.stdin`
 * @throws MinHashError INPUT_FAILED where `stdin` fails, or yields a value that is neither text nor bytes
 */
export async function* streamChunks(
  file: InputFile,
  params: ReadParams & PieceParams,
  stdin: Readable = process.stdin,
  chunkBytes = pieceBytesOf(params),
): AsyncGenerator<LineChunk | ChunkFault> {
  const packed = file.stdin
    ? readableBytes(stdin)
    : file.gzip
      ? unpacked(file, params)
      : fileBytes(file.path);
  const probed = refusesBinary(params) ? withoutBinary(packed, file.gzip) : packed;
  const pieces = isUtf8(params.encoding) ? probed : decoded(probed, params.encoding);
  const cutter = new LineCutter(chunkBytes, Math.max(chunkBytes, lineLimit(params)));
  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      yield* cutter.rest(true);
      yield { fault: piece, line: cutter.line };
      return;
    }
    cutter.push(piece);
    yield* cutter.chunks();
  }
  yield* cutter.rest(false);
}

type Pieces = AsyncGenerator<Uint8Array | ErrorCode>;

const unpacked = (file: InputFile, params: ReadParams): Pieces => gunzipFile(file.path, params.maxDocument);

async function* fileBytes(path: string): Pieces {
  const descriptor = openInput(path);
  if (typeof descriptor === 'string') {
    yield descriptor;
    return;
  }
  try {
    for (;;) {
      const piece = new Uint8Array(READ_BYTES);
      const end = readInto(descriptor, piece, 0, null);
      if (end < 0) yield 'UNREADABLE';
      if (end <= 0) return;
      yield piece.subarray(0, end);
    }
  } finally {
    closeInput(descriptor);
  }
}

/** @throws MinHashError INPUT_FAILED: an unknown number of bytes is missing */
async function* readableBytes(stream: Readable): Pieces {
  let pieces = 0;
  try {
    for await (const piece of stream as AsyncIterable<unknown>) {
      pieces++;
      if (typeof piece === 'string') yield new TextEncoder().encode(piece);
      else if (piece instanceof Uint8Array) yield piece;
      else throw new TypeError(`expected text or bytes, got ${nameOfValue(piece)}`);
    }
  } catch (error) {
    // The stream of a program throws its own error.
    if (error instanceof MinHashError) throw error;
    const detail = `standard input, after ${pieces} ${pieces === 1 ? 'piece' : 'pieces'}: ${reasonOf(error)}`;
    throw new MinHashError({ code: 'INPUT_FAILED', detail }, { cause: error });
  }
}

const nameOfValue = (value: unknown): string =>
  Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;

/** The message of a program's error; for errors of the platform our own words. */
function reasonOf(error: unknown): string {
  const code = systemCodeOf(error);
  if (code !== null && /^E[A-Z0-9]+$/.test(code)) return plainCauseOf(code);
  return error instanceof Error ? error.message : String(error);
}

/**
 * Holds the first BINARY_PROBE bytes back until all are read: how a pipe cuts its bytes must not change the
 * result.
 */
async function* withoutBinary(pieces: Pieces, isPacked: boolean): Pieces {
  const start: Uint8Array[] = [];
  let seen = 0;
  let code: ErrorCode | null = null;
  for await (const piece of pieces) {
    if (seen >= BINARY_PROBE) {
      yield piece;
      continue;
    }
    if (typeof piece === 'string') {
      code = piece;
      break;
    }
    start.push(piece);
    seen += piece.length;
    if (seen < BINARY_PROBE) continue;
    const binary = binaryStart(start, isPacked);
    if (binary !== null) {
      yield binary;
      return;
    }
    yield* start.splice(0);
  }
  if (seen >= BINARY_PROBE) return;
  const binary = binaryStart(start, isPacked);
  if (binary !== null) yield binary;
  else {
    yield* start;
    if (code !== null) yield code;
  }
}

function binaryStart(pieces: readonly Uint8Array[], isPacked: boolean): ErrorCode | null {
  const probe = Buffer.concat(pieces).subarray(0, BINARY_PROBE);
  return isPacked ? packedBinaryCodeOf(probe) : binaryCodeOf(probe);
}

/**
 * Bytes that cannot be decoded become U+FFFD, by which the reader of the chunk recognises a repaired record.
 */
async function* decoded(pieces: Pieces, encoding: string): Pieces {
  const decoder = pieceDecoder(encoding, false);
  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      yield piece;
      return;
    }
    yield decoder.push(piece, false);
  }
  yield decoder.push(new Uint8Array(0), true);
}

/** Collects pieces and cuts chunks; holds at most a window, or a line up to the limit, and one piece. */
class LineCutter {
  /** Number of the first unread line. */
  line = 0;
  readonly #window: number;
  readonly #limit: number;
  /** A Buffer, because only a Buffer searches by the C library. */
  #held: Buffer;
  #start = 0;
  #end = 0;
  /** Beyond the window: there is no line feed before this position. */
  #searched = 0;
  #dropping = false;

  constructor(window: number, limit: number) {
    this.#window = window;
    this.#limit = limit;
    this.#held = Buffer.allocUnsafeSlow(2 * window);
  }

  push(piece: Uint8Array): void {
    if (this.#end + piece.length > this.#held.length) this.#makeRoom(piece.length);
    this.#held.set(piece, this.#end);
    this.#end += piece.length;
  }

  /** The chunks that are complete. */
  *chunks(): Generator<LineChunk | ChunkFault> {
    for (;;) {
      if (this.#dropping && !this.#drop()) return;
      const size = this.#end - this.#start;
      if (size < this.#window) return;
      const cut = this.#cut();
      if (cut >= 0 && cut - this.#start <= this.#limit) {
        yield this.#take(cut + 1);
        continue;
      }
      if (cut < 0 && size <= this.#limit) return;
      yield { fault: 'TOO_LARGE', line: this.line };
      this.#dropping = true;
    }
  }

  /** The rest at the end; after a fault only its complete lines. */
  *rest(faulty: boolean): Generator<LineChunk> {
    if (this.#dropping) return;
    const feed = this.#held.subarray(this.#start, this.#end).lastIndexOf(LINE_FEED);
    const end = faulty ? this.#start + feed + 1 : this.#end;
    if (end > this.#start) yield this.#take(end);
  }

  /** The line feed to cut after: the last in the window, else the next; -1 if none was read yet. */
  #cut(): number {
    const windowEnd = this.#start + this.#window;
    // A window without a line feed is searched once, and so are the bytes after it, however many pieces a
    // line has.
    if (this.#searched < windowEnd) {
      const within = this.#held.subarray(this.#start, windowEnd).lastIndexOf(LINE_FEED);
      if (within >= 0) return this.#start + within;
      this.#searched = windowEnd;
    }
    const next = this.#nextFeed(this.#searched);
    if (next < 0) this.#searched = this.#end;
    return next;
  }

  /** The first line feed from `from` on, or -1. Stale content of the buffer is never searched. */
  #nextFeed(from: number): number {
    const feed = this.#held.subarray(from, this.#end).indexOf(LINE_FEED);
    return feed < 0 ? -1 : from + feed;
  }

  /** Drops bytes up to the end of a line that is too long; false if its end was not read yet. */
  #drop(): boolean {
    const feed = this.#nextFeed(this.#start);
    const ends = feed >= 0;
    this.#start = ends ? feed + 1 : this.#end;
    if (ends) this.line++;
    this.#dropping = !ends;
    return ends;
  }

  #take(end: number): LineChunk {
    const part = this.#held.subarray(this.#start, end);
    const bytes = new Uint8Array(part);
    let lines = 0;
    for (let at = 0; at < part.length; lines++) {
      const feed = part.indexOf(LINE_FEED, at);
      at = feed < 0 ? part.length : feed + 1;
    }
    const firstLine = this.line;
    this.line += lines;
    this.#start = end;
    return { bytes, firstLine, lines };
  }

  #makeRoom(more: number): void {
    const size = this.#end - this.#start;
    let length = this.#held.length;
    if (length < size + more) length = Math.max(size + more, Math.min(2 * length, this.#limit + more));
    const held = length === this.#held.length ? this.#held : Buffer.allocUnsafeSlow(length);
    this.#held.copy(held, 0, this.#start, this.#end);
    this.#searched -= this.#start;
    this.#held = held;
    this.#start = 0;
    this.#end = size;
  }
}
