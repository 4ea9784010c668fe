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
import { BlockLog, type LogDamage, type LoggedBlock, LogReader } from './blockLog.js';
import type { BlockPlace } from './blockPlace.js';
import type { FileDoor } from './fileDoor.js';
import { makeFolders } from './makeFolders.js';

/** A log of blocks that may be forgotten one by one is removed when all of them are. */
const SPILL_LOG_BYTES = 64e6;
const DURABLE_LOG_BYTES = 1e9;

/** Milliseconds after which what was written is made durable as well. */
const SYNC_EVERY = 1000;

const ENDING = '.log';

/** What a log holds; also how its file name begins. */
export type LogKind = 'durable' | 'spilled';

export interface Log {
  readonly log: BlockLog;
  /** Blocks of it that are still known. */
  live: number;
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
  private readonly current = new Map<LogKind, Log>();
  private readonly logs = new Set<Log>();
  private number = 0;
  private unsynced = 0;
  private lastSync = performance.now();

  constructor(folder: string, fingerprint: string, door: FileDoor) {
    this.folder = folder;
    this.fingerprint = fingerprint;
    this.door = door;
  }

  /**
   * Blocks of earlier runs with this fingerprint, each when it is found whole; null: they are removed unread.
   *
   * @throws MinHashError WRITE_FAILED
   */
  takeOver(take: ((block: LoggedBlock) => void) | null): LogDamage[] {
    const damage: LogDamage[] = [];
    for (const file of namesIn(this.folder)) {
      if (!file.endsWith(ENDING)) continue;
      const path = join(this.folder, file);
      this.number = Math.max(this.number, Number.parseInt(file.replace(/^\D*/, ''), 10) + 1 || 0);
      try {
        if (take === null || !file.startsWith('durable')) this.door.remove(path);
        else {
          const reader = new LogReader(path);
          for (const block of reader.blocks(this.fingerprint)) take(block);
          damage.push(...reader.damage);
        }
      } catch (error) {
        throw failed(path, error);
      }
    }
    return damage;
  }

  /** Writes a block behind the others of its kind; null where no log can be made. */
  append(kind: LogKind, name: string, report: Json, block: Uint8Array): Appended | null {
    const log = this.logFor(kind);
    if (log === null) return null;
    log.live++;
    const place = log.log.append(name, report, block).then(
      (found) => {
        if (kind === 'durable') this.unsynced += block.length;
        return found;
      },
      (error: unknown) => this.fail(error, log.log.path),
    );
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
    const path = join(this.folder, `${kind}-${String(this.number++).padStart(6, '0')}${ENDING}`);
    try {
      makeFolders(this.folder);
      const log = { log: new BlockLog(path, this.fingerprint, this.door), live: 0 };
      this.current.set(kind, log);
      this.logs.add(log);
      if (known !== undefined) this.retire(known, kind);
      return log;
    } catch (error) {
      this.fail(error, path);
      return null;
    }
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
