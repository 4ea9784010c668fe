/**
 * Reads a file that another user may have written: does not follow links, does not wait for devices or pipes, and limits the number
 * of bytes.
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readAt } from './fileSystem.js';
import { plainCauseOf, systemCodeOf } from './files.js';

/** Maximum size of a small file of a run; and of a manifest or the statistics of a result, which list its files. */
export const MOST_NOTE = 1 << 24;
export const MOST_DOCUMENT = 1 << 27;

/** The platform's stats of a file that identify its owner. */
export interface FileOwner {
  readonly uid: number;
  readonly mode: number;
  isSymbolicLink(): boolean;
}

/** The bytes of a file, or why they were not read. */
export type PlainFile =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly stats: FileOwner }
  /** `why`: null if the file does not exist. */
  | { readonly bytes: null; readonly why: string | null };

/** Without O_NONBLOCK, opening a pipe would wait for its writer. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The content of a regular file of at most `most` bytes. Returns every failure as `why`; does not throw. */
export function readPlainFile(path: string, most: number): PlainFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, FLAGS);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null || code === 'ENOENT' || code === 'ENOTDIR') return { bytes: null, why: null };
    return { bytes: null, why: code === 'ELOOP' ? 'a link' : plainCauseOf(code) };
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { bytes: null, why: 'no regular file' };
    if (stats.size > most) return { bytes: null, why: `${stats.size} bytes, more than ${most}` };
    const bytes = new Uint8Array(stats.size);
    return { bytes: bytes.subarray(0, readAt(descriptor, bytes, 0)), stats };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return { bytes: null, why: plainCauseOf(code) };
  } finally {
    closeSync(descriptor);
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maximum depth of JSON; deeper values could exhaust the stack of recursive readers. */
const DEEPEST = 32;

/** Maximum number of JSON values, more than any file of ours has. Millions of empty objects would take gigabytes. */
const MOST_VALUES = 1 << 22;

/** Whether JSON has at most MOST_VALUES values, by its commas and opening brackets and braces. */
function hasFewValues(bytes: Uint8Array): boolean {
  let values = 0;
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) values++;
  return values <= MOST_VALUES;
}

/** The JSON value in the bytes of a file; undefined if they are not JSON, or have more or deeper values than our files. */
export function parsePlainJson(bytes: Uint8Array): unknown {
  // A file with fewer bytes has fewer values.
  if (bytes.length > MOST_VALUES && !hasFewValues(bytes)) return undefined;
  try {
    const { buffer, byteOffset, length } = bytes;
    const value: unknown = JSON.parse(Buffer.from(buffer, byteOffset, length).toString('utf8'));
    return isShallow(value, DEEPEST) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return left > 0 && Object.values(value).every((part) => isShallow(part, left - 1));
}
