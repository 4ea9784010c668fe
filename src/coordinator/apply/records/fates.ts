/**
 * The fate of each record of a file, and the resulting bytes: records are kept, left out or replaced.
 *
 *      kept        all records except the dropped ones  (--dropped: only the dropped ones)
 *      annotated   all records, with added fields
 *
 * A fate that changes a record is EDITED, and `edited` returns the new bytes.
 */

import type { RecordTaker } from '../../../readers/cutting.js';
import { RECORD_END } from '../files/byteSinks.js';

export const KEPT = 0;
export const LEFT_OUT = 1;
export const EDITED = 2;
export type Fate = typeof KEPT | typeof LEFT_OUT | typeof EDITED;

export interface RecordFates {
  /** Called with ascending numbers, any number of times for each. */
  fateOf(number: number): Fate;
  /**
   * The bytes that replace a record, which includes its line end; empty: it is removed; null: it is unchanged. @throws
   * to stop
   */
  edited(number: number, bytes: Buffer): Uint8Array | null;
  /** Whether lines without a record are kept. */
  readonly keepsBlanks: boolean;
  /** Dropped documents or units found in the file. Absent: computed from the counts of records. */
  readonly dropped?: number;
  /** Set if parts of documents are removed; absent: whole documents are. */
  readonly isOfUnits?: true;
}

/** Listed records have one fate, and all others another. */
export class ListedFates implements RecordFates {
  readonly keepsBlanks: boolean;
  readonly #numbers: Float64Array;
  readonly #listed: Fate;
  readonly #others: Fate;
  #next = 0;

  /** @param numbers ascending: these records are removed, or (`inverted`) all others */
  constructor(numbers: Float64Array, inverted: boolean) {
    this.#numbers = numbers;
    this.keepsBlanks = !inverted;
    this.#listed = inverted ? KEPT : LEFT_OUT;
    this.#others = inverted ? LEFT_OUT : KEPT;
  }

  fateOf(number: number): Fate {
    const numbers = this.#numbers;
    while (this.#next < numbers.length && numbers[this.#next]! < number) this.#next++;
    return numbers[this.#next] === number ? this.#listed : this.#others;
  }

  edited(): null {
    return null;
  }
}

export interface RecordCounts {
  /** Records, including those that are not documents. */
  records: number;
  written: number;
  /** Records that are not written. */
  leftOut: number;
}

/** Applies fates to the records of a file as they are read. */
export class RecordEditor implements RecordTaker {
  readonly counts: RecordCounts = { records: 0, written: 0, leftOut: 0 };
  readonly #fates: RecordFates;
  readonly #out: EditedParts;
  #current = Number.NaN;
  #fate: Fate = KEPT;
  /** The pieces of the record to edit. */
  #held: Buffer[] = [];

  constructor(fates: RecordFates, out: EditedParts) {
    this.#fates = fates;
    this.#out = out;
  }

  leavesOut(number: number): boolean {
    return this.#fates.fateOf(number) === LEFT_OUT;
  }

  record(number: number, bytes: Buffer, from: number, to: number, ends: boolean): void {
    if (number !== this.#current) {
      this.#current = number;
      this.#fate = this.#fates.fateOf(number);
    }
    if (this.#fate === KEPT) this.#out.stay(bytes, from, to);
    else if (this.#fate === EDITED) this.#edit(number, bytes, from, to, ends);
    if (ends) this.#count();
  }

  between(bytes: Buffer, from: number, to: number, stays: boolean): void {
    if (stays) this.#out.stay(bytes, from, to);
  }

  blank(bytes: Buffer, from: number, to: number): void {
    this.between(bytes, from, to, this.#fates.keepsBlanks);
  }

  #count(): void {
    this.#out.endRecord();
    this.counts.records++;
    if (this.#fate === LEFT_OUT) this.counts.leftOut++;
    else this.counts.written++;
    this.#current = Number.NaN;
  }

  #edit(number: number, bytes: Buffer, from: number, to: number, ends: boolean): void {
    const piece = bytes.subarray(from, to);
    if (!ends) {
      this.#held.push(Buffer.from(piece));
      return;
    }
    const whole = this.#held.length === 0 ? piece : Buffer.concat([...this.#held, piece]);
    this.#held = [];
    const edited = this.#fates.edited(number, whole);
    if (edited === null) this.#out.stay(whole, 0, whole.length);
    else {
      this.#out.insert(edited);
      if (edited.length === 0) this.#fate = LEFT_OUT;
    }
  }
}

/** Shorter runs of bytes are copied together; longer ones are written from their buffer. */
const SHORT = 16 << 10;
const ROOM = 1 << 20;

/** The output bytes of a file, in as few parts as possible. Bytes passed in must stay valid until `take`. */
export class EditedParts {
  #parts: Uint8Array[] = [];
  #room = Buffer.allocUnsafe(ROOM);
  #roomFrom = 0;
  #roomTo = 0;
  #bytes: Buffer | null = null;
  #from = 0;
  #to = 0;
  readonly #tellsEnds: boolean;

  /** @param tellsEnds whether RECORD_END follows the parts of each record */
  constructor(tellsEnds = false) {
    this.#tellsEnds = tellsEnds;
  }

  endRecord(): void {
    if (!this.#tellsEnds) return;
    this.#closeRun();
    this.#closeRoom();
    this.#parts.push(RECORD_END);
  }

  stay(bytes: Buffer, from: number, to: number): void {
    if (bytes === this.#bytes && from === this.#to) {
      this.#to = to;
      return;
    }
    this.#closeRun();
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
  }

  /** Adds bytes that are not from the file. */
  insert(bytes: Uint8Array): void {
    this.#closeRun();
    this.#append(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.length);
  }

  /** The parts to write next; valid until more bytes are added. */
  take(): readonly Uint8Array[] {
    this.#closeRun();
    this.#closeRoom();
    const parts = this.#parts;
    this.#parts = [];
    this.#roomFrom = this.#roomTo = 0;
    return parts;
  }

  #closeRun(): void {
    const bytes = this.#bytes;
    this.#bytes = null;
    if (bytes !== null && this.#to > this.#from) this.#append(bytes, this.#from, this.#to);
  }

  #append(bytes: Buffer, from: number, to: number): void {
    if (to - from >= SHORT) {
      this.#closeRoom();
      this.#parts.push(bytes.subarray(from, to));
      return;
    }
    if (this.#roomTo + to - from > this.#room.length) {
      this.#closeRoom();
      this.#room = Buffer.allocUnsafe(ROOM);
      this.#roomFrom = this.#roomTo = 0;
    }
    bytes.copy(this.#room, this.#roomTo, from, to);
    this.#roomTo += to - from;
  }

  #closeRoom(): void {
    if (this.#roomTo > this.#roomFrom) this.#parts.push(this.#room.subarray(this.#roomFrom, this.#roomTo));
    this.#roomFrom = this.#roomTo;
  }
}
