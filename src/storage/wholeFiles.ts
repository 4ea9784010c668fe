/**
 * Opening and reading files in one piece, with their faults as codes. Floor 2; must never know what the bytes
 * mean.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { ErrorCode } from '../errors.js';
import { bytesOf } from './ids.js';

// A file that was listed may have become a pipe: without O_NONBLOCK opening it would wait for a writer for
// ever.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Node refuses to read 2 GiB or more at once. */
const MOST_A_READ = 1 << 30;

/** Opens a file for reading; what goes wrong is VANISHED or UNREADABLE. */
export function openInput(path: string): number | ErrorCode {
  try {
    return openSync(bytesOf(path), FLAGS);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'VANISHED' : 'UNREADABLE';
  }
}

export function closeInput(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Nothing was written, so nothing can be lost.
  }
}

/**
 * Fills `into` from `offset` on until it is full or the file ends; returns how far it is filled, or -1 where
 * the file cannot be read.
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
      if (read === 0) break;
      offset += read;
      if (position !== null) position += read;
    }
    return offset;
  } catch {
    return -1;
  }
}

/**
 * The bytes of a file up to its end as found, or why they cannot be had: VANISHED, UNREADABLE, or TOO_LARGE
 * beyond `limit` bytes. The result lies in `scratch` where it fits.
 */
export function readWholeFile(
  file: { readonly path: string; readonly bytes: number },
  limit: number,
  scratch: Uint8Array,
): Uint8Array | ErrorCode {
  if (file.bytes > limit) return 'TOO_LARGE';
  const descriptor = openInput(file.path);
  if (typeof descriptor === 'string') return descriptor;
  try {
    // One byte more than expected, so that a file that did not grow is known to be complete after one pass.
    let held = file.bytes < scratch.length ? scratch : new Uint8Array(file.bytes + 1);
    let end = readInto(descriptor, held, 0, null);
    while (end === held.length) {
      if (end > limit) return 'TOO_LARGE';
      const grown = new Uint8Array(Math.min(2 * held.length, limit + 1));
      grown.set(held);
      held = grown;
      end = readInto(descriptor, held, end, null);
    }
    if (end < 0) return 'UNREADABLE';
    return end > limit ? 'TOO_LARGE' : held.subarray(0, end);
  } finally {
    closeInput(descriptor);
  }
}
