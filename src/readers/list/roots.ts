/**
 * Resolves the PATHs of a command to the roots where walks begin, and checks them.
 */

import { accessSync, constants, readlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Problem } from '../../errors.js';
import type { RemoteCopy } from '../remote.js';
import { addressOf, isPipe, locationOfAddress, shownAddress, unreadAddress } from './addresses.js';
import { binaryOf, byBytes, folderOf, nameOf, textOf } from './pathIds.js';
import { holdsResult, isOfIndex, realPathOf, statOf } from './walk.js';

/** A file or folder where a walk begins. */
export interface Root {
  /** As it was typed. */
  readonly typed: string;
  /**
   * Absolute path as typed (links not resolved), binary string: names come from it. `-` for standard input; for an address
   * that of locationOfAddress.
   */
  readonly absolute: string;
  /** Real path, binary string: files are opened below it. */
  readonly real: string;
  readonly kind: 'directory' | 'file' | 'other' | 'stdin';
  /** The copy of what is on another machine; absent: it is on this one. */
  readonly copy?: RemoteCopy;
  /** Its number among the PATHs as typed, from 0. */
  readonly number: number;
}

type UnnumberedRoot = Omit<Root, 'number'>;

/** Copies of addresses and pipes, or why there is none. */
export type Copies = ReadonlyMap<string, RemoteCopy | Problem>;

type IsClosed = (folder: string) => boolean;

/**
 * The roots to read, in the order of their absolute paths. A PATH that is repeated, or that is in the folder of another PATH, is read
 * once. PATHs in the output folder, or in a result of ours, are problems.
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
  const closed = closedFolders(output);
  const outermost = (typed: readonly string[], first: number): Root[] =>
    withoutCovered(rootsOf(typed, first, closed, copies, problems), closed);
  const roots = outermost(paths, against.length);
  const reference = outermost(against, 0);
  const shared = sharedFiles(roots, reference);
  problems.push(...shared);
  if (shared.length === 0) roots.push(...reference);
  problems.push(...sameNames(roots));
  roots.sort((a, b) => byBytes(a.absolute, b.absolute));
  return { roots, problems };
}

/** The roots of PATHs, which are numbered from `first` on, each once; the problems of the others are added to `problems`. */
function rootsOf(
  paths: readonly string[],
  first: number,
  closed: IsClosed,
  copies: Copies | null,
  problems: Problem[],
): Root[] {
  const byReal = new Map<string, Root>();
  for (const [i, path] of paths.entries()) {
    const source = addressOf(path) ?? path;
    const copy = copies?.get(source);
    if (copies === null && (addressOf(path) !== null || isPipe(path))) continue;
    const root = copy === undefined ? rootOf(path) : rootOfCopy(source, copy);
    if ('code' in root) problems.push(root);
    else if (!byReal.has(root.real)) {
      const problem = resultProblem(root, closed);
      if (problem === null) byReal.set(root.real, { ...root, number: first + i });
      else problems.push(problem);
    }
  }
  return [...byReal.values()];
}

/** The root of the copy of an address or a pipe; a problem: there is no copy. */
function rootOfCopy(source: string, copy: RemoteCopy | Problem): UnnumberedRoot | Problem {
  const root = 'code' in copy ? copy : rootOf(copy.path);
  if ('code' in root) return root;
  const isPiped = addressOf(source) === null;
  const typed = isPiped ? source : shownAddress(source);
  const absolute = binaryOf(isPiped ? resolve(source) : locationOfAddress(source));
  return { ...root, typed, absolute, copy: copy as RemoteCopy };
}

function rootOf(path: string): UnnumberedRoot | Problem {
  if (path === '-') return { typed: path, absolute: '-', real: '-', kind: 'stdin' };
  // The empty string would resolve to the working directory, and no path holds a NUL.
  const real = path === '' || path.includes('\0') ? null : realPathOf(binaryOf(path));
  const stats = real === null ? null : statOf(real);
  if (real === null || stats === null || !isReadable(path, stats.isDirectory()))
    return unreadAddress(path) ?? { code: 'PATH_MISSING', detail: JSON.stringify(path) + targetText(path) };
  const kind = stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other';
  return { typed: path, absolute: binaryOf(resolve(path)), real, kind };
}

function isReadable(path: string, directory: boolean): boolean {
  try {
    accessSync(path, directory ? constants.R_OK | constants.X_OK : constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** The target of a broken link, for a message. */
function targetText(path: string): string {
  try {
    return ` is a symbolic link to ${JSON.stringify(readlinkSync(path))}, which cannot be read`;
  } catch {
    return '';
  }
}

/** Whether a folder is the output or holds a result. Each is looked up once: 100,000 PATHs have few folders above them. */
function closedFolders(output: string | null): IsClosed {
  const known = new Map<string, boolean>(output === null ? [] : [[output, true]]);
  return (folder) => {
    const isClosed = known.get(folder) ?? holdsResult(folder);
    known.set(folder, isClosed);
    return isClosed;
  };
}

/** The problem of a root that is a result, or in one, finished or not. */
function resultProblem({ real, kind, absolute }: UnnumberedRoot, closed: IsClosed): Problem | null {
  if (kind === 'stdin' || isOfIndex(real)) return null;
  for (let path = kind === 'directory' ? real : folderOf(real); ; path = folderOf(path)) {
    if (closed(path)) {
      const at = path === real ? '' : ` is in ${JSON.stringify(textOf(path))}`;
      return { code: 'PATH_IN_RESULT', detail: JSON.stringify(textOf(absolute)) + at };
    }
    if (path === '/') return null;
  }
}

/** Roots that both the PATHs and the reference have, each reported once: their documents would belong to both. */
function sharedFiles(roots: readonly Root[], reference: readonly Root[]): Problem[] {
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

/** The root that is a path or the nearest folder above it; climbing keeps many PATHs linear. */
function firstAbove(real: string, roots: ReadonlyMap<string, Root>): Root | null {
  for (let path = real; ; path = folderOf(path)) {
    const root = roots.get(path);
    if (root !== undefined) return root;
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

const foldersOf = (roots: readonly Root[]): ReadonlySet<string> =>
  new Set(roots.flatMap(({ kind, real }) => (kind === 'directory' ? [real] : [])));

function withoutCovered(roots: readonly Root[], closed: IsClosed): Root[] {
  const folders = foldersOf(roots);
  return roots.filter(({ kind, real }) => kind === 'stdin' || !isCovered(real, folders, closed));
}

/**
 * Whether the walk of a folder above reaches a path: that folder is a PATH, and no folder between is hidden or a result of ours.
 * Climbing from each path keeps 100,000 PATHs linear.
 */
function isCovered(real: string, folders: ReadonlySet<string>, closed: IsClosed): boolean {
  if (folders.size === 0) return false;
  for (let path = real; path !== '/'; ) {
    if (nameOf(path).startsWith('.')) return false;
    path = folderOf(path);
    if (folders.has(path)) return true;
    if (closed(path)) return false;
  }
  return false;
}

/** Why a symbolic link is skipped. */
export type LinkCode = 'LINK_INSIDE' | 'LINK_OUTSIDE' | 'LINK_BROKEN';

/**
 * Why a link below the roots is skipped, by the real path of its target (null: it has none). A link and its target would be a pair of
 * identical documents, and nothing would be left of both if the target is dropped.
 */
export function linkCodes(
  roots: readonly Root[],
  output: string | null,
): (target: string | null) => LinkCode {
  const closed = closedFolders(output);
  const [reals, folders] = [new Set(roots.map(({ real }) => real)), foldersOf(roots)];
  return (target) => {
    if (target === null) return 'LINK_BROKEN';
    const isRead = reals.has(target) || (!closed(target) && isCovered(target, folders, closed));
    return isRead ? 'LINK_INSIDE' : 'LINK_OUTSIDE';
  };
}
