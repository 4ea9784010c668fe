/**
 * Finds and removes our files in a folder, and replaces a finished result by a new one.
 *
 * Only files that we write (fileNames.ts) are touched, and never through a link.
 */
import { type Dirent, existsSync, lstatSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FileDoor } from '../store/fileDoor.js';
import { guardWrite, makeFolders, quietly, writeFileAtomic } from '../store/files.js';
import {
  MOST_DOCUMENT,
  MOST_NOTE,
  type PlainFile,
  parsePlainJson,
  readPlainFile,
} from '../store/plainFile.js';
import {
  isOurEntry,
  isOwnName,
  isPartFile,
  isPartFolder,
  MANIFEST_NAME,
  MARKER_NAME,
  NEW_NAME,
  PART_FOLDERS,
  STATS_NAME,
  SUCCESS_NAME,
  WORK_NAME,
} from './fileNames.js';
import { canonicalJsonBytes, TOOL } from './manifest.js';

/** An entry of an output folder or of one of its folders of parts. @internal */
interface FoundEntry {
  /** Relative to the output folder, with `/`. */
  readonly name: string;
  readonly entry: Dirent;
  /** Whether the name is one of ours; the entry may be a link all the same, or a folder in place of a file. */
  readonly isOurs: boolean;
}

/** All entries of a folder and of its folders of parts. No link is followed. @internal */
export function* entriesIn(root: string): Generator<FoundEntry> {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const { name } = entry;
    yield { name, entry, isOurs: isOurEntry(name) };
    if (!isPartFolder(name) || !entry.isDirectory()) continue;
    for (const part of readdirSync(join(root, name), { withFileTypes: true }))
      yield { name: `${name}/${part.name}`, entry: part, isOurs: isPartFile(name, part.name) };
  }
}

/** The plain files of a result, finished or not. Links and other people's files are not ours. */
export function ownFiles(root: string): string[] {
  return [...entriesIn(root)]
    .filter(({ name, entry }) => entry.isFile() && isOwnName(name))
    .map(({ name }) => name);
}

/**
 * Removes an earlier result and its `.work`. The marker stays, so that a half-removed
 * result is still recognised as ours.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function removeOwnFiles(root: string, door: FileDoor): void {
  // First the file that declares the result complete.
  guardWrite(SUCCESS_NAME, () => door.remove(join(root, SUCCESS_NAME)));
  for (const name of ownFiles(root))
    if (name !== MARKER_NAME) guardWrite(name, () => door.remove(join(root, name)));
  guardWrite(WORK_NAME, () => door.removeFolder(join(root, WORK_NAME)));
}

/**
 * Removes the folders of parts, and the folder itself where it is `ours`, if they are empty. Never throws.
 */
export function removeEmptyFolders(root: string, ours: boolean): void {
  const folders = PART_FOLDERS.map((folder) => join(root, folder));
  for (const folder of ours ? [...folders, root] : folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Other people's files are in it, or it is missing.
    }
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Size of a plain file in bytes; -1 if there is none. */
export function plainBytes(path: string): number {
  try {
    const stats = lstatSync(path);
    return stats.isFile() ? stats.size : -1;
  } catch {
    return -1;
  }
}

/**
 * A JSON file of the folder that names us as its tool, or null. By such a file a folder is recognised as
 * ours.
 */
export function ownJson(dir: string, name: string): JsonObject | null {
  // What cannot be read does not prove that the folder is ours.
  return ownJsonIn(readPlainFile(join(dir, name), name === MANIFEST_NAME ? MOST_DOCUMENT : MOST_NOTE));
}

/** `ownJson` of a file that is already read. */
export function ownJsonIn({ bytes }: Pick<PlainFile, 'bytes'>): JsonObject | null {
  const value = bytes === null ? null : parsePlainJson(bytes);
  return isObject(value) && value.tool === TOOL ? value : null;
}

/**
 * The state of a new result beside the one that it will replace. `unfinished`: a run is writing it, or ended before it was
 * complete; `whole`: it is complete, and only has to be moved to its place.
 *
 * The new result is in `.new`, a run's folder like any other, except for the lock:
 *
 *      DIR/           the old result, whole until the new one is
 *      DIR/.new/      marker, .work, parts, lists; then stats.json, manifest.json and, when all is on the disk, _SUCCESS
 *
 * From `.new/_SUCCESS` on the new result counts, and replaces the old one (`takePlace`); if that is
 * interrupted at any step, the next run completes it.
 */
export type Replacement = 'none' | 'unfinished' | 'whole';

/** The state in the marker of a folder while the new result replaces the old one. */
const REPLACING = 'replacing';

/** The state of `.new` in an output folder. */
export function replacementIn(dir: string): Replacement {
  const beside = join(dir, NEW_NAME);
  if (plainBytes(join(beside, SUCCESS_NAME)) >= 0 && isWhole(dir)) return 'whole';
  return ownJson(beside, MARKER_NAME) === null ? 'none' : 'unfinished';
}

/** Whether the replacement has begun. */
function isTakingPlace(dir: string): boolean {
  return ownJson(dir, MARKER_NAME)?.state === REPLACING;
}

/** The manifest of the new result: in `.new`, or, after it was moved, in its place. */
function newManifest(dir: string): JsonObject | null {
  const beside = ownJson(join(dir, NEW_NAME), MANIFEST_NAME);
  return beside === null && isTakingPlace(dir) ? ownJson(dir, MANIFEST_NAME) : beside;
}

/**
 * Whether every file of the new result exists with its length: in `.new`, or, after it was moved, in its
 * place.
 */
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

/**
 * Replaces the old result by the one in `.new`. The folder is locked. The process may be killed after any
 * step:
 *
 *      1  the marker, by which the folder is known as ours without _SUCCESS
 *      2  _SUCCESS of the old result is removed: from here on the folder does not count as a result
 *      3  files are renamed into their places; the rest of the old result is removed
 *      4  manifest.json is renamed; while it is in .new, step 3 is not complete
 *      5  _SUCCESS is renamed: the new result is in place
 *      6  .new is removed, and the marker
 *
 * Before step 2 the old result is whole, from step 5 on the new one, and in between all of the new one is on
 * the disk: repeating the steps from the start completes them. A rename stays within one file system, so no
 * step needs space. Other people's files in the folder stay.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL (before the old result is touched); the next call completes
 * the remaining steps
 */
export function takePlace(path: string, door: FileDoor): void {
  const beside = join(path, NEW_NAME);
  const sync = (): void => guardWrite(NEW_NAME, () => door.syncFolder(path));
  const move = (name: string): void => {
    if (existsSync(join(beside, name))) {
      guardWrite(name, () => door.rename(join(beside, name), join(path, name)));
    }
  };
  const files = newManifest(path)?.files;
  const marked = ownJson(beside, MARKER_NAME) ?? ownJson(path, MARKER_NAME);
  const marker = { ...marked, tool: TOOL, state: REPLACING };
  writeFileAtomic(path, MARKER_NAME, [canonicalJsonBytes(marker)], door);
  sync();
  guardWrite(SUCCESS_NAME, () => door.remove(join(path, SUCCESS_NAME)));
  sync();
  if (existsSync(join(beside, MANIFEST_NAME))) {
    const names = new Set([...(isObject(files) ? Object.keys(files) : []), STATS_NAME]);
    replaceFiles(path, names, move, door);
    sync();
    move(MANIFEST_NAME);
    sync();
  }
  guardWrite(MARKER_NAME, () => door.remove(join(beside, MARKER_NAME)));
  move(SUCCESS_NAME);
  try {
    sync();
  } catch (error) {
    // A run that ends with an error leaves no folder that looks finished.
    quietly(() => door.rename(join(path, SUCCESS_NAME), join(beside, SUCCESS_NAME)));
    throw error;
  }
  // The new result is in place and on the disk: a later run removes files that cannot be removed now.
  quietly(() => {
    clearBeside(path, door);
    door.remove(join(path, MARKER_NAME));
  });
}

/** Step 3 of `takePlace`: moves these files into their places, and removes the other files of the old result. */
function replaceFiles(
  path: string,
  names: ReadonlySet<string>,
  move: (name: string) => void,
  door: FileDoor,
): void {
  for (const folder of PART_FOLDERS) guardWrite(folder, () => makeFolders(join(path, folder)));
  for (const name of names) move(name);
  for (const name of ownFiles(path))
    if (!names.has(name) && name !== MARKER_NAME && name !== MANIFEST_NAME)
      guardWrite(name, () => door.remove(join(path, name)));
  guardWrite(WORK_NAME, () => door.removeFolder(join(path, WORK_NAME)));
  for (const folder of PART_FOLDERS) guardWrite(folder, () => door.syncFolder(join(path, folder)));
}

/** Removes our files in `.new`, and the folder if it is empty then. @throws MinHashError WRITE_FAILED */
function clearBeside(path: string, door: FileDoor): void {
  const beside = join(path, NEW_NAME);
  if (!existsSync(beside)) return;
  removeOwnFiles(beside, door);
  guardWrite(MARKER_NAME, () => door.remove(join(beside, MARKER_NAME)));
  removeEmptyFolders(beside, true);
}
