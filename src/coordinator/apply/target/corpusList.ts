/**
 * Names and sizes of the files of a corpus that is written: by them apply knows what in a folder is its own.
 *
 *      SIZE <tab> NAME <NUL>      a file each, NAME below the folder; in the order of a walk that goes by names
 */
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { guardWrite } from '../../../store/files.js';

/** A file, or what stands where files stand; names are binary strings. */
interface Entry {
  readonly name: string;
  /** Bytes; EMPTY_FOLDER, NO_FILE. */
  readonly size: number;
}

const EMPTY_FOLDER = -1;
const NO_FILE = -2;
/** Differences that are named; more are counted. */
const MOST_NAMED = 3;
/** Characters of a list that are written at a time. */
const PART = 1 << 16;

/** What stands below a folder, of the names in it that are given. */
function* entriesBelow(folder: string, names: readonly string[], above = ''): Generator<Entry> {
  for (const own of [...names].sort()) {
    const name = above + own;
    const path = bytesOf(`${folder}/${name}`);
    const stats = lstatSync(path);
    if (stats.isDirectory()) {
      const inner = readdirSync(path, 'latin1');
      if (inner.length === 0) yield { name: `${name}/`, size: EMPTY_FOLDER };
      else yield* entriesBelow(folder, inner, `${name}/`);
    } else yield { name, size: stats.isFile() ? stats.size : NO_FILE };
  }
}

function* entriesOf(list: string): Generator<Entry> {
  for (let at = 0; at < list.length; ) {
    const tab = list.indexOf('\t', at);
    const end = list.indexOf('\0', tab);
    if (tab < 0 || end < 0) return;
    yield { name: list.slice(tab + 1, end), size: Number(list.slice(at, tab)) };
    at = end + 1;
  }
}

/** A list as it was written; empty: there is none. */
export function readList(path: string): string {
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}

/** The list of all below a folder (a binary string), in parts; folders without a file go. */
export function* listBelow(folder: string): Generator<Uint8Array> {
  let text = '';
  for (const { name, size } of entriesBelow(folder, readdirSync(bytesOf(folder), 'latin1'))) {
    if (size === EMPTY_FOLDER) {
      removeFolders(folder, name);
      continue;
    }
    text += `${size}\t${name}\0`;
    if (text.length < PART) continue;
    yield Buffer.from(text, 'latin1');
    text = '';
  }
  yield Buffer.from(text, 'latin1');
}

/** The place of a name in a walk: what is in a folder stands before what has a longer name than the folder. */
function orderOf(name: string): string {
  return name.replaceAll('/', '\0');
}

/**
 * In what a folder differs from a list, in words; null: in nothing.
 *
 * @param folder binary string
 * @param names of what is looked at in it
 * @param isPart some of the files may be missing, and folders may be empty: they were being moved or removed
 */
export function differencesFrom(
  list: string,
  folder: string,
  names: readonly string[],
  isPart: boolean,
): string | null {
  const named: string[] = [];
  let count = 0;
  const tell = (name: string, what: string): void => {
    if (++count <= MOST_NAMED) named.push(`${JSON.stringify(textOf(name))} ${what}`);
  };
  const expected = entriesOf(list);
  let due = expected.next();
  const passMissing = (until: string | null): void => {
    for (; !due.done && (until === null || orderOf(due.value.name) < until); due = expected.next())
      if (!isPart) tell(due.value.name, 'is gone');
  };
  for (const { name, size } of entriesBelow(folder, names)) {
    passMissing(orderOf(name));
    if (!due.done && due.value.name === name) {
      if (size === NO_FILE) tell(name, 'is no file any more');
      else if (size !== due.value.size) tell(name, `has ${size} bytes, not ${due.value.size}`);
      due = expected.next();
    } else if (size !== EMPTY_FOLDER || !isPart) tell(name, 'is not of apply');
  }
  passMissing(null);
  if (count === 0) return null;
  return named.join(', ') + (count > named.length ? `, and ${count - named.length} more` : '');
}

/** Removes the files of a list from a folder, and folders that are empty then. Nothing else goes. @throws MinHashError WRITE_FAILED */
export function removeListed(list: string, folder: string): void {
  let last = '';
  for (const { name } of entriesOf(list)) {
    guardWrite(textOf(name), () => rmSync(bytesOf(`${folder}/${name}`), { force: true }));
    const above = name.slice(0, name.lastIndexOf('/') + 1);
    if (above === last) continue;
    removeFolders(folder, last);
    last = above;
  }
  removeFolders(folder, last);
}

/** Removes folders from the innermost outwards, as far as they are empty. */
function removeFolders(folder: string, name: string): void {
  for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
    try {
      rmdirSync(bytesOf(`${folder}/${name.slice(0, end)}`));
    } catch {
      // Something is in it still, or it is gone.
      if (existsSync(bytesOf(`${folder}/${name.slice(0, end)}`))) return;
    }
  }
}
