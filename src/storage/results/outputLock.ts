/**
 * One run at a time in an output folder: a file that names the run, made whole in one step, and taken over where that
 * run has ended without removing it.
 *
 * Floor 2. Knows no result. A dead run's lock is replaced only by who holds the lock on replacing exactly that one, a
 * file with its key in the name; so of two that find it dead one gets it, and a lock just taken is never removed by
 * somebody who looked before.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { type FileDoor, NODE_FILES } from '../fileDoor.js';
import { guardWrite, systemCodeOf } from './atomicFile.js';
import { canonicalJsonBytes } from './canonicalJson.js';
import { isLockFile, LOCK_NAME, TEMPORARY_ENDING } from './resultNames.js';
import {
  BEAT_MILLISECONDS,
  isAlive,
  ownerFrom,
  ownerText,
  type RunOwner,
  SILENCE_MILLISECONDS,
  thisOwner,
} from './runOwner.js';

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
