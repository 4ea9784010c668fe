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
 *      .mr-minhash.lock.KEY.own  the lock of a process on its way, before it has a name
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
import { guardWrite, quietly, systemCodeOf, writeFileAtomic } from '../store/files.js';
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

/** Nobody takes so long from opening a file of his to having written it. */
const LONGEST_WRITE_MILLISECONDS = 60_000;

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

/** The owner that a lock names; null where the text is none. */
function ownerFrom(text: string): RunOwner | null {
  try {
    const found: object = Object(JSON.parse(text));
    return isOwner(found) ? found : null;
  } catch {
    return null;
  }
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

/** A lock; null: there is none. */
function readLock(path: string): Found | null {
  const text = textOf(path);
  if (text === null) return null;
  const owner = ownerFrom(text);
  return { text, key: keyOf(text), owner, state: stateOf(owner) };
}

/** What stands in a lock, never through a link and no more than one may hold; null: there is none. */
function textOf(path: string): string | null {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a named pipe would keep us waiting.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // A link, or a file that may not be read, names no process.
    return systemCodeOf(error) === 'ENOENT' ? null : '';
  }
  try {
    const bytes = Buffer.alloc(MOST_BYTES);
    const length = fstatSync(descriptor).isFile() ? readSync(descriptor, bytes, 0, MOST_BYTES, 0) : 0;
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
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

/** With these errors the file system has no hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

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
    const bytes = canonicalJsonBytes(thisOwner());
    this.text = Buffer.from(bytes).toString();
    const own = `${LOCK_NAME}.${keyOf(this.text)}.own`;
    guardWrite(LOCK_NAME, () => {
      // On the disk before it has its name: after a loss of power the lock is whole or absent.
      writeFileAtomic(root, own, [bytes], door);
      try {
        this.#take(own, LOCK_NAME);
      } finally {
        this.#remove(own);
      }
    });
    quietly(() => this.#removeLeft());
  }

  /** Removes what processes left that ended on their way. A file without a name of one may be about to get it. */
  #removeLeft(): void {
    for (const name of readdirSync(this.#root)) {
      if (name === LOCK_NAME || !isLockFile(name)) continue;
      const path = join(this.#root, name);
      const found = readLock(path);
      const isOld = lstatSync(path).mtimeMs < Date.now() - LONGEST_WRITE_MILLISECONDS;
      if (found?.state === 'free' || (found?.owner === null && isOld)) this.#remove(name);
    }
  }

  /**
   * Gives our lock a name. A lock that is free is replaced by who holds the lock on replacing exactly that one, so
   * nobody who looked earlier replaces a later one; if that process has ended too, its lock is replaced the same way.
   */
  #take(own: string, name: string): void {
    for (;;) {
      if (this.#make(own, name)) return;
      const found = readLock(join(this.#root, name));
      if (found === null) continue;
      if (!isFree(found, this.#force)) {
        throw new MinHashError({
          code: 'OUTPUT_LOCKED',
          detail: `${this.#root}: ${refusalText(this.#root, found)}`,
        });
      }
      const right = `${LOCK_NAME}.${found.key}`;
      this.#take(own, right);
      if (readLock(join(this.#root, name))?.key === found.key) {
        this.#door.rename(join(this.#root, right), join(this.#root, name));
        return;
      }
      this.#remove(right);
    }
  }

  /** False if there is one. */
  #make(own: string, name: string): boolean {
    const [from, to] = [join(this.#root, own), join(this.#root, name)];
    try {
      try {
        this.#door.link(from, to);
      } catch (error) {
        if (!NO_LINKS.includes(systemCodeOf(error) ?? '')) throw error;
        copyFileSync(from, to, constants.COPYFILE_EXCL);
      }
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

  /** Never throws, safe to call twice. */
  release(): void {
    if (this.isOurs) this.#remove(LOCK_NAME);
  }

  /** A file that stays is free when this process has ended, and a later run removes it. */
  #remove(name: string): void {
    quietly(() => this.#door.remove(join(this.#root, name)));
  }
}
