/**
 * One run at a time in an output folder: a file that names the run, made whole in one step, and taken over
 * where that run has ended without removing it.
 *
 * A dead run's lock is replaced only by who holds the lock on replacing exactly that one, a file with its key
 * in the name; so of two that find it dead one gets it, and a lock just taken is never removed by somebody
 * who looked before.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
import { guardWrite, systemCodeOf, TEMPORARY_ENDING } from '../store/files.js';
import { canonicalJsonBytes } from './manifest.js';
import { isLockFile, LOCK_NAME } from './names.js';

/*
 * Who a run is, so that another process can tell whether it still lives.
 *
 * On Linux a process is known by its number and the moment of its start, so a number that was given again is
 * not mistaken for it; elsewhere, and from another host, by how long it has been silent.
 */

/** JSON: what a lock holds. Empty where the system does not tell. */
export interface RunOwner {
  readonly host: string;
  /** Tells hosts of one name apart. */
  readonly machine: string;
  /** Changes with every start of the machine. */
  readonly boot: string;
  /** In which process numbers count: those of containers are their own. */
  readonly space: string;
  readonly pid: number;
  /** When the process began, in ticks since the start of the machine. */
  readonly started: string;
  /** When the run began: ISO, seconds. */
  readonly since: string;
  /** No two runs have the same. */
  readonly key: string;
}

/** How often a run shows that it lives, and after which silence it is taken for dead where nothing else tells. */
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

/** The machine's own id is not to be shown around. */
function machineOf(): string {
  const id = textOf('/etc/machine-id');
  return id === '' ? '' : createHash('sha256').update(`mr-minhash ${id}`).digest('hex').slice(0, 16);
}

/** State and start of a process of this machine; null where the system does not tell. proc(5), fields 3 and 22. */
function processStat(pid: number): { readonly state: string; readonly started: string } | null {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in the middle may hold blanks and brackets.
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

/** An owner as it was written, or null where the text is none. */
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

/** Whether a number is a process of this machine; one we may not signal is there as well. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether the owner still runs, as far as can be told from here.
 *
 * @param silentMilliseconds since it last showed that it lives; also negative, where clocks differ
 */
export function isAlive(owner: RunOwner, silentMilliseconds: number, self: RunOwner = thisOwner()): boolean {
  const heard = Math.abs(silentMilliseconds) <= SILENCE_MILLISECONDS;
  const sameMachine = owner.host === self.host && owner.machine === self.machine;
  // The machine was started again since: nothing of then runs.
  if (sameMachine && self.machine !== '' && owner.boot !== self.boot) return false;
  if (!sameMachine || owner.boot !== self.boot || owner.space !== self.space) return heard;
  // Read before it is asked for: a process that ends in between is not there, and not one that hides.
  const stat = processStat(owner.pid);
  if (owner.pid <= 0 || !isThere(owner.pid)) return false;
  if (stat === null || owner.started === '') return heard;
  // A zombie has ended, only nobody has asked how.
  return stat.started === owner.started && stat.state !== 'Z' && stat.state !== 'X';
}

/** `process 4711 on host, since 2026-11-21T17:00:00Z`. */
function ownerText(owner: RunOwner | null): string {
  if (owner === null) return 'a process that is not known';
  return `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
}

/** A lock as found. */
interface Found {
  /** Null: what is in the file is no owner. */
  readonly owner: RunOwner | null;
  readonly bytes: number;
  readonly silentMilliseconds: number;
  /** Tells this lock from a later one of the same name. */
  readonly key: string;
}

/** Times that a lock may vanish or change while we look at it, and locks on locks that crashes may have left. */
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
  // Of a file without a name only its age is known: somebody may be writing it.
  return isAlive(owner ?? { ...self, host: '', key: '' }, silentMilliseconds, self);
}

/** Who holds the folder, in words, or null where nobody that lives does. `own` is the key of one's own lock. */
export function holderOf(root: string, own: string | null = null): string | null {
  const found = readLock(root, LOCK_NAME);
  if (found === null || found.key === own || !lives(found, thisOwner())) return null;
  return holderText(root, found);
}

/** Who wrote a lock; of one that does not say, what it may be and when it counts for nothing. */
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

/** Where these are the answer the file system has no second names. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** What is left by a removal that fails is known as dead when this process has ended, and removed by a later run. */
function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // Nothing depends on it, or another error is on its way.
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

  /** Writes the lock; false where there is one. */
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

  /** Puts our lock in the place of a dead one; false where it is no longer that one. */
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

  /** Writes who we are, durable before it gets the name that counts: after a power loss it is whole or not there. */
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

/** Removes what runs left that died while they took a lock. */
function removeLeftovers(root: string, self: RunOwner, door: FileDoor): void {
  for (const name of readdirSync(root)) {
    if (name === LOCK_NAME || !isLockFile(name)) continue;
    const found = readLock(root, name);
    if (found !== null && !lives(found, self)) quietly(() => door.remove(join(root, name)));
  }
}

/** A folder held by this run, until `release`. */
export class OutputLock {
  readonly #root: string;
  readonly #door: FileDoor;
  readonly #beat: NodeJS.Timeout;
  /** Tells this lock from all others. */
  readonly key: string;

  /** @throws MinHashError OUTPUT_LOCKED naming who holds it, WRITE_FAILED, DISK_FULL */
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

  /** Whether nobody has taken us for dead. */
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
      // Seen only from other hosts, and there only after a long silence; before the end we look whose it is.
    }
  }
}
