/**
 * Named blocks in memory; beyond a limit, `durable` ones on disk.
 *
 * Once it is opened and checkpoints have begun, the store writes `durable` blocks to a log, earlier blocks first, so that a run can
 * be resumed. They leave memory, the oldest first, when with the `counted` ones they exceed the limit. `locate` returns the file
 * position of a block that left memory; the reader loads it. Writes do not block this thread; the next call of `put`, `room` or
 * `flush` throws their errors.
 */
import type { BlockBuffer, Json } from '../blocks/block.js';
import { type BlockCheck, DurableLogs, type LogLeft } from './blockLog.js';
import { type BlockPlace, readPlace } from './blockPlace.js';
import type { DiskRoom } from './disk.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';
import { GarbageValve } from './garbage.js';

/**
 * How a block is kept. `memory`: in memory; `counted`: in memory, where it counts against the limit of blocks; `durable`: is also
 * written to disk for a resumed run, once checkpoints have begun, and leaves memory when that is short.
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

/** When durable blocks are written. */
export interface Checkpoints {
  /** Milliseconds until checkpoints begin; before, durable blocks are written only when memory is short. 0: begin at once. */
  readonly after: number;
  /** Called once: then, or before a durable block that is written earlier. An error that it throws ends the run. */
  begin(): void;
}

const AT_ONCE: Checkpoints = { after: 0, begin: () => {} };

/** Which blocks of an earlier run are restored. */
export interface EarlierRun {
  /** Identifies the run of the durable blocks: version, result parameters, inputs; up to 56 bytes. */
  readonly fingerprint: string;
  /** Whether durable blocks of an earlier run with this fingerprint are restored; else they are removed. */
  readonly resume: boolean;
  /** Checks each block before it is restored; default: every whole block is restored. */
  readonly check?: BlockCheck;
  /** The folder of both runs; created when the first block is written. */
  readonly folder: string;
  /** Default: checkpoints begin at once. */
  readonly checkpoints?: Checkpoints;
}

interface Entry {
  readonly name: string;
  readonly keep: Keep;
  readonly bytes: number;
  readonly report: Json;
  /** CRC-32 of the block; undefined until it is computed. */
  readonly checksum: number | undefined;
  /** Restored from an earlier run. */
  readonly recalled: boolean;
  /** Null: on disk only. */
  buffer: BlockBuffer | null;
  place: BlockPlace | null;
  /** Settles when the block is on disk, or could not be written. */
  writing: Promise<void> | null;
  /** This run no longer needs the block; it leaves memory when it is written. */
  isLast: boolean;
}

/** Milliseconds, 24 days: for a longer time the platform's timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The share of the limit that blocks without a copy on disk may take, once blocks had to leave memory. */
const UNWRITTEN = 1 / 2;

/** Named blocks. A name is written once, until it is deleted. A buffer counts with the length that it had when it was put. */
export class Store {
  /** The damaged stretches and unfinished ends of the earlier run's logs, from which no block was restored. */
  left: LogLeft = { damage: [], cut: [] };
  /** Bytes of blocks restored from an earlier run. */
  recalledBytes = 0;
  private readonly options: StoreOptions;
  /** Null: the store is not open yet. */
  private logs: DurableLogs | null = null;
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
  private checkpoints = AT_ONCE;
  /** Whether durable blocks are written when they are put, so that their makers compute their checksums. */
  hasCheckpoints = false;
  private timer: NodeJS.Timeout | undefined;
  /** The running write of pending entries; null: no write runs. */
  private pump: Promise<void> | null = null;
  /** The error of `Checkpoints.begin`. */
  private noteFailure: unknown = null;
  /** A block had to leave memory; others will have to, too. */
  private isScarce = false;
  private readonly garbage: GarbageValve | null;

  constructor(options: StoreOptions = {}) {
    this.options = options;
    this.garbage = options.collectEvery === undefined ? null : new GarbageValve(options.collectEvery);
  }

  /**
   * Opens the folder, which this run must hold already; before this call no block goes to disk. Call it once.
   *
   * @throws MinHashError WRITE_FAILED where the content can be neither read nor removed
   */
  open({ fingerprint, resume, check, folder, checkpoints = AT_ONCE }: EarlierRun): void {
    const { door = NODE_FILES, room } = this.options;
    this.logs = new DurableLogs(folder, fingerprint, door, room);
    this.left = this.logs.takeOver(
      resume ? ({ name, report, place }) => this.recall(name, report, place) : null,
      check,
    );
    this.checkpoints = checkpoints;
    const begin = (): void => {
      this.hasCheckpoints = true;
      this.begin();
      this.writePending();
    };
    if (checkpoints.after <= 0) begin();
    else this.timer = setTimeout(begin, Math.min(checkpoints.after, LONGEST_TIMER)).unref();
  }

  /**
   * Adds a block. `report`: of the task that wrote it; kept with a durable block. `checksum`: its CRC-32, where it is known.
   */
  put(
    name: string,
    buffer: BlockBuffer,
    keep: Keep = 'memory',
    report: Json = null,
    checksum?: number,
  ): void {
    this.checkFailure();
    const known = this.entries.get(name);
    if (known !== undefined && !known.recalled) throw new Error(`the block ${name} was written twice`);
    const entry: Entry = {
      name,
      keep,
      bytes: buffer.byteLength,
      report: keep === 'durable' ? report : null,
      checksum,
      recalled: false,
      buffer,
      place: null,
      writing: null,
      isLast: false,
    };
    this.entries.set(name, entry);
    this.residentBytes += entry.bytes;
    if (keep === 'counted') this.countedBytes += entry.bytes;
    if (keep !== 'durable') return;
    this.leaving.add(entry);
    this.leavingBytes += entry.bytes;
    this.pending.add(entry);
    this.pendingBytes += entry.bytes;
    if (this.hasCheckpoints) this.writePending();
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
    // A pending block is still written to the log: this run no longer needs it, but a resumed run may.
    if (this.hasCheckpoints && this.pending.has(entry)) {
      entry.isLast = true;
      return;
    }
    this.leave(entry);
  }

  /**
   * Resolves once the blocks fit their limit. @throws MinHashError MEMORY_BUDGET where those that stay do not, WRITE_FAILED, DISK_FULL
   */
  async room(): Promise<void> {
    this.checkFailure();
    this.logs?.syncSometimes();
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

  /** Resolves when all durable blocks are on the disk, if checkpoints have begun. @throws MinHashError WRITE_FAILED, DISK_FULL */
  async flush(): Promise<void> {
    await this.pump;
    while (this.writes.size > 0) await Promise.all(this.writes);
    await this.logs?.sync();
    this.checkFailure();
  }

  /** Waits for writes that have begun and closes the files; they stay. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.pending.clear();
    await this.logs?.close();
  }

  /** Names of the blocks restored from an earlier run that begin with `prefix`, in the order they were written. */
  recalled(prefix: string): string[] {
    const names: string[] = [];
    for (const { name, recalled } of this.entries.values()) {
      if (recalled && name.startsWith(prefix)) names.push(name);
    }
    return names;
  }

  /** What the task that wrote a durable block reported; null where nothing is known. */
  reportOf(name: string): unknown {
    return this.entries.get(name)?.report ?? null;
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

  private recall(name: string, report: Json, place: BlockPlace): void {
    // A block that was written again after damage: the later copy counts, and so does its position in the order.
    this.entries.delete(name);
    this.recalledBytes += place.length;
    this.entries.set(name, {
      name,
      keep: 'durable',
      bytes: place.length,
      report,
      checksum: undefined,
      recalled: true,
      buffer: null,
      place,
      writing: null,
      isLast: false,
    });
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

  /** Writes durable blocks, one after the other: those that wait and those that are put meanwhile. */
  private writePending(): void {
    if (this.pump !== null || this.pending.size === 0) return;
    const pump = async (): Promise<void> => {
      for (const entry of this.pending) {
        await this.write(entry);
        if (entry.isLast) this.leave(entry);
      }
      this.pump = null;
    };
    this.pump = pump();
  }

  /** Writes a block to its log, once; settles when it is written or the write failed. */
  private write(entry: Entry): Promise<void> {
    if (entry.writing !== null) return entry.writing;
    this.strikePending(entry);
    const { name, report, buffer, checksum } = entry;
    this.begin();
    const written = this.logs!.append(name, report, new Uint8Array(buffer!), checksum).then((place) => {
      entry.place = place;
      this.writes.delete(written);
    });
    entry.writing = written;
    this.writes.add(written);
    return written;
  }

  /** Calls `Checkpoints.begin`, once. */
  private begin(): void {
    const { begin } = this.checkpoints;
    this.checkpoints = AT_ONCE;
    try {
      begin();
    } catch (error) {
      this.noteFailure ??= error;
    }
  }

  private checkFailure(): void {
    if (this.noteFailure !== null) throw this.noteFailure;
    if (this.logs?.failure) throw this.logs.failure;
  }
}
