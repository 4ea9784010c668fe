/** The interface of cutters of a file into records, and of the takers of these records. */
import type { PieceParams, ReadParams } from '../documentSink.js';

/** Takes the parts of a file. Bytes are valid during the call. */
export interface RecordTaker {
  /** The next bytes of a record; `ends`: its last ones, which may be none. */
  record(number: number, bytes: Buffer, from: number, to: number, ends: boolean): void;
  /** Bytes between records: brackets, commas, names of fields. `stays`: they belong to the records that stay. */
  between(bytes: Buffer, from: number, to: number, stays: boolean): void;
  /** A line without a byte but its end. */
  blank(bytes: Buffer, from: number, to: number): void;
  /** Whether a record is left out; called for this one or the next. */
  leavesOut(number: number): boolean;
}

export interface Cutting {
  push(bytes: Buffer): void;
  end(): void;
}

export type CutParams = ReadParams & PieceParams;
