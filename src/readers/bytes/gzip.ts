/**
 * Decompresses gzip, whole and as a stream.
 *
 * Several members and padding by zeros are valid; any other bytes after the end are damage. zlib stops at
 * padding and does not report the bytes behind it, so they are checked here: a member behind zeros would be
 * lost in silence.
 */
import { createGunzip, gunzipSync, type Gunzip as ZlibGunzip, constants as zlib } from 'node:zlib';
import type { ErrorCode } from '../../errors.js';
import type { Pieces } from './byteStreams.js';
import type { Decompressed, Flaw } from './programs.js';

/** Compressed bytes passed to zlib at a time. */
const FEED_BYTES = 32 << 10;

/** Missing in @types/node: with `info`, gunzipSync also returns the engine. */
interface GunzipInfo {
  readonly buffer: Buffer;
  readonly engine: ZlibGunzip;
}

const NOTHING = new Uint8Array(0);

/** Decompresses data at once; of damaged data the bytes before the damage. Null: they decompress to more than `most` bytes. */
export function gunzipAtOnce(bytes: Uint8Array, most: number): Decompressed | null {
  // zlib requires at least 1; one byte too many is detected below.
  const maxOutputLength = Math.max(1, most);
  const chunkSize = Math.min(Math.max(4 * bytes.length, 16 << 10), 1 << 20);
  try {
    const options = { info: true, maxOutputLength, chunkSize };
    // The declared types do not know `info`.
    const found: unknown = gunzipSync(bytes, options);
    const { buffer, engine } = found as GunzipInfo;
    if (buffer.length > most) return null;
    return { flaw: isPadding(bytes.subarray(engine.bytesWritten)) ? null : 'BEHIND', bytes: buffer };
  } catch (error) {
    if (isTooLarge(error)) return null;
    const before = bytesBeforeDamage(bytes, maxOutputLength);
    return { flaw: before.length > 0 && isBehind(error, bytes) ? 'BEHIND' : flawOf(error), bytes: before };
  }
}

/** The decompressed beginning of data; null: there is damage, or more than `most` bytes. */
export function gunzipBeginning(bytes: Uint8Array, most: number): Uint8Array | null {
  try {
    return gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: most });
  } catch {
    return null;
  }
}

/** Approached by halves: zlib gives nothing of a call that finds damage. More than `most` bytes count as damage. */
function bytesBeforeDamage(bytes: Uint8Array, most: number): Uint8Array {
  let before: Uint8Array = NOTHING;
  for (let [from, to, at] = [0, bytes.length + 1, bytes.length]; to - from > 1; at = (from + to) >> 1) {
    const beginning = gunzipBeginning(bytes.subarray(0, at), most);
    if (beginning === null) to = at;
    else [from, before] = [at, beginning];
  }
  return before;
}

const isTooLarge = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

function flawOf(error: unknown): Flaw {
  return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? 'TRUNCATED' : 'DAMAGED';
}

function isPadding(rest: Uint8Array): boolean {
  return rest.every((byte) => byte === 0);
}

/** Compressed bytes that are held so that damage among them can be approached again. */
const HELD_BYTES = 1 << 20;

/**
 * Decompresses a stream, into new memory; see decompressThrough. Every byte before damage is given: zlib gives none of the call that finds it,
 * so the bytes before are decompressed again, up to the damage one by one.
 *
 * @param again the compressed bytes once more; null: they cannot be had, and damage behind the first ones that are held costs a piece
 */
export async function* gunzipThrough(
  compressed: Pieces,
  flawed: (flaw: Flaw) => ErrorCode,
  again: (() => Pieces) | null = null,
): Pieces {
  const gunzip = new FedGunzip();
  const held: Uint8Array[] = [];
  let [fed, given] = [0, 0];
  const taken = (): Uint8Array[] => {
    const pieces = gunzip.take();
    for (const { length } of pieces) given += length;
    return pieces;
  };
  try {
    for await (const slice of slicesOf(compressed)) {
      if (typeof slice === 'string') return yield slice;
      if (gunzip.ended) {
        if (isPadding(slice)) continue;
        return yield flawed('BEHIND');
      }
      if (again === null && fed < HELD_BYTES) held.push(slice.slice());
      const error = await gunzip.feed(slice);
      yield* taken();
      if (error !== null) {
        const isHeld = fed < HELD_BYTES;
        const before = again?.() ?? (isHeld ? piecesOf(held) : null);
        let salvaged = 0;
        for await (const piece of before === null ? [] : bytesBefore(before, fed, given)) {
          salvaged += piece.length;
          yield piece;
        }
        return yield flawed(isBehind(error) && given + salvaged > 0 ? 'BEHIND' : flawOf(error));
      }
      fed += slice.length;
      if (gunzip.ended && !isPadding(slice.subarray(slice.length - (fed - gunzip.used))))
        return yield flawed('BEHIND');
    }
    if (gunzip.ended) return;
    const error = await gunzip.feed(null);
    yield* taken();
    if (error !== null) yield flawed(flawOf(error));
  } finally {
    gunzip.close();
  }
}

/** Whether other bytes follow the last member. A single one is an end that comes too early for zlib: that of a line feed is recognised. */
function isBehind(error: unknown, bytes?: Uint8Array): boolean {
  if (flawOf(error) === 'TRUNCATED') return bytes?.at(-1) === LINE_FEED && isValid(bytes.subarray(0, -1));
  return error instanceof Error && /header check|compression method/.test(error.message);
}

const LINE_FEED = 0x0a;

function isValid(bytes: Uint8Array): boolean {
  try {
    gunzipSync(bytes);
    return true;
  } catch {
    return false;
  }
}

async function* piecesOf(pieces: readonly Uint8Array[]): Pieces {
  yield* pieces;
}

/** What the compressed bytes from `from` on decompress to up to the damage, without the first `given` bytes. */
async function* bytesBefore(compressed: Pieces, from: number, given: number): AsyncGenerator<Uint8Array> {
  const gunzip = new FedGunzip();
  let fed = 0;
  let passed = 0;
  try {
    for await (const slice of slicesOf(compressed)) {
      if (typeof slice === 'string') return;
      const step = fed < from ? slice.length : 1;
      for (let at = 0; at < slice.length; at += step) {
        const error = await gunzip.feed(slice.subarray(at, at + step));
        for (const piece of gunzip.take()) {
          const skipped = Math.min(piece.length, Math.max(0, given - passed));
          passed += piece.length;
          if (skipped < piece.length) yield piece.subarray(skipped);
        }
        if (error !== null || gunzip.ended) return;
      }
      fed += slice.length;
    }
  } finally {
    gunzip.close();
  }
}

/** Pieces so small that their decompressed bytes can be held. */
async function* slicesOf(pieces: Pieces): Pieces {
  for await (const piece of pieces) {
    if (typeof piece === 'string') yield piece;
    else for (let at = 0; at < piece.length; at += FEED_BYTES) yield piece.subarray(at, at + FEED_BYTES);
  }
}

/** A stream of zlib, fed step by step. */
class FedGunzip {
  /** It found the end of the data, or padding. */
  ended = false;
  readonly #stream = createGunzip({ chunkSize: 64 << 10 });
  #out: Uint8Array[] = [];
  /** Later errors of the stream add nothing, and an error without a listener would end the process. */
  #error: Error | null = null;

  constructor() {
    const stream = this.#stream;
    // Flowing mode delivers pieces at once. An iterator would drop queued pieces when an error arrives.
    stream.on('data', (piece: Buffer) => this.#out.push(piece));
    stream.on('end', () => {
      this.ended = true;
    });
    stream.on('error', (error) => {
      this.#error ??= error;
    });
  }

  /** Compressed bytes up to the padding, once it has ended. */
  get used(): number {
    return this.#stream.bytesWritten;
  }

  /** The bytes decompressed since the last call. */
  take(): Uint8Array[] {
    return this.#out.splice(0);
  }

  close(): void {
    this.#stream.destroy();
  }

  /** Feeds bytes (null: the end) and waits until they are decompressed, it ended at padding, or it failed, which is returned. */
  feed(compressed: Uint8Array | null): Promise<Error | null> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const settle = (): void => {
        stream.off('error', settle);
        stream.off('end', settle);
        resolve(this.#error);
      };
      stream.once('error', settle);
      stream.once('end', settle);
      if (compressed === null) stream.end();
      else stream.write(compressed, (error) => (error ? undefined : settle()));
    });
  }
}
