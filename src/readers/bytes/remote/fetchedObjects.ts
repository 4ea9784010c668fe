/**
 * Objects as the thread that fetches holds them: opened with their first bytes, read by ranges, fetched ahead. What a server
 * gives only as a whole goes to a temporary file.
 */
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../../../errors.js';
import { shownAddress } from './addresses.js';
import { Announced } from './announced.js';
import type { AnnouncedObject, Errand, Found, Opened, Range } from './messages.js';
import { type Part, Passing, type Reply, refusal, withRetries } from './replies.js';
import { findS3, getS3Range } from './s3Objects.js';
import { getWebRange } from './webObjects.js';

/** Heads of objects that are opened again and again, a range each time. */
const MOST_HEADS = 64;
/** What a PATH leads to is told with so many of its first bytes. */
const FIRST_LOOK = 8 << 10;

/** The state of one thread that fetches. */
export class FetchedObjects {
  readonly #open = new Map<number, { readonly address: string; readonly part: Part }>();
  readonly #ahead = new Map<string, Promise<Uint8Array>>();
  readonly #heads = new Map<string, Part>();
  readonly #copies = new Map<string, Part>();
  readonly #announced = new Announced((object) => this.#first(object));

  /** What a PATH leads to; what is remembered is forgotten, since a listing begins something new. */
  async find(address: string): Promise<Found> {
    this.#heads.clear();
    this.#forgetCopies();
    try {
      if (address.startsWith('s3://')) return await findS3(address);
      const part = await this.#first({ address, first: { from: 0, length: FIRST_LOOK } });
      return { kind: 'file', size: part.size, time: part.time };
    } catch (error) {
      if (!(error instanceof MinHashError) || error.code !== 'VANISHED') throw error;
      throw refusal('PATH_MISSING', error.faults[0]!.detail);
    }
  }

  async open({ file, address, first, keepsHead }: Errand & { readonly kind: 'open' }): Promise<Opened> {
    const part =
      (keepsHead ? this.#heads.get(address) : undefined) ??
      (await this.#announced.take({ address, first: { from: 0, length: first } }));
    if (keepsHead && !this.#heads.has(address)) {
      if (this.#heads.size === MOST_HEADS) this.#heads.clear();
      this.#heads.set(address, part);
    }
    this.#open.set(file, { address, part });
    const { size, time, bytes } = part;
    // A head that is kept is copied, because bytes that are given away are gone.
    return { size, time, bytes: keepsHead ? bytes.slice() : bytes };
  }

  close(file: number): void {
    this.#open.delete(file);
    for (const key of this.#ahead.keys()) if (key.startsWith(`${file} `)) this.#ahead.delete(key);
  }

  announce(objects: readonly AnnouncedObject[]): void {
    this.#announced.replace(objects);
  }

  ahead(file: number, range: Range): void {
    const bytes = this.#range(file, range);
    // Who asks for it hears of its fault; nobody may ask.
    bytes.catch(() => {});
    this.#ahead.set(keyOf(file, range), bytes);
  }

  read(file: number, range: Range): Promise<Uint8Array> {
    const key = keyOf(file, range);
    const bytes = this.#ahead.get(key);
    this.#ahead.delete(key);
    return bytes ?? this.#range(file, range);
  }

  async #range(file: number, range: Range): Promise<Uint8Array> {
    const { address, part } = this.#open.get(file)!;
    if (part.copy !== null) return bytesOfCopy(part.copy, range);
    const found = await this.#get(address, range, part.etag);
    if (
      found.size !== part.size ||
      found.etag !== part.etag ||
      found.time !== part.time ||
      found.copy !== null
    )
      throw refusal('CHANGED', `${shownAddress(address)}: changed meanwhile`);
    return found.bytes;
  }

  #first({ address, first }: AnnouncedObject): Promise<Part> {
    const copied = this.#copies.get(address);
    if (copied === undefined) return this.#get(address, first, null);
    const bytes = bytesOfCopy(copied.copy!, { from: 0, length: Math.min(first.length, copied.size) });
    return Promise.resolve({ ...copied, bytes });
  }

  #get(address: string, range: Range, etag: string | null): Promise<Part> {
    const getRange = address.startsWith('s3://') ? getS3Range : getWebRange;
    const shown = shownAddress(address);
    return withRetries(shown, async () => {
      const reply = await getRange(address, range, etag);
      try {
        return await this.#partOf(address, reply, range);
      } finally {
        reply.discard();
      }
    });
  }

  async #partOf(address: string, reply: Reply, range: Range): Promise<Part> {
    const { size, time, etag, isPart, length } = reply;
    const isShort = range.from === 0 && length >= 0 && length <= range.length;
    if (isPart || isShort) {
      const wanted = Math.max(0, Math.min(size, range.from + range.length) - range.from);
      return { size, time, etag, copy: null, bytes: await collected(reply, wanted) };
    }
    const known = this.#copies.get(address);
    if (known !== undefined) return known;
    const { copy, bytes } = await copied(reply);
    const part: Part = { size: bytes, time, etag, copy, bytes: new Uint8Array(0) };
    this.#copies.set(address, part);
    return { ...part, bytes: bytesOfCopy(copy, { from: 0, length: Math.min(range.length, bytes) }) };
  }

  #forgetCopies(): void {
    if (this.#open.size > 0) return;
    for (const { copy } of this.#copies.values()) closeSync(copy!);
    this.#copies.clear();
  }
}

const keyOf = (file: number, { from, length }: Range): string => `${file} ${from} ${length}`;

/** The bytes of a body, which are `wanted`: a body that ends early is never taken for all of it. */
async function collected({ body }: Reply, wanted: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(wanted);
  let end = 0;
  for await (const piece of body) {
    if (end + piece.length > wanted) throw new Passing(`the answer has more than ${wanted} bytes`);
    bytes.set(piece, end);
    end += piece.length;
  }
  if (end < wanted) throw new Passing(`the answer ended after ${end} of ${wanted} bytes`);
  return bytes;
}

/** A body as a file without a name: nothing is left of it, however the program ends. */
async function copied({ body, length }: Reply): Promise<{ readonly copy: number; readonly bytes: number }> {
  const name = join(tmpdir(), `mr-minhash-${process.pid}-${process.hrtime.bigint()}`);
  const copy = openSync(name, 'wx+', 0o600);
  let bytes = 0;
  try {
    unlinkSync(name);
    for await (const piece of body) bytes += writeAll(copy, piece);
    if (length >= 0 && bytes !== length)
      throw new Passing(`the answer ended after ${bytes} of ${length} bytes`);
    return { copy, bytes };
  } catch (error) {
    ftruncateSync(copy);
    closeSync(copy);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw refusal('SCRATCH_FAILED', `${tmpdir()}: no space is left`);
    throw error;
  }
}

function writeAll(file: number, piece: Uint8Array): number {
  for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
  return piece.length;
}

function bytesOfCopy(copy: number, { from, length }: Range): Uint8Array {
  const bytes = new Uint8Array(length);
  let end = 0;
  while (end < length) {
    const read = readSync(copy, bytes, end, length - end, from + end);
    if (read === 0) break;
    end += read;
  }
  return bytes.subarray(0, end);
}
