/**
 * The calls to the file system through which results and spools are written, so that a test can make any of them fail.
 *
 * Floor 2. Knows nothing of what is written.
 */
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  utimesSync,
  writeSync,
} from 'node:fs';

export interface FileDoor {
  /** Makes a new file for writing; it must not exist. */
  open(path: string): number;
  /** Bytes taken of `bytes[offset ..)`, at least 1. */
  write(descriptor: number, bytes: Uint8Array, offset: number): number;
  sync(descriptor: number): void;
  close(descriptor: number): void;
  rename(from: string, to: string): void;
  /** A second name for a file; the name must not exist. */
  link(from: string, to: string): void;
  /** Removes a file; none there is fine. */
  remove(path: string): void;
  /** Removes a folder with all in it, links as links; none there is fine. */
  removeFolder(path: string): void;
  /** Makes the entries of a folder durable. */
  syncFolder(path: string): void;
  /** Says that a file is still in use. */
  touch(path: string): void;
  /** Bytes that may still be written at `path`; null where the system does not tell. */
  free(path: string): number | null;
}

/** A write of 2 GB and more is refused by some systems. */
const MOST_AT_ONCE = 2 ** 30;

export const NODE_FILES: FileDoor = {
  // 'wx' neither follows a link nor writes over a file at the temporary name.
  open: (path) => openSync(path, 'wx'),
  write: (descriptor, bytes, offset) =>
    writeSync(descriptor, bytes, offset, Math.min(bytes.length - offset, MOST_AT_ONCE)),
  sync: fsyncSync,
  close: closeSync,
  rename: renameSync,
  link: linkSync,
  remove: (path) => rmSync(path, { force: true }),
  removeFolder: (path) => rmSync(path, { recursive: true, force: true }),
  syncFolder,
  touch: (path) => {
    const now = new Date();
    utimesSync(path, now, now);
  },
  free: (path) => {
    try {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    } catch {
      return null;
    }
  },
};

/** Some file systems cannot sync a folder; then the renames alone must do. */
function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EINVAL' && code !== 'EPERM' && code !== 'ENOTSUP') throw error;
  } finally {
    closeSync(descriptor);
  }
}
