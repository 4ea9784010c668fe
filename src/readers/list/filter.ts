/**
 * --include and --exclude: which relative paths are wanted. Floor 2; must never know the file system.
 */
import picomatch from 'picomatch';
import { textOf } from './pathIds.js';

export interface PathFilter {
  /** Whether a file of this relative path (binary string) is read. */
  wants(relative: string): boolean;
  /** Whether --exclude names this path, file or folder. */
  excludes(relative: string): boolean;
}

// The same on every platform; `s` because a name may hold a line feed, which `.` in a glob's expression would
// not match.
const GLOB = { dot: false, windows: false, flags: 's' };

/**
 * Globs (picomatch) over paths relative to a PATH, decoded as UTF-8. Without --include every path is
 * included; `*` stays within a folder, `**` does not; a glob's `*` does not match a leading dot.
 */
export function pathFilter(include: readonly string[], exclude: readonly string[]): PathFilter {
  const included = include.length === 0 ? null : picomatch([...include], GLOB);
  const excluded = exclude.length === 0 ? null : picomatch([...exclude], GLOB);
  const excludes = (relative: string): boolean => excluded?.(textOf(relative)) ?? false;
  const wants = (relative: string): boolean =>
    (included === null || included(textOf(relative))) && !excludes(relative);
  return { wants, excludes };
}
