/**
 * What stands in one folder: names with what they are, in the order in which a walk visits them. Floor 2.
 */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { bytesOf, joinPath } from './ids.js';

/** What an entry is. `unreadable`: it is there, but may not be looked at. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other' | 'unreadable';

/** What Dirent and Stats have in common. */
interface Typed {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** A Dirent as Node gives it: there is one for every file, so nothing is made of it. */
export interface FolderEntry extends Typed {
  /** Binary string. */
  readonly name: string;
}

/** How names are read with their types; tests put a file system here that has no types. */
export type ReadTyped = (folder: Buffer) => FolderEntry[];

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
