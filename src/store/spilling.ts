/**
 * Named blocks in memory, and beyond a limit on disk.
 *
 * `durable` blocks are written to a log once checkpoints have begun, those of before first, so that a run can be
 * resumed. These and blocks of kind `spill` leave memory, the oldest first, when together they exceed the limit. A spilled block is handed out as its file position; the reader loads it. Writes do
 * not block this thread; the next call of `put`, `room` or `flush` throws their errors.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type BlockBuffer, type Json, pageBuffers } from '../blocks/block.js';
import { type BlockCheck, type Log, type LogLeft, SpillLogs } from './blockLog.js';
import { type BlockPlace, readPlace } from './blockPlace.js';
import type { DiskRoom } from './disk.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';
import type { Keep, Store } from './store.js';

/** Most buffers die young, and collecting young objects takes a fraction of the time of all. */
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

/** One of this many collections takes all objects. */
const YOUNG_ONES = 4;

/**
 * Collects garbage whenever this thread released buffers of a number of bytes. The platform by itself
 * collects when its own heap is full, and hardly counts the buffers beside it: ten objects of a few bytes may
 * hold 100 MB that are shared with other threads. With a small budget this decides whether the budget is
 * kept.
 */
export class GarbageValve {
  private readonly every: number;
  private collect: Collect | null = null;
  private waiting = 0;
  private collections = 0;

  /** `every`: bytes; infinite: never. */
  constructor(every: number) {
    this.every = every;
    pageBuffers(Number.isFinite(every));
  }

  /** Counts bytes of buffers that this thread no longer holds. */
  released(bytes: number): void {
    this.waiting += bytes;
    if (this.waiting < this.every) return;
    // A large buffer may be no young object any more, and has to go before the next one comes.
    const isLarge = bytes >= YOUNG_ONES * this.every;
    this.waiting = 0;
    this.collect ??= collector();
    this.collect(isLarge || this.collections++ % YOUNG_ONES === 0 ? 'all' : 'young');
  }
}

export interface SpillingOptions {
  /** Created when the first block is written. */
  readonly folder: string;
  /** Most bytes that evictable blocks may take in memory, by now. */
  readonly limit: number | (() => number);
  /** Released bytes after which garbage is collected; default: never. */
  readonly collectEvery?: number;
  readonly door?: FileDoor;
  /** The disk guard of the blocks; default: that of the folder. */
  readonly room?: DiskRoom;
}

/** When durable blocks are written. */
export interface Checkpoints {
  /** Milliseconds from now on; until then they are written only when memory is short. 0: as they come. */
  readonly after: number;
  /** Called then, and before the first of them is written. What it throws ends the run. */
  begin(): void;
}

const AT_ONCE: Checkpoints = { after: 0, begin: () => {} };

/** Which blocks of an earlier run are restored. */
export interface EarlierRun {
  /** Identifies the run of the durable blocks: version, result parameters, inputs; up to 56 bytes. */
  readonly fingerprint: string;
  /** Whether durable blocks of an earlier run with this fingerprint are restored; else they are removed. */
  readonly resume: boolean;
  /** Looks at each of them before; default: whatever is whole is restored. */
  readonly check?: BlockCheck;
  /** Its folder, if it was not known before; default: the folder of the options. */
  readonly folder?: string;
  /** Default: at once. */
  readonly checkpoints?: Checkpoints;
}

/** A store that also reports the remains of an earlier run. */
export interface SpillingStore extends Store {
  /**
   * Opens the folder, which must belong to this run by now; no block goes to disk before. Call it once.
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
  /** What of the earlier run's blocks was damaged and is not believed, or never was finished. */
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
  /** CRC-32; undefined until it is computed. */
  readonly checksum: number | undefined;
  /** Restored from an earlier run. */
  readonly recalled: boolean;
  /** Null: on disk only. */
  buffer: BlockBuffer | null;
  place: BlockPlace | null;
  /** Settles when the block is on disk, or could not be written. */
  writing: Promise<void> | null;
  log: Log | null;
  /** This run no longer needs it; it leaves memory when it is written. */
  isLast: boolean;
}

/** Milliseconds, 24 days: the platform takes a longer time for none. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Once blocks had to leave memory: the share of the limit that may be in memory without a copy on disk. */
const UNWRITTEN = 1 / 2;

class Spilling implements SpillingStore {
  left: LogLeft = { damage: [], cut: [] };
  recalledBytes = 0;
  private readonly options: SpillingOptions;
  /** Null: not open yet. */
  private logs: SpillLogs | null = null;
  private readonly entries = new Map<string, Entry>();
  /** Evictable entries in memory, oldest first. */
  private readonly leaving = new Set<Entry>();
  private leavingBytes = 0;
  private residentBytes = 0;
  private readonly writes = new Set<Promise<void>>();
  /** Evictable entries whose write has not begun, oldest first. */
  private readonly unwritten = new Set<Entry>();
  private unwrittenBytes = 0;
  /** Durable entries whose write has not begun, oldest first. */
  private readonly pending = new Set<Entry>();
  private checkpoints = AT_ONCE;
  hasCheckpoints = false;
  private timer: NodeJS.Timeout | undefined;
  /** The running write of pending entries; null: none runs. */
  private pump: Promise<void> | null = null;
  /** Why the run cannot be noted. */
  private noteFailure: unknown = null;
  /** A block had to leave memory: others will have to. */
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
    this.logs = new SpillLogs(folder, fingerprint, door, room);
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
      log: null,
      isLast: false,
    };
    this.entries.set(name, entry);
    this.residentBytes += entry.bytes;
    if (keep === 'memory') return;
    this.leaving.add(entry);
    this.leavingBytes += entry.bytes;
    this.unwritten.add(entry);
    this.unwrittenBytes += entry.bytes;
    if (keep === 'durable') this.pending.add(entry);
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
    // What was made since checkpoints began goes to the log for a crash, though this run no longer needs it.
    if (this.hasCheckpoints && this.pending.has(entry)) {
      entry.isLast = true;
      return;
    }
    this.pending.delete(entry);
    this.leave(entry);
    if (entry.keep === 'spill' && entry.log !== null) this.logs!.release(entry.log);
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

  private get limit(): number {
    const { limit } = this.options;
    return typeof limit === 'number' ? limit : limit();
  }

  private recall(name: string, report: Json, place: BlockPlace): void {
    // Written again after damage: the later copy counts, and so does its position in the order.
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
      log: null,
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
    if (this.leaving.delete(entry)) this.leavingBytes -= entry.bytes;
    this.strikeUnwritten(entry);
  }

  private strikeUnwritten(entry: Entry): void {
    if (this.unwritten.delete(entry)) this.unwrittenBytes -= entry.bytes;
  }

  /** Writes the oldest blocks beforehand, so that callers who need room do not wait for the disk. */
  private writeAhead(): void {
    for (const entry of this.unwritten) {
      if (this.unwrittenBytes <= UNWRITTEN * this.limit) return;
      void this.write(entry);
    }
  }

  /** Writes durable blocks, one after the other: those of before and those that come meanwhile. */
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
    this.strikeUnwritten(entry);
    this.pending.delete(entry);
    const { name, report, buffer, keep, checksum } = entry;
    if (keep === 'durable') this.begin();
    const kind = keep === 'durable' ? 'durable' : 'spilled';
    const appended = this.logs!.append(kind, name, report, new Uint8Array(buffer!), checksum);
    entry.log = appended?.log ?? null;
    const written = Promise.resolve(appended?.place ?? null).then((place) => {
      entry.place = place;
      this.writes.delete(written);
    });
    entry.writing = written;
    this.writes.add(written);
    return written;
  }

  /** Notes the run, once. */
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
