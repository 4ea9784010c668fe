/** Opens files and reads them in one piece, with their problems as codes; notes their sizes and times when they were opened. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import type { OpenedColumns } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import { UNKNOWN } from '../list/fileList.js';
import { bytesOf } from '../list/pathIds.js';

// A listed file may have become a pipe: without O_NONBLOCK opening it would wait for a writer forever.
export const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Node rejects reads of 2 GiB or more. */
const MOST_A_READ = 1 << 30;

/** File systems return data in pages; a short read ends at a page boundary, or has more bytes than this. */
const PAGE_BYTES = 4096;
const UNCUT_BYTES = 64 << 10;

/** Opens a file for reading; problems are VANISHED or UNREADABLE. A string is a binary string. */
export function openInput(path: string | Uint8Array): number | ErrorCode {
  try {
    // Any Uint8Array works; the declared type requires a Buffer.
    return openSync(typeof path === 'string' ? bytesOf(path) : (path as Buffer), READING);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'VANISHED' : 'UNREADABLE';
  }
}

/** What `use` returns of an open file, which is closed then; of one that cannot be opened what `otherwise` does. */
export function withInput<T>(
  path: string | Uint8Array,
  use: (descriptor: number) => T,
  otherwise: (code: ErrorCode) => T,
): T {
  const descriptor = openInput(path);
  if (typeof descriptor === 'string') return otherwise(descriptor);
  try {
    return use(descriptor);
  } finally {
    closeInput(descriptor);
  }
}

/** Size and time of modification of whole files, taken before a byte of them is read. */
export class OpenedFiles {
  private readonly files = new Uint32Column();
  private readonly bytes = new Float64Column();
  private readonly times = new Float64Column();

  /** Notes file number `file`, open at the descriptor; a file without a readable state is not noted. */
  note(file: number, descriptor: number): void {
    let stats: { readonly size: number; readonly mtimeMs: number };
    try {
      stats = fstatSync(descriptor);
    } catch {
      return;
    }
    this.files.push(file);
    this.bytes.push(stats.size);
    this.times.push(stats.mtimeMs);
  }

  get columns(): OpenedColumns {
    return { files: this.files.view, bytes: this.bytes.view, times: this.times.view };
  }
}

export function closeInput(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // The file was only read, so no data can be lost.
  }
}

/**
 * The size of an open file, or why it cannot be read: a listed file may have become a pipe or a device, which
 * seem empty or have no end.
 */
export function sizeOf(descriptor: number): number | ErrorCode {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? stats.size : 'NOT_A_FILE';
  } catch {
    return 'UNREADABLE';
  }
}

/** Identifies the state of an open file, to detect changes; null: it is not a readable file. */
export function stampOf(descriptor: number): string | null {
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    return stats.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : null;
  } catch {
    return null;
  }
}

/** Size in bytes and time of modification in milliseconds of a file that is not opened; null: it is gone, or access is denied. */
export function lookAtInput(path: Uint8Array): { readonly size: number; readonly mtimeMs: number } | null {
  try {
    // Any Uint8Array works; the declared type requires a Buffer.
    return statSync(path as Buffer, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/**
 * Fills `into` from `offset` on until it is full or the file ends; returns how far it is filled, or -1 if the
 * file cannot be read.
 *
 * @param position in the file, or null for where the last read ended
 */
export function readInto(
  descriptor: number,
  into: Uint8Array,
  offset: number,
  position: number | null,
  end = into.length,
): number {
  try {
    while (offset < end) {
      const read = readSync(descriptor, into, offset, Math.min(end - offset, MOST_A_READ), position);
      if (read === 0) return offset;
      offset += read;
      if (position !== null) position += read;
    }
    return offset;
  } catch {
    return -1;
  }
}

/**
 * Whether a first read that returned fewer bytes than requested reached the end of the file: when all of its
 * known size was read; for an unknown size, when the read was so short that no file system would have cut it
 * there.
 *
 * @param size of the file when listed, or UNKNOWN
 */
export function metEnd(read: number, size: number): boolean {
  if (read === 0 || read === size) return true;
  return size === UNKNOWN && read < UNCUT_BYTES && read % PAGE_BYTES !== 0;
}

/**
 * Like readInto from the start of a file, in one read where that is enough (metEnd): a second read takes a
 * fifth of the time of a small file.
 *
 * @param size of the file when listed, or UNKNOWN
 */
export function readToEnd(descriptor: number, into: Uint8Array, size: number): number {
  let read: number;
  try {
    read = readSync(descriptor, into, 0, Math.min(into.length, MOST_A_READ), null);
  } catch {
    return -1;
  }
  return read === into.length || metEnd(read, size) ? read : readInto(descriptor, into, read, null);
}

/**
 * The bytes of a file up to its current end, or why they are not available: a problem of openInput, NOT_A_FILE,
 * or TOO_LARGE beyond `limit` bytes. The result is in `scratch` if it fits. `opened` gets its descriptor before a
 * byte is read.
 */
export function readWholeFile(
  file: { readonly path: string | Uint8Array; readonly bytes: number },
  limit: number,
  scratch: Uint8Array,
  opened: (descriptor: number) => void = () => {},
): Uint8Array | ErrorCode {
  if (file.bytes > limit) return 'TOO_LARGE';
  const read = (descriptor: number): Uint8Array | ErrorCode => {
    opened(descriptor);
    const size = sizeOf(descriptor);
    if (typeof size === 'string') return size;
    if (size > limit) return 'TOO_LARGE';
    const held = size <= scratch.length ? scratch : new Uint8Array(size);
    const end = readInto(descriptor, held, 0, null, size);
    return end < 0 ? 'UNREADABLE' : held.subarray(0, end);
  };
  return withInput<Uint8Array | ErrorCode>(file.path, read, (code) => code);
}
