/**
 * Records on their way through an engine that sorts: a key and a value, bytes both. Keys are compared as bytes, the shorter
 * first where one begins with the other, so numbers in keys are big-endian.
 */

/** Records in the order in which they come. */
export interface RecordSource {
  /** Goes on to the next record; false: there is none. */
  next(): boolean;
  /** Of the record; views that are good until the next call of `next`. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Takes records; both views may be used again after the call. A value may not be empty: text engines lose empty columns. */
export interface RecordSink {
  put(key: Uint8Array, value: Uint8Array): void;
}

/** One record of an input: a line of a file, a row of its columns (columnValues.ts), or a whole file. Views as those of records. */
export interface CorpusRow {
  /** The file as the engine names it. */
  readonly file: string;
  /** Where the split of the file begins that the engine reads: a line's number is known within it alone. Of a row its number. */
  readonly start: number;
  /** Without its LF. */
  readonly bytes: Uint8Array;
}

/** The rows of the inputs that a task is given: those of one split follow one another, in their order. */
export interface CorpusSource {
  next(): boolean;
  readonly row: CorpusRow;
}

/** The order of keys. */
export function compareKeys(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return one[i]! - other[i]!;
  return one.length - other.length;
}

/** Whether two keys have the same first bytes. Both must be as long. */
export function sharesPrefix(one: Uint8Array, other: Uint8Array, bytes: number): boolean {
  for (let i = 0; i < bytes; i++) if (one[i] !== other[i]) return false;
  return true;
}

const MOST_HIGH = 2 ** 21;
const FIRST_ROOM = 64;

/** Makes keys and values, field by field, in memory that it uses again. */
export class FieldWriter {
  private bytes = new Uint8Array(FIRST_ROOM);
  private data = new DataView(this.bytes.buffer);
  private length = 0;

  /** Forgets what was written, but for the first bytes. */
  reset(to = 0): this {
    this.length = to;
    return this;
  }

  /** What was written; good until more is. */
  get view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  u8(value: number): this {
    const at = this.more(1);
    this.bytes[at] = value;
    return this;
  }

  u16(value: number): this {
    return this.u8(value >>> 8).u8(value & 0xff);
  }

  u32(value: number): this {
    const at = this.more(4);
    this.data.setUint32(at, value);
    return this;
  }

  /** A whole number below 2^53. @throws RangeError for any other: our own defect */
  u64(value: number): this {
    const high = Math.floor(value / 2 ** 32);
    if (!(high < MOST_HIGH && value >= 0)) throw new RangeError(`${value} is no number of a key`);
    const at = this.more(8);
    this.data.setUint32(at, high);
    this.data.setUint32(at + 4, value >>> 0);
    return this;
  }

  /** As a value only: its bytes are in no order. */
  f64(value: number): this {
    const at = this.more(8);
    this.data.setFloat64(at, value);
    return this;
  }

  raw(bytes: Uint8Array): this {
    const at = this.more(bytes.length);
    this.bytes.set(bytes, at);
    return this;
  }

  /** Bytes of any length in front of other fields of a key, so that keys are in their order: 0 becomes 0 255, and 0 0 is the end. */
  ended(bytes: Uint8Array): this {
    for (const byte of bytes) {
      this.u8(byte);
      if (byte === 0) this.u8(0xff);
    }
    return this.u8(0).u8(0);
  }

  /** Room for so many bytes, which may be elsewhere than before: it comes first, then the field is written. */
  private more(bytes: number): number {
    const at = this.length;
    this.length += bytes;
    if (this.length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.length, 2 * this.bytes.length));
      larger.set(this.bytes.subarray(0, at));
      this.bytes = larger;
      this.data = new DataView(larger.buffer);
    }
    return at;
  }
}

export function u32At(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

export function u64At(bytes: Uint8Array, at: number): number {
  return u32At(bytes, at) * 2 ** 32 + u32At(bytes, at + 4);
}

export function f64At(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getFloat64(at);
}

/** The bytes that `ended` wrote at `at`, and where the next field begins. */
export function endedAt(
  bytes: Uint8Array,
  at: number,
): { readonly bytes: Uint8Array; readonly next: number } {
  const found: number[] = [];
  for (; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0) found.push(bytes[at]!);
    else if (bytes[++at] === 0) return { bytes: Uint8Array.from(found), next: at + 1 };
    else found.push(0);
  }
  throw new RangeError('a key without an end: our own defect');
}
