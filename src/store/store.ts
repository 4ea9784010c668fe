/**
 * Named blocks in memory; beyond a limit, `durable` ones on disk.
 *
 * `durable` blocks leave memory for a log, the oldest first, when with the `counted` ones they exceed the limit. `locate` returns the file
 * position of a block that left memory; the reader loads it. Writes do not block this thread; the next call of `put`, `room` or
 * `flush` throws their errors.
 */
import type { BlockBuffer } from '../blocks/block.js';
import { BlockLogs } from './blockLog.js';
import { type BlockPlace, readPlace } from './blockPlace.js';
import type { DiskRoom } from './disk.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';
import { GarbageValve } from './garbage.js';

/**
 * How a block is kept. `memory`: in memory; `counted`: in memory, where it counts against the limit of blocks; `durable`: is also
 * written to disk and leaves memory when that is short.
 */
export type Keep = 'memory' | 'counted' | 'durable';

/** The memory of blocks at the time of the call. */
interface BlockMemory {
  readonly roomOfBlocks: number;
  /** @throws MinHashError MEMORY_BUDGET where `counted` blocks of so many bytes have no room */
  expectBlocks(what: string, bytes: number): void;
}

export interface StoreOptions {
  /** What `counted` and `durable` blocks may take in memory; default: all of it. */
  readonly limit?: BlockMemory;
  /** Released bytes after which garbage is collected; default: never. */
  readonly collectEvery?: number;
  readonly door?: FileDoor;
  /** The disk guard of the blocks; default: that of the folder. */
  readonly room?: DiskRoom;
}

interface Entry {
  readonly name: string;
  readonly keep: Keep;
  readonly bytes: number;
  /** Null: on disk only. */
  buffer: BlockBuffer | null;
  place: BlockPlace | null;
  /** Settles when the block is on disk, or could not be written. */
  writing: Promise<void> | null;
}

/** The share of the limit that blocks without a copy on disk may take, once blocks had to leave memory. */
const UNWRITTEN = 1 / 2;

/** Named blocks. A name is written once, until it is deleted. A buffer counts with the length that it had when it was put. */
export class Store {
  private readonly options: StoreOptions;
  /** Null: the store is not open yet. */
  private logs: BlockLogs | null = null;
  private readonly entries = new Map<string, Entry>();
  /** Durable entries in memory, oldest first. */
  private readonly leaving = new Set<Entry>();
  private leavingBytes = 0;
  private countedBytes = 0;
  private residentBytes = 0;
  private readonly writes = new Set<Promise<void>>();
  /** Durable entries whose write has not begun, oldest first. */
  private readonly pending = new Set<Entry>();
  private pendingBytes = 0;
  /** A block had to leave memory; others will have to, too. */
  private isScarce = false;
  private readonly garbage: GarbageValve | null;

  constructor(options: StoreOptions = {}) {
    this.options = options;
    this.garbage = options.collectEvery === undefined ? null : new GarbageValve(options.collectEvery);
  }

  /** Opens the folder of the log, which this run must hold already; before this call no block goes to disk. Call it once. */
  open(folder: string): void {
    const { door = NODE_FILES, room } = this.options;
    this.logs = new BlockLogs(folder, door, room);
  }

  /** Adds a block. */
  put(name: string, buffer: BlockBuffer, keep: Keep = 'memory'): void {
    this.checkFailure();
    if (this.entries.has(name)) throw new Error(`the block ${name} was written twice`);
    const entry: Entry = {
      name,
      keep,
      bytes: buffer.byteLength,
      buffer,
      place: null,
      writing: null,
    };
    this.entries.set(name, entry);
    this.residentBytes += entry.bytes;
    if (keep === 'counted') this.countedBytes += entry.bytes;
    if (keep !== 'durable') return;
    this.leaving.add(entry);
    this.leavingBytes += entry.bytes;
    this.pending.add(entry);
    this.pendingBytes += entry.bytes;
    if (this.isScarce) this.writeAhead();
  }

  /** The block, read from disk if necessary. @throws Error for an unknown name, which is our own defect */
  get(name: string): BlockBuffer {
    const { buffer, place } = this.entry(name);
    return buffer ?? readPlace(place!);
  }

  /** The block if it is in memory, else its place on disk: the input of a task. @throws Error as `get` */
  locate(name: string): BlockBuffer | BlockPlace {
    const { buffer, place } = this.entry(name);
    return buffer ?? place!;
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** Deletes a block; an unknown name is no error. */
  delete(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    this.entries.delete(name);
    this.leave(entry);
  }

  /**
   * Resolves once the blocks fit their limit. @throws MinHashError MEMORY_BUDGET where those that stay do not, WRITE_FAILED, DISK_FULL
   */
  async room(): Promise<void> {
    this.checkFailure();
    const { limit } = this;
    if (this.leavingBytes <= limit) return;
    this.isScarce = true;
    for (const entry of this.leaving) {
      if (this.leavingBytes <= limit) break;
      await this.write(entry);
      this.checkFailure();
      this.leave(entry);
    }
  }

  /** Resolves when all writes that have begun are done. @throws MinHashError WRITE_FAILED, DISK_FULL */
  async flush(): Promise<void> {
    while (this.writes.size > 0) await Promise.all(this.writes);
    this.checkFailure();
  }

  /** Waits for writes that have begun and closes the files; they stay. Never rejects. */
  async close(): Promise<void> {
    this.pending.clear();
    await this.logs?.close();
  }

  /** Bytes held in memory. */
  get bytes(): number {
    return this.residentBytes;
  }

  /** Bytes that this run has on disk now. */
  get diskBytes(): number {
    return this.logs?.bytes ?? 0;
  }

  /** Bytes that durable blocks may take. @throws MinHashError MEMORY_BUDGET where counted ones have no room */
  private get limit(): number {
    const { limit } = this.options;
    if (limit === undefined) return Number.POSITIVE_INFINITY;
    limit.expectBlocks('lists of pairs and sets so far', this.countedBytes);
    return limit.roomOfBlocks - this.countedBytes;
  }

  private entry(name: string): Entry {
    const entry = this.entries.get(name);
    if (entry === undefined) throw new Error(`there is no block ${name}`);
    return entry;
  }

  /** Takes a block out of memory. */
  private leave(entry: Entry): void {
    if (entry.buffer === null) return;
    entry.buffer = null;
    this.residentBytes -= entry.bytes;
    this.garbage?.released(entry.bytes);
    if (entry.keep === 'counted') this.countedBytes -= entry.bytes;
    if (this.leaving.delete(entry)) this.leavingBytes -= entry.bytes;
    this.strikePending(entry);
  }

  private strikePending(entry: Entry): void {
    if (this.pending.delete(entry)) this.pendingBytes -= entry.bytes;
  }

  /** Writes the oldest blocks beforehand, so that callers who need room do not wait for the disk. */
  private writeAhead(): void {
    const most = UNWRITTEN * this.limit;
    for (const entry of this.pending) {
      if (this.pendingBytes <= most) return;
      void this.write(entry);
    }
  }

  /** Writes a block to its log, once; settles when it is written or the write failed. */
  private write(entry: Entry): Promise<void> {
    if (entry.writing !== null) return entry.writing;
    this.strikePending(entry);
    const written = this.logs!.append(new Uint8Array(entry.buffer!)).then((place) => {
      entry.place = place;
      this.writes.delete(written);
    });
    entry.writing = written;
    this.writes.add(written);
    return written;
  }

  private checkFailure(): void {
    if (this.logs?.failure) throw this.logs.failure;
  }
}
