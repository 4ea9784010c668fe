/**
 * The folder of a cleaned corpus. It has only the corpus, and is separate from inputs and results.
 *
 * A hidden file beside it has a digest of the names, sizes and times of its files. `--force` replaces a folder only if
 * this digest shows that apply wrote everything in it.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { MinHashError, type Problem } from '../../errors.js';
import { binaryOf, bytesOf, textOf } from '../../readers/list/pathIds.js';
import { isWithin, realPathOf } from '../../readers/list/walk.js';
import { folderProblems, type NewFolder, takeFolder, targetOf } from '../../result/folder.js';
import { NODE_FILES } from '../../store/fileSystem.js';
import { guardWrite, systemCodeOf, writeErrorOf, writeFileAtomic } from '../../store/files.js';
import { whyNotOurs } from '../../store/ownership.js';
import { MOST_NOTE, readPlainFile } from '../../store/plainFile.js';

/** Locations that must not contain the corpus, nor be inside it. */
interface ClosedPlaces {
  /** Real paths of inputs: binary strings. */
  readonly inputs: readonly string[];
  /** Folders of results, as typed. */
  readonly results: readonly string[];
}

/** The reasons against writing a corpus to `to`; empty if there are none. Changes nothing. */
export function corpusProblems(to: string, closed: ClosedPlaces, force: boolean): Problem[] {
  const detail = to === '-' ? '"-": expected the path of a folder' : whyClosed(to, closed);
  if (detail !== null) return [{ code: 'TARGET_REFUSED', detail }];
  return folderProblems(to, { force, whyForeign: foreignInCorpus(to) }).map((problem) => ({
    ...problem,
    ...(REMEDIES[problem.code] !== undefined && { remedy: REMEDIES[problem.code]! }),
  }));
}

/** Remedies that refer to the option of apply. */
const REMEDIES: Readonly<Partial<Record<string, string>>> = {
  OUTPUT_EXISTS: 'choose another folder, or replace the corpus there with --force',
  OUTPUT_FOREIGN: 'choose another folder: --force replaces only what apply wrote',
  OUTPUT_UNWRITABLE: 'check the path and its permissions, or choose another folder',
};

function whyClosed(to: string, { inputs, results }: ClosedPlaces): string | null {
  if (to === '' || to.includes('\0')) return null;
  const real = realPlaceOf(to);
  const about = (what: string, path: string): string | null => {
    if (isWithin(path, real)) return `${to} is, or is inside, ${what} ${textOf(path)}`;
    return isWithin(real, path) ? `${what} ${textOf(path)} is inside ${to}` : null;
  };
  for (const input of inputs) {
    const why = about('the input', input.replace(/(.)\/$/, '$1'));
    if (why !== null) return why;
  }
  for (const result of results) {
    const why = about('the result', realPlaceOf(result));
    if (why !== null) return why;
  }
  return null;
}

/** The PATH of an output, with links resolved as far as it exists; binary string. */
function realPlaceOf(path: string): string {
  const absolute = binaryOf(resolve(path));
  for (let at = absolute.length; at > 0; at = absolute.lastIndexOf('/', at - 1)) {
    const real = realPathOf(absolute.slice(0, at));
    if (real !== null) return real === '/' ? absolute.slice(at) : real + absolute.slice(at);
  }
  return absolute;
}

/** The file with the digest of a corpus. */
function recordOf(to: string): string {
  const target = targetOf(to);
  return join(dirname(target), `.${basename(target)}.mr-minhash-corpus`);
}

/** The digest of a corpus; while it is replaced, also the digest of the new one. */
function digestsIn(bytes: Uint8Array): string[] {
  const digests = Buffer.from(bytes).toString().trim().split('\n');
  return digests.length > 2 ? [] : digests;
}

function foreignInCorpus(to: string): (folder: string) => string | null {
  return (folder) => {
    const record = recordOf(to);
    const { bytes } = readPlainFile(record, MOST_NOTE);
    if (bytes === null) return 'was not written by apply';
    const other = whyNotOurs(record);
    if (other !== null) return `may not be a corpus that you wrote: ${other}`;
    if (digestsIn(bytes).includes(corpusDigest(folder))) return null;
    return 'was changed after apply wrote it: move your own files elsewhere, or delete the folder';
  };
}

/** A hash of the names, sizes and times of all files below a folder. Links are not followed. */
function corpusDigest(folder: string): string {
  const hash = createHash('sha256');
  const visit = (path: string, name: string): void => {
    for (const own of readdirSync(bytesOf(path), 'latin1').sort()) {
      const stats = lstatSync(bytesOf(`${path}/${own}`));
      if (stats.isDirectory()) visit(`${path}/${own}`, `${name}${own}/`);
      // Programs cannot set ctime, so it shows any change. It is ignored for files with several names, because each new
      // link changes it.
      const changed = stats.nlink > 1 ? 0 : stats.ctimeMs;
      const times = stats.isDirectory() ? [] : [stats.size, stats.mtimeMs, changed];
      hash.update(`${stats.isFile()} ${times.join(' ')} ${name}${own}\0`, 'latin1');
    }
  };
  visit(binaryOf(folder), '');
  return hash.digest('hex');
}

/** A folder for a corpus. Call `release` in any case, after all files are written. */
export interface CorpusFolder extends Pick<NewFolder, 'work' | 'release'> {
  /** The path to write a file at; creates its folders. Binary strings. */
  placeOf(id: string): string;
  /**
   * Renames the corpus to its final name. @throws MinHashError OUTPUT_LOCKED, OUTPUT_FOREIGN, WRITE_FAILED, DISK_FULL
   */
  finish(): Promise<void>;
}

/** @throws MinHashError TARGET_REFUSED, OUTPUT_LOCKED, OUTPUT_EXISTS, OUTPUT_FOREIGN, OUTPUT_UNWRITABLE, WRITE_FAILED, DISK_FULL */
export function takeCorpusFolder(to: string, force: boolean): CorpusFolder {
  const folder = takeFolder(to, { force, whyForeign: foreignInCorpus(to) });
  const root = binaryOf(folder.path);
  /** Binary strings. */
  const folders = new Set<string>([root]);
  const makeFolder = (path: string): void => {
    if (folders.has(path)) return;
    try {
      mkdirSync(bytesOf(path));
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === 'ENOENT') {
        makeFolder(path.slice(0, path.lastIndexOf('/')));
        mkdirSync(bytesOf(path));
      } else if (code !== 'EEXIST') throw error;
    }
    folders.add(path);
  };
  return {
    work: folder.work,
    release: (keepWork) => folder.release(keepWork),
    placeOf(id) {
      const path = `${root}/${id}`;
      guardWrite(textOf(id), () => makeFolder(path.slice(0, path.lastIndexOf('/'))));
      return path;
    },
    async finish() {
      removeEmptyFolders(root, '');
      await syncTree(root);
      const record = recordOf(to);
      const note = (digests: readonly string[]): void => {
        const text = digests.map((digest) => `${digest}\n`).join('');
        writeFileAtomic(dirname(record), basename(record), [Buffer.from(text)]);
      };
      // Files keep their times when their folder is renamed.
      const digest = corpusDigest(folder.path);
      // A kill leaves the earlier corpus or the new one: the record is of both until the new one has its name.
      const isReplaced = lstatSync(targetOf(to), { throwIfNoEntry: false }) !== undefined;
      note(
        isReplaced && foreignInCorpus(to)(targetOf(to)) === null
          ? [corpusDigest(targetOf(to)), digest]
          : [digest],
      );
      folder.finish();
      note([digest]);
    },
  };
}

/** @throws MinHashError with the problems of `corpusProblems` */
export function refuseCorpusFolder(to: string, closed: ClosedPlaces, force: boolean): void {
  const problems = corpusProblems(to, closed, force);
  if (problems.length > 0) throw new MinHashError(problems);
}
/** Removes the empty folders of a file that was not written. */
function removeEmptyFolders(folder: string, name: string): void {
  for (const entry of readdirSync(bytesOf(folder + name), { withFileTypes: true, encoding: 'latin1' }))
    if (entry.isDirectory()) removeEmptyFolders(folder, `${name}/${entry.name}`);
  if (name !== '' && readdirSync(bytesOf(folder + name)).length === 0)
    guardWrite(textOf(name), () => rmdirSync(bytesOf(folder + name)));
}
/**
 * Syncs all files and folders below a folder to disk: by one call for the file system if the program `sync` supports it
 * (Linux), otherwise one by one.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL
 */
async function syncTree(path: string): Promise<void> {
  if (await syncedAtOnce(path)) return;
  const files: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(bytesOf(folder), { withFileTypes: true, encoding: 'latin1' })) {
      if (entry.isDirectory()) visit(`${folder}/${entry.name}`);
      else files.push(`${folder}/${entry.name}`);
    }
    NODE_FILES.syncFolder(bytesOf(folder));
  };
  visit(path);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < files.length) await synced(files[next++]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const AT_ONCE = 4;

function syncedAtOnce(path: string): Promise<boolean> {
  // Arguments of a command are text.
  const name = textOf(path);
  if (process.platform !== 'linux' || !bytesOf(path).equals(Buffer.from(name))) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn('sync', ['-f', name], { stdio: 'ignore' });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}

async function synced(path: string): Promise<void> {
  const descriptor = openSync(bytesOf(path), 'r');
  try {
    await NODE_FILES.syncLater(descriptor);
  } catch (error) {
    throw writeErrorOf(error, textOf(path));
  } finally {
    closeSync(descriptor);
  }
}
