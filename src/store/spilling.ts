/**
 * Named blocks in memory; beyond a limit, `durable` ones on disk.
 *
 * Once checkpoints have begun, the store writes `durable` blocks to a log, earlier blocks first, so that a run can be
 * resumed. They leave memory, the oldest first, when with the `counted` ones they exceed the limit. `locate` returns
 * the file position of a block that left memory; the reader loads it. Writes do not block this thread; the next call of
 * `put`, `room` or `flush` throws their errors.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { giveLargePages } from '../arrays/ownPages.js';
import type { BlockBuffer, Json } from '../blocks/block.js';
import { type BlockCheck, DurableLogs, type LogLeft } from './blockLog.js';
import { type BlockPlace, readPlace } from './blockPlace.js';
import type { DiskRoom } from './disk.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';
import type { Keep, Store } from './store.js';

/** Collects garbage. Most buffers die young, and collecting young objects takes a fraction of the time of all. */
type Collect = (what: 'young' | 'all') => void;

/** The garbage collector of the platform; does nothing where Node does not expose it. */
function collector(): Collect {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect === 'function') {
      return (what) => void collect(what === 'young' ? { type: 'minor' } : undefined);
    }
  } catch {
    // A platform without it collects by itself, later.
  }
  return () => {};
}

let collect: Collect | null = null;

/** Collects the garbage of this thread now: the platform does it when the heap is full, however large the buffers beside it are. */
export function collectGarbage(what: Parameters<Collect>[0]): void {
  collect ??= collector();
  collect(what);
}

/** One of this many collections visits all objects. */
const YOUNG_ONES = 4;

/** The part of the bytes of new large arrays that counts as released: to count all wins no memory, and takes a tenth of the time of a run. */
const ARRAYS = 1 / 8;

/**
 * Collects garbage whenever this thread has released a given number of bytes of buffers. The platform by itself
 * collects when its own heap is full, and hardly counts the buffers beside the heap: ten objects of a few bytes may
 * hold 100 MB that are shared with other threads. Without these collections a run would exceed a small budget.
 */
export class GarbageValve {
  private readonly every: number;
  private waiting = 0;
  private collections = 0;

  /** `every`: bytes; infinite: never. */
  constructor(every: number) {
    this.every = every;
    giveLargePages(Number.isFinite(every) ? (bytes) => this.released(ARRAYS * bytes) : null);
  }

  /** Counts bytes of buffers that this thread no longer holds. */
  released(bytes: number): void {
    this.waiting += bytes;
    if (this.waiting < this.every) return;
    // A large buffer may no longer be a young object, and must be freed before the next one is made.
    const isLarge = bytes >= YOUNG_ONES * this.every;
    this.waiting = 0;
    collectGarbage(isLarge || this.collections++ % YOUNG_ONES === 0 ? 'all' : 'young');
  }
}

/** The memory of blocks at the time of the call. */
interface BlockMemory {
  readonly roomOfBlocks: number;
  /** @throws MinHashError MEMORY_BUDGET where `counted` blocks of so many bytes have no room */
  expectBlocks(what: string, bytes: number): void;
}

export interface SpillingOptions {
  /** Created when the first block is written. */
  readonly folder: string;
  /** What `counted` and `durable` blocks may take in memory: so many bytes, of which counted ones are never too many, or a budget. */
  readonly limit: number | BlockMemory;
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
  /** The folder of the earlier run, if the options could not name it; default: the folder of the options. */
  readonly folder?: string;
  /** Default: checkpoints begin at once. */
  readonly checkpoints?: Checkpoints;
}

/** A store that also reports the remains of an earlier run. */
export interface SpillingStore extends Store {
  /**
   * Opens the folder, which this run must hold already; before this call no block goes to disk. Call it once.
   *
   * @throws MinHashError WRITE_FAILED where the content can be neither read nor removed
   */
  open(earlier: EarlierRun): void;
  /**
   * Names of the blocks restored from an earlier run that begin with `prefix`, in the order they were
   * written.
   */
  recalled(prefix: string): string[];
  /** What the task that wrote a durable block reported; null where nothing is known. */
  reportOf(name: string): unknown;
  /** The damaged stretches and unfinished ends of the earlier run's logs, from which no block was restored. */
  readonly left: LogLeft;
  /**
   * Resolves when all durable blocks are on the disk, if checkpoints have begun. @throws MinHashError WRITE_FAILED,
   * DISK_FULL
   */
  flush(): Promise<void>;
  /** Waits for writes that have begun and closes the files; they stay. Never rejects. */
  close(): Promise<void>;
  /** Bytes that this run has on disk now. */
  readonly diskBytes: number;
  /** Bytes of blocks restored from an earlier run. */
  readonly recalledBytes: number;
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

class Spilling implements SpillingStore {
  left: LogLeft = { damage: [], cut: [] };
  recalledBytes = 0;
  private readonly options: SpillingOptions;
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
  hasCheckpoints = false;
  private timer: NodeJS.Timeout | undefined;
  /** The running write of pending entries; null: no write runs. */
  private pump: Promise<void> | null = null;
  /** The error of `Checkpoints.begin`. */
  private noteFailure: unknown = null;
  /** A block had to leave memory; others will have to, too. */
  private isScarce = false;
  private readonly garbage: GarbageValve;
  folder: string;

  constructor(options: SpillingOptions) {
    this.options = options;
    this.folder = options.folder;
    this.garbage = new GarbageValve(options.collectEvery ?? Number.POSITIVE_INFINITY);
  }

  open({
    fingerprint,
    resume,
    check,
    folder = this.options.folder,
    checkpoints = AT_ONCE,
  }: EarlierRun): void {
    const { door = NODE_FILES, room } = this.options;
    this.folder = folder;
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

  get(name: string): BlockBuffer {
    const { buffer, place } = this.entry(name);
    return buffer ?? readPlace(place!);
  }

  locate(name: string): BlockBuffer | BlockPlace {
    const { buffer, place } = this.entry(name);
    return buffer ?? place!;
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

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

  async flush(): Promise<void> {
    await this.pump;
    while (this.writes.size > 0) await Promise.all(this.writes);
    await this.logs?.sync();
    this.checkFailure();
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.pending.clear();
    await this.logs?.close();
  }

  recalled(prefix: string): string[] {
    const names: string[] = [];
    for (const { name, recalled } of this.entries.values()) {
      if (recalled && name.startsWith(prefix)) names.push(name);
    }
    return names;
  }

  reportOf(name: string): unknown {
    return this.entries.get(name)?.report ?? null;
  }

  get bytes(): number {
    return this.residentBytes;
  }

  get diskBytes(): number {
    return this.logs?.bytes ?? 0;
  }

  /** Bytes that durable blocks may take. @throws MinHashError MEMORY_BUDGET where counted ones have no room */
  private get limit(): number {
    const { limit } = this.options;
    if (typeof limit === 'number') return limit - this.countedBytes;
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
    this.garbage.released(entry.bytes);
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

/** A store that keeps everything in memory until it is opened. */
export function createSpillingStore(options: SpillingOptions): SpillingStore {
  return new Spilling(options);
}
