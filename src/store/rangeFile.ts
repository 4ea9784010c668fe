/**
 * A file of hashes that were scattered into ranges: pieces of ranges, one after the other, in the order of their writes.
 *
 * The places of the pieces are in columns beside the file; each has a checksum, which every read verifies.
 * The file is scratch: it is not synced, and one left by an earlier attempt is written again.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { hexOf } from '../arrays/checksum.js';
import { Float64Column, Uint32Column } from '../arrays/growable.js';
import { MinHashError } from '../errors.js';
import { checksumOf } from './blockPlace.js';
import { DiskRoom } from './disk.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';
import { guardWrite, makeFolders } from './files.js';

/** The pieces of the file: range, offset, number of hashes, and CRC-32 of the bytes. */
export interface RangePieces {
  readonly range: Uint32Array;
  readonly offset: Float64Array;
  readonly hashes: Uint32Array;
  readonly checksum: Uint32Array;
}

/** Writes the pieces. Every failed write throws DISK_FULL or WRITE_FAILED naming the file. */
export class RangeFile {
  private readonly path: string;
  private readonly door: FileDoor;
  private readonly file: number;
  private readonly room: DiskRoom;
  private end = 0;
  private readonly range = new Uint32Column();
  private readonly offset = new Float64Column();
  private readonly hashes = new Uint32Column();
  private readonly checksum = new Uint32Column();

  constructor(path: string, door: FileDoor = NODE_FILES) {
    this.path = path;
    this.door = door;
    this.room = new DiskRoom(dirname(path), door);
    this.file = guardWrite(path, () => {
      makeFolders(dirname(path));
      door.remove(path);
      return door.open(path);
    });
  }

  /** Appends hashes (pairs low, high) of a range; their memory may be overwritten afterwards. */
  append(range: number, hashes: Uint32Array): void {
    const bytes = new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength);
    this.room.take(bytes.length, true);
    guardWrite(this.path, () => {
      for (let at = 0; at < bytes.length; ) at += this.door.write(this.file, bytes, at);
    });
    this.room.written(bytes.length);
    this.range.push(range);
    this.offset.push(this.end);
    this.hashes.push(hashes.length / 2);
    this.checksum.push(checksumOf(bytes));
    this.end += bytes.length;
  }

  /** Closes the file; it stays on disk. */
  finish(): RangePieces {
    guardWrite(this.path, () => this.door.close(this.file));
    return {
      range: this.range.view,
      offset: this.offset.view,
      hashes: this.hashes.view,
      checksum: this.checksum.view,
    };
  }

  /** Closes and removes the file after an error, because a full disk needs its space. Never throws. */
  abandon(): void {
    for (const step of [() => this.door.close(this.file), () => this.door.remove(this.path)]) {
      try {
        step();
      } catch {
        // Another error is being thrown.
      }
    }
  }
}

/** Removes a file of hashes; a missing one is no error. @throws MinHashError WRITE_FAILED */
export function removeRangeFile(path: string, door: FileDoor = NODE_FILES): void {
  guardWrite(path, () => door.remove(path));
}

/** Reads pieces of a file; closes it with `close`. */
export class RangeReader {
  private readonly path: string;
  private readonly file: number;
  private readonly pieces: RangePieces;
  /** By range, the numbers of its pieces. */
  private readonly ofRange = new Map<number, number[]>();

  /** Opens the file for the ranges from `from` (inclusive) to `to`. @throws MinHashError BLOCK_TRUNCATED */
  constructor(path: string, pieces: RangePieces, from: number, to: number) {
    this.path = path;
    this.pieces = pieces;
    for (let i = 0; i < pieces.range.length; i++) {
      const range = pieces.range[i]!;
      if (range < from || range >= to) continue;
      const known = this.ofRange.get(range);
      if (known === undefined) this.ofRange.set(range, [i]);
      else known.push(i);
    }
    this.file = this.attempt(0, () => openSync(path, 'r'));
  }

  /** The hashes of a range, piece by piece. @throws MinHashError BLOCK_TRUNCATED, BLOCK_CHECKSUM naming the file */
  *hashes(range: number): Generator<Uint32Array> {
    for (const piece of this.ofRange.get(range) ?? []) yield this.read(piece);
  }

  close(): void {
    closeSync(this.file);
  }

  private read(piece: number): Uint32Array {
    const offset = this.pieces.offset[piece]!;
    const words = new Uint32Array(2 * this.pieces.hashes[piece]!);
    const bytes = new Uint8Array(words.buffer);
    let read = 0;
    for (let more = 1; more > 0 && read < bytes.length; read += more) {
      more = this.attempt(offset, () => readSync(this.file, bytes, read, bytes.length - read, offset + read));
    }
    const wanted = this.pieces.checksum[piece]!;
    if (read < bytes.length) {
      throw this.damage('BLOCK_TRUNCATED', offset, `${bytes.length} bytes`, `${read}`);
    }
    const found = checksumOf(bytes);
    if (found !== wanted) {
      throw this.damage('BLOCK_CHECKSUM', offset, hexOf(wanted), hexOf(found));
    }
    return words;
  }

  private attempt<T>(offset: number, step: () => T): T {
    try {
      return step();
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
      throw this.damage('BLOCK_TRUNCATED', offset, 'hashes', code);
    }
  }

  private damage(
    code: 'BLOCK_TRUNCATED' | 'BLOCK_CHECKSUM',
    offset: number,
    expected: string,
    found: string,
  ): MinHashError {
    const detail = `${this.path}, offset ${offset}: expected ${expected}, found ${found}`;
    return new MinHashError({ code, detail });
  }
}
