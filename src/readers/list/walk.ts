/**
 * The walk: every regular file below a folder.
 *
 * The recursive readdir of Node is ten times slower, decodes names as UTF-8, and handles no signal for seconds in a large folder. The type
 * of an entry comes with its name, so that no file is looked up.
 */
import {
  type Dir,
  lstatSync,
  opendirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { MinHashError } from '../../errors.js';
import type { LoopTurns } from '../../store/turns.js';
import { bytesOf, joinPath } from './pathIds.js';

/** Why an entry is not read: a symbolic link, not a regular file, or access is denied. */
type OtherKind = 'link' | 'NOT_A_FILE' | 'UNREADABLE';

/** The entries of one folder. Names are binary strings, and the only object per file. */
interface Entries {
  /** In the order of their paths by bytes: a folder's name has its slash, which follows the name in paths. */
  readonly names: readonly string[];
  /** Entries that are not regular files or folders. */
  readonly others: ReadonlyMap<string, OtherKind>;
}

/** The common methods of Dirent and Stats. */
interface Typed {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** A Dirent as Node gives it. */
interface FolderEntry extends Typed {
  readonly name: string;
}

/** Reads names with their types, in parts; tests replace the file system. */
type ReadTyped = (folder: Buffer) => Iterable<readonly FolderEntry[]>;

/** Entries that are read, or visited, between two turns of the event loop. */
const PART = 4096;

/** Entries that Node reads at once: it takes them from the front of an array, which costs more the longer the array is. */
const AT_ONCE = 64;

function* readTyped(folder: Buffer): Generator<readonly FolderEntry[]> {
  const open = opendirSync(folder, { encoding: 'latin1', bufferSize: AT_ONCE });
  try {
    for (let part = nextPart(open); part.length > 0; part = nextPart(open)) yield part;
  } finally {
    open.closeSync();
  }
}

function nextPart(open: Dir): FolderEntry[] {
  const part: FolderEntry[] = [];
  for (let entry = open.readSync(); entry !== null; entry = part.length === PART ? null : open.readSync())
    part.push(entry);
  return part;
}

/** The entries of a folder; null: it cannot be read. `path`: binary string */
export async function entriesIn(
  path: string,
  turns: LoopTurns,
  read: ReadTyped = readTyped,
): Promise<Entries | null> {
  const names: string[] = [];
  const others = new Map<string, OtherKind>();
  const add = (name: string, type: Typed | null): void => {
    const isFolder = type?.isDirectory() === true;
    names.push(isFolder ? `${name}/` : name);
    if (isFolder || type?.isFile() === true) return;
    others.set(name, type === null ? 'UNREADABLE' : type.isSymbolicLink() ? 'link' : 'NOT_A_FILE');
  };
  try {
    for (const part of read(bytesOf(path))) {
      for (const entry of part) add(entry.name, entry);
      await turns.give();
    }
  } catch (error) {
    if (error instanceof MinHashError) throw error;
    // Either it cannot be read at all, or its file system has no types: then Node looks each entry up by a name decoded as
    // UTF-8, and throws.
    names.length = 0;
    others.clear();
    if (!(await lookUpEntries(path, add, turns))) return null;
  }
  return { names: names.sort(), others };
}

/** Returns false if the folder cannot be read. */
async function lookUpEntries(
  path: string,
  add: (name: string, type: Typed | null) => void,
  turns: LoopTurns,
): Promise<boolean> {
  let names: string[];
  try {
    names = readdirSync(bytesOf(path), 'latin1');
  } catch {
    return false;
  }
  for (const name of names) {
    await turns.give();
    try {
      const stats = lstatSync(bytesOf(joinPath(path, name)), { throwIfNoEntry: false });
      // Gone since readdir: it is not part of the inputs.
      if (stats !== undefined) add(name, stats);
    } catch {
      add(name, null);
    }
  }
  return true;
}

const MANIFEST_FILE = 'manifest.json';
const TOOL_NAME = 'mr-minhash';

/**
 * A manifest of ours has a few dozen values and the output files; a larger file is part of a corpus.
 */
const MANIFEST_LIMIT = 16 << 20;

/** The real path of a path (both binary strings); null: it does not exist. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(bytesOf(path), { encoding: 'latin1' });
  } catch {
    return null;
  }
}

/** Whether `path` is `folder` or below it; both real paths. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Whether a folder holds a result of ours: its manifest has the name of this tool. */
export function holdsResult(folder: string): boolean {
  return manifestIn(folder)?.tool === TOOL_NAME;
}

/**
 * Whether a file is the text of an index (src/index/format.ts), by which a run lists an index as its reference: not a result, although it
 * has a manifest.
 */
export function isOfIndex(path: string): boolean {
  return path.endsWith('/about.txt') && manifestIn(path.slice(0, path.lastIndexOf('/')))?.kind === 'index';
}

/** The manifest of a folder, unchecked; null: it has none. */
function manifestIn(folder: string): { readonly tool?: unknown; readonly kind?: unknown } | null {
  const path = joinPath(folder, MANIFEST_FILE);
  const stats = statOf(path);
  if (!stats?.isFile() || stats.size > MANIFEST_LIMIT) return null;
  try {
    const value: unknown = JSON.parse(readFileSync(bytesOf(path), 'utf8'));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Entries of a folder that come one after another and are not walked; or a folder that is not walked: it is unreadable, or a result of ours. */
type WalkStep =
  | { readonly folder: string; readonly names: readonly string[]; readonly others: Entries['others'] }
  | { readonly folder: string; readonly isResult: boolean };

/**
 * Walks a tree in the order of relative paths by bytes. Not walked: hidden folders (leading dot), the output folder, and folders that hold
 * a result of ours. Links are not followed, so no circle can arise.
 *
 * @param top real path of the folder, binary string; folders are relative to it (empty: the top)
 * @param output real path of the output folder, or null if it does not exist yet
 */
export async function* walkTree(
  top: string,
  output: string | null,
  turns: LoopTurns,
): AsyncGenerator<WalkStep, void> {
  const levels: { readonly folder: string; readonly entries: Entries; next: number }[] = [];
  for (let below: string | null = ''; ; await turns.give()) {
    const path: string | null = below === null ? null : joinPath(top, below);
    if (path !== null && path !== output) {
      const entries = await entriesIn(path, turns);
      if (entries === null) yield { folder: below!, isResult: false };
      else if (entries.names.includes(MANIFEST_FILE) && holdsResult(path))
        yield { folder: below!, isResult: true };
      else levels.push({ folder: below!, entries, next: 0 });
    }
    const level = levels.at(-1);
    if (level === undefined) return;
    const { folder, entries, next: from } = level;
    const { names, others } = entries;
    const end = Math.min(names.length, from + PART);
    while (level.next < end && !isWalked(names[level.next]!)) level.next++;
    if (level.next > from) yield { folder, names: names.slice(from, level.next), others };
    const isAtFolder = level.next < end;
    below = isAtFolder ? joinPath(folder, names[level.next++]!.slice(0, -1)) : null;
    if (!isAtFolder && level.next === names.length) levels.pop();
  }
}

const isWalked = (name: string): boolean => name.endsWith('/') && !name.startsWith('.');

/** The target of `path`; null: it cannot be looked up. */
export function statOf(path: string): Stats | null {
  try {
    return statSync(bytesOf(path), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
