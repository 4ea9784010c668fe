/**
 * Records that an engine sorts: a key and a value, both bytes. Keys are compared as bytes, the shorter first where one is the
 * beginning of the other, so numbers in keys are big-endian.
 */
import { grown } from '../../arrays/growable.js';
import type { Block } from '../../blocks/block.js';
import type { DocumentSink } from '../../blocks/documents.js';
import type { RowFeed } from '../../blocks/sets.js';
import type { ErrorCode } from '../../errors.js';
import type { ReadParams } from '../../readers/documentSink.js';
import type { Split } from '../../readers/split.js';
import { KIND } from './kinds.js';

export interface RecordSource {
  /** Advances to the next record; false: there is none. */
  next(): boolean;
  /** Key of the record. Key and value are views, valid until the next call of `next`. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A single record as a source. */
export class OneRecord implements RecordSource {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  private isLeft = true;

  constructor(key: Uint8Array, value: Uint8Array) {
    this.key = key;
    this.value = value;
  }

  next(): boolean {
    const { isLeft } = this;
    this.isLeft = false;
    return isLeft;
  }
}

/**
 * Takes records; the caller may overwrite both views after the call. A value may not be empty: text engines lose empty columns.
 */
export interface RecordSink {
  put(key: Uint8Array, value: Uint8Array): void;
}

/**
 * One record of an input: a line of a file, a row of its columns (columnValues.ts), or a whole file. Its views live as those of
 * records do.
 */
export interface CorpusRow {
  /** The file as the engine names it. */
  readonly file: string;
  /**
   * Where the engine's split of the file begins, in bytes: a line's number is known within its split only. Of a row, its number.
   */
  readonly start: number;
  /** The content; of a line, without its LF. */
  readonly bytes: Uint8Array;
  /** A split to read in the place of a record, where the engine's tasks open the files themselves. */
  readonly part?: CorpusPart | undefined;
  /** Why the file cannot be read from its record `start` on, or why that record cannot: the row stands for it. */
  readonly fault?: ErrorCode | undefined;
}

/** A split as worker threads read it. */
export interface CorpusPart {
  readonly split: Split;
  /** The block of columns beside the split; null where it has none. */
  readonly beside: Block | null;
  /** Gives its documents to the sink; returns how many lines start in the split, for files of lines, else 0. */
  read(params: ReadParams, sink: DocumentSink): number;
  /** Gives its rows, where it is lines of sets. */
  readonly rows?: RowFeed;
}

/** The rows of the inputs that a task reads: rows of one split follow one another, in their order. */
export interface CorpusSource {
  next(): boolean;
  readonly row: CorpusRow;
}

/** Records of a task: one by one, or in a Reduce group by group; a stage with rows (`StreamStage.row`) may read many at once. */
export interface StageSource extends RecordSource {
  /**
   * Advances to the next group: records whose keys have the same first bytes, so many; by default those by which the Reduce is
   * grouped. Records of the last group that were not read are passed over. False: no record is left.
   */
  group(bytes?: number): boolean;
  /** The bytes that the keys of the group share; valid until the next group. */
  readonly shared: Uint8Array;
  /** Advances to the next record of the group; false: there is none. */
  each(): boolean;
  /** The next rows, keys one after the other: a view that is valid until the next call. Null: no row is left. */
  rows(): Uint8Array | null;
}

export interface StageSink extends RecordSink {
  /** The key and the value of the next record, which are built here field by field; empty after `write`. */
  readonly key: FieldWriter;
  readonly value: FieldWriter;
  /** Puts that record, with another value where one is given, and with PRESENT where none was built. */
  write(value?: Uint8Array): void;
  /** Takes whole rows; the caller may overwrite their bytes after the call. */
  rows(rows: Uint8Array): void;
}

/** The value of every row, and of other records that are all key. */
export const PRESENT = Uint8Array.of(1);

/** Compares two keys: negative where the first comes before the second, 0 where they are equal. */
export function compareKeys(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return one[i]! - other[i]!;
  return one.length - other.length;
}

/** Whether two keys have the same first bytes. Each must have at least so many. */
export function sharesPrefix(one: Uint8Array, other: Uint8Array, bytes: number): boolean {
  for (let i = 0; i < bytes; i++) if (one[i] !== other[i]) return false;
  return true;
}

const MOST_HIGH = 2 ** 21;
const FIRST_ROOM = 64;

/** Up to this many bytes, a loop is faster than a copy by a view. */
const SHORT = 48;

/** Copies [from, to) of bytes; returns where the copy ends. */
export function copyBytes(into: Uint8Array, at: number, bytes: Uint8Array, from: number, to: number): number {
  if (to - from > SHORT) into.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), at);
  else for (let i = from; i < to; i++) into[at + i - from] = bytes[i]!;
  return at + to - from;
}

/** Caches views from the beginning of a buffer by their length: making a view costs more than most uses of it. */
class Beginnings {
  private bytes: Uint8Array | null = null;
  private views: (Uint8Array | undefined)[] = [];

  of(bytes: Uint8Array, length: number): Uint8Array {
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.views = [];
    }
    let view = this.views[length];
    if (view !== undefined) return view;
    view = bytes.subarray(0, length);
    if (length <= MOST_KNOWN) this.views[length] = view;
    return view;
  }
}

const MOST_KNOWN = 1024;

/** Keys or values as views, each valid until the next one: short ones are copied into a buffer with cached views. */
export class ShortViews {
  private readonly bytes = new Uint8Array(SHORT);
  private readonly views = new Beginnings();

  of(bytes: Uint8Array, from: number, to: number): Uint8Array {
    if (to - from > SHORT) return bytes.subarray(from, to);
    copyBytes(this.bytes, 0, bytes, from, to);
    return this.views.of(this.bytes, to - from);
  }
}

/** Builds keys and values, field by field, in memory that it reuses. */
export class FieldWriter {
  private bytes = new Uint8Array(FIRST_ROOM);
  private data = new DataView(this.bytes.buffer);
  private length = 0;
  private readonly views = new Beginnings();

  /** Forgets all but the first `to` bytes. */
  reset(to = 0): this {
    this.length = to;
    return this;
  }

  kind(kind: number): this {
    return this.reset().u8(kind);
  }

  /** Begins a key with what another has behind its kind, up to `to`, and puts a tag behind the first `field` bytes of that. */
  tagged(key: Uint8Array, field: number, tag: number, to = key.length): this {
    return this.reset()
      .raw(key, KIND, KIND + field)
      .u8(tag)
      .raw(key, KIND + field, to);
  }

  /** The same where the first `field` bytes go behind the rest and the tag. */
  turned(key: Uint8Array, field: number, tag: number): this {
    return this.reset()
      .raw(key, KIND + field)
      .u8(tag)
      .raw(key, KIND, KIND + field);
  }

  /** The bytes written so far; valid until the next write. */
  get view(): Uint8Array {
    return this.views.of(this.bytes, this.length);
  }

  /** The number of bytes written so far. */
  get size(): number {
    return this.length;
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

  /** For values only: in keys, its bytes would not sort as numbers. */
  f64(value: number): this {
    const at = this.more(8);
    this.data.setFloat64(at, value);
    return this;
  }

  /** Appends the bytes unchanged, or [from, to) of them. */
  raw(bytes: Uint8Array, from = 0, to = bytes.length): this {
    const at = this.more(to - from);
    copyBytes(this.bytes, at, bytes, from, to);
    return this;
  }

  /** Appends bytes of any length before other fields of a key, so that keys sort by them: 0 becomes 0 255, and 0 0 ends them. */
  ended(bytes: Uint8Array): this {
    for (const byte of bytes) {
      this.u8(byte);
      if (byte === 0) this.u8(0xff);
    }
    return this.u8(0).u8(0);
  }

  /** Makes room for so many bytes and returns where they begin. The memory may move: call it before writing the field. */
  private more(bytes: number): number {
    const at = this.length;
    this.length += bytes;
    if (this.length > this.bytes.length) {
      this.bytes = grown(this.bytes, this.length);
      this.data = new DataView(this.bytes.buffer);
    }
    return at;
  }
}

/** Bytes of rows that are given on at once, about. */
const BATCH_BYTES = 1 << 15;

/** Gathers rows, and gives them on many at a time. */
export class GatheredRows extends FieldWriter {
  private readonly out: StageSink;

  constructor(out: StageSink) {
    super();
    this.out = out;
  }

  /** After each row. */
  endRow(): void {
    if (this.size >= BATCH_BYTES) this.flush();
  }

  /** Gives on what is gathered; after the last row, too. */
  flush(): void {
    if (this.size > 0) this.out.rows(this.view);
    this.reset();
  }
}

export function u32At(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

export function u64At(bytes: Uint8Array, at: number): number {
  return u32At(bytes, at) * 2 ** 32 + u32At(bytes, at + 4);
}

const NUMBER = new DataView(new ArrayBuffer(8));

export function f64At(bytes: Uint8Array, at: number): number {
  NUMBER.setUint32(0, u32At(bytes, at));
  NUMBER.setUint32(4, u32At(bytes, at + 4));
  return NUMBER.getFloat64(0);
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
