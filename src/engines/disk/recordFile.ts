/**
 * A file of records in blocks, which tasks of the engine on disk exchange: sorted runs of a Map task, or the output of a task.
 *
 *      block     records of one run and one partition, in order (see `putLength`): about BLOCK bytes, or one larger record; or
 *                rows, which are keys of one width. The unordered output of a task has blocks by kind, the first byte of keys, so
 *                that a reader of some kinds skips the blocks of others
 *      index     for every block, 32 bytes: run u32, partition or kind u32, records u32, width of rows u32 (0: records),
 *                length u32, CRC-32 u32, offset f64
 *      end       28 bytes: offset of the index f64, blocks u32, CRC-32 of the index u32, MARK
 *
 * Numbers are little-endian. The index stands last, so that a file without it was not written to its end.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { MinHashError } from '../../errors.js';
import type { RowSorter } from '../../kernel/kernel.js';
import { type BlockPlace, checksumOf, readPlace } from '../../store/blockPlace.js';
import type { DiskRoom } from '../../store/disk.js';
import { NODE_FILES, readAt } from '../../store/fileDoor.js';
import { TemporaryFile } from '../../store/files.js';
import { copyBytes, type RecordSource, ShortViews } from '../../tasks/stream/records.js';

/** Bytes of a block, about. */
export const BLOCK = 1 << 17;
/** Bytes of a block of a run, about: a merge holds one of each run. */
const BLOCK_OF_RUN = 1 << 16;
const ENTRY = 32;
const END = 28;
const MARK = Buffer.from('records, 2\n\0');
const NOTHING = new Uint8Array(0);

/** Longer values have a block of their own, into which they are not copied before it is written. */
const LONG = BLOCK / 2;

/** Most bytes that `putLength` writes. */
const MOST_LENGTH = 5;
/** Most bytes of a record besides its key and value. */
export const RECORD_HEAD = 2 * MOST_LENGTH;

/** The records of a run that belong to one partition, in their order. */
export interface RecordBlock extends BlockPlace {
  readonly run: number;
  /** In the unordered output of a task, the kind of the block's records; 0 where the output is ordered. */
  readonly partition: number;
  readonly records: number;
  /** Width of rows, in bytes; 0 for records. */
  readonly width: number;
}

/** Writes a length: one byte below 255, else 255 and u32. Returns where it ends. */
function putLength(into: Uint8Array, at: number, length: number): number {
  if (length < 255) {
    into[at] = length;
    return at + 1;
  }
  into[at] = 255;
  into[at + 1] = length;
  into[at + 2] = length >>> 8;
  into[at + 3] = length >>> 16;
  into[at + 4] = length >>> 24;
  return at + MOST_LENGTH;
}

function longLength(bytes: Uint8Array, at: number): number {
  return (bytes[at + 1]! | (bytes[at + 2]! << 8) | (bytes[at + 3]! << 16) | (bytes[at + 4]! << 24)) >>> 0;
}

/** Writes a record; returns where it ends. `into` must have room for key, value and RECORD_HEAD more bytes. */
export function putRecord(into: Uint8Array, at: number, key: Uint8Array, value: Uint8Array): number {
  return copyBytes(into, putHead(into, at, key, value), value, 0, value.length);
}

/** Writes what comes before the value of a record; returns where it ends. */
function putHead(into: Uint8Array, at: number, key: Uint8Array, { length }: Uint8Array): number {
  return putLength(into, copyBytes(into, putLength(into, at, key.length), key, 0, key.length), length);
}

/** The offsets of a record's fields in a block. */
export class RecordPlace {
  keyAt = 0;
  keyEnd = 0;
  valueAt = 0;
  valueEnd = 0;

  /** Sets the offsets to those of the record that begins at `at`. */
  find(bytes: Uint8Array, at: number): void {
    let length = bytes[at]!;
    this.keyAt = at + 1;
    if (length === 255) {
      length = longLength(bytes, at);
      this.keyAt = at + MOST_LENGTH;
    }
    const end = this.keyAt + length;
    this.keyEnd = end;
    length = bytes[end]!;
    this.valueAt = end + 1;
    if (length === 255) {
      length = longLength(bytes, end);
      this.valueAt = end + MOST_LENGTH;
    }
    this.valueEnd = this.valueAt + length;
  }
}

/** Counts of a written file. JSON. */
export interface WrittenRecords {
  readonly records: number;
  readonly bytes: number;
  readonly blocks: number;
}

/** Records of one run and partition, or of one kind, that are still to be written. */
interface OpenBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly length: number;
  readonly held: number;
}

/** Encodes records as the bytes of a file, a block at a time; `write` must not keep its argument. */
export class RecordEncoder {
  records = 0;
  /** Bytes passed to `write` so far. */
  bytes = 0;
  private readonly write: (bytes: Uint8Array) => void;
  private block = new Uint8Array(BLOCK);
  private most = BLOCK;
  private length = 0;
  private held = 0;
  private run = 0;
  private partition = 0;
  private width = 0;
  private readonly entries: (readonly number[])[] = [];
  /** By kind: the open blocks, without the current one. */
  private readonly open: (OpenBlock | undefined)[] = [];
  private readonly hasOrder: boolean;

  /** @param hasOrder records keep the order in which they are put; else there is a block for every kind */
  constructor(write: (bytes: Uint8Array) => void, hasOrder = false) {
    this.write = write;
    this.hasOrder = hasOrder;
  }

  /** The next records are of this partition of this run; or rows, where `width` is not 0. */
  begin(run: number, partition: number, width = 0): void {
    this.flush();
    this.most = BLOCK_OF_RUN;
    this.run = run;
    this.partition = partition;
    this.width = width;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    if (!this.hasOrder && key[0] !== this.partition) this.turn(key[0]!);
    const isLong = value.length > LONG;
    if (isLong) this.flush();
    this.reserve(key.length + RECORD_HEAD + (isLong ? 0 : value.length));
    this.held++;
    if (isLong) {
      this.length = putHead(this.block, 0, key, value);
      this.flush(value);
    } else this.length = putRecord(this.block, this.length, key, value);
  }

  /** Adds the sorted rows [begin, end). */
  sortedRows(sorter: Pick<RowSorter, 'copy'>, begin: number, end: number, width: number): void {
    for (let from = begin, to = begin; from < end; from = to) {
      this.reserve(width);
      to = Math.min(end, from + Math.floor((this.most - this.length) / width));
      sorter.copy(from, to, this.block, this.length);
      this.length += width * (to - from);
      this.held += to - from;
    }
  }

  /** Adds a record as it is encoded in other bytes. */
  copy(from: Uint8Array, at: number, end: number): void {
    this.reserve(end - at);
    this.length = copyBytes(this.block, this.length, from, at, end);
    this.held++;
  }

  /** The next record is of this kind. */
  private turn(kind: number): void {
    this.open[this.partition] = { bytes: this.block, length: this.length, held: this.held };
    const next = this.open[kind] ?? { bytes: new Uint8Array(BLOCK), length: 0, held: 0 };
    this.open[kind] = undefined;
    this.partition = kind;
    this.block = next.bytes;
    this.length = next.length;
    this.held = next.held;
  }

  finish(): WrittenRecords {
    this.flush();
    for (const kind of this.open.keys()) {
      if (this.open[kind] === undefined) continue;
      this.turn(kind);
      this.flush();
    }
    const offset = this.bytes;
    const index = new DataView(new ArrayBuffer(ENTRY * this.entries.length + END));
    let at = 0;
    for (const [run, partition, records, width, length, checksum, from] of this.entries) {
      for (const word of [run, partition, records, width, length, checksum]) {
        index.setUint32(at, word!, true);
        at += 4;
      }
      index.setFloat64(at, from!, true);
      at += 8;
    }
    index.setFloat64(at, offset, true);
    index.setUint32(at + 8, this.entries.length, true);
    const bytes = new Uint8Array(index.buffer);
    index.setUint32(at + 12, checksumOf(bytes.subarray(0, at)), true);
    bytes.set(MARK, at + 16);
    this.give(bytes);
    return { records: this.records, bytes: this.bytes, blocks: this.entries.length };
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.most) return;
    this.flush();
    if (bytes > this.block.length) this.block = new Uint8Array(bytes);
  }

  /** Writes the block, and `behind` as its end. */
  private flush(behind: Uint8Array = NOTHING): void {
    if (this.held === 0) return;
    const { block, held, run, partition, width } = this;
    const bytes = block.subarray(0, this.length);
    const length = bytes.length + behind.length;
    const checksum = checksumOf(behind, checksumOf(bytes));
    this.entries.push([run, partition, held, width, length, checksum, this.bytes]);
    this.give(bytes);
    if (behind.length > 0) this.give(behind);
    this.records += held;
    this.length = this.held = 0;
    if (block.length > BLOCK) this.block = new Uint8Array(BLOCK);
  }

  private give(bytes: Uint8Array): void {
    this.write(bytes);
    this.bytes += bytes.length;
  }
}

/** A file of records that is whole or absent. */
export class RecordFile extends RecordEncoder {
  private readonly file: TemporaryFile;

  /** @throws MinHashError WRITE_FAILED, DISK_FULL */
  constructor(path: string, room: DiskRoom, hasOrder = false) {
    const file = new TemporaryFile(path, path, NODE_FILES, room);
    super((bytes) => file.append(bytes), hasOrder);
    this.file = file;
  }

  override finish(): WrittenRecords {
    const written = super.finish();
    this.file.close(false);
    return written;
  }

  /** Removes what is written so far. Never throws, because it runs after another error. */
  abandon(): void {
    this.file.abandon();
  }
}

/**
 * The blocks of a file, sorted by partition or kind, else in file order.
 *
 * @throws MinHashError BLOCK_TRUNCATED where it was not written to its end, BLOCK_CHECKSUM
 */
export function blocksOf(path: string): RecordBlock[] {
  const index = indexOf(path);
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const blocks = Array.from({ length: index.length / ENTRY }, (_, i) => {
    const word = (field: number): number => view.getUint32(ENTRY * i + 4 * field, true);
    const shape = { run: word(0), partition: word(1), records: word(2), width: word(3) };
    const offset = view.getFloat64(ENTRY * i + 24, true);
    return { path, ...shape, length: word(4), checksum: word(5), offset };
  });
  return blocks.sort((one, other) => one.partition - other.partition);
}

function indexOf(path: string): Uint8Array {
  const cut = (found: string): never => {
    throw new MinHashError({ code: 'BLOCK_TRUNCATED', detail: `${path}: ${found}` });
  };
  const end = new Uint8Array(END);
  let size: number;
  try {
    const file = openSync(path, 'r');
    try {
      ({ size } = fstatSync(file));
      if (size < END || readAt(file, end, size - END) < END) return cut(`${size} bytes, expected an end`);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof MinHashError) throw error;
    return cut(`cannot be read (${String((error as NodeJS.ErrnoException).code)})`);
  }
  const view = new DataView(end.buffer);
  const offset = view.getFloat64(0, true);
  const length = ENTRY * view.getUint32(8, true);
  if (Buffer.compare(end.subarray(16), MARK) !== 0 || offset + length + END !== size)
    return cut('it does not end as a file of records does');
  const index = readPlace({ path, offset, length, checksum: view.getUint32(12, true) });
  return new Uint8Array(index, 0, length);
}

/** Reads blocks one after the other, into memory that it reuses. */
export class BlockReading {
  private readonly blocks: readonly RecordBlock[];
  private readonly onBlock: () => void;
  private room: ArrayBuffer | null = null;
  private read = 0;

  constructor(blocks: readonly RecordBlock[], onBlock: () => void = () => {}) {
    this.blocks = blocks;
    this.onBlock = onBlock;
  }

  /**
   * The bytes of the next block, valid until the next call; null: no block is left. @throws MinHashError BLOCK_TRUNCATED,
   * BLOCK_CHECKSUM
   */
  next(): Uint8Array | null {
    const block = this.blocks[this.read];
    if (block === undefined) return null;
    this.read++;
    this.onBlock();
    this.room ??= new ArrayBuffer(this.blocks.reduce((most, { length }) => Math.max(most, length), 0));
    readPlace(block, this.room);
    return new Uint8Array(this.room, 0, block.length);
  }
}

/** The records of a block; `bytes` and `place` give the current one without views. */
export class BlockSource implements RecordSource {
  /** The block with the current record. */
  bytes: Uint8Array = NOTHING;
  readonly place = new RecordPlace();
  /** Records read so far, of all blocks that were opened. */
  count = 0;
  private readonly keys = new ShortViews();
  private readonly values = new ShortViews();
  private view: Uint8Array | null = null;
  private valueView: Uint8Array | null = null;
  protected end = 0;
  protected at = 0;

  /** @param bytes read from as long as `next` is called */
  open(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.at = 0;
    this.end = bytes.length;
  }

  /** Cached: a record's key is read more than once, and a view costs as much as sorting the record. */
  get key(): Uint8Array {
    this.view ??= this.keys.of(this.bytes, this.place.keyAt, this.place.keyEnd);
    return this.view;
  }

  get value(): Uint8Array {
    this.valueView ??= this.values.of(this.bytes, this.place.valueAt, this.place.valueEnd);
    return this.valueView;
  }

  next(): boolean {
    if (this.at === this.end) return false;
    this.view = this.valueView = null;
    this.place.find(this.bytes, this.at);
    this.at = this.place.valueEnd;
    this.count++;
    return true;
  }
}

/** The records of blocks, one after the other. */
export class BlockRecords extends BlockSource {
  private readonly reading: BlockReading;

  constructor(blocks: readonly RecordBlock[], onBlock?: () => void) {
    super();
    this.reading = new BlockReading(blocks, onBlock);
  }

  /** @throws MinHashError BLOCK_TRUNCATED, BLOCK_CHECKSUM */
  override next(): boolean {
    while (this.at === this.end) {
      const bytes = this.reading.next();
      if (bytes === null) return false;
      this.open(bytes);
    }
    return super.next();
  }
}
