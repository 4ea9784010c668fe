/**
 * Cuts records into chunks, from the beginning of their bytes on: of streams, and of parts of files.
 *
 * A chunk ends with the last end of a record in each window, or, if the window has none, with the next one: cuts follow from the bytes
 * alone, so a re-read gives the same chunks.
 */
import type { ErrorCode } from '../../errors.js';
import { heldBytes, lineLimit, type ReadParams, refuseRecord } from '../documentSink.js';
import type { StreamHead } from '../split.js';
import { firstLineEnd, LINES, lastLineEnd, type RecordRule } from './records.js';

/** Complete records (but the last of the stream may lack its end). */
export interface LineChunk {
  /** Valid until the next chunk, which uses the same memory. */
  readonly bytes: Buffer;
  /** Number of the first record in the file, from 0. */
  readonly firstLine: number;
  readonly lines: number;
  /** The beginning of the stream, for readers that need it. */
  readonly head?: StreamHead;
}

/**
 * TOO_LARGE: the record (from 0) was too long to be held, and the stream continues behind it. Any other code is
 * the last value: everything from that record on is lost.
 */
export interface ChunkProblem {
  readonly problem: ErrorCode;
  readonly line: number;
}

/** How long a record may be that is held whole. */
interface RecordLimit {
  readonly most: number;
  /** Called with the length of a longer one; may throw. */
  readonly refuse?: (bytes: number) => void;
}

/**
 * The limit of the records of an input: one that is longer than memory allows, but not than --max-document does, ends the run.
 *
 * @param name of the input, for a message
 */
export function recordLimit(params: ReadParams, window: number, name: string): RecordLimit {
  const allowed = Math.max(window, lineLimit(params));
  const most = Math.max(window, heldBytes(params, allowed));
  return {
    most,
    refuse: (bytes) => {
      if (bytes <= allowed) refuseRecord(params, `a record of ${name}`, bytes);
    },
  };
}

/** Bytes of a long record that are kept, because its end may come in two pieces. */
const TAIL_BYTES = 2048;

/** Collects pieces and cuts chunks; holds at most a window, or a record up to the limit, and one piece. */
export class ChunkCutter {
  /** Number of the first unread record; without a rule, of the first too long record that is unread. */
  line = 0;
  readonly #rule: { readonly of: RecordRule; readonly params: ReadParams } | null;
  readonly #window: number;
  readonly #limit: RecordLimit;
  /** Receives the bytes of records that are too long to be held, from `from` to `to`. */
  readonly #pass: (bytes: Buffer, from: number, to: number) => void;
  /** A Buffer, because only a Buffer searches by the C library. */
  #held: Buffer;
  #start = 0;
  #end = 0;
  /** Bytes from the start that have no end of a record. */
  #searched = 0;
  /** Bytes of the current record that were passed on, because it is too long; -1: it is not. */
  #passed = -1;
  #head: StreamHead | undefined;

  /**
   * @param rule null: lines, which the caller counts
   * @param held memory that is used at first
   */
  constructor(
    rule: { readonly of: RecordRule; readonly params: ReadParams } | null,
    window: number,
    limit: RecordLimit,
    pass: (bytes: Buffer, from: number, to: number) => void = () => {},
    held: Buffer = Buffer.allocUnsafeSlow(2 * window),
  ) {
    this.#rule = rule;
    this.#window = window;
    this.#limit = limit;
    this.#pass = pass;
    this.#held = held;
  }

  push(piece: Uint8Array): void {
    this.room(piece.length).set(piece);
    this.filled(piece.length);
  }

  /** Memory for the next bytes; the caller reports by `filled` how many it wrote. */
  room(length: number): Buffer {
    const size = this.#end - this.#start;
    const isFull = this.#end + length > this.#held.length;
    // The memory of a long record is released after it.
    const isSpent = this.#held.length > 2 * this.#window && size + length <= 2 * this.#window;
    if (isFull || (isSpent && this.#start > 0)) this.#move(size, size + length);
    return this.#held.subarray(this.#end, this.#end + length);
  }

  filled(bytes: number): void {
    this.#end += bytes;
  }

  /** The chunks that are complete; `isEager`: and the complete lines behind them, for a caller that cannot wait for a full window. */
  *chunks(isEager = false): Generator<LineChunk | ChunkProblem> {
    const { most } = this.#limit;
    for (;;) {
      if (this.#passed >= 0) {
        const line = this.#resumed(true);
        if (line < 0) return;
        yield { problem: 'TOO_LARGE', line };
      }
      const size = this.#end - this.#start;
      // Twice as many bytes each time: a long record is searched in linear time.
      const next = Math.min(Math.max(this.#window, 2 * this.#searched), most);
      const to = size >= next ? next : isEager ? size : 0;
      if (to <= this.#searched) return;
      const chunk = this.#search(to, true, to > this.#window);
      if (chunk !== null) yield chunk;
      else if (to === most) this.#passed = 0;
      else this.#searched = to;
    }
  }

  /** The rest at the end. `isCut`: more bytes followed, so only its complete records are given. */
  *rest(isCut: boolean): Generator<LineChunk | ChunkProblem> {
    if (this.#passed >= 0) {
      const line = this.#resumed(isCut);
      if (line < 0) {
        this.#passTo(this.#end);
        if (!isCut) this.#limit.refuse?.(this.#passed);
      }
      yield { problem: 'TOO_LARGE', line: line < 0 ? this.line : line };
    }
    const size = this.#end - this.#start;
    const chunk = size > 0 ? this.#search(size, isCut, false) : null;
    if (chunk !== null) yield chunk;
  }

  /** The chunk up to the last end of a record in the first `to` bytes, or up to the first one; null: there is none. */
  #search(to: number, isOpen: boolean, isFirst: boolean): LineChunk | null {
    const start = this.#start;
    if (this.#rule === null) {
      const find = isFirst ? firstLineEnd : lastLineEnd;
      const end = isOpen ? find(this.#held, start + this.#searched, start + to) : start + to;
      return end < 0 ? null : this.#chunk(end - start, 0, undefined);
    }
    const { of, params } = this.#rule;
    const chunk = { firstLine: this.line, isOpen, ...(this.#head !== undefined && { head: this.#head }) };
    const records = of.records({ ...chunk, bytes: this.#held.subarray(start, start + to) }, params);
    let [last, lines] = [0, 0];
    while (last < to && !(isFirst && last > 0)) {
      const end = records.next(last);
      if (end < 0) break;
      if (records.part === 'record' || records.part === 'empty') lines++;
      last = end;
    }
    return last === 0 ? null : this.#chunk(last, lines, records.head);
  }

  #chunk(length: number, lines: number, head: StreamHead | undefined): LineChunk {
    const from = this.#start;
    const firstLine = this.line;
    const before = this.#head;
    this.line += lines;
    this.#start += length;
    this.#searched = 0;
    this.#head ??= head;
    const bytes = this.#held.subarray(from, this.#start);
    return { bytes, firstLine, lines, ...(before !== undefined && { head: before }) };
  }

  /** Passes on a long record; returns its number, or -1 if its end was not read yet. */
  #resumed(isOpen: boolean): number {
    const bytes = this.#held.subarray(this.#start, this.#end);
    const next = (this.#rule?.of ?? LINES).resume(bytes, isOpen);
    this.#passTo(next < 0 ? Math.max(this.#start, this.#end - TAIL_BYTES) : this.#start + next);
    if (next < 0) return -1;
    const length = this.#passed;
    this.#passed = -1;
    this.#searched = 0;
    // A head that was too long is unknown.
    this.#head ??= [];
    this.#limit.refuse?.(length);
    return this.line++;
  }

  #passTo(end: number): void {
    this.#pass(this.#held, this.#start, end);
    this.#passed += end - this.#start;
    this.#start = end;
  }

  #move(size: number, most: number): void {
    let { length } = this.#held;
    if (length < most) length = Math.max(most, Math.min(2 * length, this.#limit.most + most - size));
    else if (most <= 2 * this.#window) length = 2 * this.#window;
    const held = length === this.#held.length ? this.#held : Buffer.allocUnsafeSlow(length);
    this.#held.copy(held, 0, this.#start, this.#end);
    this.#held = held;
    this.#start = 0;
    this.#end = size;
  }
}
