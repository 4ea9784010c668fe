/**
 * Named blocks, in memory or in a folder.
 *
 * A file is written under a temporary name, made durable and renamed: under its own name it is whole or
 * absent.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crc32 } from '../arrays/checksum.js';
import { type BlockBuffer, checkBlock, decodeBlock, type Json, sealBlock } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import type { BlockPlace } from './blockPlace.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';
import { makeFolders } from './files.js';

/**
 * How a block is kept. `memory`: always in memory; `spill`: may go to disk when memory is short; `durable`:
 * is also written to disk for a resumed run.
 */
export type Keep = 'memory' | 'spill' | 'durable';

/** Named blocks. A name is written once, until it is deleted. */
export interface Store {
  /** `report`: the report of the task that wrote it; kept with a durable block. Default `memory`. */
  put(name: string, buffer: BlockBuffer, keep?: Keep, report?: Json): void;
  /** The block, read from disk if necessary. @throws Error for an unknown name, which is our own defect */
  get(name: string): BlockBuffer;
  /** The block if it is in memory, else its place on disk: the input of a task. @throws Error as `get` */
  locate(name: string): BlockBuffer | BlockPlace;
  has(name: string): boolean;
  /** Deletes a block; an unknown name is no error. */
  delete(name: string): void;
  /**
   * Resolves once the evictable blocks fit their memory limit. @throws MinHashError WRITE_FAILED, DISK_FULL
   */
  room(): Promise<void>;
  /** Bytes held in memory; of a store in a folder, those on disk. */
  readonly bytes: number;
  /** The folder for data too large for memory; absent: none. The first writer creates it. */
  readonly folder?: string;
  /** Marks a durable block as not needed soon: it leaves memory when it is on disk. Absent: it stays. */
  unload?(name: string): void;
  /** Names of the blocks restored from an earlier run that begin with `prefix`; absent: there are none. */
  recalled?(prefix: string): string[];
  /** What the task that wrote a durable block reported; null where nothing is known. */
  reportOf?(name: string): unknown;
}

/** Blocks as given, by name. `bytes` counts a buffer with the length it had when it was put. */
export function createMemoryStore(): Store {
  const entries = new Map<string, { readonly buffer: BlockBuffer; readonly bytes: number }>();
  let bytes = 0;
  const get = (name: string): BlockBuffer => {
    const entry = entries.get(name);
    if (entry === undefined) throw new Error(`there is no block ${name}`);
    return entry.buffer;
  };
  return {
    put(name, buffer) {
      if (entries.has(name)) throw new Error(`the block ${name} was written twice`);
      entries.set(name, { buffer, bytes: buffer.byteLength });
      bytes += buffer.byteLength;
    },
    get,
    locate: get,
    room: () => Promise.resolve(),
    has: (name) => entries.has(name),
    delete(name) {
      bytes -= entries.get(name)?.bytes ?? 0;
      entries.delete(name);
    },
    get bytes() {
      return bytes;
    },
  };
}

const SUFFIX = '.block';
const TEMPORARY = '.part';
/**
 * Suffix behind the bytes of a file that is not a block: their CRC-32, so that every file in the folder is
 * checked.
 */
const RAW_SUFFIX = '.bytes';
const LONGEST_NAME = 200;

/**
 * Blocks as files of a folder, which is created if it does not exist. Blocks already in it are known, so a
 * run can be resumed; a name of an earlier run may be written once more. Unfinished files are removed. `get`
 * reads the file every time, into a new ArrayBuffer.
 *
 * @throws MinHashError WRITE_FAILED or DISK_FULL naming the file; `get`: BLOCK_TRUNCATED, BLOCK_CHECKSUM or
 * BLOCK_FOREIGN naming it
 */
export function createFolderStore(folder: string, door: FileDoor = NODE_FILES): Store {
  const sizes = openFolder(folder, door);
  const written = new Set<string>();
  let bytes = 0;
  for (const size of sizes.values()) bytes += size;

  function fileOf(name: string): string | undefined {
    const stem = fileStem(name);
    return [stem + SUFFIX, stem + RAW_SUFFIX].find((file) => sizes.has(file));
  }

  function get(name: string): ArrayBuffer {
    const file = fileOf(name);
    if (file === undefined) throw new Error(`there is no block ${name}`);
    return readWhole(join(folder, file));
  }

  function remove(file: string): void {
    attempt(join(folder, file), (path) => door.remove(path));
    bytes -= sizes.get(file)!;
    sizes.delete(file);
  }

  return {
    put(name, buffer) {
      if (written.has(name)) throw new Error(`the block ${name} was written twice`);
      const file = fileStem(name) + (sealed(buffer) ? SUFFIX : RAW_SUFFIX);
      const size = writeWhole(join(folder, file), buffer, file.endsWith(RAW_SUFFIX), door);
      const left = fileOf(name);
      if (left !== undefined && left !== file) remove(left);
      bytes += size - (sizes.get(file) ?? 0);
      sizes.set(file, size);
      written.add(name);
    },
    get,
    locate: get,
    room: () => Promise.resolve(),
    has: (name) => fileOf(name) !== undefined,
    delete(name) {
      const file = fileOf(name);
      if (file !== undefined) remove(file);
      written.delete(name);
    },
    get bytes() {
      return bytes;
    },
  };
}

/**
 * Lower case letters, digits, `_` and `-` unchanged, any other UTF-16 unit as `%xx` or `%uxxxx`: safe on
 * every file system.
 */
function fileStem(name: string): string {
  const stem = name.replace(/[^a-z0-9_-]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return code < 256 ? `%${code.toString(16).padStart(2, '0')}` : `%u${code.toString(16).padStart(4, '0')}`;
  });
  if (stem === '' || stem.length > LONGEST_NAME) throw new Error(`no name for a block: "${name}"`);
  return stem;
}

/** Runs a file operation; its failure is WRITE_FAILED with the path and the platform's code. */
function attempt<Result>(path: string, operation: (path: string) => Result): Result {
  try {
    return operation(path);
  } catch (cause) {
    throw failed(path, cause);
  }
}

function failed(path: string, cause: unknown): MinHashError {
  const code = codeOf(cause);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new MinHashError(
    { code: full ? 'DISK_FULL' : 'WRITE_FAILED', detail: `${path} (${code})` },
    { cause },
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** The sizes of the non-empty files, by file name. */
function openFolder(folder: string, door: FileDoor): Map<string, number> {
  const sizes = new Map<string, number>();
  attempt(folder, () => makeFolders(resolve(folder)));
  for (const file of attempt(folder, () => readdirSync(folder)).sort()) {
    const path = join(folder, file);
    if (file.endsWith(TEMPORARY)) attempt(path, () => door.remove(path));
    else if (file.endsWith(SUFFIX) || file.endsWith(RAW_SUFFIX)) {
      sizes.set(
        file,
        attempt(path, () => statSync(path).size),
      );
    }
  }
  return sizes;
}

/** Writes the checksum into a block; false when the buffer is not a block. */
function sealed(buffer: BlockBuffer): boolean {
  try {
    sealBlock(decodeBlock(buffer));
    return true;
  } catch {
    return false;
  }
}

/** Writes a file and renames it when it is on the disk; returns its size in bytes. */
function writeWhole(path: string, buffer: BlockBuffer, raw: boolean, door: FileDoor): number {
  const temporary = path + TEMPORARY;
  const parts = [new Uint8Array(buffer)];
  if (raw) parts.push(new Uint8Array(Uint32Array.of(crc32(parts[0]!)).buffer));
  let size = 0;
  try {
    door.remove(temporary);
    const file = door.open(temporary);
    try {
      for (const part of parts) {
        // A single write may stop short, on a nearly full disk and above 1 GB.
        for (let at = 0; at < part.length; ) at += door.write(file, part, at);
        size += part.length;
      }
      door.sync(file);
    } finally {
      door.close(file);
    }
    door.rename(temporary, path);
  } catch (cause) {
    removeQuietly(temporary, door);
    throw failed(path, cause);
  }
  return size;
}

function removeQuietly(path: string, door: FileDoor): void {
  try {
    door.remove(path);
  } catch {
    // Another error is being thrown; unfinished files are removed when the folder is opened again.
  }
}

/** Reads a file and verifies its content. */
function readWhole(path: string): ArrayBuffer {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new MinHashError({ code: 'BLOCK_TRUNCATED', detail: `${path} (${codeOf(cause)})` }, { cause });
  }
  // A small file may be read into a shared pool, but the block must begin where its buffer begins.
  const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  const buffer = whole.buffer as ArrayBuffer;
  if (path.endsWith(RAW_SUFFIX)) return checkRaw(buffer, path);
  checkBlock(buffer, undefined, path);
  return buffer;
}

function checkRaw(buffer: ArrayBuffer, path: string): ArrayBuffer {
  if (buffer.byteLength < 4) {
    throw new MinHashError({ code: 'BLOCK_TRUNCATED', detail: `${path}: ${buffer.byteLength} bytes` });
  }
  const end = buffer.byteLength - 4;
  const found = crc32(new Uint8Array(buffer, 0, end));
  const wanted = new DataView(buffer).getUint32(end, true);
  if (found !== wanted) {
    throw new MinHashError({
      code: 'BLOCK_CHECKSUM',
      detail: `${path}: expected ${wanted.toString(16)}, found ${found.toString(16)}`,
    });
  }
  return buffer.slice(0, end);
}
