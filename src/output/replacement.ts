/**
 * Our files in a folder: found, and removed.
 *
 * Only what we write (names.ts), and never through a link.
 */
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
import { guardWrite, makeFolders, writeFileAtomic } from '../store/files.js';
import { OutputLock } from './lock.js';
import { canonicalJsonBytes, TOOL } from './manifest.js';
import {
  isPartFile,
  isPartFolder,
  isRootFile,
  MANIFEST_NAME,
  MARKER_NAME,
  NEW_NAME,
  PART_FOLDERS,
  STATS_NAME,
  SUCCESS_NAME,
  WORK_NAME,
} from './names.js';

/**
 * Calls `visit` with every plain file of ours, relative to the folder. Links and other people's files are not
 * ours.
 */
export function visitOwnFiles(root: string, visit: (name: string) => void): void {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isFile() && isRootFile(entry.name)) visit(entry.name);
    if (!entry.isDirectory() || !isPartFolder(entry.name)) continue;
    const inside: Dirent[] = readdirSync(join(root, entry.name), { withFileTypes: true });
    for (const part of inside) {
      if (part.isFile() && isPartFile(part.name)) visit(`${entry.name}/${part.name}`);
    }
  }
}

/**
 * Removes an earlier result, and its work unless that is taken up. The marker stays, so that a half-removed result is
 * still known as ours.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function removeOwnFiles(root: string, keepWork: boolean, door: FileDoor): void {
  // First the word that the result is whole.
  guardWrite(SUCCESS_NAME, () => door.remove(join(root, SUCCESS_NAME)));
  visitOwnFiles(root, (name) => {
    if (name !== MARKER_NAME) guardWrite(name, () => door.remove(join(root, name)));
  });
  if (!keepWork) guardWrite(WORK_NAME, () => door.removeFolder(join(root, WORK_NAME)));
}

/** Removes the folders of parts, and the folder itself where it is `ours`, as far as nothing is in them. Never throws. */
export function removeEmptyFolders(root: string, ours: boolean): void {
  const folders = PART_FOLDERS.map((folder) => join(root, folder));
  for (const folder of ours ? [...folders, root] : folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Other people's files are in it, or it is not there.
    }
  }
}

/*
 * JSON files by which a folder is known as ours.
 *
 * Reads only, never through a link.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Bytes of a plain file; -1 where there is none. */
function plainBytes(path: string): number {
  try {
    const stats = lstatSync(path);
    return stats.isFile() ? stats.size : -1;
  } catch {
    return -1;
  }
}

/** A JSON file of the folder that names us as its tool, or null. */
export function ownJson(dir: string, name: string): JsonObject | null {
  try {
    const path = join(dir, name);
    if (plainBytes(path) < 0) return null;
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(value) && value.tool === TOOL ? value : null;
  } catch {
    // Unreadable or no JSON: it does not say that the folder is ours.
    return null;
  }
}

/*
 * A result that is made beside the one it is to replace, in `.new`: the folder of a run like any other, but for the lock.
 *
 *      DIR/           the old result, whole until the new one is
 *      DIR/.new/      marker, .work, parts, lists; then stats.json, manifest.json and, when all is on the disk, _SUCCESS
 *
 * From `.new/_SUCCESS` on the new result counts, and takes the old one's place (`takePlace`); ended in the middle of that,
 * it is finished by the next run, from any step on.
 *
 * Reads only.
 */

/** `unfinished`: a run is or was making it; `whole`: it only has to take its place. */
export type Replacement = 'none' | 'unfinished' | 'whole';

/** In the marker of a folder while the new result takes its place there. */
const REPLACING = 'replacing';

/** What is in `.new` of an output folder. */
export function replacementIn(dir: string): Replacement {
  const beside = join(dir, NEW_NAME);
  if (plainBytes(join(beside, SUCCESS_NAME)) >= 0 && isWhole(dir)) return 'whole';
  return ownJson(beside, MARKER_NAME) === null ? 'none' : 'unfinished';
}

/** Whether the new result has begun to take its place. */
function isTakingPlace(dir: string): boolean {
  return ownJson(dir, MARKER_NAME)?.state === REPLACING;
}

/** The manifest of the new result: in `.new`, or, when that far, in its place. */
function newManifest(dir: string): JsonObject | null {
  const beside = ownJson(join(dir, NEW_NAME), MANIFEST_NAME);
  return beside === null && isTakingPlace(dir) ? ownJson(dir, MANIFEST_NAME) : beside;
}

/** Whether every file of the new result is there, as long as it is to be: in `.new`, or, when that far, in its place. */
function isWhole(dir: string): boolean {
  const files = newManifest(dir)?.files;
  if (!isObject(files)) return false;
  const moves = isTakingPlace(dir);
  return Object.entries(files).every(([name, facts]) => {
    const beside = plainBytes(join(dir, NEW_NAME, name));
    const found = beside < 0 && moves ? plainBytes(join(dir, name)) : beside;
    return isObject(facts) && found === facts.bytes;
  });
}

/*
 * The new result takes the place of the old one, in steps of which each may be the last of a process:
 *
 *      1  the marker, by which the folder is known as ours without _SUCCESS
 *      2  _SUCCESS of the old result goes: what follows is never taken for a result
 *      3  files are renamed into their places; what is left of the old result goes
 *      4  manifest.json is renamed; its being in .new says that step 3 is not over
 *      5  _SUCCESS is renamed: the new result is there
 *      6  .new goes, and the marker
 *
 * Before step 2 the old result is whole, from step 5 on the new one, and in between all of the new one is on the disk: done
 * again from the start, the steps lead to the end. A rename stays within one folder's file system, so no step needs room.
 *
 * Other people's files in the folder stay.
 */

/**
 * Puts the whole result in `.new` into its place. The folder is locked.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL (before the old result is touched); what was not done is done by the next call
 */
export function takePlace(path: string, keepWork: boolean, door: FileDoor): void {
  const beside = join(path, NEW_NAME);
  const sync = (): void => guardWrite(NEW_NAME, () => door.syncFolder(path));
  const move = (name: string): void => {
    if (existsSync(join(beside, name))) {
      guardWrite(name, () => door.rename(join(beside, name), join(path, name)));
    }
  };
  const files = newManifest(path)?.files;
  // The options of the run, for who takes it up without saying them again.
  const marked = ownJson(beside, MARKER_NAME) ?? ownJson(path, MARKER_NAME);
  const marker = { ...marked, tool: TOOL, state: REPLACING };
  writeFileAtomic(path, MARKER_NAME, [canonicalJsonBytes(marker)], door);
  sync();
  guardWrite(SUCCESS_NAME, () => door.remove(join(path, SUCCESS_NAME)));
  sync();
  if (existsSync(join(beside, MANIFEST_NAME))) {
    const names = new Set([...(isObject(files) ? Object.keys(files) : []), STATS_NAME]);
    for (const folder of PART_FOLDERS) guardWrite(folder, () => makeFolders(join(path, folder)));
    for (const name of names) move(name);
    visitOwnFiles(path, (name) => {
      if (names.has(name) || name === MARKER_NAME || name === MANIFEST_NAME) return;
      guardWrite(name, () => door.remove(join(path, name)));
    });
    guardWrite(WORK_NAME, () => door.removeFolder(join(path, WORK_NAME)));
    for (const folder of PART_FOLDERS) guardWrite(folder, () => door.syncFolder(join(path, folder)));
    sync();
    move(MANIFEST_NAME);
    sync();
  }
  if (keepWork) move(WORK_NAME);
  // Without it what is left of .new is no run that could be taken up.
  guardWrite(MARKER_NAME, () => door.remove(join(beside, MARKER_NAME)));
  move(SUCCESS_NAME);
  try {
    sync();
  } catch (error) {
    // A run that ends with an error leaves nothing that looks finished.
    quietly(() => door.rename(join(path, SUCCESS_NAME), join(beside, SUCCESS_NAME)));
    throw error;
  }
  // The new result is there, and on the disk: traces that cannot be removed now are removed by a later run.
  quietly(() => {
    clearBeside(path, door);
    door.remove(join(path, MARKER_NAME));
  });
}

function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // Nothing depends on it, or another error is on its way.
  }
}

/** Removes what is ours in `.new`, and the folder where nothing else is in it. @throws MinHashError WRITE_FAILED */
export function clearBeside(path: string, door: FileDoor): void {
  const beside = join(path, NEW_NAME);
  if (!existsSync(beside)) return;
  removeOwnFiles(beside, false, door);
  guardWrite(MARKER_NAME, () => door.remove(join(beside, MARKER_NAME)));
  removeEmptyFolders(beside, true);
}

/**
 * Does what a run could not do that ended while its whole result took the place of the old one; nothing for any other
 * folder.
 *
 * @throws MinHashError OUTPUT_LOCKED, WRITE_FAILED, DISK_FULL
 */
export function completeReplacement(out: string, keepWork: boolean, door: FileDoor = NODE_FILES): void {
  const path = resolve(out);
  if (replacementIn(path) !== 'whole') return;
  const lock = new OutputLock(path, door);
  try {
    if (replacementIn(path) === 'whole') takePlace(path, keepWork, door);
  } finally {
    lock.release();
  }
}
