/**
 * The index of a result in a file beside the result, so that it is built only once: its columns (resultIndex.ts) in pages
 * (columnFile.ts), of which only the needed ones are read, and facts about the whole result.
 *
 * The index is used only if nobody else can have written it, and if the result's files are unchanged, by the manifest, their sizes
 * and their times.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { MinHashError } from '../errors.js';
import { AtomicFile, systemCodeOf } from '../store/files.js';
import { whyNotOurs } from '../store/ownership.js';
import { VERSION } from '../store/packageFiles.js';
import { ColumnFile, openColumns } from './columnFile.js';
import { besideResult, MANIFEST_NAME } from './fileNames.js';
import type { Manifest } from './manifest.js';
import {
  INDEX_COLUMNS,
  INDEXED,
  type IndexProgress,
  indexColumns,
  indexOf,
  type ResultIndex,
} from './resultIndex.js';

/** Changes with the layout of the columns, and with the facts stored beside them. */
const FORMAT = 5;

/** `result-view.index` beside `result`. */
export function indexFile(folder: string): string {
  return besideResult(folder, 'view.index');
}

/** A hash that identifies the files that an index is built from. @throws the platform's error if a file is missing */
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
 * Reads a result into an index, and writes the index to `file`.
 *
 * @param factsOf computes JSON that is stored with the index, from the columns that are still in memory
 * @throws MinHashError as indexColumns; WRITE_FAILED, DISK_FULL: the file is unchanged
 */
export async function writeIndex(
  file: string,
  folder: string,
  manifest: Manifest,
  facts: unknown,
  onProgress: IndexProgress,
): Promise<void> {
  // The key is computed first: if the files change while they are read, the index does not match them and is never used.
  const key = keyOfFiles(folder, manifest);
  const written = new AtomicFile(dirname(file), basename(file));
  try {
    const columns = new ColumnFile(INDEX_COLUMNS, (bytes) => written.append(bytes));
    const built = await indexColumns(
      folder,
      manifest,
      (name, values) => columns.take(name, values),
      onProgress,
    );
    columns.finish({ key, seed: built.seed, facts: JSON.stringify(facts) });
    written.finish(0);
  } catch (error) {
    written.abandon();
    throw error;
  }
}

/** An index in a file. */
export interface StoredIndex {
  readonly index: ResultIndex;
  readonly facts: unknown;
  /** The open file; other threads of the process read it too. */
  readonly descriptor: number;
  /** Closes the file; the index cannot be read afterwards. */
  close(): void;
}

/** Whether only this user can replace the file. */
export function isOurFolder(file: string): boolean {
  return whyNotOurs(dirname(resolve(file))) === null;
}

/** Opens the index of a result; null if there is none, or it must not be used. */
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
    // The index is missing, cut off, or of another build: the caller rebuilds it.
    if (systemCodeOf(error) === null && !(error instanceof MinHashError)) throw error;
  }
  if (descriptor >= 0) closeSync(descriptor);
  return null;
}

/** The index in a file that another thread has opened. @throws MinHashError RESULT_DAMAGED if the result's files have changed */
export function sharedIndex(descriptor: number, folder: string, manifest: Manifest): ResultIndex {
  const shared = readIndex(descriptor, fstatSync(descriptor).size, folder, manifest);
  if (shared !== null) return shared.index;
  throw new MinHashError({ code: 'RESULT_DAMAGED', detail: `${folder}: its files have changed` });
}

function readIndex(descriptor: number, size: number, folder: string, manifest: Manifest): StoredIndex | null {
  const { meta, columns } = openColumns(descriptor, size, INDEX_COLUMNS, 'the index of the result');
  const { key, seed, facts } = meta as {
    readonly key: string;
    readonly seed: number;
    readonly facts: string;
  };
  if (key !== keyOfFiles(folder, manifest)) return null;
  return {
    index: indexOf(folder, manifest, columns, seed),
    facts: JSON.parse(facts),
    descriptor,
    close: () => closeSync(descriptor),
  };
}
