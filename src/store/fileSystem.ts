/**
 * The file system calls that write results, as an interface, so that tests can make any of them fail; and a function that reads a
 * part of a file.
 */
import {
  closeSync,
  fsync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';

export interface FileSystem {
  /** Creates a new file for writing; it must not exist. */
  open(path: string): number;
  /** Returns the number of bytes written of `bytes[offset ..)`, at least 1. */
  write(descriptor: number, bytes: Uint8Array, offset: number): number;
  sync(descriptor: number): void;
  /** `sync` without blocking this thread. */
  syncLater(descriptor: number): Promise<void>;
  close(descriptor: number): void;
  rename(from: string, to: string): void;
  /** Removes a file if it exists. */
  remove(path: string): void;
  /** Removes a folder with its content if it exists; does not follow links. */
  removeFolder(path: string): void;
  /** Makes the entries of a folder durable. Bytes: a path that is not UTF-8. */
  syncFolder(path: string | Uint8Array): void;
  /** Free bytes at `path`; null if the system does not report them. */
  free(path: string): number | null;
}

/** Some systems reject a read or write of 2 GB or more. */
const MOST_AT_ONCE = 2 ** 30;

/** Fills `into` with the bytes of an open file from a position on; returns how many there are, fewer if the file ends. */
export function readAt(descriptor: number, into: Uint8Array, position: number): number {
  let read = 0;
  for (let more = 1; more > 0 && read < into.length; read += more)
    more = readSync(descriptor, into, read, Math.min(into.length - read, MOST_AT_ONCE), position + read);
  return read;
}

export const NODE_FILES: FileSystem = {
  // 'wx' does not follow a link or overwrite a file with the temporary name. For any umask, other users must not be able to write
  // the file, or it would not be trusted later (ownership.ts).
  open: (path) => openSync(path, 'wx', 0o644),
  write: (descriptor, bytes, offset) =>
    writeSync(descriptor, bytes, offset, Math.min(bytes.length - offset, MOST_AT_ONCE)),
  sync: fsyncSync,
  syncLater: (descriptor) =>
    new Promise((resolve, reject) => {
      fsync(descriptor, (error) => (error === null ? resolve() : reject(error)));
    }),
  close: closeSync,
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  removeFolder: (path) => rmSync(path, { recursive: true, force: true }),
  syncFolder,
  free: (path) => {
    try {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    } catch {
      return null;
    }
  },
};

/** Syncs a folder, if the file system supports it. */
function syncFolder(path: string | Uint8Array): void {
  const descriptor = openSync(typeof path === 'string' ? path : Buffer.from(path), 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EINVAL' && code !== 'EPERM' && code !== 'ENOTSUP') throw error;
  } finally {
    closeSync(descriptor);
  }
}
