/**
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
 * Floor 2. Other people's files in the folder stay.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type FileDoor, NODE_FILES } from '../fileDoor.js';
import { makeFolders } from '../makeFolders.js';
import { guardWrite, writeFileAtomic } from './atomicFile.js';
import { canonicalJsonBytes } from './canonicalJson.js';
import { TOOL } from './manifest.js';
import { OutputLock } from './outputLock.js';
import { removeEmptyFolders, removeOwnFiles, visitOwnFiles } from './ownFiles.js';
import { isObject, ownJson } from './ownJson.js';
import { newManifest, REPLACING, replacementIn } from './replacement.js';
import {
  MANIFEST_NAME,
  MARKER_NAME,
  NEW_NAME,
  PART_FOLDERS,
  STATS_NAME,
  SUCCESS_NAME,
  WORK_NAME,
} from './resultNames.js';

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
