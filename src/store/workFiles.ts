/**
 * Blocks in files in `.work`, one block per file, written atomically by a task. Readers on any thread read columns by position.
 */

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, type BlockKind, bytesOf, checkBlock, sealBlock } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { readAt } from './fileSystem.js';
import { guardWrite, TEMPORARY_ENDING } from './files.js';
import { readPlainFile } from './plainFile.js';
import { checksumOf } from './platformCrc.js';

/** Maximum size of a block in a file, in bytes. */
const MOST_BLOCK = 2 ** 31 - 1;

/** The path of the file of a block: `signatures/17` is `signatures-17`. */
export function workFile(folder: string, name: string): string {
  return join(folder, name.replaceAll('/', '-'));
}

/** Makes the folder of work files. @throws MinHashError WRITE_FAILED, DISK_FULL */
export function makeWorkFolder(folder: string): void {
  guardWrite(folder, () => mkdirSync(folder, { recursive: true, mode: 0o755 }));
}

/**
 * Writes a block to its file, and replaces an existing one. Not synced: damaged files are detected by their checksum and written
 * again.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL
 */
export function writeWorkFile(folder: string, name: string, block: Block): void {
  const path = workFile(folder, name);
  const temporary = `${path}-${randomBytes(6).toString('hex')}${TEMPORARY_ENDING}`;
  sealBlock(block, checksumOf);
  guardWrite(path, () => {
    const file = openSync(temporary, 'wx', 0o644);
    try {
      const bytes = new Uint8Array(block.buffer, 0, bytesOf(block));
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  });
}

/** Whether a block has a file; it may be damaged. */
export function isWorkFile(folder: string, name: string): boolean {
  return existsSync(workFile(folder, name));
}

/**
 * The block in a file.
 *
 * @throws MinHashError BLOCK_TRUNCATED (the file is missing or too short), BLOCK_CHECKSUM, BLOCK_FOREIGN
 */
export function workBlock(folder: string, name: string, kind: BlockKind): Block {
  const path = workFile(folder, name);
  const file = readPlainFile(path, MOST_BLOCK);
  if (file.bytes === null)
    throw new MinHashError({ code: 'BLOCK_TRUNCATED', detail: `${path}: ${file.why ?? 'no such file'}` });
  const { buffer, length } = file.bytes;
  return checkBlock(buffer.byteLength === length ? buffer : buffer.slice(0, length), kind, path, checksumOf);
}

/** The same; null if the file is missing or damaged, so that it has to be written again. */
export function readWorkFile(folder: string, name: string, kind: BlockKind): Block | null {
  try {
    return workBlock(folder, name, kind);
  } catch (error) {
    if (error instanceof MinHashError) return null;
    throw error;
  }
}

/** Fills bytes from a position of an open work file on. @throws MinHashError BLOCK_TRUNCATED if it ends before */
export function readFully(file: number, bytes: Uint8Array, from: number, path: string): void {
  if (readAt(file, bytes, from) === bytes.length) return;
  throw new MinHashError({
    code: 'BLOCK_TRUNCATED',
    detail: `${path}: ends before byte ${from + bytes.length}`,
  });
}

/** Removes the folder of work files if it exists. @throws MinHashError WRITE_FAILED */
export function removeWorkFolder(folder: string): void {
  guardWrite(folder, () => rmSync(folder, { recursive: true, force: true }));
}
