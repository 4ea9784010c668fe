/**
 * The life of an output folder: made or taken over, filled by others, finished by `_SUCCESS` or left marked
 * unfinished. A finished result in it stays until the new one, made beside it in `.new`, is whole.
 *
 * Floor 2. Removes only what we write (resultNames.ts) and never through a link. Knows no result's contents.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Fault, MinHashError } from '../../errors.js';
import { type FileDoor, NODE_FILES } from '../fileDoor.js';
import { makeFolders } from '../makeFolders.js';
import { guardWrite, systemCodeOf, writeErrorOf, writeFileAtomic } from './atomicFile.js';
import { canonicalJsonBytes } from './canonicalJson.js';
import { type Manifest, TOOL } from './manifest.js';
import { OutputLock } from './outputLock.js';
import { checkOutput, outputStateOf, runFolderOf } from './outputState.js';
import { removeEmptyFolders, removeOwnFiles, visitOwnFiles } from './ownFiles.js';
import { replacementIn } from './replacement.js';
import {
  isLockFile,
  MANIFEST_NAME,
  MARKER_NAME,
  PART_FOLDERS,
  STATS_NAME,
  SUCCESS_NAME,
  TEMPORARY_ENDING,
  UNBALANCED_NAME,
  WORK_NAME,
} from './resultNames.js';
import type { Stats } from './stats.js';
import { clearBeside, takePlace } from './takingPlace.js';

/** What a folder is taken for. */
interface Taken {
  readonly keepWork?: boolean;
  /** The folder was made for this run. */
  readonly isMade?: boolean;
  /** Where the run writes, if that is not the output folder. */
  readonly path?: string;
}

/**
 * A folder taken for one run. End it with `finish`, `abandon` or `discard`, after the tasks that write into it have
 * ended.
 */
export class OutputFolder {
  /** The output folder, absolute. */
  readonly folder: string;
  /** Where the run writes, absolute: the output folder, or `.new` in it where a finished result is to be replaced. */
  readonly path: string;
  readonly #lock: OutputLock;
  readonly #keepWork: boolean;
  readonly #isMade: boolean;
  readonly #door: FileDoor;

  constructor(folder: string, lock: OutputLock, taken: Taken = {}, door: FileDoor = NODE_FILES) {
    this.folder = folder;
    this.path = taken.path ?? folder;
    this.#lock = lock;
    this.#keepWork = taken.keepWork ?? false;
    this.#isMade = taken.isMade ?? false;
    this.#door = door;
  }

  /**
   * Writes the manifest, the statistics, and, when all of that is on the disk, `_SUCCESS`; then removes `.work` (unless
   * it is kept), the marker and the lock. Until `_SUCCESS` the folder counts as unfinished, and again when anything after it
   * fails. What was made beside an earlier result takes its place then, and not before.
   *
   * @throws MinHashError WRITE_FAILED, DISK_FULL, OUTPUT_LOCKED where another run took the folder over
   */
  finish(manifest: Manifest, stats: Stats): void {
    const door = this.#door;
    writeFileAtomic(this.path, MANIFEST_NAME, [canonicalJsonBytes(manifest)], door);
    writeFileAtomic(this.path, STATS_NAME, [canonicalJsonBytes(stats)], door);
    for (const folder of PART_FOLDERS) guardWrite(folder, () => door.syncFolder(join(this.path, folder)));
    guardWrite(MANIFEST_NAME, () => door.syncFolder(this.path));
    if (!this.#lock.isOurs) {
      throw new MinHashError({ code: 'OUTPUT_LOCKED', detail: `${this.folder}: its lock is no longer ours` });
    }
    writeFileAtomic(this.path, SUCCESS_NAME, [], door);
    try {
      guardWrite(SUCCESS_NAME, () => door.syncFolder(this.path));
      if (this.path === this.folder) this.#clear();
    } catch (error) {
      this.#takeBack();
      throw error;
    }
    // A failure from here on takes nothing back: the new result is whole, and only has to take its place.
    if (this.path !== this.folder) takePlace(this.folder, this.#keepWork, door);
    this.#lock.release();
  }

  #clear(): void {
    const door = this.#door;
    if (!this.#keepWork) guardWrite(WORK_NAME, () => door.removeFolder(join(this.path, WORK_NAME)));
    // Last: without it and without _SUCCESS nobody would know the folder as ours.
    guardWrite(MARKER_NAME, () => door.remove(join(this.path, MARKER_NAME)));
  }

  /** A run that ends with an error leaves nothing that looks finished. */
  #takeBack(): void {
    try {
      this.#door.remove(join(this.path, SUCCESS_NAME));
    } catch {
      // All that it vouches for is on the disk.
    }
  }

  /** Writes down what did not balance. Never throws: another error is on its way. */
  report(facts: Readonly<Record<string, unknown>>): void {
    try {
      writeFileAtomic(this.path, UNBALANCED_NAME, [canonicalJsonBytes(facts)], this.#door);
    } catch {
      // The error itself says what did not balance.
    }
  }

  /**
   * Removes temporary files and leaves the rest marked as unfinished; gives the folder free. Never throws, safe to call
   * twice.
   */
  abandon(): void {
    try {
      if (!this.#lock.isOurs) return;
      visitOwnFiles(this.path, (name) => {
        if (name.endsWith(TEMPORARY_ENDING)) this.#door.remove(join(this.path, name));
      });
    } catch {
      // Another error is on its way to the user; --force removes what is left.
    } finally {
      this.#lock.release();
    }
  }

  /**
   * Removes all that this run made, where nothing of it is worth going on with; an earlier result stays, and so does what is
   * not ours. Never throws.
   */
  discard(): void {
    const isBeside = this.path !== this.folder;
    try {
      if (!this.#lock.isOurs) return;
      removeOwnFiles(this.path, false, this.#door);
      this.#door.remove(join(this.path, MARKER_NAME));
      removeEmptyFolders(this.path, isBeside);
    } catch {
      // Another error is on its way to the user; --force removes what is left.
    } finally {
      this.#lock.release();
    }
    if (this.#isMade && !isBeside) removeEmptyFolders(this.path, true);
  }
}

/** How an output folder is taken. */
export interface Taking {
  readonly force: boolean;
  readonly version: string;
  /** `.work` stays at the end. */
  readonly keepWork?: boolean;
  /** JSON: the options of the run, in the marker from the first moment on; see `markedOptions`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * An unfinished run of ours may be taken up: asked, when the folder is locked and before anything in it changes, whether
   * its `.work` stays. What it throws leaves the folder as it is.
   */
  readonly takesUp?: (path: string) => boolean;
}

/**
 * Takes `out` for a run: makes it with its folders of parts, or, with `force` or to take up an unfinished run, removes an
 * unfinished run of ours and nothing else; beside a finished result the same in `.new`. The lock is there before anything else
 * changes, and the marker before anything is removed.
 *
 * @throws what `takesUp` throws; MinHashError OUTPUT_LOCKED, OUTPUT_EXISTS, OUTPUT_UNFINISHED, OUTPUT_FOREIGN, OUTPUT_UNWRITABLE,
 *   WRITE_FAILED, DISK_FULL
 */
export function prepareOutput(
  out: string,
  { force, version, keepWork = false, options, takesUp }: Taking,
  door: FileDoor = NODE_FILES,
): OutputFolder {
  const wish = { force, resume: takesUp !== undefined };
  refuse(checkOutput(out, wish));
  const folder = resolve(out);
  const isMade = !existsSync(folder);
  guardUnwritable(folder, () => makeFolders(folder));
  const lock = new OutputLock(folder, door);
  try {
    // Another run may have finished, or died, between the look and the lock.
    const isFree = (): void => refuse(checkOutput(out, { ...wish, own: lock.key }));
    isFree();
    if (replacementIn(folder) === 'whole') {
      takePlace(folder, keepWork, door);
      isFree();
    }
    const path = runFolderOf(out);
    const isTakenUp = takesUp?.(path) ?? false;
    guardUnwritable(path, () => makeFolders(path));
    const marker = { tool: TOOL, version, state: 'unfinished', ...(options && { options }) };
    writeFileAtomic(path, MARKER_NAME, [canonicalJsonBytes(marker)], door);
    // A trace of an earlier run that ended when it was done: it says nothing of this one.
    if (path !== folder) guardWrite(MARKER_NAME, () => door.remove(join(folder, MARKER_NAME)));
    removeOwnFiles(path, isTakenUp, door);
    for (const part of PART_FOLDERS) {
      guardUnwritable(path, () => makeFolders(join(path, part)));
    }
    return new OutputFolder(folder, lock, { keepWork, isMade, path }, door);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Does what a run could not do that ended between `_SUCCESS` and the removal of its work, its marker and its lock; nothing for
 * any other result.
 *
 * @throws MinHashError OUTPUT_LOCKED, WRITE_FAILED
 */
export function completeFinish(out: string, keepWork: boolean, door: FileDoor = NODE_FILES): void {
  const path = resolve(out);
  const isMarked = (): boolean => readdirSync(path).includes(MARKER_NAME);
  const isTraced = isMarked() || readdirSync(path).some(isLockFile);
  if (outputStateOf(out).kind !== 'finished' || !isTraced) return;
  const lock = new OutputLock(path, door);
  try {
    if (outputStateOf(out).kind !== 'finished' || !isMarked()) return;
    if (!keepWork) guardWrite(WORK_NAME, () => door.removeFolder(join(path, WORK_NAME)));
    if (replacementIn(path) === 'none') clearBeside(path, door);
    guardWrite(MARKER_NAME, () => door.remove(join(path, MARKER_NAME)));
  } finally {
    lock.release();
  }
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new MinHashError(faults);
}

function guardUnwritable(path: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw writeErrorOf(error, path);
    throw new MinHashError({ code: 'OUTPUT_UNWRITABLE', detail: path }, { cause: error });
  }
}
