/** Checks who may write a file or folder: the notes of a run are trusted only where their user alone could have written them. */
import { lstatSync } from 'node:fs';
import { shellPath } from '../options/shellWord.js';
import type { FileOwner } from './plainFile.js';

const WRITTEN_BY_OTHERS = 0o022;

/**
 * Why other users may have written a file or folder, in words that name it; null: it belongs to the user of this process, and
 * nobody else may write to it. A link is never ours, whatever its target. Where the platform has no users (Windows), only
 * links and missing files are refused.
 *
 * Callers check the folder of a file, too: whoever may write there may put another file in its place.
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
