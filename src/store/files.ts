/**
 * Creates folders, and writes files atomically.
 *
 * Folders are not created by `mkdir` with `recursive`: if a file system rejects a folder with the error "no such folder" (as /proc
 * does), Node 20 retries forever.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { MinHashError } from '../errors.js';

import { type FileSystem, NODE_FILES } from './fileSystem.js';

/** Ending of a file that is being written. */
export const TEMPORARY_ENDING = '.tmp';

/**
 * Creates the missing folders of `path` (absolute), from the top down. @throws the platform's error of the
 * first that fails
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  let above = path;
  while (statSync(above, { throwIfNoEntry: false }) === undefined && dirname(above) !== above) {
    missing.push(above);
    above = dirname(above);
  }
  for (const folder of missing.reverse()) {
    try {
      // Other users may not write there: see ownership.ts.
      mkdirSync(folder, 0o755);
    } catch (error) {
      // Another process may have created the folder in between.
      const stats = statSync(folder, { throwIfNoEntry: false });
      if (!stats?.isDirectory()) throw error;
    }
  }
}

/** A finished output file. JSON, so a task can report it. */
export interface WrittenFile {
  /** Relative to the output folder, with `/`. */
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the file system allows',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  EIO: 'the device reports an error',
  EBUSY: 'it is a mount point, or in use',
  ENOENT: 'its folder is no longer there',
  ENOTDIR: 'a file is where a folder is needed',
  EISDIR: 'a folder is where the file belongs',
  EEXIST: 'another process writes to the same folder',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'the path is too long',
};

/** Whether a message of a program reports that the disk is full (ENOSPC, EDQUOT). */
export function reportsNoSpace(message: string): boolean {
  return /No space left|quota exceeded/i.test(message);
}

/** The system error code of an exception; null for other exceptions, which are bugs. */
export function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** A system error in plain words, or its code if it is unknown. */
export function plainCauseOf(code: string): string {
  return CAUSES[code] ?? `system error ${code}`;
}

/**
 * The error to throw for a failed write: DISK_FULL or WRITE_FAILED with the name of the file, or the exception itself if it is a bug.
 */
export function writeErrorOf(error: unknown, name: string): unknown {
  const code = systemCodeOf(error);
  if (code === null || error instanceof MinHashError) return error;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new MinHashError(
    { code: full ? 'DISK_FULL' : 'WRITE_FAILED', detail: `${name}: ${plainCauseOf(code)}` },
    { cause: error },
  );
}

/** Creates a folder, named after its purpose, which the caller removes. @throws MinHashError SCRATCH_FAILED */
export function temporaryFolder(
  purpose: 'query' | 'reference' | 'remote' | 'stdin',
  parent = tmpdir(),
): string {
  try {
    return mkdtempSync(join(parent, `mr-minhash-${purpose}-`));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    const detail = `${parent}: ${plainCauseOf(code)}`;
    throw new MinHashError({ code: 'SCRATCH_FAILED', detail }, { cause: error });
  }
}

/** Runs `step`; a system error becomes DISK_FULL or WRITE_FAILED about `name`. */
export function guardWrite<T>(name: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw writeErrorOf(error, name);
  }
}

/** Runs a step and ignores its errors: for a step that is optional, or while another error is being thrown. */
export function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // Ignored.
  }
}

/**
 * A file that is written under a temporary name in the same folder, and renamed when it is complete. End it with `close` or `abandon`;
 * if a method throws, it is abandoned already. Synchronous, because tasks on worker threads write such files.
 */
class TemporaryFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #shownName: string;
  readonly #system: FileSystem;
  #descriptor = -1;

  /**
   * @param path in a folder that exists
   * @param shownName the name of the file in errors
   * @param isHidden whether the temporary name begins with a dot, for a folder of the user
   * @throws MinHashError WRITE_FAILED, DISK_FULL
   */
  constructor(path: string, shownName: string, system: FileSystem, isHidden: boolean) {
    this.#path = path;
    this.#temporary = join(dirname(path), (isHidden ? '.' : '') + basename(path) + TEMPORARY_ENDING);
    this.#shownName = shownName;
    this.#system = system;
    this.#attempt(() => {
      // A worker that died may have left a partial file.
      system.remove(this.#temporary);
      this.#descriptor = system.open(this.#temporary);
    });
  }

  /** False once it is closed or abandoned. */
  get isOpen(): boolean {
    return this.#descriptor >= 0;
  }

  /** @throws MinHashError WRITE_FAILED, DISK_FULL */
  append(bytes: Uint8Array): void {
    this.#attempt(() => {
      // The system may write fewer bytes than given.
      for (let at = 0; at < bytes.length; ) at += this.#system.write(this.#descriptor, bytes, at);
    });
  }

  /** Renames the file; if `isDurable`, after a sync. @throws MinHashError WRITE_FAILED, DISK_FULL */
  close(isDurable: boolean): void {
    this.#attempt(() => {
      if (isDurable) this.#system.sync(this.#descriptor);
      const descriptor = this.#descriptor;
      this.#descriptor = -1;
      this.#system.close(descriptor);
      this.#system.rename(this.#temporary, this.#path);
    });
  }

  /** Removes the partial file. Never throws, because it runs after another error. */
  abandon(): void {
    // A failed close also releases the descriptor.
    quietly(() => {
      if (this.isOpen) this.#system.close(this.#descriptor);
    });
    this.#descriptor = -1;
    // If this fails, the name of the file marks it as unfinished, and --force removes it.
    quietly(() => this.#system.remove(this.#temporary));
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.abandon();
      throw writeErrorOf(error, this.#shownName);
    }
  }
}

/** A durable result file. The output folder syncs its own entry once, before the run is done. */
export class AtomicFile extends TemporaryFile {
  readonly #name: string;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  /**
   * @param root the output folder
   * @param name relative to it, with `/`; its folder exists
   * @param isHidden whether the temporary name begins with a dot
   */
  constructor(root: string, name: string, system: FileSystem = NODE_FILES, isHidden = false) {
    super(join(root, name), name, system, isHidden);
    this.#name = name;
  }

  override append(bytes: Uint8Array): void {
    super.append(bytes);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  /** Renames the file. @throws MinHashError WRITE_FAILED, DISK_FULL */
  finish(rows: number): WrittenFile {
    this.close(true);
    return { file: this.#name, rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/**
 * Writes a whole file that only the user may write, under a temporary name, and renames it.
 *
 * @param name relative to `root`, with `/`
 * @throws MinHashError WRITE_FAILED, DISK_FULL; then an older file is unchanged, and the temporary file is removed
 */
export function writeFileAtomic(
  root: string,
  name: string,
  chunks: Iterable<Uint8Array>,
  system: FileSystem = NODE_FILES,
): WrittenFile {
  const file = new AtomicFile(root, name, system);
  try {
    for (const chunk of chunks) file.append(chunk);
    return file.finish(0);
  } catch (error) {
    file.abandon();
    throw error;
  }
}
