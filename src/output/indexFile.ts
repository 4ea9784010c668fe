/**
 * The index of a result in a file beside it, so that it is made once: a block with the columns (resultIndex.ts), then where the rows of
 * clusters and of pairs stand, a double each, of which one is read where it is asked for.
 *
 * It is believed where nobody but its user can have written it, and as long as the files that it was made of are the same: by the
 * manifest, their sizes and their times.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  blockBytes,
  checkBlock,
  encodeBlock,
  heldColumns,
  PREFIX_BYTES,
  sealBlock,
} from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { AtomicFile, systemCodeOf } from '../store/files.js';
import { whyNotOurs } from '../store/ownership.js';
import { VERSION } from '../store/packageFiles.js';
import { MANIFEST_NAME } from './fileNames.js';
import type { Manifest } from './manifest.js';
import { INDEX_COLUMNS, INDEXED, indexOf, type MadeIndex, type ResultIndex } from './resultIndex.js';

/** Changes with the layout, and with what is kept beside the columns. */
const FORMAT = 1;
const ROW_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** `result-view.index` beside `result`. */
export function indexFile(folder: string): string {
  return `${folder.replace(/(.)\/+$/, '$1')}-view.index`;
}

/** What tells the files that an index is made of from others. @throws the platform's error where one is gone */
function keyOfFiles(folder: string, manifest: Manifest): string {
  const hash = createHash('sha256').update(`${FORMAT} ${VERSION}\n`);
  hash.update(readFileSync(join(folder, MANIFEST_NAME)));
  for (const name of Object.keys(manifest.files).sort()) {
    if (![...INDEXED, 'candidates/'].some((start) => name.startsWith(start))) continue;
    const { size, ino, mtimeNs, ctimeNs } = lstatSync(join(folder, name), { bigint: true });
    hash.update(`${size} ${ino} ${mtimeNs} ${ctimeNs} ${name}\n`);
  }
  return hash.digest('hex');
}

/**
 * Keeps an index.
 *
 * @param facts JSON that is kept beside it
 * @throws MinHashError WRITE_FAILED, DISK_FULL; then the file is as it was
 */
export function writeIndex(
  file: string,
  folder: string,
  manifest: Manifest,
  { columns, rows }: MadeIndex,
  facts: unknown,
): void {
  const meta = { key: keyOfFiles(folder, manifest), facts: JSON.stringify(facts) };
  const block = encodeBlock('index', meta, columns);
  sealBlock(block);
  const written = new AtomicFile(dirname(file), basename(file));
  written.append(new Uint8Array(block.buffer));
  for (const { buffer, byteOffset, byteLength } of [rows.clusters, rows.pairs])
    written.append(new Uint8Array(buffer, byteOffset, byteLength));
  written.finish(0);
}

/** An index that was kept. */
export interface StoredIndex {
  readonly index: ResultIndex;
  readonly facts: unknown;
  /** Nothing is read of the file from then on. */
  close(): void;
}

/** Whether others may put a file in the place of this one. */
export function isOurFolder(file: string): boolean {
  return whyNotOurs(dirname(resolve(file))) === null;
}

/** Opens the index of a result; null where there is none that can be believed. */
export function openIndex(file: string, folder: string, manifest: Manifest): StoredIndex | null {
  let descriptor = -1;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (stats.isFile() && whyNotOurs(file, stats) === null && isOurFolder(file)) {
      const opened = readIndex(descriptor, stats.size, folder, manifest);
      if (opened !== null) return opened;
    }
  } catch (error) {
    // None is there, or it is cut off, or of another build: it is made anew.
    if (systemCodeOf(error) === null && !(error instanceof MinHashError)) throw error;
  }
  if (descriptor >= 0) closeSync(descriptor);
  return null;
}

function readIndex(descriptor: number, size: number, folder: string, manifest: Manifest): StoredIndex | null {
  const bytes = blockBytes(bytesAt(descriptor, 0, Math.min(size, PREFIX_BYTES)));
  if (bytes > size) return null;
  const block = checkBlock(bytesAt(descriptor, 0, bytes).buffer, 'index', 'the index of the result');
  const { key, facts } = block.meta as { readonly key: string; readonly facts: string };
  const columns = heldColumns(block, INDEX_COLUMNS);
  const pairsFrom = bytes + columns.similarity.length * ROW_BYTES;
  if (key !== keyOfFiles(folder, manifest) || size !== pairsFrom + columns.a.length * ROW_BYTES) return null;
  const row = (from: number, i: number): number =>
    new Float64Array(bytesAt(descriptor, from + i * ROW_BYTES, ROW_BYTES).buffer)[0]!;
  const places = { cluster: (d: number) => row(bytes, d), pair: (pair: number) => row(pairsFrom, pair) };
  return {
    index: indexOf(folder, manifest, columns, places),
    facts: JSON.parse(facts),
    close: () => closeSync(descriptor),
  };
}

/** Some bytes of a file, all of them. @throws MinHashError BLOCK_TRUNCATED */
function bytesAt(descriptor: number, from: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const read = readSync(descriptor, bytes, at, length - at, from + at);
    if (read === 0) throw new MinHashError({ code: 'BLOCK_TRUNCATED', detail: 'the index of the result' });
    at += read;
  }
  return bytes;
}
