/**
 * A lock file that allows one run at a time in an output folder, created in one step, and replaced if its run
 * ended without removing it.
 *
 * A dead run's lock is replaced only by the holder of a second lock, on replacing exactly that one: a file
 * with its key in the name. So of two runs that find it dead one gets it, and a new lock is never removed by
 * a run that looked earlier.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
import { guardWrite, systemCodeOf, TEMPORARY_ENDING } from '../store/files.js';
import { isLockFile, LOCK_NAME } from './fileNames.js';
import { canonicalJsonBytes } from './manifest.js';

/**
 * JSON: the content of a lock, which identifies a run. Fields are empty if the system does not report them.
 *
 * On Linux a process is identified by its number and its start time, so a reused number is not mistaken for
 * it; elsewhere, and from another host, by the time since it last updated its lock.
 */
export interface RunOwner {
  readonly host: string;
  /** Distinguishes hosts of the same name. */
  readonly machine: string;
  /** Changes with every start of the machine. */
  readonly boot: string;
  /** The process number space: containers have their own. */
  readonly space: string;
  readonly pid: number;
  /** The start of the process, in ticks since the start of the machine. */
  readonly started: string;
  /** The start of the run: ISO, seconds. */
  readonly since: string;
  /** Unique for each run. */
  readonly key: string;
}

/**
 * Interval in milliseconds of the updates that show that a run lives, and the silence after which it counts
 * as dead where no other evidence exists.
 */
const BEAT_MILLISECONDS = 60_000;
export const SILENCE_MILLISECONDS = 15 * BEAT_MILLISECONDS;

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}

function spaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** A hash, because the machine's own id should not be published. */
function machineOf(): string {
  const id = textOf('/etc/machine-id');
  return id === '' ? '' : createHash('sha256').update(`mr-minhash ${id}`).digest('hex').slice(0, 16);
}

/**
 * State and start of a process of this machine; null if the system does not report them. proc(5), fields 3
 * and 22.
 */
function processStat(pid: number): { readonly state: string; readonly started: string } | null {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in the middle may contain blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || fields.length < 20 ? null : { state: fields[0]!, started: fields[19]! };
}

/** This process, in a run that begins now. */
export function thisOwner(): RunOwner {
  return {
    host: hostname(),
    machine: machineOf(),
    boot: textOf('/proc/sys/kernel/random/boot_id'),
    space: spaceOf(),
    pid: process.pid,
    started: processStat(process.pid)?.started ?? '',
    since: `${new Date().toISOString().slice(0, 19)}Z`,
    key: randomBytes(8).toString('hex'),
  };
}

/** Parses an owner; null if the text is not one. */
export function ownerFrom(text: string): RunOwner | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const found = value as Record<string, unknown>;
  const words = ['host', 'machine', 'boot', 'space', 'started', 'since', 'key'];
  if (!words.every((word) => typeof found[word] === 'string')) return null;
  if (!/^[0-9a-f]{16}$/.test(found.key as string) || !Number.isSafeInteger(found.pid)) return null;
  return value as RunOwner;
}

/** Whether a process with this number exists; one that we may not signal exists, too. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether the owner still runs, as far as this process can determine.
 *
 * @param silentMilliseconds time since its last update; may be negative, where clocks differ
 */
export function isAlive(owner: RunOwner, silentMilliseconds: number, self: RunOwner = thisOwner()): boolean {
  const heard = Math.abs(silentMilliseconds) <= SILENCE_MILLISECONDS;
  const sameMachine = owner.host === self.host && owner.machine === self.machine;
  // The machine was restarted since: no process of that time runs.
  if (sameMachine && self.machine !== '' && owner.boot !== self.boot) return false;
  if (!sameMachine || owner.boot !== self.boot || owner.space !== self.space) return heard;
  // Read before the existence check: a process that ends in between is missing, not hidden.
  const stat = processStat(owner.pid);
  if (owner.pid <= 0 || !isThere(owner.pid)) return false;
  if (stat === null || owner.started === '') return heard;
  // A zombie has ended, but its parent has not collected its status.
  return stat.started === owner.started && stat.state !== 'Z' && stat.state !== 'X';
}

/** `process 4711 on host, since 2026-11-21T17:00:00Z`. */
function ownerText(owner: RunOwner | null): string {
  if (owner === null) return 'a process that is not known';
  return `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
}

/** A lock that was found. */
interface Found {
  /** Null: the file does not contain an owner. */
  readonly owner: RunOwner | null;
  readonly bytes: number;
  readonly silentMilliseconds: number;
  /** Distinguishes this lock from a later one with the same name. */
  readonly key: string;
}

/** Upper limit of retries while a lock changes, and of nested locks that crashes may have left. */
const MOST_LOOKS = 100;
const MOST_LEFT = 4;

function readLock(root: string, name: string): Found | null {
  try {
    const path = join(root, name);
    const text = readFileSync(path);
    const owner = ownerFrom(text.toString('utf8'));
    const { mtimeMs } = statSync(path);
    const key = owner?.key ?? `unknown${Math.floor(mtimeMs)}`;
    return { owner, bytes: text.length, silentMilliseconds: Date.now() - mtimeMs, key };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function lives({ owner, silentMilliseconds }: Found, self: RunOwner): boolean {
  // Of a file without an owner only the age is known: another run may be writing it.
  return isAlive(owner ?? { ...self, host: '', key: '' }, silentMilliseconds, self);
}

/** The live run that holds the folder, in words, or null. `own` is the key of one's own lock. */
export function holderOf(root: string, own: string | null = null): string | null {
  const found = readLock(root, LOCK_NAME);
  if (found === null || found.key === own || !lives(found, thisOwner())) return null;
  return holderText(root, found);
}

/** The owner of a lock; for a lock without one, what it may be and when it expires. */
function holderText(root: string, { owner, bytes, silentMilliseconds }: Found): string {
  if (owner !== null) return ownerText(owner);
  const left = SILENCE_MILLISECONDS - Math.abs(silentMilliseconds);
  const minutes = Math.max(1, Math.ceil(left / 60_000));
  return (
    `its lock (${bytes} ${bytes === 1 ? 'byte' : 'bytes'}) names no process: another run may be about to write it, ` +
    `or something else made it; it counts for nothing in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, ` +
    `and where no run is writing there, ${join(root, LOCK_NAME)} may be deleted`
  );
}

function refusal(root: string, found: Found | null): MinHashError {
  const holder = found === null ? ownerText(null) : holderText(root, found);
  return new MinHashError({ code: 'OUTPUT_LOCKED', detail: `${root}: ${holder}` });
}

/** With these errors the file system has no hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** A file whose removal fails counts as dead when this process has ended, and a later run removes it. */
function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // The step is optional, or another error is being thrown.
  }
}

class Claim {
  private readonly root: string;
  private readonly door: FileDoor;
  readonly owner = thisOwner();

  constructor(root: string, door: FileDoor) {
    this.root = root;
    this.door = door;
  }

  /** @throws MinHashError OUTPUT_LOCKED; or the platform's error */
  take(name: string, left = 0): void {
    for (let look = 0; look < MOST_LOOKS; look++) {
      if (this.make(name)) return;
      const found = readLock(this.root, name);
      if (found === null) continue;
      if (left === MOST_LEFT || lives(found, this.owner)) throw refusal(this.root, found);
      if (this.replace(name, found, left)) return;
    }
    throw refusal(this.root, readLock(this.root, name));
  }

  /** Creates the lock; false if there is one. */
  private make(name: string): boolean {
    const temporary = this.write(`${LOCK_NAME}.${this.owner.key}${TEMPORARY_ENDING}`);
    try {
      this.door.link(temporary, join(this.root, name));
      return true;
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === 'EEXIST') return false;
      if (code === null || !NO_LINKS.includes(code)) throw error;
      return this.makeWithoutLink(name);
    } finally {
      quietly(() => this.door.remove(temporary));
    }
  }

  private makeWithoutLink(name: string): boolean {
    try {
      this.write(name);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Replaces a dead lock by ours; false if the lock has changed. */
  private replace(name: string, dead: Found, left: number): boolean {
    const permit = `${LOCK_NAME}.${dead.key}`;
    this.take(permit, left + 1);
    try {
      if (readLock(this.root, name)?.key !== dead.key) return false;
      const temporary = this.write(`${LOCK_NAME}.${this.owner.key}.${left}${TEMPORARY_ENDING}`);
      try {
        this.door.rename(temporary, join(this.root, name));
      } catch (error) {
        quietly(() => this.door.remove(temporary));
        throw error;
      }
      return true;
    } finally {
      quietly(() => this.door.remove(join(this.root, permit)));
    }
  }

  /**
   * Writes our identity to a temporary file that is durable before it gets its final name: after a power loss
   * the lock is whole or absent.
   */
  private write(name: string): string {
    const path = join(this.root, name);
    const bytes = canonicalJsonBytes(this.owner);
    const descriptor = this.door.open(path);
    try {
      for (let at = 0; at < bytes.length; ) at += this.door.write(descriptor, bytes, at);
      this.door.sync(descriptor);
    } catch (error) {
      quietly(() => this.door.close(descriptor));
      quietly(() => this.door.remove(path));
      throw error;
    }
    try {
      this.door.close(descriptor);
    } catch (error) {
      quietly(() => this.door.remove(path));
      throw error;
    }
    return path;
  }
}

/** Removes the files of runs that died while they took a lock. */
function removeLeftovers(root: string, self: RunOwner, door: FileDoor): void {
  for (const name of readdirSync(root)) {
    if (name === LOCK_NAME || !isLockFile(name)) continue;
    const found = readLock(root, name);
    if (found !== null && !lives(found, self)) quietly(() => door.remove(join(root, name)));
  }
}

/** A folder held by this run until `release`. */
export class OutputLock {
  readonly #root: string;
  readonly #door: FileDoor;
  readonly #beat: NodeJS.Timeout;
  /** Identifies this lock. */
  readonly key: string;

  /** @throws MinHashError OUTPUT_LOCKED naming the holder, WRITE_FAILED, DISK_FULL */
  constructor(root: string, door: FileDoor = NODE_FILES) {
    this.#root = root;
    this.#door = door;
    this.key = guardWrite(LOCK_NAME, () => {
      const claim = new Claim(root, door);
      claim.take(LOCK_NAME);
      removeLeftovers(root, claim.owner, door);
      return claim.owner.key;
    });
    this.#beat = setInterval(() => this.#touch(), BEAT_MILLISECONDS);
    this.#beat.unref();
  }

  /** Whether the lock is still ours: another run may have taken us for dead. */
  get isOurs(): boolean {
    try {
      return readLock(this.#root, LOCK_NAME)?.key === this.key;
    } catch {
      return false;
    }
  }

  /** Never throws, safe to call twice. */
  release(): void {
    clearInterval(this.#beat);
    quietly(() => {
      if (this.isOurs) this.#door.remove(join(this.#root, LOCK_NAME));
    });
  }

  #touch(): void {
    try {
      if (this.isOurs) this.#door.touch(join(this.#root, LOCK_NAME));
    } catch {
      // Only other hosts rely on it, and only after a long silence; before the end we check the owner of the
      // lock.
    }
  }
}
