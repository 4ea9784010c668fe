/**
 * The life of an output folder: created or taken over, filled, then finished by `_SUCCESS` or left marked as
 * unfinished.
 *
 * A finished result in it stays until the new one, written to `.new` inside it, is complete. Only files that
 * we write (fileNames.ts) are removed, and never through a link.
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
import {
  isLockFile,
  isOurEntry,
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
} from './fileNames.js';
import { holderOf, OutputLock } from './lock.js';
import { canonicalJsonBytes, type Manifest, type Stats, TOOL } from './manifest.js';
import {
  entriesIn,
  ownFiles,
  ownJson,
  removeEmptyFolders,
  removeOwnFiles,
  replacementIn,
  takePlace,
} from './replacement.js';

/** What is at the path of an output folder, and whether a run may write there. */
type OutputState =
  | { readonly kind: 'absent' | 'empty' | 'unfinished' | 'finished' }
  /** The folder has files that are not ours. `detail` names one. */
  | { readonly kind: 'foreign'; readonly detail: string }
  /** The path is no folder, or the folder cannot be read or written. */
  | { readonly kind: 'unusable'; readonly detail: string };

/**
 * The name of an entry that has a name of ours and is a link, or a folder in place of a file; null: there is none. We write
 * neither, so removing or writing there would change other people's files.
 */
function strangerIn(dir: string): string | null {
  for (const { name, entry, isOurs } of entriesIn(dir)) {
    const isFolder = isPartFolder(name) || name === WORK_NAME || name === NEW_NAME;
    if (isOurs && !(isFolder ? entry.isDirectory() : entry.isFile())) return name;
    const stranger = name === NEW_NAME ? strangerBeside(join(dir, name)) : null;
    if (stranger !== null) return `${name}/${stranger}`;
  }
  return null;
}

/**
 * `strangerIn` of `.new`; also a file with a name of ours where no marker or manifest proves that it is ours, because a run may
 * remove such files.
 */
function strangerBeside(dir: string): string | null {
  const stranger = strangerIn(dir);
  const names = readdirSync(dir);
  if (stranger !== null || names.some((name) => name === MARKER_NAME || name === SUCCESS_NAME))
    return stranger;
  return names.find((name) => isRootFile(name) && name !== MARKER_NAME + TEMPORARY_ENDING) ?? null;
}

/**
 * Whether a folder is ours: a marker or a finished manifest proves it. A folder with at most a lock and the marker's temporary
 * file is ours, too: an interrupted start leaves these.
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

/**
 * Why the files of a folder do not count as ours: not all have our names, or the proof of ownership is missing or damaged.
 */
function foreignText(dir: string, names: readonly string[]): string {
  const other = names.find((name) => !isOurEntry(name));
  if (other !== undefined) return `${dir} holds ${JSON.stringify(other)}`;
  const because = names.includes(MANIFEST_NAME)
    ? `its ${MANIFEST_NAME} is damaged or has no ${SUCCESS_NAME} beside it`
    : `it has no ${MANIFEST_NAME}`;
  return (
    `${dir} looks like a result of mr-minhash, but ${because}, and no ${MARKER_NAME} says that it is one, ` +
    'so nothing in it is removed'
  );
}

/** Entries of an output folder that are not ours, relative to it, sorted: they are never changed. */
export function othersIn(out: string): string[] {
  return [...entriesIn(out)]
    .filter(({ isOurs }) => !isOurs)
    .map(({ name }) => name)
    .sort();
}

/** Whether the folder can be created: the nearest existing entry above it must be a writable folder. */
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

/** The state of `out`. A link there is followed (the user named it); a link inside the folder never is. */
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
    const stranger = strangerIn(path);
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

/**
 * The folder in which a run for `out` writes: `.new` beside a finished result, else `out` itself. Absolute.
 */
export function runFolderOf(out: string): string {
  const path = resolve(out);
  const isBeside = replacementIn(path) !== 'none' || outputStateOf(out).kind === 'finished';
  return isBeside ? join(path, NEW_NAME) : path;
}

const HALF_REPLACED =
  'its new result is whole and was taking the place of the old one when the run ended; ' +
  'mr-minhash run --force with this --out makes it anew';

/**
 * The reasons that forbid writing a result to `out`; empty if there are none. Changes nothing.
 *
 * @param options `own`: the text of the caller's own lock, if the caller already holds the folder
 */
export function checkOutput(
  out: string,
  options: { readonly force: boolean; readonly own?: string },
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
  // A run that still writes there may be about to finish: waiting is then better advice than --force.
  const holder = holderOf(path, options.force, options.own);
  if (holder !== null) return [{ code: 'OUTPUT_LOCKED', detail: `${path}: ${holder}` }];
  if (options.force || state.kind === 'empty') return [];
  const replacement = replacementIn(path);
  if (replacement === 'whole') return [{ code: 'OUTPUT_UNFINISHED', detail: `${path}: ${HALF_REPLACED}` }];
  // What an unfinished run left is of no use, and is removed.
  if (state.kind === 'unfinished') return [];
  return [{ code: 'OUTPUT_EXISTS', detail: path }];
}

/** How a folder was taken. */
interface Taken {
  /** Whether the folder was created for this run. */
  readonly isMade: boolean;
  /** Where the run writes. */
  readonly path: string;
}

/**
 * A folder taken for one run. End it with `finish`, `abandon` or `discard`, after all tasks that write into
 * it have ended.
 */
export class OutputFolder {
  /** The output folder, absolute. */
  readonly folder: string;
  /**
   * Where the run writes, absolute: the output folder, or `.new` in it if a finished result is to be
   * replaced.
   */
  readonly path: string;
  readonly #lock: OutputLock;
  readonly #isMade: boolean;
  readonly #door: FileDoor;

  constructor(folder: string, lock: OutputLock, { path, isMade }: Taken, door: FileDoor) {
    this.folder = folder;
    this.path = path;
    this.#lock = lock;
    this.#isMade = isMade;
    this.#door = door;
  }

  /**
   * Writes the manifest, the statistics, and, when all files are on the disk, `_SUCCESS`; then removes
   * `.work`, the marker and the lock. Until `_SUCCESS` the folder counts as unfinished,
   * and again if a later step fails. A result in `.new` replaces the earlier result then, and not before.
   *
   * @throws MinHashError WRITE_FAILED, DISK_FULL, OUTPUT_LOCKED if another run took the folder over
   */
  async finish(manifest: Manifest, stats: Stats): Promise<void> {
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
      if (this.path === this.folder) await this.#clear();
    } catch (error) {
      this.#takeBack();
      throw error;
    }
    // A failure from here on withdraws nothing: the new result is complete, and only has to be moved to its
    // place.
    if (this.path !== this.folder) takePlace(this.folder, door);
    this.#lock.release();
  }

  async #clear(): Promise<void> {
    const door = this.#door;
    try {
      await door.removeFolderLater(join(this.path, WORK_NAME));
    } catch (error) {
      throw writeErrorOf(error, WORK_NAME);
    }
    // Last: without the marker and _SUCCESS the folder would not count as ours.
    guardWrite(MARKER_NAME, () => door.remove(join(this.path, MARKER_NAME)));
  }

  /** A run that ends with an error leaves no folder that looks finished. */
  #takeBack(): void {
    try {
      this.#door.remove(join(this.path, SUCCESS_NAME));
    } catch {
      // If it stays, all files that the result lists are on the disk.
    }
  }

  /** Writes the counts that did not balance to a file. Never throws, because it runs after another error. */
  report(facts: Readonly<Record<string, unknown>>): void {
    try {
      writeFileAtomic(this.path, UNBALANCED_NAME, [canonicalJsonBytes(facts)], this.#door);
    } catch {
      // The error itself has the counts that did not balance.
    }
  }

  /**
   * Removes temporary files, leaves the rest marked as unfinished, and releases the folder. Never throws,
   * safe to call twice.
   */
  abandon(): void {
    try {
      if (!this.#lock.isOurs) return;
      for (const name of ownFiles(this.path))
        if (name.endsWith(TEMPORARY_ENDING)) this.#door.remove(join(this.path, name));
    } catch {
      // Another error is on its way to the user; --force removes the rest.
    } finally {
      this.#lock.release();
    }
  }

  /**
   * Removes all files of this run; an earlier result and files that are not ours
   * stay. Never throws.
   */
  discard(): void {
    const isBeside = this.path !== this.folder;
    try {
      if (!this.#lock.isOurs) return;
      removeOwnFiles(this.path, this.#door);
      this.#door.remove(join(this.path, MARKER_NAME));
      removeEmptyFolders(this.path, isBeside);
    } catch {
      // Another error is on its way to the user; --force removes the rest.
    } finally {
      this.#lock.release();
    }
    if (this.#isMade && !isBeside) removeEmptyFolders(this.path, true);
  }
}

/** Options for taking an output folder. */
export interface Taking {
  readonly force: boolean;
  readonly version: string;
}

/**
 * Takes `out` for a run: creates it with its folders of parts; removes an unfinished run of ours and nothing else; with a finished result, does the same in `.new`. The
 * lock is written before any other change, and the marker before any removal.
 *
 * @throws MinHashError OUTPUT_LOCKED, OUTPUT_EXISTS, OUTPUT_UNFINISHED, OUTPUT_FOREIGN,
 * OUTPUT_UNWRITABLE, WRITE_FAILED, DISK_FULL
 */
export function prepareOutput(
  out: string,
  { force, version }: Taking,
  door: FileDoor = NODE_FILES,
): OutputFolder {
  refuse(checkOutput(out, { force }));
  const folder = resolve(out);
  const isMade = !existsSync(folder);
  guardUnwritable(folder, () => makeFolders(folder));
  const lock = new OutputLock(folder, force, door);
  try {
    // Another run may have finished, or died, between the check and the lock.
    const isFree = (): void => refuse(checkOutput(out, { force, own: lock.text }));
    isFree();
    if (replacementIn(folder) === 'whole') {
      takePlace(folder, door);
      isFree();
    }
    const path = runFolderOf(out);
    guardUnwritable(path, () => makeFolders(path));
    const marker = { tool: TOOL, version, state: 'unfinished' };
    writeFileAtomic(path, MARKER_NAME, [canonicalJsonBytes(marker)], door);
    // The marker of an earlier, finished run does not describe this one.
    if (path !== folder) guardWrite(MARKER_NAME, () => door.remove(join(folder, MARKER_NAME)));
    removeOwnFiles(path, door);
    for (const part of PART_FOLDERS) {
      guardUnwritable(path, () => makeFolders(join(path, part)));
    }
    return new OutputFolder(folder, lock, { isMade, path }, door);
  } catch (error) {
    lock.release();
    throw error;
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
 * The message for a folder whose result cannot be opened because the new one was replacing the old one; null
 * for any other.
 */
export function halfReplacedText(dir: string): string | null {
  if (outputStateOf(dir).kind !== 'unfinished' || replacementIn(dir) !== 'whole') return null;
  return `${dir}: ${HALF_REPLACED}`;
}
