/**
 * A lock file that allows one run at a time in an output folder. It names the process that holds it: host, number, start.
 *
 * The lock of a process of this host that has ended is free. A lock of another host, or one that names no process, blocks a
 * run unless the run takes it by force.
 *
 * Everybody who may write to the folder may write a lock, so its content decides whether a run is refused, and nothing else.
 *
 *      .mr-minhash.lock          the lock
 *      .mr-minhash.lock.KEY      the right to replace the lock with this key: a lock like any other, which is then renamed over it
 *      .mr-minhash.lock.RUN      the same file while this run takes the lock: it is written first, and linked to the others' names
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
import { guardWrite, quietly, systemCodeOf, writeFileAtomic } from '../store/files.js';
import { parsePlainJson, readPlainFile } from '../store/plainFile.js';
import { isLockFile, LOCK_NAME } from './fileNames.js';
import { canonicalJsonBytes } from './manifest.js';

/** JSON: the content of a lock. */
export interface RunOwner {
  readonly host: string;
  /** The namespace of `pid`: a container has its own. Empty where the system does not report it. */
  readonly space: string;
  readonly pid: number;
  /**
   * The start of the process, in ticks since the machine started: distinguishes it from a later process with its number. Empty
   * where not known.
   */
  readonly started: string;
  /** The start of the run: ISO, seconds. */
  readonly since: string;
  /** Distinguishes the runs of a process. */
  readonly run: string;
}

/** The most bytes of a lock that are read; ours have a tenth of that. */
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

/**
 * `started` of a process; `ended` for a process that has ended and whose parent has not collected its status (proc(5), fields 3
 * and 22).
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Field 2, the name of the program, may contain blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /[ZX]/.test(fields[0]!) ? 'ended' : fields[19]!;
  } catch {
    return '';
  }
}

/** Whether a process with this number exists, even one that we may not signal. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

/** `unknown`: this process cannot find out whether the lock's process runs. */
type LockState = 'held' | 'free' | 'unknown';

function stateOf(owner: RunOwner | null): LockState {
  if (owner === null || owner.host !== hostname() || owner.space !== spaceOfProcesses()) return 'unknown';
  // The start is read first: a process that ends in between does not exist in the next check, and its lock is free.
  const started = startOf(owner.pid);
  if (!isThere(owner.pid)) return 'free';
  return started === '' || owner.started === '' || started === owner.started ? 'held' : 'free';
}

function isOwner(found: Partial<Record<keyof RunOwner, unknown>>): found is RunOwner {
  const { host, space, started, since, run, pid } = found;
  const isText = [host, space, started, since, run].every((word) => typeof word === 'string');
  return isText && Number.isSafeInteger(pid) && (pid as number) > 0;
}

/** A lock that exists. */
interface Found {
  readonly text: string;
  /** Distinguishes the lock from a later one with its name. */
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

/** Why a lock cannot be taken: its process, and what to do if its state is unknown. */
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
 * @param own the text of the caller's own lock
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
  /** The file that is linked. */
  readonly #whole: string;
  /** Identifies this lock: its content. */
  readonly text: string;

  /**
   * @param force takes a lock whose state is unknown, too
   * @throws MinHashError OUTPUT_LOCKED naming the holder, WRITE_FAILED, DISK_FULL
   */
  constructor(root: string, force = false, door: FileDoor = NODE_FILES) {
    this.#root = root;
    this.#door = door;
    this.#force = force;
    const owner = thisOwner();
    const bytes = canonicalJsonBytes(owner);
    this.text = Buffer.from(bytes).toString();
    const name = `${LOCK_NAME}.${owner.run}`;
    this.#whole = join(root, name);
    this.#write(name, bytes);
    try {
      guardWrite(LOCK_NAME, () => this.#take(LOCK_NAME));
    } finally {
      this.#remove(name);
    }
    quietly(() => this.#removeLeft());
  }

  /** Writes the file that is linked; again if a run that takes the folder by force removed it half written, when it names no process. */
  #write(name: string, bytes: Uint8Array): void {
    for (;;) {
      try {
        writeFileAtomic(this.#root, name, [bytes], this.#door);
        return;
      } catch (error) {
        const cause = error instanceof MinHashError ? error.cause : error;
        if (systemCodeOf(cause) !== 'ENOENT' || !existsSync(this.#root)) throw error;
      }
    }
  }

  /** Removes the files of processes that ended while they took the lock. */
  #removeLeft(): void {
    for (const name of readdirSync(this.#root)) {
      if (name === LOCK_NAME || !isLockFile(name)) continue;
      const found = readLock(join(this.#root, name));
      if (found !== null && isFree(found, this.#force)) this.#remove(name);
    }
  }

  /**
   * Creates our lock under a name. Only the holder of the right to replace exactly this lock replaces a free lock, so that no
   * process that read it earlier replaces a later lock. The right is a lock, too: if its holder has ended, it is replaced in
   * the same way.
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

  /** Creates a lock file; false if one exists. */
  #make(path: string): boolean {
    try {
      this.#door.link(this.#whole, path);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return false;
      throw error;
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

  /** Removes the lock. Never throws, safe to call twice. */
  release(): void {
    if (this.isOurs) this.#remove(LOCK_NAME);
  }

  /** Removes a lock file. If it cannot be removed, it is free when this process has ended, and a later run removes it. */
  #remove(name: string): void {
    quietly(() => this.#door.remove(join(this.#root, name)));
  }
}
