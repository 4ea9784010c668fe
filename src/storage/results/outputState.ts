/**
 * What is at the path of an output folder, and what stands against writing there. Reads only.
 *
 * Floor 2. Knows names, not contents, but for the marker and the manifest, which make a folder ours.
 */
import { accessSync, constants, type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Fault } from '../../errors.js';
import { plainCauseOf, systemCodeOf } from './atomicFile.js';
import { holderOf } from './outputLock.js';
import { isObject, type JsonObject, ownJson } from './ownJson.js';
import { replacementIn } from './replacement.js';
import {
  isLockFile,
  isPartFile,
  isPartFolder,
  isRootFile,
  MANIFEST_NAME,
  MARKER_NAME,
  NEW_NAME,
  SUCCESS_NAME,
  TEMPORARY_ENDING,
  WORK_NAME,
} from './resultNames.js';

export type OutputState =
  | { readonly kind: 'absent' | 'empty' | 'unfinished' | 'finished' }
  /** Files in a folder that is not ours. `detail` names one. */
  | { readonly kind: 'foreign'; readonly detail: string }
  /** No folder, or one that may not be read or written. */
  | { readonly kind: 'unusable'; readonly detail: string };

/** The options of an unfinished run as its marker has them since the folder was taken; null where there are none. */
export function markedOptions(dir: string): JsonObject | null {
  const options = ownJson(dir, MARKER_NAME)?.options;
  return isObject(options) ? options : null;
}

/**
 * A name of ours that is not what we make: a link, or a folder where a file belongs. We write neither, so
 * removing or writing there would reach into somebody else's files. Returns its name, or null.
 */
function strangerAmong(dir: string, entries: readonly Dirent[]): string | null {
  for (const entry of entries) {
    const name = entry.name;
    if ((isRootFile(name) || isLockFile(name)) && !entry.isFile()) return name;
    if ((name === WORK_NAME || name === NEW_NAME) && !entry.isDirectory()) return name;
    if (name === NEW_NAME) {
      const stranger = strangerBeside(join(dir, name));
      if (stranger !== null) return `${name}/${stranger}`;
    }
    if (!isPartFolder(name)) continue;
    if (!entry.isDirectory()) return name;
    const inside = readdirSync(join(dir, name), { withFileTypes: true });
    const stranger = inside.find((part) => isPartFile(part.name) && !part.isFile());
    if (stranger !== undefined) return `${name}/${stranger.name}`;
  }
  return null;
}

/** The same in `.new`; also a file with a name of ours, where nothing says that it is one: a run may remove those. */
function strangerBeside(dir: string): string | null {
  const entries = readdirSync(dir, { withFileTypes: true });
  const stranger = strangerAmong(dir, entries);
  if (stranger !== null || entries.some(({ name }) => name === MARKER_NAME || name === SUCCESS_NAME)) {
    return stranger;
  }
  return (
    entries.find(({ name }) => isRootFile(name) && name !== MARKER_NAME + TEMPORARY_ENDING)?.name ?? null
  );
}

/**
 * Ours, by the marker or by a finished manifest; an interrupted start leaves at most a lock and the marker's
 * temporary.
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

/** Why files are not taken for ours: not all have our names, or what says that they are ours is gone or damaged. */
function foreignText(dir: string, names: readonly string[]): string {
  const other = names.find((name) => !isOurName(name));
  if (other !== undefined) return `${dir} holds ${JSON.stringify(other)}`;
  const because = names.includes(MANIFEST_NAME)
    ? `its ${MANIFEST_NAME} is damaged or has no ${SUCCESS_NAME} beside it`
    : `it has no ${MANIFEST_NAME}`;
  return (
    `${dir} looks like a result of mr-minhash, but ${because}, and no ${MARKER_NAME} says that it is one, ` +
    'so nothing in it is removed'
  );
}

function isOurName(name: string): boolean {
  return isRootFile(name) || isLockFile(name) || isPartFolder(name) || [WORK_NAME, NEW_NAME].includes(name);
}

/** What lies in an output folder of ours and is not of ours, relative to it, sorted: it is never touched. */
export function othersIn(out: string): string[] {
  const others: string[] = [];
  for (const name of readdirSync(out)) {
    if (!isOurName(name)) others.push(name);
    if (!isPartFolder(name)) continue;
    for (const part of readdirSync(join(out, name))) if (!isPartFile(part)) others.push(`${name}/${part}`);
  }
  return others.sort();
}

/**
 * Whether the folder could be made: the nearest thing that exists above it must be a folder we may write to.
 */
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

/** What is at `out`. A link there is followed (the user named it); a link inside the folder never is. */
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
    const stranger = strangerAmong(path, entries);
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

/** Where a run in `out` writes, or has written: beside a finished result, else in `out` itself. Absolute. */
export function runFolderOf(out: string): string {
  const path = resolve(out);
  const isBeside = replacementIn(path) !== 'none' || outputStateOf(out).kind === 'finished';
  return isBeside ? join(path, NEW_NAME) : path;
}

/** Whether all is done in `out`: a finished result, and no run that is to replace it. */
export function isFinished(out: string): boolean {
  return outputStateOf(out).kind === 'finished' && replacementIn(resolve(out)) === 'none';
}

/**
 * What is said of a folder in which no result can be opened because its new one was taking the place of the old one; null
 * for any other.
 */
export function halfReplacedText(dir: string): string | null {
  if (outputStateOf(dir).kind !== 'unfinished' || replacementIn(dir) !== 'whole') return null;
  return `${dir}: ${HALF_REPLACED}`;
}

const HALF_REPLACED =
  'its new result is whole and was taking the place of the old one when the run ended; ' +
  'mr-minhash run --resume with this --out finishes that';

const UNFINISHED_BESIDE =
  'and, in its .new, an unfinished run that is to replace it, which --resume goes on with';

/**
 * What stands against writing a result to `out`; empty when nothing does. Changes nothing.
 *
 * @param options `resume`: an unfinished run of ours is to be taken up; `own`: the key of one's own lock, where one holds
 *   the folder already
 */
export function checkOutput(
  out: string,
  options: { readonly force: boolean; readonly resume?: boolean; readonly own?: string },
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
  // Whoever writes there may be about to finish: waiting is a better answer than --force.
  const holder = holderOf(path, options.own);
  if (holder !== null) return [{ code: 'OUTPUT_LOCKED', detail: `${path}: ${holder}` }];
  if (options.force || state.kind === 'empty') return [];
  const replacement = replacementIn(path);
  if (options.resume === true && (state.kind === 'unfinished' || replacement !== 'none')) return [];
  if (replacement === 'whole') return [{ code: 'OUTPUT_UNFINISHED', detail: `${path}: ${HALF_REPLACED}` }];
  if (state.kind === 'unfinished') return [{ code: 'OUTPUT_UNFINISHED', detail: path }];
  const detail = replacement === 'none' ? path : `${path}, ${UNFINISHED_BESIDE}`;
  return [{ code: 'OUTPUT_EXISTS', detail }];
}
