/**
 * The place of a block in a file, and reading it from there on any thread.
 *
 * A place is plain data and crosses threads unchanged. Every read is checked; bytes that differ from those
 * written are never returned.
 */
import { closeSync, openSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { crc32, hexOf } from '../arrays/checksum.js';
import { newBuffer } from '../arrays/ownPages.js';
import type { BlockBuffer } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { readAt } from './fileDoor.js';

export interface BlockPlace {
  readonly path: string;
  /** Offset of the block's first byte. */
  readonly offset: number;
  readonly length: number;
  /** CRC-32 of the block as it was written. */
  readonly checksum: number;
}

/** The platform's CRC-32 where it has one (Node 20.15, 22.2), several times faster than ours. */
export const checksumOf: (bytes: Uint8Array, before?: number) => number =
  typeof zlib.crc32 === 'function' ? (bytes, before) => zlib.crc32(bytes, before) : crc32;

export function isPlace(value: BlockBuffer | BlockPlace): value is BlockPlace {
  return 'path' in value;
}

/**
 * Reads the block at a place, to the beginning of `into` if it fits, else into a new buffer.
 *
 * @throws MinHashError BLOCK_TRUNCATED (the file ends before the end of the block, or cannot be read),
 *   BLOCK_CHECKSUM; both name file, offset, and what was expected and found
 */
export function readPlace({ path, offset, length, checksum }: BlockPlace, into?: ArrayBuffer): ArrayBuffer {
  const isRoom = into !== undefined && into.byteLength >= length;
  const bytes = new Uint8Array(isRoom ? into : newBuffer(ArrayBuffer, length), 0, length);
  let read = 0;
  try {
    const file = openSync(path, 'r');
    try {
      read = readAt(file, bytes, offset);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    const detail = `${path}, offset ${offset}: ${length} bytes cannot be read (${code})`;
    throw new MinHashError({ code: 'BLOCK_TRUNCATED', detail }, { cause });
  }
  if (read < length) {
    const detail = `${path}, offset ${offset}: expected ${length} bytes, found ${read}`;
    throw new MinHashError({ code: 'BLOCK_TRUNCATED', detail });
  }
  const found = checksumOf(bytes);
  if (found !== checksum) {
    const detail = `${path}, offset ${offset}: expected ${hexOf(checksum)}, found ${hexOf(found)}`;
    throw new MinHashError({ code: 'BLOCK_CHECKSUM', detail });
  }
  return bytes.buffer as ArrayBuffer;
}
