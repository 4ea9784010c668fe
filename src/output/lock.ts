/**
 * A lock file that allows one run at a time in an output folder. It names its process: host, number, start.
 *
 * Of a process of this host it is known whether it has ended; then its lock is free. A lock of another host, and
 * one that names no process, is refused unless it is taken by force.
 *
 * A lock is read by whoever may read the folder and written by whoever may write there, so what it says decides
 * whether a run is refused, and nothing else.
 *
 *      .mr-minhash.lock          the lock
 *      .mr-minhash.lock.KEY      the right to replace the lock with this key: a lock like any other, which is then renamed over it
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
import { guardWrite, quietly, systemCodeOf } from '../store/files.js';
import { parsePlainJson, readPlainFile } from '../store/plainFile.js';
import { isLockFile, LOCK_NAME } from './fileNames.js';
import { canonicalJsonBytes } from './manifest.js';

/** JSON: the content of a lock. */
export interface RunOwner {
  readonly host: string;
  /** The processes among which `pid` counts: a container has its own. Empty where the system does not tell. */
  readonly space: string;
  readonly pid: number;
  /** When the process began, in ticks since the machine did: tells it from a later one of its number. Empty where not known. */
  readonly started: string;
  /** The start of the run: ISO, seconds. */
  readonly since: string;
  /** Tells apart the runs of a process. */
  readonly run: string;
}

/** A lock is a tenth of that; more is not read. */
const MOST_BYTES = 4096;

/** This process, in a run that begins now. */
export function thisOwner(): RunOwner {
  return {
    host: hostname(),
    space: spaceOfProcesses(),
    pid: process.pid,
    started: startOf(process.pid),
    since: `${new Date().toISOString().slice(0, 19)}Z`,
    run: randomBytes(8).toString('hex'),
  };
}

function spaceOfProcesses(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** `started` of a process; of one that has ended and whose parent has not collected its status, `ended`. proc(5), fields 3 and 22. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in the middle may contain blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /[ZX]/.test(fields[0]!) ? 'ended' : fields[19]!;
  } catch {
    return '';
  }
}

/** Whether a process with this number exists; one that we may not signal exists, too. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

/** `unknown`: nothing here can tell whether its process runs. */
type LockState = 'held' | 'free' | 'unknown';

function stateOf(owner: RunOwner | null): LockState {
  if (owner === null || owner.host !== hostname() || owner.space !== spaceOfProcesses()) return 'unknown';
  // Before the existence: a process that ends in between is missing, not hidden.
  const started = startOf(owner.pid);
  if (!isThere(owner.pid)) return 'free';
  return started === '' || owner.started === '' || started === owner.started ? 'held' : 'free';
}

function isOwner(found: Partial<Record<keyof RunOwner, unknown>>): found is RunOwner {
  const { host, space, started, since, run, pid } = found;
  const isText = [host, space, started, since, run].every((word) => typeof word === 'string');
  return isText && Number.isSafeInteger(pid) && (pid as number) > 0;
}

/** A lock that was found. */
interface Found {
  readonly text: string;
  /** Tells it from a later one with its name. */
  readonly key: string;
  /** Null: it names no process. */
  readonly owner: RunOwner | null;
  readonly state: LockState;
}

/** Reads a lock; null: no file is there. A file that is not plain, or larger than our locks, names no process. */
function readLock(path: string): Found | null {
  const file = readPlainFile(path, MOST_BYTES);
  if (file.bytes === null && file.why === null) return null;
  const bytes = file.bytes ?? new Uint8Array(0);
  const found: object = Object(parsePlainJson(bytes));
  const owner = isOwner(found) ? found : null;
  const text = Buffer.from(bytes).toString();
  return { text, key: keyOf(text), owner, state: stateOf(owner) };
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Why a lock is not taken: its process, and what to do about one that cannot be looked at from here. */
function refusalText(root: string, { owner, state }: Found): string {
  const who =
    owner === null
      ? 'its lock names no process'
      : `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
  if (state === 'held') return who;
  const why = owner?.host === hostname() ? ', in another container' : '';
  return (
    `${who}${why}: whether it still runs cannot be seen from here; ` +
    `when no run writes there, delete ${join(root, LOCK_NAME)}, or start over with --force`
  );
}

/**
 * Why the folder cannot be taken, in words, or null.
 *
 * @param own the text of one's own lock
 */
export function holderOf(root: string, force: boolean, own: string | null = null): string | null {
  const found = readLock(join(root, LOCK_NAME));
  return found === null || found.text === own || isFree(found, force) ? null : refusalText(root, found);
}

function isFree({ state }: Found, force: boolean): boolean {
  return state === 'free' || (force && state === 'unknown');
}

/** A folder held by this run until `release`. */
export class OutputLock {
  readonly #root: string;
  readonly #door: FileDoor;
  readonly #force: boolean;
  /** Identifies this lock: its content. */
  readonly text: string;

  /**
   * @param force takes a lock of which nothing is known, too
   * @throws MinHashError OUTPUT_LOCKED naming the holder, WRITE_FAILED, DISK_FULL
   */
  constructor(root: string, force = false, door: FileDoor = NODE_FILES) {
    this.#root = root;
    this.#door = door;
    this.#force = force;
    this.text = Buffer.from(canonicalJsonBytes(thisOwner())).toString();
    guardWrite(LOCK_NAME, () => this.#take(LOCK_NAME));
    quietly(() => this.#removeLeft());
  }

  /** Removes the rights of processes that ended on their way. */
  #removeLeft(): void {
    for (const name of readdirSync(this.#root)) {
      if (name === LOCK_NAME || !isLockFile(name)) continue;
      const found = readLock(join(this.#root, name));
      if (found !== null && isFree(found, this.#force)) this.#remove(name);
    }
  }

  /**
   * Makes our lock under a name. A lock that is free is replaced by who holds the lock on replacing exactly that one, so
   * nobody who looked earlier replaces a later one; if that process has ended too, its lock is replaced the same way.
   */
  #take(name: string): void {
    const path = join(this.#root, name);
    while (!this.#make(path)) {
      const found = readLock(path);
      if (found === null) continue;
      if (!isFree(found, this.#force)) {
        const detail = `${this.#root}: ${refusalText(this.#root, found)}`;
        throw new MinHashError({ code: 'OUTPUT_LOCKED', detail });
      }
      const right = `${LOCK_NAME}.${found.key}`;
      this.#take(right);
      if (readLock(path)?.key === found.key) {
        this.#door.rename(join(this.#root, right), path);
        return;
      }
      this.#remove(right);
    }
  }

  /** False if there is one. What is made is on the disk before anything is done under it. */
  #make(path: string): boolean {
    let descriptor: number;
    try {
      descriptor = this.#door.open(path);
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
    try {
      const bytes = Buffer.from(this.text);
      for (let at = 0; at < bytes.length; ) at += this.#door.write(descriptor, bytes, at);
      this.#door.sync(descriptor);
      return true;
    } catch (error) {
      quietly(() => this.#door.remove(path));
      throw error;
    } finally {
      this.#door.close(descriptor);
    }
  }

  /** Whether the lock is still ours: a run on another host may have taken it by force. */
  get isOurs(): boolean {
    try {
      return readLock(join(this.#root, LOCK_NAME))?.text === this.text;
    } catch {
      return false;
    }
  }

  /** Never throws, safe to call twice. */
  release(): void {
    if (this.isOurs) this.#remove(LOCK_NAME);
  }

  /** A file that stays is free when this process has ended, and a later run removes it. */
  #remove(name: string): void {
    quietly(() => this.#door.remove(join(this.#root, name)));
  }
}
