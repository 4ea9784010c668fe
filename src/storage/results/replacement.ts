/**
 * A result that is made beside the one it is to replace, in `.new`: the folder of a run like any other, but for the lock.
 *
 *      DIR/           the old result, whole until the new one is
 *      DIR/.new/      marker, .work, parts, lists; then stats.json, manifest.json and, when all is on the disk, _SUCCESS
 *
 * From `.new/_SUCCESS` on the new result counts, and takes the old one's place (takingPlace.ts); ended in the middle of that,
 * it is finished by the next run, from any step on.
 *
 * Floor 2. Reads only.
 */
import { join } from 'node:path';
import { isObject, type JsonObject, ownJson, plainBytes } from './ownJson.js';
import { MANIFEST_NAME, MARKER_NAME, NEW_NAME, SUCCESS_NAME } from './resultNames.js';

/** `unfinished`: a run is or was making it; `whole`: it only has to take its place. */
export type Replacement = 'none' | 'unfinished' | 'whole';

/** In the marker of a folder while the new result takes its place there. */
export const REPLACING = 'replacing';

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
export function newManifest(dir: string): JsonObject | null {
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
