/**
 * Cuts records into chunks, from the beginning of their bytes on: of streams, and of parts of files.
 *
 * A chunk ends with the last end of a record in each window, or, if the window has none, with the next one: cuts follow from the bytes
 * alone, so a re-read gives the same chunks.
 */
import type { ErrorCode } from '../../errors.js';
import { heldBytes, lineLimit, type ReadParams, refuseRecord } from '../documentSink.js';
import type { StreamHead } from '../split.js';
import type { RecordCutter } from './recordCutter.js';

/** Complete lines (but the last of the stream may lack its line feed). */
export interface LineChunk {
  /** Valid until the next chunk, which uses the same memory. */
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
export interface ChunkProblem {
  readonly problem: ErrorCode;
  readonly line: number;
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
    held: Buffer = Buffer.allocUnsafeSlow(2 * window),
  ) {
    this.#ends = ends;
    this.#isShort = isShort;
    this.#pass = pass;
    this.#window = window;
    this.#limit = limit;
    this.#held = held;
  }

  push(piece: Uint8Array): void {
    this.room(piece.length).set(piece);
    this.filled(piece.length);
  }

  /** Memory for the next bytes; the caller reports by `filled` how many it wrote. */
  room(length: number): Buffer {
    const isFull = this.#end + length > this.#held.length;
    // The memory of a long record is released after it.
    const isSpent =
      this.#held.length > 2 * this.#window && this.#end + length - this.#start <= 2 * this.#window;
    if (isFull || (isSpent && this.#start > 0)) this.#makeRoom(length);
    return this.#held.subarray(this.#end, this.#end + length);
  }

  filled(bytes: number): void {
    this.#end += bytes;
  }

  /** The chunks that are complete. */
  *chunks(): Generator<LineChunk | ChunkProblem> {
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
      yield { problem: 'TOO_LARGE', line: this.line };
      // The bytes that were read may hold the end of a record that is too long.
      this.#dropping = true;
      if (cut >= 0) this.#passTo(cut);
    }
  }

  /** The chunks, and the complete records after them: for a caller that cannot wait for a full window. */
  *complete(): Generator<LineChunk | ChunkProblem> {
    yield* this.chunks();
    if (this.#dropping) return;
    this.#scanTo(this.#end);
    if (this.#last > this.#start) yield this.#take(this.#last);
  }

  /** The rest at the end; after a problem only its complete records. */
  *rest(problemy: boolean): Generator<LineChunk | ChunkProblem> {
    if (this.#dropping) return;
    this.#scanTo(this.#end);
    const end = problemy ? this.#last : this.#end;
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

/** Cuts chunks, with the records that are too long to be held; one that only memory has no room for ends the run. */
export class RecordChunks extends ChunkCutter {
  readonly #most: number;
  readonly #refuse: (bytes: number) => never;
  /** The current record, if it is too long to be held, and its bytes so far. */
  #problem: ChunkProblem | null = null;
  #bytes = 0;

  /**
   * @param name of the input, for a message
   * @param held memory that is used at first; absent: of its own
   */
  constructor(ends: RecordCutter, window: number, params: ReadParams, name: string, held?: Buffer) {
    const most = Math.max(window, lineLimit(params));
    const limit = Math.max(window, heldBytes(params, most));
    const pass = (_: Buffer, from: number, to: number): void => {
      this.#bytes += to - from;
    };
    super(ends, window, limit, pass, limit < most, held);
    this.#most = most;
    this.#refuse = (bytes) => refuseRecord(params, `a record of ${name}`, bytes);
  }

  /** @throws MinHashError MEMORY_RECORD */
  override *chunks(): Generator<LineChunk | ChunkProblem> {
    yield* this.#withProblems(super.chunks());
  }

  /** @throws MinHashError MEMORY_RECORD */
  override *rest(isCut: boolean): Generator<LineChunk | ChunkProblem> {
    yield* this.#withProblems(super.rest(isCut));
    yield* this.#end(isCut);
  }

  *#withProblems(parts: Iterable<LineChunk | ChunkProblem>): Generator<LineChunk | ChunkProblem> {
    for (const part of parts) {
      yield* this.#end(false);
      if ('problem' in part) this.#problem = part;
      else yield part;
    }
    if (this.#problem !== null && this.line > this.#problem.line) yield* this.#end(false);
  }

  /** Ends the current record, whose length is known now. `isCut`: the bytes ended within it, so it would not have been read in any case. */
  *#end(isCut: boolean): Generator<ChunkProblem> {
    const problem = this.#problem;
    const bytes = this.#bytes;
    this.#problem = null;
    this.#bytes = 0;
    if (problem === null) return;
    if (bytes <= this.#most && !isCut) this.#refuse(bytes);
    yield problem;
  }
}
