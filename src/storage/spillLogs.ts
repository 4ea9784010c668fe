/**
 * The log files of a store that spills: which one takes the next block, when one is removed, what failed.
 *
 * Floor 2, with Node's file system. Durable blocks stay until somebody removes the folder; a log of spilled ones goes
 * when none of its blocks is known any more.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../blocks/json.js';
import { MinHashError } from '../errors.js';
import {
  BlockLog,
  type LogCut,
  type LogDamage,
  type LoggedBlock,
  type LogLeft,
  LogReader,
} from './blockLog.js';
import type { BlockPlace } from './blockPlace.js';
import { DiskRoom } from './diskRoom.js';
import type { FileDoor } from './fileDoor.js';
import { makeFolders } from './makeFolders.js';

/** A log of blocks that may be forgotten one by one is removed when all of them are. */
const SPILL_LOG_BYTES = 64e6;
const DURABLE_LOG_BYTES = 1e9;

/** Milliseconds after which what was written is made durable as well. */
const SYNC_EVERY = 1000;

const ENDING = '.log';
/** An empty file beside a durable log: that it was made. Another name, so that what removes logs does not remove it. */
const MADE = /^made-(\d+)$/;

const madeName = (log: string): string => `made-${log.replace(/\D/g, '')}`;

/** Ending of files of hashes (rangeFile.ts): of use to the attempt that wrote them alone. */
const SCRATCH_ENDING = '.part';

/** What a log holds; also how its file name begins. */
export type LogKind = 'durable' | 'spilled';

export interface Log {
  readonly log: BlockLog;
  /** Blocks of it that are still known. */
  live: number;
  /** Of all its blocks. */
  bytes: number;
}

/** A block on its way to a log. */
export interface Appended {
  readonly log: Log;
  /** Null where the writing failed; then `failure` says why. */
  readonly place: Promise<BlockPlace | null>;
}

export class SpillLogs {
  /** The first error of a write; nothing is to be believed to be on disk after it. */
  failure: MinHashError | null = null;
  private readonly folder: string;
  private readonly fingerprint: string;
  private readonly door: FileDoor;
  private readonly room: DiskRoom;
  private readonly current = new Map<LogKind, Log>();
  private readonly logs = new Set<Log>();
  private number = 0;
  /** Marks of logs that are gone; they go when what was in those is made anew, in another log. */
  private readonly missed: string[] = [];
  private unsynced = 0;
  private lastSync = performance.now();

  /** `room`: what is watched while the logs grow; default: the file system of the folder. */
  constructor(folder: string, fingerprint: string, door: FileDoor, room = new DiskRoom(folder, door)) {
    this.folder = folder;
    this.fingerprint = fingerprint;
    this.door = door;
    this.room = room;
  }

  /**
   * Blocks of earlier runs with this fingerprint, each when it is found whole; null: they are removed unread. What only
   * an earlier attempt could use is removed.
   *
   * @throws MinHashError WRITE_FAILED
   */
  takeOver(take: ((block: LoggedBlock) => void) | null): LogLeft {
    const files = namesIn(this.folder);
    const left: { damage: LogDamage[]; cut: LogCut[] } = { damage: [], cut: [] };
    for (const file of files) {
      const path = join(this.folder, file);
      const made = MADE.exec(file)?.[1];
      const isLog = file.endsWith(ENDING);
      if (made === undefined && !isLog && !file.endsWith(SCRATCH_ENDING)) continue;
      if (made !== undefined || isLog) {
        this.number = Math.max(this.number, Number.parseInt(file.replace(/^\D*/, ''), 10) + 1 || 0);
      }
      try {
        if (made !== undefined) {
          const log = logName('durable', made);
          if (take === null) this.door.remove(path);
          else if (!files.includes(log)) {
            left.damage.push(missing(join(this.folder, log)));
            this.missed.push(path);
          }
        } else if (take === null || !file.startsWith('durable')) this.door.remove(path);
        else {
          const reader = new LogReader(path);
          for (const block of reader.blocks(this.fingerprint)) take(block);
          left.damage.push(...reader.damage);
          left.cut.push(...reader.cut);
        }
      } catch (error) {
        throw failed(path, error);
      }
    }
    return left;
  }

  /** Writes a block behind the others of its kind; null where no log can be made, or something failed before. */
  append(kind: LogKind, name: string, report: Json, block: Uint8Array): Appended | null {
    // What is left of the disk is for the marks of the next attempt.
    if (this.failure !== null) return null;
    const log = this.logFor(kind);
    if (log === null) return null;
    try {
      this.room.take(block.length, kind === 'spilled');
    } catch (error) {
      return this.fail(error, log.log.path);
    }
    log.live++;
    const place = log.log
      .append(name, report, block)
      .then(
        (found) => {
          if (kind === 'durable') this.unsynced += block.length;
          return found;
        },
        (error: unknown) => this.fail(error, log.log.path),
      )
      .finally(() => this.room.written(block.length));
    log.bytes += block.length;
    return { log, place };
  }

  /** A block of a log of spilled ones is not needed any more. */
  release(log: Log): void {
    log.live--;
    if (log.live === 0 && this.current.get('spilled') !== log) this.remove(log);
  }

  /** Makes durable what was written some time ago, beside this thread. */
  syncSometimes(): void {
    if (this.unsynced === 0 || performance.now() - this.lastSync < SYNC_EVERY) return;
    this.lastSync = performance.now();
    this.unsynced = 0;
    void this.sync();
  }

  /** Resolves when the durable blocks are on the disk, or `failure` says why not. */
  async sync(): Promise<void> {
    const durable = this.current.get('durable');
    await durable?.log.sync().catch((error: unknown) => this.fail(error, durable.log.path));
  }

  async close(): Promise<void> {
    await Promise.all([...this.logs].map(({ log }) => log.close()));
  }

  get bytes(): number {
    let bytes = 0;
    for (const { log } of this.logs) bytes += log.end;
    return bytes;
  }

  private logFor(kind: LogKind): Log | null {
    const known = this.current.get(kind);
    const most = kind === 'durable' ? DURABLE_LOG_BYTES : SPILL_LOG_BYTES;
    if (known !== undefined && known.log.end < most) return known;
    const name = logName(kind, String(this.number++).padStart(6, '0'));
    const path = join(this.folder, name);
    try {
      makeFolders(this.folder);
      const log = { log: new BlockLog(path, this.fingerprint, this.door), live: 0, bytes: 0 };
      if (kind === 'durable') this.mark(name);
      this.current.set(kind, log);
      this.logs.add(log);
      if (known !== undefined) this.retire(known, kind);
      return log;
    } catch (error) {
      this.fail(error, path);
      return null;
    }
  }

  /** Notes that a log of durable blocks was made, when it is there. */
  private mark(name: string): void {
    this.door.close(this.door.open(join(this.folder, madeName(name))));
    for (const path of this.missed.splice(0)) this.door.remove(path);
  }

  /** A log that takes no more blocks. */
  private retire(log: Log, kind: LogKind): void {
    if (kind === 'spilled') {
      if (log.live === 0) this.remove(log);
    } else void log.log.sync().catch((error: unknown) => this.fail(error, log.log.path));
  }

  private remove(log: Log): void {
    this.logs.delete(log);
    void log.log.close().then(() => {
      this.room.gone(log.bytes);
      try {
        this.door.remove(log.log.path);
      } catch (error) {
        this.fail(error, log.log.path);
      }
    });
  }

  private fail(error: unknown, path: string): null {
    this.failure ??= error instanceof MinHashError ? error : failed(path, error);
    return null;
  }
}

function logName(kind: LogKind, number: string): string {
  return `${kind}-${number}${ENDING}`;
}

function missing(path: string): LogDamage {
  return { path, offset: 0, expected: 'a log of this run', found: 'no file' };
}

/** Names in a folder, sorted; none where it does not exist. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function failed(path: string, cause: unknown): MinHashError {
  const system = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  const full = system === 'ENOSPC' || system === 'EDQUOT';
  const detail = `${path} (${system})`;
  return new MinHashError({ code: full ? 'DISK_FULL' : 'WRITE_FAILED', detail }, { cause });
}
