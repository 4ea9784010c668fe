/** What cuts a file into records, and what takes them. */
import type { PieceParams, ReadParams } from '../documentSink.js';

/** Takes what a file is cut into. Bytes are valid during the call. */
export interface RecordTaker {
  /** The next bytes of a record; `ends`: its last ones, which may be none. */
  record(number: number, bytes: Buffer, from: number, to: number, ends: boolean): void;
  /** Bytes between records: brackets, commas, names of fields. `stays`: they belong to what is left. */
  between(bytes: Buffer, from: number, to: number, stays: boolean): void;
  /** A line without a byte but its end. */
  blank(bytes: Buffer, from: number, to: number): void;
  /** Whether a record is left out; asked of this one or the next. */
  leavesOut(number: number): boolean;
}

export interface Cutting {
  push(bytes: Buffer): void;
  end(): void;
}

export type CutParams = ReadParams & PieceParams;
