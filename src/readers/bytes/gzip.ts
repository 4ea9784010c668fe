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

/** Decompresses data at once. Null: they decompress to more than `most` bytes. */
export function gunzipAtOnce(bytes: Uint8Array, most: number): Decompressed | null {
  // zlib requires at least 1; one byte too many is detected below.
  const maxOutputLength = Math.max(1, most);
  const chunkSize = Math.min(Math.max(4 * bytes.length, 16 << 10), 1 << 20);
  try {
    const options = { info: true, maxOutputLength, chunkSize };
    // The declared types do not know `info`.
    const found: unknown = gunzipSync(bytes, options);
    const { buffer, engine } = found as GunzipInfo;
    if (!isPadding(bytes.subarray(engine.bytesWritten))) return { flaw: 'DAMAGED', bytes: NOTHING };
    return buffer.length > most ? null : { flaw: null, bytes: buffer };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    return { flaw: flawOf(error), bytes: NOTHING };
  }
}

/** The most that first bytes are decompressed to. */
const MOST_HEAD = 64 << 20;

/** The decompressed beginning of gzip data, as far as it can be decompressed; none if it has more than `most` bytes. */
export function gunzipHead(bytes: Uint8Array, most = MOST_HEAD): Uint8Array {
  return beginningIn(bytes, most) ?? NOTHING;
}

/** Null: there is damage, or more than `most` bytes. */
function beginningIn(bytes: Uint8Array, most: number): Uint8Array | null {
  try {
    return gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, most) });
  } catch {
    return null;
  }
}

/** What damaged data decompress to up to the damage, which is approached by halves: zlib gives nothing of a call that finds it. */
export function gunzipBeforeDamage(bytes: Uint8Array, most: number): Uint8Array {
  let found: Uint8Array = NOTHING;
  for (let [from, to] = [0, bytes.length + 1]; to - from > 1; ) {
    const middle = Math.floor((from + to) / 2);
    const before = beginningIn(bytes.subarray(0, middle), most);
    if (before === null) to = middle;
    else [from, found] = [middle, before];
  }
  return found;
}

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
        return yield 'GZIP_BEHIND';
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
        return yield isBehind(error) && given + salvaged > 0 ? 'GZIP_BEHIND' : flawed(flawOf(error));
      }
      fed += slice.length;
      if (gunzip.ended && !isPadding(slice.subarray(slice.length - (fed - gunzip.used))))
        return yield 'GZIP_BEHIND';
    }
    if (gunzip.ended) return;
    const error = await gunzip.feed(null);
    yield* taken();
    if (error !== null) yield flawed(flawOf(error));
  } finally {
    gunzip.close();
  }
}

/** Whether other bytes follow the last member. */
const isBehind = ({ message }: Error): boolean => /header check|compression method/.test(message);

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
