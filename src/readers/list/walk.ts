/**
 * The walk: every regular file below a folder.
 *
 * Written by hand over readdir because the recursive readdir of Node is ten times slower and decodes names as
 * UTF-8. What an entry is comes with its name: no file is looked at by itself.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import type { Stepwise } from '../../arrays/stepwise.js';
import type { ErrorCode } from '../../errors.js';

import { bytesOf, joinPath } from './pathIds.js';

/*
 * What stands in one folder: names with what they are, in the order in which a walk visits them.
 */

/** What an entry is. `unreadable`: it is there, but may not be looked at. */
type EntryKind = 'file' | 'folder' | 'link' | 'other' | 'unreadable';

/** What Dirent and Stats have in common. */
interface Typed {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** A Dirent as Node gives it: there is one for every file, so nothing is made of it. */
interface FolderEntry extends Typed {
  /** Binary string. */
  readonly name: string;
}

/** How names are read with their types; tests put a file system here that has no types. */
type ReadTyped = (folder: Buffer) => FolderEntry[];

const readTyped: ReadTyped = (folder) => readdirSync(folder, { withFileTypes: true, encoding: 'latin1' });

/**
 * The entries of a folder in the order of their paths by bytes (a folder's name counts with its slash, because that is
 * what follows it), or null where it cannot be read.
 *
 * @param path binary string
 */
export function entriesIn(path: string, read: ReadTyped = readTyped): readonly FolderEntry[] | null {
  let entries: FolderEntry[] | null;
  try {
    entries = read(bytesOf(path));
  } catch {
    // Either it cannot be read at all, or its file system tells no types: Node would look each entry up by a name
    // decoded as UTF-8, and throws.
    entries = entriesLookedUp(path);
  }
  return entries === null ? null : inWalkOrder(entries);
}

export function kindOf(entry: FolderEntry): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry instanceof LookedUp && entry.stats === null ? 'unreadable' : 'other';
}

class LookedUp implements FolderEntry {
  readonly name: string;
  /** Null: it may not be looked at. */
  readonly stats: Stats | null;

  constructor(name: string, stats: Stats | null) {
    this.name = name;
    this.stats = stats;
  }

  isFile(): boolean {
    return this.stats?.isFile() ?? false;
  }

  isDirectory(): boolean {
    return this.stats?.isDirectory() ?? false;
  }

  isSymbolicLink(): boolean {
    return this.stats?.isSymbolicLink() ?? false;
  }
}

function entriesLookedUp(path: string): FolderEntry[] | null {
  let names: string[];
  try {
    names = readdirSync(bytesOf(path), 'latin1');
  } catch {
    return null;
  }
  const entries: FolderEntry[] = [];
  for (const name of names) {
    try {
      const stats = lstatSync(bytesOf(joinPath(path, name)), { throwIfNoEntry: false });
      // Gone since readdir: it is not part of the inputs.
      if (stats !== undefined) entries.push(new LookedUp(name, stats));
    } catch {
      entries.push(new LookedUp(name, null));
    }
  }
  return entries;
}

/** Node gives names in the order of their bytes, so there is hardly anything to do; but it does not promise that. */
function inWalkOrder(entries: FolderEntry[]): FolderEntry[] {
  const key = (entry: FolderEntry): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
  const sorted = entries.every((entry, i) => i === 0 || key(entries[i - 1]!) <= key(entry));
  return sorted ? entries : entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The empty file that marks a folder of ours before it has a manifest. */
const MARKER_FILE = '.mr-minhash';
const MANIFEST_FILE = 'manifest.json';
const TOOL_NAME = 'mr-minhash';

/**
 * Ours names a few dozen values and the output files; a larger one is part of a corpus and not worth parsing.
 */
const MANIFEST_LIMIT = 16 << 20;

interface TreeVisitor {
  /** A regular file by its relative folder (empty: the top) and its name. */
  file(folder: string, name: string): void;
  /** A symbolic link, wherever it leads; it is not followed. */
  link(folder: string, name: string): void;
  /** A place that cannot be walked or is no regular file. */
  skip(relative: string, code: ErrorCode, directory: boolean): void;
  /** What is passed over without being looked into. */
  leftOut?(relative: string, why: LeftOutKind): void;
}

/** `hidden`: a name with a leading dot. `result`: a folder that holds a result of ours, and not the output folder. */
type LeftOutKind = 'hidden' | 'result';

/** The real path of a path (both binary strings), or null where there is none. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(bytesOf(path), { encoding: 'latin1' });
  } catch {
    return null;
  }
}

/** Whether `path` is `folder` or lies below it; both real paths. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/**
 * Whether a folder holds a result of ours, finished or not: a marker file or a manifest that names this tool. A folder that cannot be
 * read holds none.
 */
export function holdsResult(folder: string): boolean {
  return namesUs(joinPath(folder, MARKER_FILE)) || namesUs(joinPath(folder, MANIFEST_FILE));
}

/** Whether a JSON file says that this tool made it. */
function namesUs(path: string): boolean {
  const stats = statOf(path);
  if (!stats?.isFile() || stats.size > MANIFEST_LIMIT) return false;
  try {
    const value: unknown = JSON.parse(readFileSync(bytesOf(path), 'utf8'));
    return typeof value === 'object' && value !== null && (value as { tool?: unknown }).tool === TOOL_NAME;
  } catch {
    return false;
  }
}

/** Entries that are visited in a step: one is no more than a row of a table. */
const VISITED_A_STEP = 256;

/** A folder on the way from the top to where the walk is. */
interface Level {
  readonly folder: string;
  readonly entries: readonly FolderEntry[];
  next: number;
}

/**
 * Visits the files of a tree, in the order of their relative paths by bytes. Not walked: hidden entries (leading dot),
 * the output folder, and folders that hold a result of ours. Links are told and not followed, so no circle can arise.
 *
 * @param top real path of the folder, binary string
 * @param output real path of the output folder, or null where it does not exist yet
 */
export function* walkTree(top: string, output: string | null, visitor: TreeVisitor): Stepwise<void> {
  const levels: Level[] = [];
  enterFolder(top, '', levels, output, visitor);
  for (let visited = 1; levels.length > 0; visited++) {
    if (visited % VISITED_A_STEP === 0) yield;
    const level = levels.at(-1)!;
    const { folder } = level;
    if (level.next === level.entries.length) {
      levels.pop();
      continue;
    }
    const entry = level.entries[level.next++]!;
    const { name } = entry;
    if (name.startsWith('.')) {
      visitor.leftOut?.(joinPath(folder, name), 'hidden');
      continue;
    }
    const kind = kindOf(entry);
    if (kind === 'file') visitor.file(folder, name);
    else if (kind === 'folder') enterFolder(top, joinPath(folder, name), levels, output, visitor);
    else if (kind === 'link') visitor.link(folder, name);
    else visitor.skip(joinPath(folder, name), kind === 'other' ? 'NOT_A_FILE' : 'UNREADABLE', false);
  }
}

function enterFolder(
  top: string,
  folder: string,
  levels: Level[],
  output: string | null,
  visitor: TreeVisitor,
): void {
  const path = joinPath(top, folder);
  if (path === output) return;
  const entries = entriesIn(path);
  if (entries === null) visitor.skip(folder, 'UNREADABLE', true);
  else if (entries.some(({ name }) => isMark(name)) && holdsResult(path)) {
    visitor.leftOut?.(folder, 'result');
  } else levels.push({ folder, entries, next: 0 });
}

function isMark(name: string): boolean {
  return name === MARKER_FILE || name === MANIFEST_FILE;
}

/** What `path` leads to, or null where that cannot be told. */
export function statOf(path: string): Stats | null {
  try {
    return statSync(bytesOf(path), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/*
 * Symbolic links below the PATHs: they are no documents, and counted by where they lead.
 *
 * A link and its target as two documents would be a pair of identical ones, and who drops the target has two names for
 * nothing left.
 */
