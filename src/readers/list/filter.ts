/**
 * --include and --exclude: which relative paths are wanted, by the rules of .gitignore.
 */
import { Glob } from '../../options/glob.js';
import { nameOf, textOf } from './pathIds.js';

export interface PathFilter {
  /** Whether a file of this relative path (binary string) is read. */
  wants(relative: string): boolean;
  /** Whether --exclude names this folder or one that it is in. */
  excludesFolder(relative: string): boolean;
}

/** Whether globs match a path that is decoded as UTF-8. */
type Matcher = (path: string) => boolean;

/**
 * Globs over paths relative to a PATH, decoded as UTF-8. One without a slash matches a name in any folder; one
 * with a slash, which may be its first character, matches the whole path; one that ends with a slash means folders. What
 * --exclude names is skipped with all below it; --include is about files, and of a folder all below it. Without --include
 * every path is included. `*` stays within a folder, `**` does not.
 */
export function pathFilter(include: readonly string[], exclude: readonly string[]): PathFilter {
  const included = include.length === 0 ? null : matcherOf(include.map(filesOf));
  const ofEntries = matcherOf(exclude.filter((glob) => !isOfFolders(glob)));
  const ofFolders = matcherOf(exclude.map(withoutSlash));
  const excludesFolder = (relative: string): boolean => everyLevel(textOf(relative)).some(ofFolders);
  // Files come folder by folder.
  let folder = '';
  let isExcluded = false;
  const liesInExcluded = (relative: string): boolean => {
    const parent = relative.slice(0, Math.max(0, relative.lastIndexOf('/')));
    if (parent !== folder) {
      folder = parent;
      isExcluded = excludesFolder(parent);
    }
    return isExcluded;
  };
  const wants = (relative: string): boolean => {
    const path = textOf(relative);
    if (included !== null && !included(path)) return false;
    return exclude.length === 0 || !(liesInExcluded(relative) || ofEntries(path));
  };
  return { wants, excludesFolder };
}

/** `a/b/c` as `a`, `a/b` and `a/b/c`. */
function everyLevel(path: string): string[] {
  const levels: string[] = [];
  for (let cut = path.indexOf('/'); cut >= 0; cut = path.indexOf('/', cut + 1))
    levels.push(path.slice(0, cut));
  return [...levels, path];
}

function isOfFolders(glob: string): boolean {
  return glob.length > 1 && glob.endsWith('/');
}

function withoutSlash(glob: string): string {
  return isOfFolders(glob) ? glob.slice(0, -1) : glob;
}

/** A glob of folders as one of all files below them. */
function filesOf(glob: string): string {
  if (!isOfFolders(glob)) return glob;
  const folder = withoutSlash(glob);
  return `${folder.includes('/') ? folder : `**/${folder}`}/**`;
}

function matcherOf(globs: readonly string[]): Matcher {
  const ofNames = compiled(globs.filter((glob) => !glob.includes('/')));
  const ofPaths = compiled(
    globs.filter((glob) => glob.includes('/')).map((glob) => glob.replace(/^\.?\//, '')),
  );
  return (path) => ofNames(nameOf(path)) || ofPaths(path);
}

function compiled(globs: readonly string[]): Matcher {
  const matchers = globs.map((glob) => new Glob(glob));
  return (path) => matchers.some((matcher) => matcher.matches(path));
}
