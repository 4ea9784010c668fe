/**
 * The life of an output folder: made or taken over, filled by others, finished by `_SUCCESS` or left marked
 * unfinished.
 *
 * Floor 2. Removes only what we write (resultNames.ts) and never through a link. Knows no result's contents.
 */
import { closeSync, type Dirent, fsyncSync, openSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MinHashError } from '../../errors.js';
import { makeFolders } from '../makeFolders.js';
import { type FileDoor, guardWrite, NODE_FILES, systemCodeOf, writeFileAtomic } from './atomicFile.js';
import { canonicalJsonBytes } from './canonicalJson.js';
import { type Manifest, TOOL } from './manifest.js';
import { checkOutput } from './outputState.js';
import {
  isPartFile,
  isPartFolder,
  isRootFile,
  MANIFEST_NAME,
  MARKER_NAME,
  PART_FOLDERS,
  STATS_NAME,
  SUCCESS_NAME,
  TEMPORARY_ENDING,
  WORK_NAME,
} from './resultNames.js';
import type { Stats } from './stats.js';

/**
 * Calls `visit` with every plain file of ours, relative to the folder. Links and other people's files are not
 * ours.
 */
function visitOwnFiles(root: string, visit: (name: string) => void): void {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isFile() && isRootFile(entry.name)) visit(entry.name);
    if (!entry.isDirectory() || !isPartFolder(entry.name)) continue;
    const inside: Dirent[] = readdirSync(join(root, entry.name), { withFileTypes: true });
    for (const part of inside) {
      if (part.isFile() && isPartFile(part.name)) visit(`${entry.name}/${part.name}`);
    }
  }
}

/** Removes an earlier result. The marker stays, so that a half-removed result is still known as ours. */
function removeOwnFiles(root: string): void {
  // First the word that the result is whole.
  guardWrite(SUCCESS_NAME, () => rmSync(join(root, SUCCESS_NAME), { force: true }));
  visitOwnFiles(root, (name) => {
    if (name !== MARKER_NAME) guardWrite(name, () => unlinkSync(join(root, name)));
  });
  // Removes links inside as links.
  guardWrite(WORK_NAME, () => rmSync(join(root, WORK_NAME), { recursive: true, force: true }));
}

/**
 * Makes the folder's entries durable. Some file systems cannot sync a folder; then the renames alone must do.
 */
function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== 'EINVAL' && code !== 'EPERM' && code !== 'ENOTSUP') throw error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * A folder taken for one run. End it with `finish` or `abandon`, after the tasks that write into it have
 * ended.
 */
export class OutputFolder {
  /** Absolute. */
  readonly path: string;
  readonly #door: FileDoor;

  constructor(path: string, door: FileDoor = NODE_FILES) {
    this.path = path;
    this.#door = door;
  }

  /**
   * Writes the manifest, the statistics, and, when all of that is on the disk, `_SUCCESS`; then removes the
   * marker and `.work`. Until `_SUCCESS` the folder counts as unfinished.
   *
   * @throws MinHashError WRITE_FAILED
   */
  finish(manifest: Manifest, stats: Stats): void {
    writeFileAtomic(this.path, MANIFEST_NAME, [canonicalJsonBytes(manifest)], this.#door);
    writeFileAtomic(this.path, STATS_NAME, [canonicalJsonBytes(stats)], this.#door);
    for (const folder of PART_FOLDERS) guardWrite(folder, () => syncFolder(join(this.path, folder)));
    guardWrite(MANIFEST_NAME, () => syncFolder(this.path));
    writeFileAtomic(this.path, SUCCESS_NAME, [], this.#door);
    guardWrite(MARKER_NAME, () => rmSync(join(this.path, MARKER_NAME), { force: true }));
    guardWrite(WORK_NAME, () => rmSync(join(this.path, WORK_NAME), { recursive: true, force: true }));
    guardWrite(SUCCESS_NAME, () => syncFolder(this.path));
  }

  /** Removes temporary files and leaves the rest marked as unfinished. Never throws, safe to call twice. */
  abandon(): void {
    try {
      visitOwnFiles(this.path, (name) => {
        if (name.endsWith(TEMPORARY_ENDING)) rmSync(join(this.path, name), { force: true });
      });
    } catch {
      // Another error is on its way to the user; --force removes what is left.
    }
  }
}

/**
 * Takes `out` for a run: makes it with its folders of parts, or, with `force`, removes an earlier result of
 * ours and nothing else. The marker is there before anything else changes.
 *
 * @throws MinHashError OUTPUT_EXISTS, OUTPUT_UNFINISHED, OUTPUT_FOREIGN, OUTPUT_UNWRITABLE, WRITE_FAILED
 */
export function prepareOutput(
  out: string,
  options: { readonly force: boolean; readonly version: string },
  door: FileDoor = NODE_FILES,
): OutputFolder {
  const faults = checkOutput(out, options);
  if (faults.length > 0) throw new MinHashError(faults);
  const path = resolve(out);
  guardUnwritable(path, () => makeFolders(path));
  const marker = { tool: TOOL, version: options.version, state: 'unfinished' };
  writeFileAtomic(path, MARKER_NAME, [canonicalJsonBytes(marker)], door);
  removeOwnFiles(path);
  for (const folder of PART_FOLDERS) {
    guardUnwritable(path, () => makeFolders(join(path, folder)));
  }
  return new OutputFolder(path, door);
}

function guardUnwritable(path: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (systemCodeOf(error) === null) throw error;
    throw new MinHashError({ code: 'OUTPUT_UNWRITABLE', detail: path }, { cause: error });
  }
}
