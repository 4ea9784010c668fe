/**
 * Our files in a folder: found, and removed.
 *
 * Floor 2. Only what we write (resultNames.ts), and never through a link.
 */
import { type Dirent, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FileDoor } from '../fileDoor.js';
import { guardWrite } from './atomicFile.js';
import {
  isPartFile,
  isPartFolder,
  isRootFile,
  MARKER_NAME,
  PART_FOLDERS,
  SUCCESS_NAME,
  WORK_NAME,
} from './resultNames.js';

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
