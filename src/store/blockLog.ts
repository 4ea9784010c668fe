/** Files of blocks, one block after the other, for blocks that leave memory. */

import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { type BlockPlace, checksumOf } from './blockPlace.js';
import { DiskRoom } from './disk.js';
import type { FileDoor } from './fileDoor.js';
import { makeFolders } from './files.js';

/** Blocks begin at multiples of this many bytes. */
const UNIT = 64;
/** Once a file has this many bytes, the next block is written to another one. */
const MOST_BYTES = 1e9;

interface LogFile {
  readonly path: string;
  readonly descriptor: number;
  /** Offset of the next block. */
  end: number;
}

/** The files of a store, written one block at a time; they stay until their folder is removed. */
export class BlockLogs {
  /** The first error of a write; after it nothing is written. */
  failure: MinHashError | null = null;
  private readonly folder: string;
  private readonly door: FileDoor;
  private readonly room: DiskRoom;
  /** The last one takes the next blocks. */
  private readonly files: LogFile[] = [];
  private last: Promise<unknown> = Promise.resolve();

  /** `room`: the disk guard; default: that of the file system of the folder. */
  constructor(folder: string, door: FileDoor, room = new DiskRoom(folder, door)) {
    this.folder = folder;
    this.door = door;
    this.room = room;
  }

  /**
   * Appends a block; resolves with its place when the system has written it, or with null where this or an earlier write failed. The
   * bytes must not change until then.
   */
  async append(block: Uint8Array): Promise<BlockPlace | null> {
    if (this.failure !== null) return null;
    let path = this.folder;
    try {
      const file = this.nextFile();
      path = file.path;
      this.room.take(block.length);
      const offset = file.end;
      file.end += Math.ceil(block.length / UNIT) * UNIT;
      const place = { path, offset, length: block.length, checksum: checksumOf(block) };
      const written = this.last.then(() => this.write(file.descriptor, block, offset));
      this.last = written.catch(() => {});
      await written.finally(() => this.room.written(block.length));
      return place;
    } catch (error) {
      this.failure ??= error instanceof MinHashError ? error : failed(path, error);
      return null;
    }
  }

  /** Waits for the writes and closes the files. Never rejects. */
  async close(): Promise<void> {
    await this.last;
    for (const { descriptor } of this.files.splice(0)) {
      try {
        this.door.close(descriptor);
      } catch {
        // No block of this run is read again.
      }
    }
  }

  get bytes(): number {
    return this.files.reduce((sum, { end }) => sum + end, 0);
  }

  /** The file for the next block. @throws the system's error where it cannot be made */
  private nextFile(): LogFile {
    const known = this.files.at(-1);
    if (known !== undefined && known.end < MOST_BYTES) return known;
    makeFolders(this.folder);
    const path = join(this.folder, `blocks-${this.files.length}.log`);
    const file = { path, descriptor: this.door.open(path), end: 0 };
    this.files.push(file);
    return file;
  }

  private async write(descriptor: number, bytes: Uint8Array, position: number): Promise<void> {
    for (let at = 0; at < bytes.length; ) at += await this.door.writeAt(descriptor, bytes, at, position + at);
  }
}

function failed(path: string, cause: unknown): MinHashError {
  const system = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  const full = system === 'ENOSPC' || system === 'EDQUOT';
  const detail = `${path} (${system})`;
  return new MinHashError({ code: full ? 'DISK_FULL' : 'WRITE_FAILED', detail }, { cause });
}
