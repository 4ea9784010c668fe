/**
 * Makes a folder and those above it.
 *
 * Floor 2. Not `mkdir` with `recursive`: where a file system refuses to make a folder by saying that there is none
 * (as /proc does), Node 20 tries for ever.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes what is missing of `path` (absolute), from the top down. @throws the platform's error of the first that fails */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  let above = path;
  while (statSync(above, { throwIfNoEntry: false }) === undefined && dirname(above) !== above) {
    missing.push(above);
    above = dirname(above);
  }
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Somebody else made it in between: as good as ours.
      const made = statSync(folder, { throwIfNoEntry: false });
      if (!made?.isDirectory()) throw error;
    }
  }
}
