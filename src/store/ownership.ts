/** Checks who can write a file or folder: work files of a run are trusted only if no other user could have written them. */
import { lstatSync } from 'node:fs';
import { shellPath } from '../options/shellWord.js';
import type { FileOwner } from './plainFile.js';

const WRITTEN_BY_OTHERS = 0o022;

/**
 * Why other users may have written a file or folder, with its path; null if it belongs to the user of this process and nobody else
 * can write to it. Links are always rejected. On Windows only links and missing files are rejected.
 *
 * Callers also check the folder of a file, because users who can write there can replace the file.
 *
 * @param stats those of the file, if it is open; default: those at the path
 */
export function whyNotOurs(
  path: string,
  stats: FileOwner | undefined = lstatSync(path, { throwIfNoEntry: false }),
): string | null {
  if (stats === undefined) return `${path} is not there`;
  if (stats.isSymbolicLink()) return `${path} is a link`;
  const user = process.geteuid?.();
  if (user === undefined) return null;
  if (stats.uid !== user) return `${path} belongs to user ${stats.uid}, and you are user ${user}`;
  if ((stats.mode & WRITTEN_BY_OTHERS) === 0) return null;
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
  return `${path} may be written by others (mode ${mode}; chmod go-w ${shellPath(path)} makes it yours alone)`;
}
