/**
 * Cuts streams of records into chunks: packed lines, lines in another encoding, standard input, and formats in which only a reading
 * from the beginning finds the ends of records.
 *
 * It runs in the coordinator. A chunk ends with the last end of a record in each window of `chunkBytes`, or, if the window
 * has none, with the next one: cuts follow from the unpacked bytes alone, so a re-read gives the same chunks.
 */
import { type ErrorCode, MinHashError } from '../../errors.js';
import { plainCauseOf, systemCodeOf } from '../../store/files.js';
import { type PieceParams, pieceBytesOf, type ReadParams, refusesBinary } from '../documentSink.js';
import type { InputFile } from '../list/fileList.js';
import { cutFormatNamed, formatNamed } from '../list/formats.js';
import { heldBytes, lineLimit, refuseRecord } from '../recordRoom.js';
import type { StreamHead } from '../split.js';
import { BINARY_PROBE, binaryCodeOf, packedBinaryCodeOf } from './binaryKinds.js';
import { begun, fileBytes, type Pieces } from './byteStreams.js';
import { isUtf8, pieceDecoder, utf16Of } from './encodings.js';
import { PACKING_PROBE, packingNamed, packingOf } from './packings.js';
import type { RecordCutter } from './recordCutter.js';

/** Whether the records of a file can only be read from its beginning. */
export function isStream(file: InputFile, { encoding }: Pick<ReadParams, 'encoding'>): boolean {
  const { stdin, packing, utf16, format } = file;
  return stdin || packing !== null || utf16 || formatNamed(format).splits === 'in order' || !isUtf8(encoding);
}

/** Complete lines (but the last of the stream may lack its line feed). */
export interface LineChunk {
  /** Valid until the next chunk is asked for, which uses the same memory. */
  readonly bytes: Buffer;
  /** Number of the first line in the file, from 0. */
  readonly firstLine: number;
  readonly lines: number;
  /** The beginning of the stream, for readers that need it. */
  readonly head?: StreamHead;
}

/**
 * TOO_LARGE: the line (from 0) was too long to be held, and the stream continues behind it. Any other code is
 * the last value: everything from that line on is lost.
 */
export interface ChunkFault {
  readonly fault: ErrorCode;
  readonly line: number;
}

/**
 * The lines of a stream source as chunks of UTF-8. An empty stream has none. Complete lines before a fault
 * are delivered before it.
 *
 * Faults: VANISHED, UNREADABLE, those of binary files and of packed data; TOO_LARGE for a line.
 *
 * @param stdin read where `file.stdin`
 * @throws MinHashError INPUT_FAILED where `stdin` fails, or yields a value that is neither text nor bytes; MEMORY_RECORD with
 *   the longest record of the stream, where memory has no room for one that --max-document allows
 */
export async function* streamChunks(
  file: InputFile,
  params: ReadParams & PieceParams,
  stdin: AsyncIterable<unknown> = process.stdin,
  chunkBytes = pieceBytesOf(params),
): AsyncGenerator<LineChunk | ChunkFault> {
  const pieces = await textOf(file, params, stdin);
  const ends = cutFormatNamed(file.format).cutter(params);
  const most = Math.max(chunkBytes, lineLimit(params));
  const held = Math.max(chunkBytes, heldBytes(params, most));
  const long = new LongRecords(most);
  const cutter = new ChunkCutter(ends, chunkBytes, held, (_, from, to) => long.pass(to - from), held < most);
  let fault: ErrorCode | null = null;
  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      fault = piece;
      break;
    }
    cutter.push(piece);
    yield* long.told(cutter.chunks(), () => cutter.line);
  }
  yield* long.told(cutter.rest(fault !== null), () => cutter.line);
  yield* long.end(fault !== null);
  if (long.longest > 0) {
    const { line, longest } = long;
    refuseRecord(params, `${file.id}: record ${line + 1}`, longest);
  }
  if (fault !== null) yield { fault, line: cutter.line };
}

/**
 * Records that are too long to be held: whether --max-document leaves one out or allows it is known at its end. After the first
 * that it allows, no chunk is given any more, and the rest is read only to find the longest record.
 */
class LongRecords {
  /** The length of the longest that --max-document allows, in bytes; 0: there is none. And its fault. */
  longest = 0;
  line = 0;
  readonly #most: number;
  /** The current one, with its bytes so far. */
  #fault: ChunkFault | null = null;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  pass(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The chunks, with the records that are left out; `line`: the first record that was not read. */
  *told(parts: Iterable<LineChunk | ChunkFault>, line: () => number): Generator<LineChunk | ChunkFault> {
    for (const part of parts) {
      yield* this.end(false);
      if ('fault' in part) this.#fault = part;
      else if (this.longest === 0) yield part;
    }
    if (this.#fault !== null && line() > this.#fault.line) yield* this.end(false);
  }

  /** Ends the current record. `isCut`: the stream ended within it, so it would not have been read in any case. */
  *end(isCut: boolean): Generator<ChunkFault> {
    const fault = this.#fault;
    if (fault === null) return;
    const bytes = this.#bytes;
    this.#fault = null;
    this.#bytes = 0;
    if (bytes > this.#most) yield fault;
    else if (!isCut && bytes > this.longest) {
      this.longest = bytes;
      this.line = fault.line;
    }
  }
}

/** @throws MinHashError INPUT_FAILED: an unknown number of bytes is missing */
async function* readableBytes(stream: AsyncIterable<unknown>): Pieces {
  let pieces = 0;
  try {
    for await (const piece of stream) {
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

/** The bytes of a stream: unpacked, in UTF-8, and refused where they are binary. */
async function textOf(file: InputFile, params: ReadParams, stdin: AsyncIterable<unknown>): Promise<Pieces> {
  const { bytes, isPacked } = file.stdin ? await pipedBytes(stdin, params) : bytesOfFile(file, params);
  if (formatNamed(file.format).isBinary) return bytes;
  if (!isUtf8(params.encoding)) return decoded(bytes, params.encoding);
  return refusesBinary(params) ? withoutBinary(bytes, isPacked) : bytes;
}

interface StreamBytes {
  readonly bytes: Pieces;
  readonly isPacked: boolean;
}

function bytesOfFile({ path, packing }: InputFile, { maxDocument }: ReadParams): StreamBytes {
  const bytes =
    packing === null ? fileBytes(path) : packingNamed(packing).stream(fileBytes(path), maxDocument);
  return { bytes, isPacked: packing !== null };
}

/** Standard input has no name: its first bytes say whether it is packed. */
async function pipedBytes(stdin: AsyncIterable<unknown>, params: ReadParams): Promise<StreamBytes> {
  const piped = readableBytes(stdin);
  if (!refusesBinary(params)) return { bytes: piped, isPacked: false };
  const { start, all } = await begun(piped, PACKING_PROBE);
  const packing = packingOf(start);
  if (packing === null) return { bytes: all, isPacked: false };
  return { bytes: packingNamed(packing).stream(all, params.maxDocument), isPacked: true };
}

/**
 * Refuses binary bytes, and decodes UTF-16 that begins with its mark. Holds the first BINARY_PROBE bytes back until all are
 * read.
 */
async function* withoutBinary(pieces: Pieces, isPacked: boolean): Pieces {
  const { start, all } = await begun(pieces, BINARY_PROBE);
  const encoding = utf16Of(start);
  const binary = encoding === null ? binaryStart(start.subarray(0, BINARY_PROBE), isPacked) : null;
  if (binary !== null) {
    await all.return(undefined);
    yield binary;
    return;
  }
  yield* encoding === null ? all : decoded(all, encoding);
}

function binaryStart(probe: Uint8Array, isPacked: boolean): ErrorCode | null {
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

/** Collects pieces and cuts chunks; holds at most a window, or a record up to the limit, and one piece. */
export class ChunkCutter {
  /** Number of the first unread record. */
  line = 0;
  readonly #window: number;
  readonly #limit: number;
  readonly #ends: RecordCutter;
  /** Receives the bytes of records that are too long to be held, from `from` to `to`. */
  readonly #pass: (bytes: Buffer, from: number, to: number) => void;
  /** The limit is that of memory. */
  readonly #isShort: boolean;
  /** A Buffer, because only a Buffer searches by the C library. */
  #held: Buffer;
  #start = 0;
  #end = 0;
  /** The cutter has seen the bytes before; it found the last end at `#last`, or -1 for none since the start. */
  #scanned = 0;
  #last = -1;
  #dropping = false;

  constructor(
    ends: RecordCutter,
    window: number,
    limit: number,
    pass: (bytes: Buffer, from: number, to: number) => void = () => {},
    isShort = false,
  ) {
    this.#ends = ends;
    this.#isShort = isShort;
    this.#pass = pass;
    this.#window = window;
    this.#limit = limit;
    this.#held = Buffer.allocUnsafeSlow(2 * window);
  }

  push(piece: Uint8Array): void {
    const { length } = piece;
    const isFull = this.#end + length > this.#held.length;
    // The memory of a long record is released after it.
    const isSpent =
      this.#held.length > 2 * this.#window && this.#end + length - this.#start <= 2 * this.#window;
    if (isFull || (isSpent && this.#start > 0)) this.#makeRoom(length);
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
        yield this.#take(cut);
        continue;
      }
      if (cut < 0 && size <= this.#limit) return;
      yield { fault: 'TOO_LARGE', line: this.line };
      // The bytes that were read may hold the end of a record that is too long.
      this.#dropping = true;
      if (cut >= 0) this.#passTo(cut);
    }
  }

  /** The chunks, and the complete records after them: for a caller that cannot wait for a full window. */
  *complete(): Generator<LineChunk | ChunkFault> {
    yield* this.chunks();
    if (this.#dropping) return;
    this.#scanTo(this.#end);
    if (this.#last > this.#start) yield this.#take(this.#last);
  }

  /** The rest at the end; after a fault only its complete records. */
  *rest(faulty: boolean): Generator<LineChunk> {
    if (this.#dropping) return;
    this.#scanTo(this.#end);
    const end = faulty ? this.#last : this.#end;
    if (end > this.#start) yield this.#take(end);
  }

  /** The end to cut at: the last in the window, else the next; -1 if none was read yet. */
  #cut(): number {
    // A window without an end is searched once, and so are the bytes after it, however many pieces a record has.
    this.#scanTo(this.#start + this.#window);
    if (this.#last < 0) this.#last = this.#nextEnd();
    return this.#last;
  }

  #scanTo(to: number): void {
    if (this.#scanned >= to) return;
    const last = this.#lastEnd(to);
    if (last >= 0) this.#last = last;
    this.#scanned = to;
  }

  #lastEnd(to: number): number {
    const ends = this.#ends;
    if (ends.last !== undefined) return ends.last(this.#held, this.#scanned, to);
    let last = -1;
    for (let end = ends.next(this.#held, this.#scanned, to); end >= 0; end = ends.next(this.#held, end, to))
      last = end;
    return last;
  }

  #nextEnd(): number {
    const next = this.#ends.next(this.#held, this.#scanned, this.#end);
    this.#scanned = next < 0 ? this.#end : next;
    return next;
  }

  /** Drops bytes up to the end of a record that is too long; false if its end was not read yet. */
  #drop(): boolean {
    const end = this.#nextEnd();
    if (end < 0) {
      this.#pass(this.#held, this.#start, this.#end);
      this.#start = this.#end;
      return false;
    }
    this.#passTo(end);
    return true;
  }

  /** Reports the end of the dropped record. */
  #passTo(end: number): void {
    this.#ends.count(this.#held.subarray(end, end));
    this.#pass(this.#held, this.#start, end);
    this.#start = end;
    this.#last = -1;
    this.line++;
    this.#dropping = false;
  }

  #take(end: number): LineChunk {
    const bytes = this.#held.subarray(this.#start, end);
    const lines = this.#ends.count(bytes);
    const { head } = this.#ends;
    const firstLine = this.line;
    this.line += lines;
    this.#start = end;
    this.#last = -1;
    return { bytes, firstLine, lines, ...(head === undefined ? {} : { head }) };
  }

  /** Allocated memory that is not filled costs nothing, while growing by steps would also need the memory that is copied from. */
  #grown(length: number): number {
    return this.#isShort ? this.#limit : 2 * length;
  }

  #makeRoom(more: number): void {
    const size = this.#end - this.#start;
    let length = this.#held.length;
    if (length < size + more)
      length = Math.max(size + more, Math.min(this.#grown(length), this.#limit + more));
    else if (size + more <= 2 * this.#window) length = 2 * this.#window;
    const held = length === this.#held.length ? this.#held : Buffer.allocUnsafeSlow(length);
    this.#held.copy(held, 0, this.#start, this.#end);
    this.#scanned -= this.#start;
    if (this.#last >= 0) this.#last -= this.#start;
    this.#held = held;
    this.#start = 0;
    this.#end = size;
  }
}
