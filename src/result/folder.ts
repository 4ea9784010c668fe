/**
 * A folder that is complete or absent: a result, a cleaned corpus or an index is written beside its location and renamed once.
 *
 *      PARENT/NAME/                      the folder
 *      PARENT/.NAME.mr-minhash-new/      while the folder is written; creating this one is the lock
 *          writer                       the host and process that write
 *          files/                       becomes NAME by one rename, when all of it is on disk
 *          .work/                       data of a run beyond memory; `resume` continues with it
 *          old/                         the previous NAME, between the two renames of a replacement
 *
 * Nothing outside these two folders is changed, no link in them is followed, and NAME is replaced only if it is ours.
 */

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { MinHashError, type Problem } from '../errors.js';
import { type FileSystem, NODE_FILES } from '../store/fileSystem.js';
import { guardWrite, makeFolders, plainCauseOf, quietly, systemCodeOf } from '../store/files.js';
import { whyNotOurs } from '../store/ownership.js';
import { isObject, MOST_DOCUMENT, MOST_NOTE, parsePlainJson, readPlainFile } from '../store/plainFile.js';
import {
  entriesIn,
  isOwnName,
  isPartFolder,
  MANIFEST_NAME,
  PART_FOLDERS,
  SUCCESS_NAME,
} from './fileNames.js';
import { TOOL } from './manifest.js';

const FILES = 'files';
const OLD = 'old';
const WORK = '.work';
const WRITER = 'writer';

/** How a folder is taken. */
export interface FolderUse {
  /** Replaces an earlier folder of ours, and takes over a lock of a process on another host, which may have ended. */
  readonly force: boolean;
  /** Why a folder that is not empty must not be replaced, as words after its name; null if we wrote everything in it. */
  readonly whyForeign: (folder: string) => string | null;
  /** Keeps `.work` of a run that was killed. */
  readonly resume?: boolean;
}

/** The paths of a folder. */
interface FolderPaths {
  readonly target: string;
  readonly hidden: string;
}

const statOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });
const isEmpty = (folder: string): boolean => readdirSync(folder).length === 0;

/** A link that the user typed is followed: its folder is replaced, the link is kept. */
function pathsOf(path: string): FolderPaths {
  const absolute = resolve(path);
  const isLink = statOf(absolute)?.isSymbolicLink() && statSync(absolute, { throwIfNoEntry: false });
  const target = isLink ? realpathSync(absolute) : absolute;
  return { target, hidden: join(dirname(target), `.${basename(target)}.mr-minhash-new`) };
}

/** The hidden folder in which a folder is written. */
export function hiddenFolderOf(path: string): string {
  return pathsOf(path).hidden;
}

/** Whether a run into `path` left work files that a later one can resume. */
export function hasWork(path: string): boolean {
  return statOf(join(hiddenFolderOf(path), WORK))?.isDirectory() === true;
}

/** The location of a folder: absolute, a link followed. */
export function targetOf(path: string): string {
  return pathsOf(path).target;
}

/** The reasons why no folder can be written at `path`; empty if there are none. Changes nothing. */
export function folderProblems(path: string, use: FolderUse): Problem[] {
  return problemsOf(path, use, null);
}

function problemsOf(path: string, { force, whyForeign }: FolderUse, own: string | null): Problem[] {
  const unwritable = (detail: string): Problem[] => [{ code: 'OUTPUT_UNWRITABLE', detail }];
  if (path === '') return unwritable('its path is empty');
  if (path.includes('\0')) return unwritable(`${JSON.stringify(path)}: it has a NUL character`);
  try {
    const { target, hidden } = pathsOf(path);
    const why = whyNoFolder(target);
    if (why !== null) return unwritable(why);
    const locked = own === null ? whyLocked(hidden, force) : null;
    if (locked !== null) return [{ code: 'OUTPUT_LOCKED', detail: locked }];
    if (statOf(target) === undefined || isEmpty(target)) return [];
    const foreign = whyForeign(target);
    if (foreign !== null) return [{ code: 'OUTPUT_FOREIGN', detail: `${target} ${foreign}` }];
    return force ? [] : [{ code: 'OUTPUT_EXISTS', detail: target }];
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return unwritable(`${JSON.stringify(path)}: ${plainCauseOf(code)}`);
  }
}

/** Why no folder can be renamed to `target`, for any contents of it, or null. */
function whyNoFolder(target: string): string | null {
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined && statOf(target) !== undefined) return `${target} is a broken link`;
  let above = dirname(target);
  while (statSync(above, { throwIfNoEntry: false }) === undefined) above = dirname(above);
  if (!statSync(above).isDirectory()) return `${above} is not a folder`;
  accessSync(above, constants.W_OK | constants.X_OK);
  if (stats === undefined) return null;
  if (!stats.isDirectory()) return `${target} is a file`;
  accessSync(target, constants.R_OK | constants.W_OK | constants.X_OK);
  const unmovable = (what: string): string =>
    `${target} is ${what}, which cannot be replaced: choose a folder in it`;
  if (statSync(dirname(target)).dev !== stats.dev) return unmovable('a mount point');
  if (target === dirname(target)) return unmovable('the root folder');
  return target === realpathSync('.') ? unmovable('the current folder') : null;
}

/** The process that writes a folder. */
interface Writer {
  readonly host: string;
  readonly process: number;
  /** When the process started, in units of its system; null if unknown. It distinguishes a process from a later one with the same number. */
  readonly start: string | null;
  readonly run: string;
}

/** State and start of a process, as Linux reports them; null on other systems, or if there is no such process. */
function processOf(pid: number): { readonly state: string; readonly start: string | null } | null {
  try {
    // Fields 3 and 22. The program name before them may have blanks and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
    return { state: fields[0]!, start: fields[19] ?? null };
  } catch {
    return null;
  }
}

const startOf = (pid: number): string | null => processOf(pid)?.start ?? null;

/** States of a process that has ended, but whose parent did not ask for its exit code: zombie, dead. */
const ENDED_STATES = ['Z', 'X'];

/** The process that writes a folder. If it was killed before it renamed its file, that has the temporary name. */
function writerIn(hidden: string): Writer | null {
  const writer = writerAt(join(hidden, WRITER));
  if (writer !== null || !statOf(hidden)?.isDirectory()) return writer;
  const begun = readdirSync(hidden).find((name) => name.startsWith(`${WRITER}.`));
  return begun === undefined ? null : writerAt(join(hidden, begun));
}

function writerAt(path: string): Writer | null {
  const { bytes } = readPlainFile(path, MOST_NOTE);
  const value = bytes === null ? undefined : parsePlainJson(bytes);
  if (!isObject(value)) return null;
  const { host, process, start, run } = value;
  if (typeof host !== 'string' || typeof process !== 'number' || typeof run !== 'string') return null;
  return { host, process, start: typeof start === 'string' ? start : null, run };
}

/** Runs that this process holds. */
const ownRuns = new Set<string>();

function isAlive({ process: pid, start, run }: Writer): boolean {
  if (pid === process.pid && start === startOf(pid)) return ownRuns.has(run);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCodeOf(error) === 'ESRCH') return false;
  }
  const found = processOf(pid);
  if (found !== null && ENDED_STATES.includes(found.state)) return false;
  return start === null || start === (found?.start ?? null);
}

/** A process writes its name into the folder that it makes; an empty one of this age belongs to a process that was killed. */
const ABANDONED_MS = 10_000;

const isAbandoned = (hidden: string, changed: number): boolean =>
  Date.now() - changed > ABANDONED_MS && readdirSync(hidden).length === 0;

/** Why a hidden folder cannot be taken, and what to do, or null. */
function whyLocked(hidden: string, force: boolean): string | null {
  const stats = statOf(hidden);
  if (stats === undefined) return null;
  if (!stats.isDirectory()) return `${hidden} is not a folder of mr-minhash: remove it`;
  const foreign = whyNotOurs(hidden, stats);
  if (foreign !== null) return foreign;
  const writer = writerIn(hidden);
  const isHere = writer?.host === hostname();
  if (writer !== null && isHere)
    return isAlive(writer)
      ? `process ${writer.process} is writing there; if it no longer does, end it or remove ${hidden}`
      : null;
  if (force || (writer === null && isAbandoned(hidden, stats.mtimeMs))) return null;
  const who = writer === null ? 'another run' : `a run on ${JSON.stringify(writer.host)}`;
  return `${who} is writing there, or was killed: remove ${hidden}, or use --force`;
}

/** The right to write beside a location, held until `release`. */
export class FolderLock {
  readonly hidden: string;
  readonly #run = randomBytes(8).toString('hex');

  /** @throws MinHashError OUTPUT_LOCKED, WRITE_FAILED, DISK_FULL */
  constructor(path: string, force: boolean) {
    const { hidden } = pathsOf(path);
    this.hidden = hidden;
    guardWrite(hidden, () => this.#take(force));
  }

  #take(force: boolean): void {
    const { hidden } = this;
    try {
      mkdirSync(hidden, 0o755);
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      this.#takeOver(force);
    }
    ownRuns.add(this.#run);
    const start = startOf(process.pid);
    const writer: Writer = { host: hostname(), process: process.pid, start, run: this.#run };
    const temporary = join(hidden, `${WRITER}.${this.#run}`);
    writeFileSync(temporary, JSON.stringify(writer), { flag: 'wx', mode: 0o644 });
    NODE_FILES.rename(temporary, join(hidden, WRITER));
  }

  /** If several processes find the same dead writer, the one that creates this file continues. */
  #takeOver(force: boolean): void {
    const dead = writerIn(this.hidden);
    let why = whyLocked(this.hidden, force);
    if (why === null) {
      try {
        const after = dead === null ? 'none' : dead.run.replace(/\W/g, '');
        writeFileSync(join(this.hidden, `after.${after}`), '', { flag: 'wx' });
      } catch (error) {
        if (systemCodeOf(error) !== 'EEXIST' || !force) why = `another run is taking over ${this.hidden}`;
      }
      if (writerIn(this.hidden)?.run !== dead?.run) why = `another run took over ${this.hidden}`;
    }
    if (why !== null) throw new MinHashError({ code: 'OUTPUT_LOCKED', detail: why });
  }

  /** Whether the lock is still ours: a run on another host may have taken it by force. */
  get isOurs(): boolean {
    return ownRuns.has(this.#run) && writerIn(this.hidden)?.run === this.#run;
  }

  /** Removes the hidden folder, except the entry `kept`. Never throws, can be called twice. */
  release(system = NODE_FILES, kept: string | null = null): void {
    quietly(() => {
      if (!this.isOurs) return;
      const others = readdirSync(this.hidden).filter((name) => name !== WRITER && name !== kept);
      for (const name of others) system.removeFolder(join(this.hidden, name));
      // A later run reads in this file that its process has ended.
      if (kept === null || statOf(join(this.hidden, kept)) === undefined) system.removeFolder(this.hidden);
    });
    ownRuns.delete(this.#run);
  }
}

/** A folder that is being written. End it with `finish` or `release`, after all tasks that write into it have ended. */
export interface NewFolder {
  /** Where to write, absolute: an empty folder. */
  readonly path: string;
  /** The folder of work files; it may not exist yet. */
  readonly work: string;
  /**
   * Gives the folder its name. All its files are on disk then.
   *
   * @throws MinHashError OUTPUT_LOCKED, OUTPUT_FOREIGN, WRITE_FAILED, DISK_FULL: the location is unchanged
   */
  finish(): void;
  /** Removes what was written, except work files that are kept. Never throws, can be called twice and after `finish`. */
  release(keepWork: boolean): void;
}

/**
 * Takes a location for writing.
 *
 * @throws MinHashError OUTPUT_LOCKED, OUTPUT_EXISTS, OUTPUT_FOREIGN, OUTPUT_UNWRITABLE, WRITE_FAILED, DISK_FULL
 */
export function takeFolder(path: string, use: FolderUse, system: FileSystem = NODE_FILES): NewFolder {
  refuse(folderProblems(path, use));
  const { target } = pathsOf(path);
  const lock = guardWrite(target, () => {
    makeFolders(dirname(target));
    return new FolderLock(path, use.force);
  });
  const { hidden } = lock;
  const [files, old, work] = [join(hidden, FILES), join(hidden, OLD), join(hidden, WORK)];
  try {
    guardWrite(target, () => {
      // A run was killed between the two renames.
      if (statOf(old) !== undefined && statOf(target) === undefined) system.rename(old, target);
      for (const name of readdirSync(hidden)) {
        const isWork = name === WORK && use.resume === true && statOf(work)!.isDirectory();
        if (name !== WRITER && !isWork) system.removeFolder(join(hidden, name));
      }
      mkdirSync(files, 0o755);
    });
    refuse(problemsOf(path, use, hidden));
  } catch (error) {
    lock.release(system, use.resume === true ? WORK : null);
    throw error;
  }
  return {
    ...{ path: files, work },
    finish() {
      guardWrite(target, () => system.syncFolder(files));
      if (!lock.isOurs)
        throw new MinHashError({
          code: 'OUTPUT_LOCKED',
          detail: `${hidden}: another run took over this folder`,
        });
      guardWrite(target, () => {
        replace(target, files, old, use, system);
        system.syncFolder(dirname(target));
      });
      lock.release(system);
    },
    release(keepWork) {
      // After a failure during or after the two renames the old folder is kept until a later run.
      lock.release(system, statOf(old) !== undefined ? OLD : keepWork ? WORK : null);
    },
  };
}

/** `whyForeign` of a result: a file name is not ours, or the result is not finished. */
export function foreignInResult(folder: string): string | null {
  for (const { name, entry } of entriesIn(folder)) {
    const isOurs = entry.isDirectory() ? isPartFolder(name) : entry.isFile() && isOwnName(name);
    if (!isOurs) return `has ${JSON.stringify(name)}, which mr-minhash did not write`;
  }
  const manifest = readPlainFile(join(folder, MANIFEST_NAME), MOST_DOCUMENT).bytes;
  const value = manifest === null ? undefined : parsePlainJson(manifest);
  const isOurs = isObject(value) && value.tool === TOOL;
  if (isOurs && statOf(join(folder, SUCCESS_NAME))?.isFile()) return null;
  return `is not a finished result of mr-minhash: it has no ${isOurs ? SUCCESS_NAME : `${MANIFEST_NAME} of mr-minhash`}`;
}

/** The reasons why no result can be written to `out`; empty if there are none. Changes nothing. */
export function resultFolderProblems(out: string, force: boolean): Problem[] {
  return folderProblems(out, { force, whyForeign: foreignInResult });
}

/** Takes a location for a result, with the folders of its parts. @throws MinHashError as takeFolder */
export function takeResultFolder(out: string, force: boolean, resume = false): NewFolder {
  const folder = takeFolder(out, { force, resume, whyForeign: foreignInResult });
  guardWrite(out, () => {
    for (const part of PART_FOLDERS) mkdirSync(join(folder.path, part), 0o755);
  });
  return folder;
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new MinHashError(problems);
}

/** Renames `files` to `target`; the folder at `target` is moved to `old`, and moved back if it must not be replaced. */
function replace(target: string, files: string, old: string, use: FolderUse, system: FileSystem): void {
  if (statOf(target) === undefined) {
    system.rename(files, target);
    return;
  }
  system.rename(target, old);
  try {
    // Checked again, now that nobody can add files any more.
    const why = isEmpty(old) ? null : use.whyForeign(old);
    if (why !== null) throw new MinHashError({ code: 'OUTPUT_FOREIGN', detail: `${target} ${why}` });
    if (!isEmpty(old) && !use.force) throw new MinHashError({ code: 'OUTPUT_EXISTS', detail: target });
    system.rename(files, target);
  } catch (error) {
    system.rename(old, target);
    throw error;
  }
}
