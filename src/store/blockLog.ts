/**
 * A file of blocks, one after the other, each with its name, its length and checksums. After a crash each
 * block is found whole or not at all.
 *
 *      64 bytes            64 bytes a record      name, report      block         name, report ...
 *      +-------------------+--------+-------------+-----------------+-------------+------------
 *      | "MRLG", format,   | "MRLR", lengths,     | UTF-8, padded   | as it is,   | next record
 *      | fingerprint       | checksums of all     | to 64 bytes     | padded      |
 *      +-------------------+--------+-------------+-----------------+-------------+------------
 *
 * Nothing is renamed and nothing is overwritten. The checksums detect a write that power loss or a signal cut
 * off; the records behind a damaged record begin at a multiple of 64 bytes and are found by their mark, "MRLR".
 */

import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hexOf } from '../arrays/checksum.js';
import { isCount, type Json } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { type BlockPlace, checksumOf } from './blockPlace.js';
import { DiskRoom } from './disk.js';
import { type FileDoor, readAt } from './fileDoor.js';
import { makeFolders } from './files.js';

const FILE_MAGIC = 0x474c524d; // "MRLG" read as a little-endian u32
const RECORD_MAGIC = 0x524c524d; // "MRLR"
const FORMAT = 1;
const UNIT = 64;
const FINGERPRINT_AT = 8;
const LONGEST_FINGERPRINT = UNIT - FINGERPRINT_AT;

const padded = (bytes: number): number => Math.ceil(bytes / UNIT) * UNIT;

const encoder = new TextEncoder();

/** A log that is written, one write at a time, in the order of the calls. */
export class BlockLog {
  readonly path: string;
  /** Offset of the next record. */
  end = UNIT;
  private readonly door: FileDoor;
  private readonly file: number;
  private last: Promise<unknown>;
  private isClosed = false;

  /**
   * Creates the file; it must not exist. `fingerprint`: up to 56 bytes that identify the run of the blocks.
   */
  constructor(path: string, fingerprint: string, door: FileDoor) {
    this.path = path;
    this.door = door;
    this.file = door.open(path);
    this.last = this.write(fileHead(fingerprint), 0);
    this.last.catch(() => {});
  }

  /**
   * Appends a block; resolves with its place when the system has written it. The bytes must not change until
   * then.
   */
  append(name: string, report: Json, block: Uint8Array, checksum = checksumOf(block)): Promise<BlockPlace> {
    const head = recordHead(name, report, block.length, checksum);
    const at = this.end;
    const offset = at + head.length;
    this.end = offset + padded(block.length);
    const written = this.last.then(async () => {
      await this.write(head, at);
      await this.write(block, offset);
      return { path: this.path, offset, length: block.length, checksum };
    });
    this.last = written;
    // The caller gets the error; every later write fails with it.
    written.catch(() => {});
    return written;
  }

  /** Resolves when all blocks appended before are on the disk. */
  async sync(): Promise<void> {
    await this.last;
    if (!this.isClosed) await this.door.syncLater(this.file);
  }

  /** Waits for the writes and closes the file. Never rejects, safe to call twice. */
  async close(): Promise<void> {
    await this.last.catch(() => {});
    if (this.isClosed) return;
    this.isClosed = true;
    try {
      this.door.close(this.file);
    } catch {
      // Blocks that count were synced before, and are checked when they are read.
    }
  }

  private async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      at += await this.door.writeAt(this.file, bytes, at, position + at);
    }
  }
}

function fileHead(fingerprint: string): Uint8Array {
  const bytes = new Uint8Array(UNIT);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, FILE_MAGIC, true);
  view.setUint32(4, FORMAT, true);
  const text = encoder.encode(fingerprint);
  if (text.length > LONGEST_FINGERPRINT) throw new RangeError(`fingerprint: ${text.length} bytes`);
  bytes.set(text, FINGERPRINT_AT);
  return bytes;
}

/** Head, name and report of a record: a multiple of 64 bytes. */
function recordHead(name: string, report: Json, length: number, checksum: number): Uint8Array {
  const words = encoder.encode(name);
  const facts = encoder.encode(JSON.stringify(report));
  const bytes = new Uint8Array(UNIT + padded(words.length + facts.length));
  bytes.set(words, UNIT);
  bytes.set(facts, UNIT + words.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, RECORD_MAGIC, true);
  view.setUint32(4, words.length, true);
  view.setUint32(8, facts.length, true);
  view.setFloat64(16, length, true);
  view.setUint32(24, checksum, true);
  view.setUint32(28, checksumOf(bytes.subarray(UNIT)), true);
  view.setUint32(32, checksumOf(bytes.subarray(0, 32)), true);
  return bytes;
}

/**
 * Checks the content of a whole block of an earlier run before it is restored: returns what is impossible in it, which
 * counts as damage; null: nothing is.
 */
export type BlockCheck = (name: string, report: Json, block: ArrayBuffer) => string | null;

/** A block of a log that was found whole. */
export interface LoggedBlock {
  readonly name: string;
  readonly report: Json;
  readonly place: BlockPlace;
}

/** A stretch of a log whose content was damaged. */
export interface LogDamage {
  readonly path: string;
  readonly offset: number;
  readonly expected: string;
  readonly found: string;
}

/** An unfinished end: the process was killed while it wrote. It is ignored and does not count as damage. */
export interface LogCut {
  readonly path: string;
  readonly bytes: number;
}

/** The parts of logs that are not whole blocks. */
export interface LogLeft {
  readonly damage: readonly LogDamage[];
  readonly cut: readonly LogCut[];
}

/** Bytes read at a time. */
const WINDOW = 1 << 22;
/** Once a log has this many bytes, the next block is written to another log. */
const MOST_BYTES = 1e9;
/** Upper limit of the length of name and report. */
const LONGEST_FACTS = 1 << 24;

/** Reads a log from its start and checks every byte of it. */
export class LogReader {
  readonly damage: LogDamage[] = [];
  /** At most one: the end. */
  readonly cut: LogCut[] = [];
  private readonly path: string;
  private readonly file: number;
  private readonly size: number;

  /** @throws the system's error where the file cannot be opened */
  constructor(path: string) {
    this.path = path;
    // We write no links; opening a pipe without O_NONBLOCK would wait for its writer.
    this.file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(this.file);
    this.size = found.isFile() ? found.size : 0;
    if (!found.isFile()) this.note(0, 'a log of this run', 'no regular file');
  }

  /** The whole blocks, in their order; no block if the log is of another run or format. Closes the file. */
  *blocks(fingerprint: string, check: BlockCheck = () => null): Generator<LoggedBlock> {
    try {
      if (this.damage.length > 0) return;
      const head = this.read(0, UNIT);
      const wanted = fileHead(fingerprint);
      if (head.some((byte, i) => wanted[i] !== byte)) {
        this.note(0, 'a log of this run', 'another head');
        return;
      }
      if (head.length < UNIT) this.cutAt(0);
      let lost = -1;
      for (let at = UNIT; at < this.size; ) {
        const record = this.recordAt(at, check);
        if (record === null) {
          // One note per stretch, however long.
          if (lost < 0) this.note(at, 'the head of a block', 'other bytes');
          lost = at;
          at = this.nextMark(at + UNIT);
          continue;
        }
        lost = -1;
        at = record.next;
        if (record.block !== null) yield record.block;
      }
    } finally {
      closeSync(this.file);
    }
  }

  /** The record at an offset; null if no record begins there; a damaged or cut block is null. */
  private recordAt(
    at: number,
    check: BlockCheck,
  ): { readonly next: number; readonly block: LoggedBlock | null } | null {
    const head = this.read(at, UNIT);
    if (head.length < UNIT) return this.cutAt(at);
    const view = new DataView(head.buffer, head.byteOffset, UNIT);
    if (view.getUint32(0, true) !== RECORD_MAGIC) return null;
    if (view.getUint32(32, true) !== checksumOf(head.subarray(0, 32))) return null;
    const nameBytes = view.getUint32(4, true);
    const factBytes = view.getUint32(8, true);
    const length = view.getFloat64(16, true);
    const checksum = view.getUint32(24, true);
    const space = padded(nameBytes + factBytes);
    if (space > LONGEST_FACTS || !isCount(length)) return null;
    const offset = at + UNIT + space;
    // The last bytes of padding may never have been written.
    if (offset + length > this.size) return this.cutAt(at);
    const facts = this.read(at + UNIT, space);
    if (checksumOf(facts) !== view.getUint32(28, true)) return null;
    const next = offset + padded(length);
    const bytes = this.read(offset, length);
    const found = checksumOf(bytes);
    if (found !== checksum) {
      this.note(offset, `checksum ${hexOf(checksum)}`, `checksum ${hexOf(found)}`);
      return { next, block: null };
    }
    const text = (from: number, to: number): string => new TextDecoder().decode(facts.subarray(from, to));
    const name = text(0, nameBytes);
    const report = jsonIn(text(nameBytes, nameBytes + factBytes));
    const wrong = report === undefined ? 'no report' : check(name, report, bytes.buffer);
    if (report !== undefined && wrong === null) {
      return { next, block: { name, report, place: { path: this.path, offset, length, checksum } } };
    }
    this.note(offset, `block ${JSON.stringify(name)} of this run`, `other content: ${wrong}`);
    return { next, block: null };
  }

  /** The file ends before the end of a record that begins here. */
  private cutAt(at: number): { readonly next: number; readonly block: null } {
    this.cut.push({ path: this.path, bytes: this.size - at });
    return { next: Number.POSITIVE_INFINITY, block: null };
  }

  /** The next offset at which a record may begin; the end of the file if none is within the size limit of a log. */
  private nextMark(from: number): number {
    const end = Math.min(this.size, from + MOST_BYTES);
    const window = new Uint8Array(WINDOW);
    for (let start = from; start < end; start += WINDOW) {
      const bytes = this.read(start, WINDOW, window);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let i = 0; i + UNIT <= bytes.length; i += UNIT) {
        if (view.getUint32(i, true) === RECORD_MAGIC) return start + i;
      }
    }
    return this.size;
  }

  /** @param into a buffer of at least `length` bytes that the next read overwrites; default: a new one */
  private read(offset: number, length: number, into?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const there = Math.max(0, Math.min(length, this.size - offset));
    const bytes = into?.subarray(0, there) ?? new Uint8Array(there);
    return bytes.subarray(0, readAt(this.file, bytes, offset));
  }

  private note(offset: number, expected: string, found: string): void {
    this.damage.push({ path: this.path, offset, expected, found });
  }
}

/** The JSON value of a text; undefined: the text is no JSON. */
function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Interval in milliseconds after which written data are synced. */
const SYNC_EVERY = 1000;

const ENDING = '.log';
/**
 * An empty file beside a durable log that records its creation. It has another name, so that removing logs
 * does not remove it.
 */
const MADE = /^made-(\d+)$/;
const LOG = /^durable-(\d+)\.log$/;

/**
 * The log files of a store: chooses the log of the next block and keeps the first failure. Blocks stay until the folder is removed.
 */
export class DurableLogs {
  /** The first error of a write; after it no write counts as durable. */
  failure: MinHashError | null = null;
  private readonly folder: string;
  private readonly fingerprint: string;
  private readonly door: FileDoor;
  private readonly room: DiskRoom;
  /** The last one takes the next blocks. */
  private readonly logs: BlockLog[] = [];
  private number = 0;
  /**
   * Paths of the marks whose logs are missing; the marks are removed when the blocks of these logs were made again, in
   * another log.
   */
  private readonly missed: string[] = [];
  private unsynced = 0;
  private lastSync = performance.now();

  /** `room`: the disk guard for the logs; default: the file system of the folder. */
  constructor(folder: string, fingerprint: string, door: FileDoor, room = new DiskRoom(folder, door)) {
    this.folder = folder;
    this.fingerprint = fingerprint;
    this.door = door;
    this.room = room;
  }

  /**
   * Passes to `take` each block of earlier runs with this fingerprint that is whole and in which `check` finds nothing;
   * `take` null: removes these logs unread. Removes files that only an earlier attempt could use.
   *
   * @throws MinHashError WRITE_FAILED
   */
  takeOver(take: ((block: LoggedBlock) => void) | null, check?: BlockCheck): LogLeft {
    const files = namesIn(this.folder);
    const left: { damage: LogDamage[]; cut: LogCut[] } = { damage: [], cut: [] };
    for (const file of files) {
      const path = join(this.folder, file);
      const made = MADE.exec(file)?.[1];
      const number = made ?? LOG.exec(file)?.[1];
      if (number === undefined) continue;
      this.number = Math.max(this.number, Number.parseInt(number, 10) + 1);
      try {
        if (take === null) this.door.remove(path);
        else if (made !== undefined) {
          if (files.includes(logName(made))) continue;
          left.damage.push(missing(join(this.folder, logName(made))));
          this.missed.push(path);
        } else {
          const reader = new LogReader(path);
          for (const block of reader.blocks(this.fingerprint, check)) take(block);
          left.damage.push(...reader.damage);
          left.cut.push(...reader.cut);
        }
      } catch (error) {
        throw failed(path, error);
      }
    }
    return left;
  }

  /** Appends a block; resolves with its place, or with null where no log can be made, or this or an earlier write failed. */
  async append(name: string, report: Json, block: Uint8Array, checksum?: number): Promise<BlockPlace | null> {
    // After a failed write the remaining disk space is for the marks of the next attempt.
    if (this.failure !== null) return null;
    let path = this.folder;
    try {
      const log = this.nextLog();
      path = log.path;
      this.room.take(block.length);
      // The log keeps the order of the calls: it is called before this function waits.
      const place = await log
        .append(name, report, block, checksum)
        .finally(() => this.room.written(block.length));
      this.unsynced += block.length;
      return place;
    } catch (error) {
      return this.fail(error, path);
    }
  }

  /** Syncs older writes without blocking this thread. */
  syncSometimes(): void {
    if (this.unsynced === 0 || performance.now() - this.lastSync < SYNC_EVERY) return;
    this.lastSync = performance.now();
    this.unsynced = 0;
    void this.sync();
  }

  /** Resolves when the blocks are on the disk, or `failure` has the reason why not. */
  async sync(): Promise<void> {
    const log = this.logs.at(-1);
    await log?.sync().catch((error: unknown) => this.fail(error, log.path));
  }

  async close(): Promise<void> {
    await Promise.all(this.logs.map((log) => log.close()));
  }

  get bytes(): number {
    return this.logs.reduce((sum, { end }) => sum + end, 0);
  }

  /** The log for the next block. @throws the system's error where it cannot be made */
  private nextLog(): BlockLog {
    const known = this.logs.at(-1);
    if (known !== undefined && known.end < MOST_BYTES) return known;
    const number = String(this.number++).padStart(6, '0');
    makeFolders(this.folder);
    const log = new BlockLog(join(this.folder, logName(number)), this.fingerprint, this.door);
    this.door.close(this.door.open(join(this.folder, `made-${number}`)));
    for (const path of this.missed.splice(0)) this.door.remove(path);
    this.logs.push(log);
    known?.sync().catch((error: unknown) => this.fail(error, known.path));
    return log;
  }

  private fail(error: unknown, path: string): null {
    this.failure ??= error instanceof MinHashError ? error : failed(path, error);
    return null;
  }
}

const logName = (number: string): string => `durable-${number}${ENDING}`;

function missing(path: string): LogDamage {
  return { path, offset: 0, expected: 'a log of this run', found: 'no file' };
}

/** Names in a folder, sorted; none if it does not exist. */
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
