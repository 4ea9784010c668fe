/**
 * The folder that a cleaned corpus goes to.
 *
 *      OUT/.mr-minhash-apply/files/     the corpus while it is written
 *      OUT/.mr-minhash-apply/record     what is applied, and how far that is
 *      OUT/.mr-minhash-apply/done       a line a file that is written
 *      OUT/.mr-minhash-apply/list       names and sizes of the files that move to their places
 *      OUT/.mr-minhash-apply.json       of a corpus that is whole: what it is
 *      OUT/.mr-minhash-apply.files      and its list
 *
 * Files move to their places when all are written; until the last one has moved `record` is there, and a run over OUT refuses. A process that is
 * killed is gone on with: what is in `done` is not written again, unless the machine was started since, as what is written goes to
 * the disk at the end. Nothing is removed but files of a list with the sizes that it has, and nothing is overwritten. Names with a
 * leading dot are no inputs of a run.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type Fault, MinHashError } from '../../../errors.js';
import { isLockFile } from '../../../output/fileNames.js';
import { OutputLock } from '../../../output/lock.js';
import { canonicalJson, canonicalJsonBytes, TOOL } from '../../../output/manifest.js';
import { isObject } from '../../../output/replacement.js';
import { binaryOf, bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { isWithin } from '../../../readers/list/walk.js';
import {
  guardWrite,
  makeFolders,
  plainCauseOf,
  systemCodeOf,
  writeFileAtomic,
} from '../../../store/files.js';
import { realPlaceOf } from '../corpusNow.js';
import { differencesFrom, listBelow, readList, removeListed } from './corpusList.js';
import { isSameBoot, MadeFolders, syncFolder, syncTree, thisBoot } from './folderSync.js';

const WORK = '.mr-minhash-apply';
const FINISHED = '.mr-minhash-apply.json';
const LEFT = '.mr-minhash-apply.files';
const RECORD = 'record';
const DONE = 'done';
const LIST = 'list';
const FILES = 'files';

/**
 * `writing`: nothing in OUT has changed. `clearing`: an earlier corpus is removed. `placing`: files move to their places.
 * `discarding`: a corpus that was being placed is removed, and what was written with it.
 */
type State = 'writing' | 'clearing' | 'placing' | 'discarding';

interface Finished {
  readonly identity: string;
  readonly report: unknown;
}

/** What stands in a folder that is to be written to. */
type Found =
  | { readonly kind: 'free' }
  | { readonly kind: 'unfinished'; readonly state: State; readonly identity: string; readonly boot: string }
  | { readonly kind: 'finished'; readonly finished: Finished };

/** SHA-256 of a JSON value, whatever the order of its keys. */
export function hashOf(value: object): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** What may be done with what is there. */
interface TargetWish {
  readonly force: boolean;
  /** A corpus of the run that is taken up may be there, whole or not. */
  readonly resume?: boolean;
  /** Of what is applied, where that is known: the same is gone on with. */
  readonly identity?: string;
}

/** Places that a corpus must not be written into, nor around. */
export interface ClosedPlaces {
  /** Real paths of inputs: binary strings. */
  readonly inputs: readonly string[];
  /** Folders of results, as given. */
  readonly results: readonly string[];
}

/**
 * Why a folder cannot take a corpus, as far as its place and what is in it tell; null: it can. Nothing is changed.
 */
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
    return whyNotInside(out, wish);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return `${out}: ${plainCauseOf(code)}`;
  }
}

/** @throws MinHashError TARGET_REFUSED; see whyNoTarget */
export function refuseTarget(out: string, closed: ClosedPlaces, wish: TargetWish): void {
  const detail = whyNoTarget(out, closed, wish);
  if (detail !== null) throw targetRefused(detail);
}

/** Behind these marks a detail says itself what to do. */
const OWN_ADVICE = /; (?:move|expected|--force) /;

function targetRefused(detail: string): MinHashError {
  return new MinHashError(targetFault(detail));
}

/** @param detail of whyNoTarget */
export function targetFault(detail: string): Fault {
  return { code: 'TARGET_REFUSED', detail, ...(OWN_ADVICE.test(detail) && { remedy: '' }) };
}

function whyNotInside(out: string, { force, resume = false, identity }: TargetWish): string | null {
  const stats = statSync(out, { throwIfNoEntry: false });
  if (stats === undefined)
    return lstatSync(out, { throwIfNoEntry: false }) === undefined ? null : `${out} is a link to nothing`;
  if (!stats.isDirectory()) return `${out} is a file`;
  const found = foundIn(out);
  const visible = visibleIn(out);
  if (found.kind === 'free') {
    return visible.length === 0
      ? null
      : `${out} holds ${JSON.stringify(textOf(visible[0]!))}; expected an empty folder, or none`;
  }
  if (found.kind === 'finished') {
    const why = whyNotAsLeft(out, LEFT, false);
    if (why !== null || found.finished.identity === identity || resume || force) return why;
    return `${out} holds a corpus that apply wrote before, of another result or with other flags; --force replaces it`;
  }
  if (found.identity !== identity && identity !== undefined && !force) {
    return `${out} holds an unfinished apply of another result or with other flags; --force replaces it`;
  }
  return whyNotTakenUp(out, found.state, visible);
}

/** Of a folder that an apply left unfinished. */
function whyNotTakenUp(out: string, state: State, visible: readonly string[]): string | null {
  if (state !== 'writing') return whyNotAsLeft(out, state === 'placing' ? join(WORK, LIST) : LEFT, true);
  if (visible.length === 0 || finishedIn(out) !== null) return whyNotAsLeft(out, LEFT, false);
  return `${out} holds ${JSON.stringify(textOf(visible[0]!))} beside an unfinished apply; move it elsewhere`;
}

function foundIn(out: string): Found {
  const record = jsonIn(join(out, WORK, RECORD));
  if (record !== null && record.tool === TOOL) {
    const { identity, boot, state } = record;
    return { kind: 'unfinished', state: state as State, identity: String(identity), boot: String(boot) };
  }
  const finished = finishedIn(out);
  return finished === null ? { kind: 'free' } : { kind: 'finished', finished };
}

function finishedIn(out: string): Finished | null {
  const value = jsonIn(join(out, FINISHED));
  if (value === null || value.tool !== TOOL) return null;
  const { identity, report } = value;
  return { identity: String(identity), report };
}

function jsonIn(path: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Names of what is not ours to begin with, binary strings. */
function visibleIn(out: string): string[] {
  const names = readdirSync(out, 'latin1');
  return names.filter(
    (name) => name !== WORK && name !== LEFT && !name.startsWith(FINISHED) && !isLockFile(name),
  );
}

/** Why a folder is not as apply left it, so that nothing in it is removed; null: it is. */
function whyNotAsLeft(out: string, list: string, isPart: boolean): string | null {
  const what = differencesFrom(readList(join(out, list)), binaryOf(out), visibleIn(out), isPart);
  return what === null
    ? null
    : `${out} is not as apply left it: ${what}; move what is yours elsewhere, or delete the folder yourself`;
}

/** A line of what is done: the number of a file in the list of inputs, and numbers about it. */
export type DoneLine = readonly [file: number, ...numbers: number[]];

/** A folder that is taken. End it with `finish`, or leave it with `release`. */
export class TargetFolder {
  /** Of files that an earlier attempt wrote, by their numbers. */
  readonly done = new Map<number, readonly number[]>();
  /** The report of a corpus that is whole already. */
  readonly finished: unknown = null;
  /** Where files are written, a binary string. */
  readonly stage: string;
  readonly #out: string;
  readonly #identity: string;
  readonly #lock: OutputLock;
  readonly #folders = new MadeFolders();

  /** @throws MinHashError TARGET_REFUSED, OUTPUT_LOCKED, WRITE_FAILED, DISK_FULL */
  constructor(out: string, closed: ClosedPlaces, wish: TargetWish & { readonly identity: string }) {
    this.#out = resolve(out);
    this.#identity = wish.identity;
    refuseTarget(out, closed, wish);
    guardWrite(this.#out, () => makeFolders(this.#out));
    this.#lock = new OutputLock(this.#out);
    this.stage = `${binaryOf(this.#out)}/${WORK}/${FILES}`;
    try {
      // Another process may have been there between the check and the lock.
      refuseTarget(out, closed, wish);
      this.finished = this.#begin(wish.force);
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  get #work(): string {
    return join(this.#out, WORK);
  }

  /** For files that are moved to their places. */
  get folder(): string {
    return this.#work;
  }

  /** Takes up what is there; the report of a corpus that is whole. */
  #begin(force: boolean): unknown {
    const found = foundIn(this.#out);
    if (found.kind === 'finished' && found.finished.identity === this.#identity && !force) {
      if (existsSync(this.#work)) this.#removeWork();
      return found.finished.report;
    }
    const isTakenUp = found.kind === 'unfinished' && found.state !== 'discarding';
    if (isTakenUp && found.identity === this.#identity) {
      // Files move to their places only when they are on the disk.
      if (found.state === 'placing' || isSameBoot(found.boot, thisBoot())) {
        this.#readDone();
        return null;
      }
    }
    if (found.kind === 'unfinished' && found.state !== 'writing') this.#discard(found.state);
    this.#removeWork();
    guardWrite(this.#work, () => makeFolders(join(this.#work, FILES)));
    this.#note('writing');
    return null;
  }

  /** Removes what an apply that ended while it changed OUT left there. */
  #discard(state: State): void {
    if (state === 'placing')
      guardWrite(LEFT, () => copyFileSync(join(this.#work, LIST), join(this.#out, LEFT)));
    this.#note('discarding');
    this.#removeCorpus();
  }

  #note(state: State): void {
    const record = { tool: TOOL, identity: this.#identity, state, boot: thisBoot() };
    writeFileAtomic(this.#work, RECORD, [canonicalJsonBytes(record)]);
  }

  #readDone(): void {
    const path = join(this.#work, DONE);
    if (!existsSync(path)) return;
    const text = readFileSync(path, 'latin1');
    // A line that was being written when the process ended has no end.
    for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
      if (line === '') continue;
      const [file, ...numbers] = line.split('\t').map(Number);
      this.done.set(file!, numbers);
    }
    // What is added begins a line.
    if (!text.endsWith('\n') && text !== '')
      writeFileAtomic(this.#work, DONE, [Buffer.from(text.slice(0, text.lastIndexOf('\n') + 1))]);
  }

  /** The path to write a file at, with its folders; binary strings. */
  placeOf(id: string): string {
    const path = `${this.stage}/${id}`;
    guardWrite(textOf(id), () => this.#folders.make(path.slice(0, path.lastIndexOf('/'))));
    return path;
  }

  /** Notes files that are written. */
  note(lines: readonly DoneLine[]): void {
    if (lines.length === 0) return;
    const text = lines.map((line) => `${line.join('\t')}\n`).join('');
    guardWrite(DONE, () => appendFileSync(join(this.#work, DONE), text));
  }

  /**
   * Moves the corpus to its place, and says that it is whole.
   *
   * @throws MinHashError WRITE_FAILED, DISK_FULL, OUTPUT_LOCKED
   */
  async finish(report: object): Promise<void> {
    await syncTree(this.stage);
    if (!this.#lock.isOurs) {
      throw new MinHashError({ code: 'OUTPUT_LOCKED', detail: `${this.#out}: its lock is no longer ours` });
    }
    const found = foundIn(this.#out);
    const state = found.kind === 'unfinished' ? found.state : 'writing';
    if (state !== 'placing') {
      // Others may have put something there while files were written.
      this.#refuse(whyNotTakenUp(this.#out, state, visibleIn(this.#out)));
      writeFileAtomic(this.#work, LIST, listBelow(this.stage));
      this.#note('clearing');
      this.#removeCorpus();
      this.#note('placing');
    }
    this.#place();
    guardWrite(LEFT, () => copyFileSync(join(this.#work, LIST), join(this.#out, LEFT)));
    this.#refuse(whyNotAsLeft(this.#out, LEFT, false));
    const record = { tool: TOOL, identity: this.#identity, report };
    writeFileAtomic(this.#out, FINISHED, [canonicalJsonBytes(record)]);
    this.#removeWork();
    this.release();
  }

  #refuse(detail: string | null): void {
    if (detail !== null) throw targetRefused(detail);
  }

  #place(): void {
    const names = readdirSync(bytesOf(this.stage), 'latin1');
    for (const name of names) {
      const [from, to] = [`${this.stage}/${name}`, `${binaryOf(this.#out)}/${name}`].map(bytesOf);
      // A rename would overwrite it.
      if (lstatSync(to!, { throwIfNoEntry: false }) !== undefined)
        this.#refuse(
          `${this.#out}: ${JSON.stringify(textOf(name))} was put there meanwhile; move it elsewhere: the same command goes on`,
        );
      guardWrite(textOf(name), () => renameSync(from!, to!));
    }
    syncFolder(binaryOf(this.#out));
  }

  /** Removes the corpus whose list lies beside it; the list goes last. */
  #removeCorpus(): void {
    removeListed(readList(join(this.#out, LEFT)), binaryOf(this.#out));
    for (const name of [FINISHED, LEFT])
      guardWrite(name, () => rmSync(join(this.#out, name), { force: true }));
  }

  #removeWork(): void {
    guardWrite(WORK, () => {
      // First what says that it is to be gone on with.
      rmSync(join(this.#work, RECORD), { force: true });
      rmSync(this.#work, { recursive: true, force: true });
    });
  }

  /** Leaves what is there for the next attempt. Never throws, safe to call twice. */
  release(): void {
    this.#lock.release();
    try {
      // Where nothing was begun the folder need not stay.
      if (readdirSync(this.#out).length === 0) rmdirSync(this.#out);
    } catch {
      // Another error may be on its way.
    }
  }
}
