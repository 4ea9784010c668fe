/**
 * The fate of each record of a file, and the bytes that follow: those that stay, that are left out, or that replace
 * others.
 *
 *      kept        all but those that were dropped      (--dropped: those that were dropped, and nothing else)
 *      annotated   all of them, with further fields
 *
 * A fate that removes a part of a record is EDITED, and `edited` gives the remaining bytes.
 */

import type { RecordTaker } from '../../../readers/cutting.js';
import { RECORD_END } from '../packed/packers.js';

export const KEPT = 0;
export const LEFT_OUT = 1;
export const EDITED = 2;
export type Fate = typeof KEPT | typeof LEFT_OUT | typeof EDITED;

export interface RecordFates {
  /** Called in ascending order of numbers, any number of times for each. */
  fateOf(number: number): Fate;
  /** The bytes that replace a record, given with its line end; none: it is left out; null: it stays as it is. @throws to end the work */
  edited(number: number, bytes: Buffer): Uint8Array | null;
  /** Lines without a record stay. */
  readonly keepsBlanks: boolean;
  /** Documents or units that were dropped and are met. Absent: the counts of records tell them. */
  readonly dropped?: number;
  /** Present where parts of documents are taken out; absent: whole ones are. */
  readonly isOfUnits?: true;
}

/** The listed records have one fate, and all others another. */
export class ListedFates implements RecordFates {
  readonly keepsBlanks: boolean;
  readonly #numbers: Float64Array;
  readonly #listed: Fate;
  readonly #others: Fate;
  #next = 0;

  /** @param numbers ascending; these records are left out or (`inverted`) all others are */
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
  /** Records, documents or not. */
  records: number;
  written: number;
  /** Records that are not written. */
  leftOut: number;
}

/** Applies fates to the records of a file as they come. */
export class RecordEditor implements RecordTaker {
  readonly counts: RecordCounts = { records: 0, written: 0, leftOut: 0 };
  readonly #fates: RecordFates;
  readonly #out: EditedParts;
  #current = Number.NaN;
  #fate: Fate = KEPT;
  /** The pieces of a record that is edited. */
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

/** Shorter runs of bytes are copied together; longer ones are written from where they stand. */
const SHORT = 16 << 10;
const ROOM = 1 << 20;

/** The bytes of a file as they shall be, in parts, as few as possible. Bytes that come are valid until the parts are taken. */
export class EditedParts {
  #parts: Uint8Array[] = [];
  #room = Buffer.allocUnsafe(ROOM);
  #roomFrom = 0;
  #roomTo = 0;
  #bytes: Buffer | null = null;
  #from = 0;
  #to = 0;
  readonly #tellsEnds: boolean;

  /** @param tellsEnds RECORD_END follows the parts of every record */
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

  /** Bytes that are not of the file. */
  insert(bytes: Uint8Array): void {
    this.#closeRun();
    this.#append(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.length);
  }

  /** The parts to be written next; valid until further bytes come. */
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
