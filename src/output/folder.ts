/**
 * The life of an output folder: made or taken over, filled by others, finished by `_SUCCESS` or left marked
 * unfinished. A finished result in it stays until the new one, made beside it in `.new`, is whole.
 *
 * Removes only what we write (names.ts) and never through a link.
 */
import { accessSync, constants, type Dirent, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Fault, MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
import {
  guardWrite,
  makeFolders,
  plainCauseOf,
  systemCodeOf,
  TEMPORARY_ENDING,
  writeErrorOf,
  writeFileAtomic,
} from '../store/files.js';
import { holderOf, OutputLock } from './lock.js';
import { canonicalJsonBytes, type Manifest, type Stats, TOOL } from './manifest.js';
import {
  isLockFile,
  isPartFile,
  isPartFolder,
  isRootFile,
  MANIFEST_NAME,
  MARKER_NAME,
  NEW_NAME,
  PART_FOLDERS,
  STATS_NAME,
  SUCCESS_NAME,
  UNBALANCED_NAME,
  WORK_NAME,
} from './names.js';
import {
  clearBeside,
  isObject,
  type JsonObject,
  ownJson,
  removeEmptyFolders,
  removeOwnFiles,
  replacementIn,
  takePlace,
  visitOwnFiles,
} from './replacement.js';

/* What is at the path of an output folder, and what stands against writing there. Reads only. */

type OutputState =
  | { readonly kind: 'absent' | 'empty' | 'unfinished' | 'finished' }
  /** Files in a folder that is not ours. `detail` names one. */
  | { readonly kind: 'foreign'; readonly detail: string }
  /** No folder, or one that may not be read or written. */
  | { readonly kind: 'unusable'; readonly detail: string };

/** The options of an unfinished run as its marker has them since the folder was taken; null where there are none. */
export function markedOptions(dir: string): JsonObject | null {
  const options = ownJson(dir, MARKER_NAME)?.options;
  return isObject(options) ? options : null;
}

/**
 * A name of ours that is not what we make: a link, or a folder where a file belongs. We write neither, so
 * removing or writing there would reach into somebody else's files. Returns its name, or null.
 */
function strangerAmong(dir: string, entries: readonly Dirent[]): string | null {
  for (const entry of entries) {
    const name = entry.name;
    if ((isRootFile(name) || isLockFile(name)) && !entry.isFile()) return name;
    if ((name === WORK_NAME || name === NEW_NAME) && !entry.isDirectory()) return name;
    if (name === NEW_NAME) {
      const stranger = strangerBeside(join(dir, name));
      if (stranger !== null) return `${name}/${stranger}`;
    }
    if (!isPartFolder(name)) continue;
    if (!entry.isDirectory()) return name;
    const inside = readdirSync(join(dir, name), { withFileTypes: true });
    const stranger = inside.find((part) => isPartFile(part.name) && !part.isFile());
    if (stranger !== undefined) return `${name}/${stranger.name}`;
  }
  return null;
}

/** The same in `.new`; also a file with a name of ours, where nothing says that it is one: a run may remove those. */
function strangerBeside(dir: string): string | null {
  const entries = readdirSync(dir, { withFileTypes: true });
  const stranger = strangerAmong(dir, entries);
  if (stranger !== null || entries.some(({ name }) => name === MARKER_NAME || name === SUCCESS_NAME)) {
    return stranger;
  }
  return (
    entries.find(({ name }) => isRootFile(name) && name !== MARKER_NAME + TEMPORARY_ENDING)?.name ?? null
  );
}

/**
 * Ours, by the marker or by a finished manifest; an interrupted start leaves at most a lock and the marker's
 * temporary.
 */
function ownershipOf(dir: string, entries: readonly Dirent[]): OutputState {
  const names = entries.map((entry) => entry.name);
  const ours = entries.filter(
    ({ name }, i) => entries[i]!.isFile() && (isLockFile(name) || name === MARKER_NAME + TEMPORARY_ENDING),
  );
  if (entries.length === ours.length) return { kind: 'empty' };
  const success = entries.some((entry) => entry.name === SUCCESS_NAME && entry.isFile());
  if (success && ownJson(dir, MANIFEST_NAME) !== null) return { kind: 'finished' };
  if (ownJson(dir, MARKER_NAME) !== null) return { kind: 'unfinished' };
  if (names.includes(NEW_NAME) && replacementIn(dir) !== 'none') return { kind: 'unfinished' };
  return { kind: 'foreign', detail: foreignText(dir, names.sort()) };
}

/** Why files are not taken for ours: not all have our names, or what says that they are ours is gone or damaged. */
function foreignText(dir: string, names: readonly string[]): string {
  const other = names.find((name) => !isOurName(name));
  if (other !== undefined) return `${dir} holds ${JSON.stringify(other)}`;
  const because = names.includes(MANIFEST_NAME)
    ? `its ${MANIFEST_NAME} is damaged or has no ${SUCCESS_NAME} beside it`
    : `it has no ${MANIFEST_NAME}`;
  return (
    `${dir} looks like a result of mr-minhash, but ${because}, and no ${MARKER_NAME} says that it is one, ` +
    'so nothing in it is removed'
  );
}

function isOurName(name: string): boolean {
  return isRootFile(name) || isLockFile(name) || isPartFolder(name) || [WORK_NAME, NEW_NAME].includes(name);
}

/** What lies in an output folder of ours and is not of ours, relative to it, sorted: it is never touched. */
export function othersIn(out: string): string[] {
  const others: string[] = [];
  for (const name of readdirSync(out)) {
    if (!isOurName(name)) others.push(name);
    if (!isPartFolder(name)) continue;
    for (const part of readdirSync(join(out, name))) if (!isPartFile(part)) others.push(`${name}/${part}`);
  }
  return others.sort();
}

/**
 * Whether the folder could be made: the nearest thing that exists above it must be a folder we may write to.
 */
function stateOfAbsent(path: string): OutputState {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    return { kind: 'unusable', detail: `${path} is a link to nothing` };
  }
  let above = dirname(path);
  while (statSync(above, { throwIfNoEntry: false }) === undefined) above = dirname(above);
  if (!statSync(above).isDirectory()) return { kind: 'unusable', detail: `${above} is no folder` };
  accessSync(above, constants.W_OK | constants.X_OK);
  return { kind: 'absent' };
}

/** What is at `out`. A link there is followed (the user named it); a link inside the folder never is. */
export function outputStateOf(out: string): OutputState {
  const path = resolve(out);
  try {
    if (out === '') return { kind: 'unusable', detail: 'its path is empty' };
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return stateOfAbsent(path);
    if (!found.isDirectory()) return { kind: 'unusable', detail: `${path} is a file` };
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const entries = readdirSync(path, { withFileTypes: true });
    const state = ownershipOf(path, entries);
    if (state.kind !== 'finished' && state.kind !== 'unfinished') return state;
    const stranger = strangerAmong(path, entries);
    if (stranger === null) return state;
    return {
      kind: 'foreign',
      detail: `${join(path, stranger)} is a link or not what mr-minhash writes there`,
    };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    const cause = code === 'ERR_INVALID_ARG_VALUE' ? 'it has a NUL character' : plainCauseOf(code);
    return { kind: 'unusable', detail: `${JSON.stringify(path)}: ${cause}` };
  }
}

/** Where a run in `out` writes, or has written: beside a finished result, else in `out` itself. Absolute. */
export function runFolderOf(out: string): string {
  const path = resolve(out);
  const isBeside = replacementIn(path) !== 'none' || outputStateOf(out).kind === 'finished';
  return isBeside ? join(path, NEW_NAME) : path;
}

/** Whether all is done in `out`: a finished result, and no run that is to replace it. */
export function isFinished(out: string): boolean {
  return outputStateOf(out).kind === 'finished' && replacementIn(resolve(out)) === 'none';
}

const HALF_REPLACED =
  'its new result is whole and was taking the place of the old one when the run ended; ' +
  'mr-minhash run --resume with this --out finishes that';

const UNFINISHED_BESIDE =
  'and, in its .new, an unfinished run that is to replace it, which --resume goes on with';

/**
 * What stands against writing a result to `out`; empty when nothing does. Changes nothing.
 *
 * @param options `resume`: an unfinished run of ours is to be taken up; `own`: the key of one's own lock, where one holds
 *   the folder already
 */
export function checkOutput(
  out: string,
  options: { readonly force: boolean; readonly resume?: boolean; readonly own?: string },
): Fault[] {
  const state = outputStateOf(out);
  const path = resolve(out);
  switch (state.kind) {
    case 'absent':
      return [];
    case 'foreign':
      return [{ code: 'OUTPUT_FOREIGN', detail: state.detail }];
    case 'unusable':
      return [{ code: 'OUTPUT_UNWRITABLE', detail: state.detail }];
  }
  // Whoever writes there may be about to finish: waiting is a better answer than --force.
  const holder = holderOf(path, options.own);
  if (holder !== null) return [{ code: 'OUTPUT_LOCKED', detail: `${path}: ${holder}` }];
  if (options.force || state.kind === 'empty') return [];
  const replacement = replacementIn(path);
  if (options.resume === true && (state.kind === 'unfinished' || replacement !== 'none')) return [];
  if (replacement === 'whole') return [{ code: 'OUTPUT_UNFINISHED', detail: `${path}: ${HALF_REPLACED}` }];
  if (state.kind === 'unfinished') return [{ code: 'OUTPUT_UNFINISHED', detail: path }];
  const detail = replacement === 'none' ? path : `${path}, ${UNFINISHED_BESIDE}`;
  return [{ code: 'OUTPUT_EXISTS', detail }];
}

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

/**
 * What is said of a folder in which no result can be opened because its new one was taking the place of the old one; null
 * for any other.
 */
export function halfReplacedText(dir: string): string | null {
  if (outputStateOf(dir).kind !== 'unfinished' || replacementIn(dir) !== 'whole') return null;
  return `${dir}: ${HALF_REPLACED}`;
}
