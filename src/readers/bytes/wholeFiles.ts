/** Opens files and reads them in one piece, with their faults as codes; notes what they were when they were opened. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import type { OpenedColumns } from '../../blocks/documents.js';
import { type ErrorCode, MinHashError } from '../../errors.js';
import { UNKNOWN } from '../list/fileList.js';
import { bytesOf } from '../list/pathIds.js';
import { isRemote } from './remote/addresses.js';
import {
  announceRemote,
  closeRemote,
  type ExpectedRange,
  FIRST_REMOTE,
  faultOfRemote,
  type InputToOpen,
  lookAtRemote,
  openRemote,
  openRemoteLater,
  readRemote,
  readRemoteLater,
  statRemote,
} from './remote/remoteFiles.js';

// A listed file may have become a pipe: without O_NONBLOCK opening it would wait for a writer forever.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Node rejects reads of 2 GiB or more. */
const MOST_A_READ = 1 << 30;

/** File systems return data in pages; a short read ends at a page boundary, or has more bytes than this. */
const PAGE_BYTES = 4096;
const UNCUT_BYTES = 64 << 10;

/**
 * Opens a file for reading; faults are VANISHED or UNREADABLE, of a file on another machine DENIED and CHANGED, too. A string
 * is a binary string. `reads`: what will be read of it in sequence, where only a part will be.
 *
 * @throws MinHashError REMOTE_FAILED and others where a server, or what it needs, fails for any file
 */
export function openInput(path: string | Uint8Array, reads: ExpectedRange | null = null): number | ErrorCode {
  if (isRemote(path)) return openRemote(path, reads);
  try {
    // Any Uint8Array works; the declared type requires a Buffer.
    return openSync(typeof path === 'string' ? bytesOf(path) : (path as Buffer), FLAGS);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'VANISHED' : 'UNREADABLE';
  }
}

/** The same for who may wait: a server that is slow to answer holds up nothing else, such as an interrupt. */
export async function openInputLater(path: string): Promise<number | ErrorCode> {
  return isRemote(path) ? openRemoteLater(path) : openInput(path);
}

/**
 * Fills `into` with what comes next, as far as that is at hand; returns how far it is filled, 0 at the end of the file, or -1
 * if it cannot be read. For who may wait, as openInputLater.
 */
export async function readNextLater(descriptor: number, into: Uint8Array): Promise<number> {
  return descriptor < FIRST_REMOTE ? readInto(descriptor, into, 0, null) : readRemoteLater(descriptor, into);
}

/** Size and time of modification of whole files, taken before a byte of them is read. */
export class OpenedFiles {
  private readonly files = new Uint32Column();
  private readonly bytes = new Float64Column();
  private readonly times = new Float64Column();

  /** Notes file number `file`, open at the descriptor; one that cannot be looked at is not noted. */
  note(file: number, descriptor: number): void {
    let stats: { readonly size: number; readonly mtimeMs: number };
    try {
      stats = descriptor < FIRST_REMOTE ? fstatSync(descriptor) : statRemote(descriptor);
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
  if (descriptor >= FIRST_REMOTE) {
    closeRemote(descriptor);
    return;
  }
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
  if (descriptor >= FIRST_REMOTE) return statRemote(descriptor).size;
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? stats.size : 'NOT_A_FILE';
  } catch {
    return 'UNREADABLE';
  }
}

/** Identifies the state of an open file, to detect changes; null: it is not a readable file. */
export function stampOf(descriptor: number): string | null {
  if (descriptor >= FIRST_REMOTE) {
    const { size, mtimeMs } = statRemote(descriptor);
    return `${size} ${mtimeMs}`;
  }
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    return stats.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : null;
  } catch {
    return null;
  }
}

/** Size in bytes and time of modification in milliseconds of a file that is not opened; null: it is gone, or may not be looked at. */
export function lookAtInput(path: Uint8Array): { readonly size: number; readonly mtimeMs: number } | null {
  if (isRemote(path)) return lookAtRemote(path);
  try {
    // Any Uint8Array will do; the declared type asks for a Buffer.
    return statSync(path as Buffer, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Says which files will be opened next, in this order, so that those on other machines are fetched side by side. */
export function announceInputs(files: Iterable<InputToOpen>): void {
  const remote: InputToOpen[] = [];
  // Its memory may be that of the next path.
  for (const file of files) if (isRemote(file.path)) remote.push({ ...file, path: file.path.slice() });
  if (remote.length > 0) announceRemote(remote);
}

/** Why the last read of a file failed. */
export function readFault(descriptor: number): ErrorCode {
  return descriptor < FIRST_REMOTE ? 'UNREADABLE' : faultOfRemote(descriptor);
}

/** As readSync. */
function readSome(
  descriptor: number,
  into: Uint8Array,
  offset: number,
  length: number,
  position: number | null,
): number {
  if (descriptor < FIRST_REMOTE) return readSync(descriptor, into, offset, length, position);
  return readRemote(descriptor, into.subarray(offset, offset + length), position);
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
      const read = readSome(descriptor, into, offset, Math.min(end - offset, MOST_A_READ), position);
      if (read <= 0) return read < 0 ? -1 : offset;
      offset += read;
      if (position !== null) position += read;
    }
    return offset;
  } catch (error) {
    // What ends the run is no fault of this file.
    if (error instanceof MinHashError) throw error;
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
  if (descriptor >= FIRST_REMOTE) return readInto(descriptor, into, 0, null);
  let read: number;
  try {
    read = readSync(descriptor, into, 0, Math.min(into.length, MOST_A_READ), null);
  } catch {
    return -1;
  }
  return read === into.length || metEnd(read, size) ? read : readInto(descriptor, into, read, null);
}

/**
 * The bytes of a file up to its current end, or why they are not available: as openInput says, NOT_A_FILE,
 * or TOO_LARGE beyond `limit` bytes. The result is in `scratch` if it fits. `opened` is told of its descriptor before a
 * byte is read.
 */
export function readWholeFile(
  file: { readonly path: string | Uint8Array; readonly bytes: number },
  limit: number,
  scratch: Uint8Array,
  opened: (descriptor: number) => void = () => {},
): Uint8Array | ErrorCode {
  if (file.bytes > limit) return 'TOO_LARGE';
  const descriptor = openInput(file.path);
  if (typeof descriptor === 'string') return descriptor;
  try {
    opened(descriptor);
    // One byte more than expected, so that one pass is enough to see that a file did not grow.
    let held = file.bytes < scratch.length ? scratch : new Uint8Array(file.bytes + 1);
    let end = readToEnd(descriptor, held, file.bytes);
    // Checked late, because the check takes time, and a file that returned the expected bytes passes it.
    if (end === 0 && file.bytes !== 0) {
      const size = sizeOf(descriptor);
      if (typeof size === 'string') return size;
    }
    while (end === held.length) {
      const found = sizeOf(descriptor);
      if (typeof found === 'string') return found;
      const size = Math.max(end, found);
      if (size > limit) return 'TOO_LARGE';
      const grown = new Uint8Array(Math.min(Math.max(2 * held.length, size + 1), limit + 1));
      grown.set(held);
      held = grown;
      end = readInto(descriptor, held, end, null);
    }
    if (end < 0) return readFault(descriptor);
    return end > limit ? 'TOO_LARGE' : held.subarray(0, end);
  } finally {
    closeInput(descriptor);
  }
}
