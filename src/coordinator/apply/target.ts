/**
 * The folder that a cleaned corpus goes to, and a hidden one beside it for all that is no corpus.
 *
 *      PLACE/OUT/                       the corpus and nothing else
 *      PLACE/.OUT.mr-minhash-apply/
 *          .mr-minhash.lock             while an apply runs
 *          files/                       the corpus while it is written
 *          old/                         the corpus that gives its place to it (--force), until it is removed
 *          record                       of the corpus in OUT: what it is; names, sizes and times of its files
 *          next                         the same of `files`, while that takes its place
 *
 * OUT is there as a whole or not at all: `files` becomes OUT by one rename when all is on the disk. A killed apply leaves `files`, which
 * the next one removes before it starts over; where it was killed while OUT was replaced, `old` goes back to its place.
 *
 * A record decides which files may be removed, so it counts only where nobody else can have written it; no name in it is opened. The files
 * in OUT are found by a walk that follows no link, and are removed if the record has all of them, with their sizes and times.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Fault, MinHashError } from '../../errors.js';
import { MANIFEST_NAME } from '../../output/fileNames.js';
import { OutputLock } from '../../output/lock.js';
import { canonicalJson, canonicalJsonBytes, TOOL } from '../../output/manifest.js';
import { isObject, type JsonObject, ownJsonIn } from '../../output/replacement.js';
import { binaryOf, binaryOfBytes, bytesOf, textOf } from '../../readers/list/pathIds.js';
import { isWithin, realPathOf } from '../../readers/list/walk.js';
import type { DecisionRow } from '../../sketch/params.js';
import { NODE_FILES } from '../../store/fileDoor.js';
import {
  guardWrite,
  makeFolders,
  plainCauseOf,
  systemCodeOf,
  writeErrorOf,
  writeFileAtomic,
} from '../../store/files.js';
import { whyNotOurs } from '../../store/ownership.js';
import { VERSION } from '../../store/packageFiles.js';
import { readPlainFile } from '../../store/plainFile.js';
import { type ApplyOptions, modeOf } from './applyOptions.js';

const FILES = 'files';
const OLD = 'old';
const RECORD = 'record';
const NEXT = 'next';

/** A hash of all that decides the corpus to be written. */
export function identityOf(
  folder: string,
  options: ApplyOptions,
  decisions: readonly DecisionRow[] = [],
): string {
  const manifest = createHash('sha256')
    .update(readFileSync(join(folder, MANIFEST_NAME)))
    .digest('hex');
  const { keepEmpty = false, link = false, corpus = null } = options;
  const decided = decisions.length > 0 && { decisions };
  const decisive = { version: VERSION, manifest, mode: modeOf(options), keepEmpty, link, corpus, ...decided };
  return createHash('sha256').update(canonicalJson(decisive)).digest('hex');
}

/** What a caller may do with a folder that exists. */
interface TargetWish {
  readonly force: boolean;
  /** Identity of the drop list and corpus, where it is known: a folder that has this corpus already needs no work. */
  readonly identity?: string;
}

/** Places that a corpus must not be written into, nor around. */
interface ClosedPlaces {
  /** Real paths of inputs: binary strings. */
  readonly inputs: readonly string[];
  /** Folders of results, as given. */
  readonly results: readonly string[];
}

/** Where OUT is, and what belongs to it. */
interface Places {
  readonly target: string;
  /** The folder beside it. */
  readonly work: string;
}

/** A link that the user named is followed: its folder is replaced, not the link. */
function placesOf(out: string): Places {
  const path = resolve(out);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const target =
    isLink && statSync(path, { throwIfNoEntry: false }) !== undefined ? realpathSync(path) : path;
  return { target, work: join(dirname(target), `.${basename(target)}.mr-minhash-apply`) };
}

/** Why a folder cannot take a corpus, as far as its place and its content show; null: it can. Nothing is changed. */
export function whyNoTarget(out: string, { inputs, results }: ClosedPlaces, wish: TargetWish): string | null {
  if (out === '' || out === '-' || out.includes('\0'))
    return `${JSON.stringify(out)}: expected the path of a folder`;
  const real = realPlaceOf(out);
  const about = (what: string, path: string): string | null => {
    const shown = textOf(path);
    if (isWithin(path, real)) return `${out} is or lies in ${what} ${shown}`;
    return isWithin(real, path) ? `${what} ${shown} lies in ${out}` : null;
  };
  for (const input of inputs) {
    const why = about('the input', input.replace(/(.)\/$/, '$1'));
    if (why !== null) return why;
  }
  for (const result of results) {
    const why = about('the result', realPlaceOf(result));
    if (why !== null) return why;
  }
  try {
    return whyNotInside(out, wish) ?? whyUnwritable(dirname(placesOf(out).target));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return `${out}: ${plainCauseOf(code)}`;
  }
}

/** The PATH of an output as far as it exists, links resolved; binary string. */
function realPlaceOf(path: string): string {
  const absolute = binaryOf(resolve(path));
  for (let at = absolute.length; at > 0; at = absolute.lastIndexOf('/', at - 1)) {
    const real = realPathOf(absolute.slice(0, at));
    if (real !== null) return real === '/' ? absolute.slice(at) : real + absolute.slice(at);
  }
  return absolute;
}

/** Whether a folder can be made in `place`, or in the nearest folder above it that exists. */
function whyUnwritable(place: string): string | null {
  let folder = place;
  while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
  if (!statSync(folder).isDirectory()) return `${folder} is no folder`;
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return `${folder}: ${plainCauseOf(code)}`;
  }
}

/** The faults of the folder of --write before a run into `results` begins. */
export function writeFaults(
  write: string,
  closed: ClosedPlaces,
  { force }: { readonly force: boolean },
): Fault[] {
  const detail = whyNoTarget(write, closed, { force });
  return detail === null ? [] : [targetFault(detail)];
}

/** @throws MinHashError TARGET_REFUSED; see whyNoTarget */
export function refuseTarget(out: string, closed: ClosedPlaces, wish: TargetWish): void {
  refuse(whyNoTarget(out, closed, wish));
}

function refuse(detail: string | null): void {
  if (detail !== null) throw new MinHashError(targetFault(detail));
}

/** A detail with one of these marks says itself what to do. */
const OWN_ADVICE = /; (?:move|expected|name|--force) /;

/** @param detail of whyNoTarget */
function targetFault(detail: string): Fault {
  return { code: 'TARGET_REFUSED', detail, ...(OWN_ADVICE.test(detail) && { remedy: '' }) };
}

function whyNotInside(out: string, { force, identity }: TargetWish): string | null {
  const { target, work } = placesOf(out);
  const foreign = isThere(work) ? whyNotOurs(work) : null;
  if (foreign !== null) return `${foreign}; move it elsewhere: apply works there`;
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return isThere(target) ? `${out} is a link to nothing` : null;
  if (!stats.isDirectory()) return `${out} is a file`;
  if (statSync(dirname(target)).dev !== stats.dev) return unmovable(out, 'a mount point');
  if (realPlaceOf(target) === realPlaceOf('.')) return unmovable(out, 'the current folder');
  if (isEmpty(target)) return null;
  const found = corpusIn(target, work);
  if (typeof found === 'string') return `${out} ${found}`;
  if (found.identity === identity || force) return null;
  return `${out} holds a corpus that apply wrote before, of another result or with other flags; --force replaces it`;
}

const unmovable = (out: string, what: string): string =>
  `${out} is ${what}, and the corpus takes its place by a rename; name a folder in it`;

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const isEmpty = (folder: string): boolean => readdirSync(folder).length === 0;

/** The content of a record of a corpus. */
interface Finished {
  readonly identity: unknown;
  readonly report: unknown;
}

/** The corpus that apply left in a folder, by its record; or why there is none. */
function corpusIn(target: string, work: string): Finished | string {
  let why: string | null = null;
  for (const name of [NEXT, RECORD]) {
    const record = new CorpusRecord(join(work, name));
    if (record.finished === null) {
      why ??= record.whyNot;
      continue;
    }
    why = record.differencesOf(target, false);
    if (why === null) return record.finished;
  }
  const left = notAsLeft(why);
  if (left !== null) return left;
  const [first] = readdirSync(bytesOf(binaryOf(target)), 'latin1').sort();
  return `holds ${JSON.stringify(textOf(first!))}; expected an empty folder, or none`;
}

/** @param differences from a record; null: there are none */
const notAsLeft = (differences: string | null): string | null =>
  differences === null
    ? null
    : `is not as apply left it: ${differences}; move what is yours elsewhere, or delete the folder yourself`;

/** A file, or an entry of another kind; names are binary strings. */
interface Entry {
  readonly name: string;
  /** Bytes of a file. */
  readonly size: number;
  /** Milliseconds since 1970, as the system tells them. */
  readonly time: number;
  /**
   * The same for the last change of any kind, which nobody can set back; 0 for a file with several names, for which the
   * system changes it when one of them comes or goes.
   */
  readonly changed: number;
  readonly kind: 'file' | 'empty folder' | 'link' | 'other';
}

/** Differences that are named; more are counted. */
const MOST_NAMED = 3;
/** Characters of a record that are written at a time. */
const PART = 1 << 16;
/** The most bytes of a record: that of some millions of files. */
const MOST_RECORD = 1 << 28;

/** All below a folder, by names; no link is followed. */
function* entriesBelow(folder: string, above = ''): Generator<Entry> {
  for (const own of readdirSync(bytesOf(`${folder}/${above}`), 'latin1').sort()) {
    const name = above + own;
    const stats = lstatSync(bytesOf(`${folder}/${name}`));
    if (!stats.isDirectory()) {
      const changed = stats.nlink > 1 ? 0 : stats.ctimeMs;
      const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other';
      yield { name, size: stats.size, time: stats.mtimeMs, changed, kind };
    } else {
      let hasAny = false;
      for (const inner of entriesBelow(folder, `${name}/`)) {
        hasAny = true;
        yield inner;
      }
      if (!hasAny) yield { name: `${name}/`, size: 0, time: 0, changed: 0, kind: 'empty folder' };
    }
  }
}

/** A record of a corpus: a JSON text, then `SIZE <tab> TIME <tab> CHANGED <tab> NAME` a file, with a NUL behind each. */
class CorpusRecord {
  /** Null: no record counts. */
  readonly finished: Finished | null = null;
  /** Why an existing record does not count: others may have written it; null: there is none, or it is damaged. */
  readonly whyNot: string | null;
  /** Of every file, what stands there. */
  readonly #files: readonly string[] = [];

  constructor(path: string) {
    this.whyNot = isThere(path) ? whyNotOurs(path) : null;
    const { bytes } = this.whyNot === null ? readPlainFile(path, MOST_RECORD) : { bytes: null };
    if (bytes === null) return;
    const end = bytes.indexOf(0);
    const head = ownJsonIn({ bytes: bytes.subarray(0, Math.max(0, end)) });
    if (head === null) return;
    this.finished = { identity: head.identity, report: head.report };
    this.#files = binaryOfBytes(bytes.subarray(end + 1))
      .split('\0')
      .slice(0, -1);
  }

  static write(work: string, name: string, finished: Finished, folder: string): void {
    function* parts(): Generator<Uint8Array> {
      yield canonicalJsonBytes({ tool: TOOL, ...finished });
      let text = '\0';
      for (const { name: file, size, time, changed } of entriesBelow(binaryOf(folder))) {
        text += `${size}\t${time}\t${changed}\t${file}\0`;
        if (text.length < PART) continue;
        yield Buffer.from(text, 'latin1');
        text = '';
      }
      yield Buffer.from(text, 'latin1');
    }
    writeFileAtomic(work, name, parts());
  }

  /**
   * How a folder differs from the record, in words; null: not at all.
   *
   * @param isPart files of it may be missing, because they were being removed
   */
  differencesOf(folder: string, isPart: boolean): string | null {
    const named: string[] = [];
    let count = 0;
    const tell = (name: string, what: string): void => {
      if (++count <= MOST_NAMED) named.push(`${JSON.stringify(textOf(name))} ${what}`);
    };
    const missing = new Map<string, readonly number[]>();
    for (const file of this.#files) {
      const [size, time, changed, ...name] = file.split('\t');
      missing.set(name.join('\t'), [size, time, changed].map(Number));
    }
    for (const { name, size, time, changed, kind } of entriesBelow(binaryOf(folder))) {
      const wanted = missing.get(name);
      missing.delete(name);
      if (kind === 'empty folder' && isPart) continue;
      if (wanted === undefined) tell(name, 'is not of apply');
      else if (kind !== 'file') tell(name, kind === 'link' ? 'is a link' : 'is no file any more');
      else if (size !== wanted[0]) tell(name, `has ${size} bytes, not ${wanted[0]}`);
      else if (time !== wanted[1] || (wanted[2] !== 0 && changed !== 0 && changed !== wanted[2]))
        tell(name, 'was changed since');
    }
    if (!isPart) for (const name of missing.keys()) tell(name, 'is not in it');
    if (count === 0) return null;
    return named.join(', ') + (count > named.length ? `, and ${count - named.length} more` : '');
  }
}

/** A folder that is taken. End it with `finish`; `release` it in any case. */
export class TargetFolder {
  /** The report of a corpus that is complete already. */
  readonly finished: JsonObject | null;
  /** For files that move to their places at the end. */
  readonly folder: string;
  readonly #out: string;
  readonly #target: string;
  readonly #wish: TargetWish & { readonly identity: string };
  readonly #lock: OutputLock;
  /** Folders that were made; binary strings. */
  readonly #made = new Set<string>();

  /** @throws MinHashError TARGET_REFUSED, OUTPUT_LOCKED, WRITE_FAILED, DISK_FULL */
  constructor(out: string, closed: ClosedPlaces, wish: TargetWish & { readonly identity: string }) {
    refuseTarget(out, closed, wish);
    const { target, work } = placesOf(out);
    this.#out = out;
    this.#target = target;
    this.#wish = wish;
    this.folder = work;
    guardWrite(work, () => {
      makeFolders(dirname(work));
      if (!isThere(work)) mkdirSync(work, 0o700);
    });
    this.#lock = new OutputLock(work, wish.force);
    try {
      this.#recover();
      // Another process may have been there between the check and the lock.
      refuseTarget(out, closed, wish);
      this.finished = this.#whole();
      if (this.finished === null) this.#begin();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  #in(name: string): string {
    return join(this.folder, name);
  }

  /** Completes what an apply left undone that was killed while one corpus replaced another. */
  #recover(): void {
    const old = this.#in(OLD);
    const isFree = !isThere(this.#target) || isEmpty(this.#target);
    const next = new CorpusRecord(this.#in(NEXT));
    const isPlaced = !isFree && next.finished !== null && next.differencesOf(this.#target, false) === null;
    if (isThere(old)) {
      if (isPlaced) this.#removeOld();
      else if (!isFree)
        refuse(`${old} holds what ${this.#out} held when an apply was killed; move it elsewhere`);
      else {
        guardWrite(this.#out, () => {
          if (isThere(this.#target)) rmdirSync(this.#target);
          renameSync(old, this.#target);
        });
      }
    }
    if (isPlaced) guardWrite(RECORD, () => renameSync(this.#in(NEXT), this.#in(RECORD)));
  }

  #whole(): JsonObject | null {
    if (this.#wish.force || !isThere(this.#target) || isEmpty(this.#target)) return null;
    const found = corpusIn(this.#target, this.folder);
    if (typeof found === 'string' || found.identity !== this.#wish.identity) return null;
    return isObject(found.report) ? found.report : null;
  }

  #begin(): void {
    this.#removeUnfinished();
    guardWrite(this.#in(FILES), () => mkdirSync(this.#in(FILES)));
    if (!isThere(this.#target) || !isEmpty(this.#target)) return;
    // A folder that cannot be moved (a mount of the same disk) is refused now, not when all is written.
    try {
      const { mode } = statSync(this.#target);
      rmdirSync(this.#target);
      mkdirSync(this.#target, mode & 0o7777);
    } catch (error) {
      if (systemCodeOf(error) !== 'EBUSY') throw writeErrorOf(error, this.#out);
      refuse(unmovable(this.#out, 'a mount point'));
    }
  }

  /** The path to write a file at, with its folders; binary strings. */
  placeOf(id: string): string {
    const path = `${binaryOf(this.#in(FILES))}/${id}`;
    guardWrite(textOf(id), () => this.#makeFolder(path.slice(0, path.lastIndexOf('/'))));
    return path;
  }

  #makeFolder(path: string): void {
    if (this.#made.has(path)) return;
    try {
      mkdirSync(bytesOf(path));
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === 'ENOENT') {
        this.#makeFolder(path.slice(0, path.lastIndexOf('/')));
        mkdirSync(bytesOf(path));
      } else if (code !== 'EEXIST') throw error;
    }
    this.#made.add(path);
  }

  /**
   * Moves the corpus to its name.
   *
   * @throws MinHashError TARGET_REFUSED, WRITE_FAILED, DISK_FULL, OUTPUT_LOCKED
   */
  async finish(report: object): Promise<void> {
    const files = this.#in(FILES);
    removeEmptyFolders(binaryOf(files), '');
    await syncTree(binaryOf(files));
    if (!this.#lock.isOurs) {
      throw new MinHashError({ code: 'OUTPUT_LOCKED', detail: `${this.folder}: its lock is no longer ours` });
    }
    CorpusRecord.write(this.folder, NEXT, { identity: this.#wish.identity, report }, files);
    this.#clear();
    guardWrite(this.#out, () => renameSync(files, this.#target));
    NODE_FILES.syncFolder(dirname(this.#target));
    if (isThere(this.#in(OLD))) this.#removeOld();
    guardWrite(RECORD, () => renameSync(this.#in(NEXT), this.#in(RECORD)));
  }

  /** Makes room for the corpus: an empty folder goes, an earlier corpus moves aside. */
  #clear(): void {
    const stats = statSync(this.#target, { throwIfNoEntry: false });
    if (stats === undefined) return;
    guardWrite(this.#out, () => chmodSync(this.#in(FILES), stats.mode & 0o7777));
    if (isEmpty(this.#target)) {
      guardWrite(this.#out, () => rmdirSync(this.#target));
      return;
    }
    const old = this.#in(OLD);
    guardWrite(this.#out, () => renameSync(this.#target, old));
    // Checked again at a time when nobody adds to it any more.
    const why = this.#wish.force
      ? notAsLeft(new CorpusRecord(this.#in(RECORD)).differencesOf(old, false))
      : 'was filled meanwhile; move what is there elsewhere';
    if (why === null) return;
    guardWrite(this.#out, () => renameSync(old, this.#target));
    refuse(`${this.#out} ${why}`);
  }

  #removeOld(): void {
    const old = this.#in(OLD);
    const why = notAsLeft(new CorpusRecord(this.#in(RECORD)).differencesOf(old, true));
    refuse(why === null ? null : `${old} ${why}`);
    guardWrite(old, () => rmSync(old, { recursive: true, force: true }));
  }

  #removeUnfinished(): void {
    for (const name of [FILES, NEXT])
      guardWrite(name, () => rmSync(this.#in(name), { recursive: true, force: true }));
  }

  /** Leaves OUT as it is, and nothing half-written. Never throws, safe to call twice. */
  release(): void {
    try {
      if (this.#lock.isOurs && !isThere(this.#in(OLD))) this.#removeUnfinished();
    } catch {
      // Another error may be on its way; the next apply removes the folder.
    }
    this.#lock.release();
    try {
      rmdirSync(this.folder);
    } catch {
      // The folder holds the record.
    }
  }
}

/** Removes the folders of files that were not written after all. */
function removeEmptyFolders(folder: string, name: string): void {
  for (const entry of readdirSync(bytesOf(folder + name), { withFileTypes: true, encoding: 'latin1' }))
    if (entry.isDirectory()) removeEmptyFolders(folder, `${name}/${entry.name}`);
  if (name !== '' && readdirSync(bytesOf(folder + name)).length === 0)
    guardWrite(textOf(name), () => rmdirSync(bytesOf(folder + name)));
}
/**
 * Makes all files and folders below a folder durable: by one call for its file system, where the program `sync` knows that (Linux);
 * else one by one.
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
  // Names on the command line are texts.
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
