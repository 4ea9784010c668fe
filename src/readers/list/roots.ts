/**
 * Resolves the PATHs of a command to the places where walks begin, and checks them.
 */

import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Problem } from '../../errors.js';
import type { RemoteCopy } from '../remote.js';
import { addressOf, isPipe, placeOfAddress, shownAddress, unreadAddress } from './addresses.js';
import type { Root, UnnumberedRoot } from './pathIds.js';
import { binaryOf, byBytes, nameOf, textOf } from './pathIds.js';
import { holdsResult, isOfIndex, isWithin, realPathOf, statOf } from './walk.js';

/**
 * The places to read, in the order of their absolute paths. A PATH that is repeated, or that is in the folder of another PATH, is read
 * once. A place goes before links to it. PATHs in the output folder, or in a result of ours, are problems.
 *
 * Problems: NO_INPUT without PATHs; PATH_REMOTE for unknown kinds of addresses; PATH_MISSING for a PATH that does not exist or cannot be
 * read; PATH_IN_RESULT; those of servers (src/readers/remote.ts); OPTION_INVALID for a PATH of the reference that overlaps another PATH.
 *
 * @param output real path of the output folder, or null
 * @param against PATHs of the reference; their numbers are the first, those of `paths` follow
 * @param copies of addresses and pipes, by source; null: they are not copied yet, and are passed over
 */
export function resolveRoots(
  paths: readonly string[],
  output: string | null,
  against: readonly string[] = [],
  copies: Copies | null = null,
): { roots: Root[]; problems: Problem[] } {
  const problems: Problem[] = paths.length === 0 ? [{ code: 'NO_INPUT', detail: '' }] : [];
  const closed = knownResults();
  const roots = withoutCovered(placesByReal(paths, against.length, output, closed, copies, problems), closed);
  if (against.length > 0) {
    const reference = withoutCovered(placesByReal(against, 0, output, closed, copies, problems), closed);
    const shared = sharedPlaces(roots, reference);
    problems.push(...shared);
    if (shared.length === 0) roots.push(...reference);
  }
  problems.push(...sameNames(roots));
  roots.sort((a, b) => byBytes(a.absolute, b.absolute));
  return { roots, problems };
}

/** Copies of addresses and pipes, or why there is none. */
export type Copies = ReadonlyMap<string, RemoteCopy | Problem>;

/** The places of PATHs, which are numbered from `first` on, by their real paths; the problems of the others are added to `problems`. */
function placesByReal(
  paths: readonly string[],
  first: number,
  output: string | null,
  closed: (folder: string) => boolean,
  copies: Copies | null,
  problems: Problem[],
): Map<string, Root> {
  const byReal = new Map<string, Root>();
  for (const [given, path] of paths.entries()) {
    const source = addressOf(path) ?? path;
    const copy = copies?.get(source);
    const isCopied = addressOf(path) !== null || copy !== undefined;
    if (copies === null && (isCopied || isPipe(path))) continue;
    const root = isCopied ? remoteRoot(source, copy!) : rootOf(path);
    if (root === null) {
      problems.push(
        unreadAddress(path) ?? { code: 'PATH_MISSING', detail: JSON.stringify(path) + targetText(path) },
      );
      continue;
    }
    if ('code' in root) {
      problems.push(root);
      continue;
    }
    const twin = byReal.get(root.real);
    if (twin === undefined || goesBefore(root, twin)) {
      byReal.set(root.real, { ...root, given: twin?.given ?? first + given });
    }
  }
  for (const root of byReal.values()) {
    const isRead = root.kind !== 'stdin' && !isOfIndex(root.real);
    const result = isRead ? resultOf(root, output, closed) : null;
    if (result === null) continue;
    byReal.delete(root.real);
    const at = result === root.real ? '' : ` is in ${JSON.stringify(textOf(result))}`;
    problems.push({ code: 'PATH_IN_RESULT', detail: JSON.stringify(textOf(root.absolute)) + at });
  }
  return byReal;
}

/** Places that both the PATHs and the reference have, each reported once: their documents would belong to both. */
function sharedPlaces(roots: readonly Root[], reference: readonly Root[]): Problem[] {
  const byReal = new Map(roots.map((root) => [root.real, root]));
  const ofReference = new Map(reference.map((root) => [root.real, root]));
  const problemOf = ({ typed }: Root, problem: string): Problem => ({
    code: 'OPTION_INVALID',
    detail: `--against ${JSON.stringify(typed)}: ${problem}; expected files or folders apart from the PATHs`,
  });
  const shared = ({ typed }: Root): string =>
    `it shares files with ${JSON.stringify(typed)}, one of the PATHs`;
  return [
    ...reference.flatMap((root) => {
      if (root.kind === 'stdin') return [problemOf(root, 'standard input cannot be a reference')];
      const over = firstAbove(root.real, byReal);
      return over === null ? [] : [problemOf(root, shared(over))];
    }),
    ...roots.flatMap((root) => {
      const over = firstAbove(root.real, ofReference);
      return over === null || over.real === root.real ? [] : [problemOf(over, shared(root))];
    }),
  ];
}

/** The place that is a path or the nearest folder above it; climbing keeps many PATHs linear. */
function firstAbove(real: string, places: ReadonlyMap<string, Root>): Root | null {
  for (let path = real; ; path = folderOf(path)) {
    const found = places.get(path);
    if (found !== undefined) return found;
    if (!path.includes('/') || folderOf(path) === path) return null;
  }
}

/** Problems of addresses that differ only in their queries: a query is not part of a location, so locations would be ambiguous. */
function sameNames(roots: readonly Root[]): Problem[] {
  const names = new Set<string>();
  return roots.flatMap(({ absolute }): Problem[] => {
    const isNew = names.size < names.add(absolute).size;
    const detail = `${JSON.stringify(textOf(absolute))}: PATHs that differ only after the ?; expected different names`;
    return isNew ? [] : [{ code: 'OPTION_INVALID', detail }];
  });
}

/** Whether a name of a place goes before another: a real path before a link, then by bytes, then the shortest as typed. */
function goesBefore(root: UnnumberedRoot, twin: Root): boolean {
  if (root.absolute === twin.absolute) {
    const longer = root.typed.length - twin.typed.length;
    return longer < 0 || (longer === 0 && root.typed < twin.typed);
  }
  return root.linked === twin.linked ? root.absolute < twin.absolute : twin.linked;
}

/** The target of a broken link, for a message. */
function targetText(path: string): string {
  try {
    return ` is a symbolic link to ${JSON.stringify(readlinkSync(path))}, which cannot be read`;
  } catch {
    return '';
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The place of the copy of an address or a pipe; a problem: there is no copy. */
function remoteRoot(address: string, copy: RemoteCopy | Problem): UnnumberedRoot | Problem {
  if ('code' in copy) return copy;
  const root = rootOf(copy.path);
  if (root === null) throw new Error(`${copy.path} is gone`);
  const isPiped = addressOf(address) === null;
  const typed = isPiped ? address : shownAddress(address);
  return { ...root, typed, absolute: binaryOf(isPiped ? resolve(address) : placeOfAddress(address)), copy };
}

function rootOf(path: string): UnnumberedRoot | null {
  if (path === '-') return { typed: path, absolute: '-', real: '-', kind: 'stdin', bytes: 0, linked: false };
  // The empty string would resolve to the working directory, and no path holds a NUL.
  if (path === '' || path.includes('\0')) return null;
  const real = realPathOf(binaryOf(path));
  const stats = real === null ? null : statOf(real);
  if (real === null || stats === null || !isReadable(path, stats.isDirectory())) return null;
  const kind = stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other';
  const absolute = resolve(path);
  const bytes = kind === 'file' ? stats.size : 0;
  return { typed: path, absolute: binaryOf(absolute), real, kind, bytes, linked: isLink(absolute) };
}

function isReadable(path: string, directory: boolean): boolean {
  try {
    accessSync(path, directory ? constants.R_OK | constants.X_OK : constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether folders hold a result. Each is looked up once: 100,000 PATHs have few folders above them. */
function knownResults(): (folder: string) => boolean {
  const results = new Map<string, boolean>();
  return (folder) => {
    let answer = results.get(folder);
    if (answer === undefined) {
      answer = holdsResult(folder);
      results.set(folder, answer);
    }
    return answer;
  };
}

/** The result that a place is, or is in, finished or not; null: there is none. */
function resultOf(
  { real, kind }: Root,
  output: string | null,
  closed: (folder: string) => boolean,
): string | null {
  if (output !== null && isWithin(output, real)) return output;
  for (let path = kind === 'directory' ? real : folderOf(real); path !== '/'; path = folderOf(path)) {
    if (closed(path)) return path;
  }
  return null;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function withoutCovered(byReal: ReadonlyMap<string, Root>, closed: (folder: string) => boolean): Root[] {
  const folders = new Set<string>();
  for (const root of byReal.values()) if (root.kind === 'directory') folders.add(root.real);
  return [...byReal.values()].filter(
    (root) => root.kind === 'stdin' || !isCovered(root.real, folders, closed),
  );
}

/**
 * Whether the walk of another PATH reaches this one: a folder above is a PATH, and no folder between is hidden or a result of ours.
 * Climbing from each PATH keeps 100,000 PATHs linear.
 */
function isCovered(real: string, folders: ReadonlySet<string>, closed: (folder: string) => boolean): boolean {
  let path = real;
  while (path !== '/') {
    if (nameOf(path).startsWith('.')) return false;
    path = folderOf(path);
    if (folders.has(path)) return true;
    if (folders.size === 0 || closed(path)) return false;
  }
  return false;
}
