/**
 * Streams on this machine's disk: standard input, and objects of servers, are written to a file each and read as any other
 * file from then on.
 *
 *      folder/<hash of the address>   an object: its bytes so far; complete once its time is that of the object
 *      folder/VANISHED and others     nothing is there: opened in place of an object that could not be fetched
 *      folder/coming.tmp              standard input so far
 *      folder/<SHA-256>.whole         all of it: its name is its checksum
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  fsync,
  futimesSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ErrorCode, MinHashError } from '../../errors.js';
import type { DiskRoom } from '../../store/disk.js';
import { NODE_FILES } from '../../store/fileDoor.js';
import { AtomicFile, guardWrite, makeFolders, temporaryFolder, writeErrorOf } from '../../store/files.js';
import { shownAddress } from './remote/addresses.js';
import { type GetRange, Passing, type Reply, refusal, withRetries } from './remote/replies.js';

/** An object as it was listed: bytes, and milliseconds since 1970 in whole seconds; 0 where the server does not say when. */
export interface Listed {
  readonly address: string;
  readonly size: number;
  readonly time: number;
}

/** Bytes of an object that are read ahead: the first records. */
const HEAD_BYTES = 256 << 10;
/** The number of objects that are fetched at the same time, */
const MOST_AT_ONCE = 16;
/** and the number of bytes that are fetched ahead of the reader. */
const MOST_AHEAD = 64 << 20;
/** Bytes of standard input in a read. */
const READ_BYTES = 256 << 10;

/** Faults of a single object; any other ends the run, which can be resumed. */
const OF_ONE_OBJECT: readonly ErrorCode[] = ['VANISHED', 'DENIED', 'CHANGED'];

const syncLater = promisify(fsync);

/** The state of an object. */
interface State {
  /** The file of its bytes, and how many it has. */
  readonly name: string;
  held: number;
  etag: string | null;
  fault: ErrorCode | null;
  /** One request at a time. */
  busy: Promise<void>;
  whole: Promise<void> | null;
}

const COMING = 'coming';
const WHOLE = '.whole';

/** The streams of one list of inputs: objects of servers, and standard input where it is needed again. */
export class Spool {
  readonly #states = new Map<string, State>();
  readonly #signal: AbortSignal | undefined;
  /** Removed at the end; null: there is none yet, or objects lie in a folder of the caller. */
  #own: string | null = null;
  #folder: string | null = null;
  #room: DiskRoom | null = null;
  readonly #active = new Set<() => void>();
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #order: readonly Listed[] = [];
  #next = 0;
  /** Objects that are being fetched ahead, and their bytes. */
  readonly #early = new Set<string>();
  #ahead = 0;
  /** The file of standard input once it is complete; null: it is not. */
  #piped: string | null = null;
  /** The part of it that was read so far, */
  #coming: AtomicFile | null = null;
  /** where the rest comes from, */
  #source: AsyncIterator<unknown> | null = null;
  /** and the piece that is waited for, or the end. */
  #step: Promise<IteratorResult<unknown>> | null = null;
  readonly #removeOwn = (): void => {
    if (this.#own !== null) rmSync(this.#own, { recursive: true, force: true });
    this.#own = null;
  };

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.#stop);
  }

  /** The path to open for an object once `heads` or `whole` fetched it. */
  pathOf(address: string): string {
    const { name, fault } = this.#stateOf(address);
    return join(this.#place(), fault ?? name);
  }

  /** Fetches the beginnings of objects, for their first records. @throws MinHashError as `whole` */
  async heads(objects: readonly Listed[]): Promise<void> {
    await this.#stopped(
      Promise.all(objects.map((object) => this.#upTo(object, Math.min(object.size, HEAD_BYTES)))),
    );
  }

  /** Announces the objects that will be read, in this order, to be fetched ahead. */
  expect(objects: readonly Listed[]): void {
    this.#order = objects;
    this.#next = 0;
    this.#pump();
  }

  /**
   * Fetches an object, unless it is there; the path of one that is gone, denied or changed leads to no file.
   *
   * @throws MinHashError REMOTE_FAILED and others where a server fails for any object; DISK_FULL, WRITE_FAILED, INTERRUPTED
   */
  async whole(object: Listed): Promise<void> {
    const work = this.#begin(object);
    if (this.#early.delete(object.address)) {
      this.#ahead -= object.size;
      this.#pump();
    }
    await this.#stopped(work);
  }

  /** From now on keeps objects in a folder, which is emptied. */
  async keepIn(folder: string, room: DiskRoom): Promise<void> {
    rmSync(folder, { recursive: true, force: true });
    guardWrite(folder, () => makeFolders(folder));
    if (this.#own !== null)
      for (const name of readdirSync(this.#own)) await moveFile(join(this.#own, name), join(folder, name));
    this.#folder = folder;
    this.#room = room;
    this.#removeOwn();
  }

  /** All of standard input, any number of times; null: it is not complete. */
  get piped(): AsyncIterable<unknown> | null {
    return this.#piped === null ? null : createReadStream(this.#piped, { highWaterMark: READ_BYTES });
  }

  /** Passes standard input on and writes it to the file. @throws MinHashError WRITE_FAILED, DISK_FULL */
  async *keeping(stdin: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    this.#coming = new AtomicFile(this.#place(), COMING, NODE_FILES, this.#room);
    const source = stdin[Symbol.asyncIterator]();
    this.#source = source;
    // A reader that stops does not close the source: another run may go on with it.
    for (;;) {
      this.#step = source.next();
      const { done, value } = await this.#step;
      if (done === true || this.#coming === null) return;
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      // The reader refuses other values.
      if (bytes instanceof Uint8Array) this.#coming.append(bytes);
      this.#step = null;
      yield bytes;
    }
  }

  /** Completes the file: the input has ended, or a fault of it ends the reading. */
  keepPiped(): void {
    const folder = this.#place();
    const { sha256 } = this.#coming!.finish(0);
    const path = join(folder, `${sha256}${WHOLE}`);
    guardWrite(path, () => {
      NODE_FILES.rename(join(folder, COMING), path);
      NODE_FILES.syncFolder(folder);
    });
    this.#piped = path;
  }

  /** An object is not read any more. */
  release({ address }: Pick<Listed, 'address'>): void {
    rmSync(this.pathOf(address), { force: true });
    this.#states.delete(address);
  }

  /** Ends all fetching; no file is read any more. */
  close(): void {
    this.#stop();
    closeSource(this.#source);
    this.#coming?.abandon();
    this.#signal?.removeEventListener('abort', this.#stop);
    this.#removeOwn();
    process.removeListener('exit', this.#removeOwn);
  }

  /** Ends the requests. */
  readonly #stop = (): void => {
    this.#order = [];
    for (const discard of this.#active) discard();
  };

  /** A stop takes effect at once, whatever a server does. */
  async #stopped<T>(work: Promise<T>): Promise<T> {
    const signal = this.#signal;
    if (signal === undefined) return work;
    const interrupted = (): MinHashError => new MinHashError({ code: 'INTERRUPTED', detail: '' });
    if (signal.aborted) throw interrupted();
    let hear = (): void => {};
    const stop = new Promise<never>((_, reject) => {
      hear = () => reject(interrupted());
      signal.addEventListener('abort', hear);
    });
    try {
      return await Promise.race([work, stop]);
    } finally {
      signal.removeEventListener('abort', hear);
    }
  }

  #place(): string {
    if (this.#folder === null) {
      this.#own = this.#folder = temporaryFolder('spool');
      process.once('exit', this.#removeOwn);
    }
    return this.#folder;
  }

  #stateOf(address: string): State {
    let state = this.#states.get(address);
    if (state === undefined) {
      const name = createHash('sha256').update(address).digest('hex').slice(0, 32);
      const busy = Promise.resolve();
      state = { name, held: 0, etag: null, fault: null, busy, whole: null };
      this.#states.set(address, state);
    }
    return state;
  }

  #begin(object: Listed): Promise<void> {
    const state = this.#stateOf(object.address);
    if (state.whole === null) {
      state.whole = this.#upTo(object, object.size);
      // The caller of `whole` gets the fault; there may be none.
      state.whole.catch(() => {});
    }
    return state.whole;
  }

  #pump(): void {
    for (; this.#next < this.#order.length && this.#ahead < MOST_AHEAD; this.#next++) {
      const object = this.#order[this.#next]!;
      if (this.#stateOf(object.address).whole !== null) continue;
      this.#ahead += object.size;
      this.#early.add(object.address);
      this.#begin(object);
    }
  }

  /** Fetches the object up to so many bytes, one request after the other. */
  #upTo(object: Listed, bytes: number): Promise<void> {
    const state = this.#stateOf(object.address);
    const work = state.busy.then(() => this.#inTurn(() => this.#fetch(object, state, bytes)));
    state.busy = work.catch(() => {});
    return work;
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#running >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #fetch(object: Listed, state: State, bytes: number): Promise<void> {
    const path = join(this.#place(), state.name);
    if (state.fault !== null || isWhole(path, object)) return;
    const shown = shownAddress(object.address);
    const get = await getterFor(object.address);
    const file = guardWrite(path, () => openSync(path, state.held === 0 ? 'w' : 'r+', 0o600));
    try {
      if (bytes > state.held) await withRetries(shown, () => this.#append(object, state, bytes, file, get));
      if (bytes < object.size) return;
      futimesSync(file, object.time / 1000, object.time / 1000);
    } catch (error) {
      const code = error instanceof MinHashError ? error.code : null;
      if (code === null || !OF_ONE_OBJECT.includes(code)) throw error;
      state.fault = code;
      rmSync(path, { force: true });
    } finally {
      closeSync(file);
    }
  }

  /** Requests the missing bytes; the part of an answer that broke off stays. */
  async #append(object: Listed, state: State, bytes: number, file: number, get: GetRange): Promise<void> {
    if (this.#signal?.aborted === true) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
    const from = state.held;
    const range = { from, length: bytes - from, isWhole: from === 0 && bytes === object.size };
    const reply = await get(object.address, range, state.etag);
    this.#active.add(reply.discard);
    try {
      if (!isSame(reply, object, state)) throw changed(object);
      state.etag = reply.etag;
      // A server without ranges sends all of it again.
      let at = reply.isPart ? from : 0;
      for await (const piece of reply.body) {
        this.#write(file, piece, at);
        at += piece.length;
        if (at > object.size) throw changed(object);
        state.held = Math.max(state.held, at);
        if (at >= bytes && bytes < object.size) return;
      }
      if (at < bytes) throw new Passing(`the answer ended after ${at - from} of ${bytes - from} bytes`);
    } finally {
      this.#active.delete(reply.discard);
      reply.discard();
    }
  }

  #write(file: number, piece: Uint8Array, at: number): void {
    this.#room?.take(piece.length);
    guardWrite(this.#place(), () => {
      for (let done = 0; done < piece.length; )
        done += writeSync(file, piece, done, piece.length - done, at + done);
    });
    this.#room?.written(piece.length);
  }
}

/** Not awaited: a source that hangs would never answer. */
function closeSource(source: AsyncIterator<unknown> | null): void {
  source?.return?.()?.then(undefined, () => {});
}

function changed({ address }: Listed): MinHashError {
  return refusal('CHANGED', `${shownAddress(address)}: changed meanwhile`);
}

/** Whether a server still has the listed object, whose first bytes are here. */
function isSame(reply: Reply, { size, time }: Listed, { etag }: State): boolean {
  const isSameTime = reply.time === time || reply.time === 0 || time === 0;
  return (reply.size < 0 || reply.size === size) && isSameTime && (etag === null || reply.etag === etag);
}

function isWhole(path: string, { size, time }: Listed): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.size === size && found.mtimeMs === time;
}

/** The clients of servers are loaded for the first address: other runs do without. */
async function getterFor(address: string): Promise<GetRange> {
  if (address.startsWith('s3://')) return (await import('./remote/s3Objects.js')).getS3Range;
  return (await import('./remote/webObjects.js')).getWebRange;
}

/** Moves a file for good, also to another file system, unless one is there. */
async function moveFile(from: string, to: string): Promise<void> {
  if (statSync(to, { throwIfNoEntry: false }) !== undefined) return;
  const { atimeMs, mtimeMs } = statSync(from);
  try {
    copyFileSync(from, to);
    const file = openSync(to, 'r+');
    await syncLater(file);
    futimesSync(file, atimeMs / 1000, mtimeMs / 1000);
    closeSync(file);
  } catch (error) {
    throw writeErrorOf(error, to);
  }
}
