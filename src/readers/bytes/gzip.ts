/**
 * Unpacks gzip, whole and as a stream.
 *
 * Several members and padding by zeros are valid; any other bytes after the end are damage. zlib stops at
 * padding and does not report the bytes behind it, so they are checked here: a member behind zeros would be
 * lost in silence.
 */
import { constants } from 'node:buffer';
import { createGunzip, gunzipSync, type Gunzip as ZlibGunzip, constants as zlib } from 'node:zlib';
import type { ErrorCode } from '../../errors.js';
import type { Pieces } from './byteStreams.js';
import { ALLOWANCE_BYTES, MOST_RATIO } from './unpack/unpacking.js';
import { closeInput, openInputLater, readFault, readInto, readNextLater } from './wholeFiles.js';

/** Packed bytes passed to zlib at a time. */
const FEED_BYTES = 32 << 10;

/** Missing in @types/node: with `info`, gunzipSync also returns the engine. */
interface GunzipInfo {
  readonly buffer: Buffer;
  readonly engine: ZlibGunzip;
}

/**
 * Unpacks gzip data whole: the bytes, or GZIP_TRUNCATED, GZIP_DAMAGED, TOO_LARGE beyond `limit` unpacked
 * bytes, or GZIP_BOMB (both found without holding more than that).
 */
export function gunzipWhole(bytes: Uint8Array, limit: number): Uint8Array | ErrorCode {
  const bomb = Math.max(ALLOWANCE_BYTES, MOST_RATIO * bytes.length);
  // zlib requires at least 1; one byte too many is detected below.
  const maxOutputLength = Math.min(Math.max(limit, 1), bomb, constants.MAX_LENGTH);
  const chunkSize = Math.min(Math.max(4 * bytes.length, 16 << 10), 1 << 20);
  try {
    const options = { info: true, maxOutputLength, chunkSize };
    // The declared types do not know `info`.
    const found: unknown = gunzipSync(bytes, options);
    const { buffer, engine } = found as GunzipInfo;
    if (!isPadding(bytes.subarray(engine.bytesWritten))) return 'GZIP_DAMAGED';
    return buffer.length > limit ? 'TOO_LARGE' : buffer;
  } catch (error) {
    const code = codeOf(error);
    return code === 'TOO_LARGE' && bomb < limit ? 'GZIP_BOMB' : code;
  }
}

/** The most that first bytes are unpacked to. */
const MOST_HEAD = 64 << 20;

/** What the first bytes of gzip data unpack to, as far as it can be had. */
export function gunzipHead(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: MOST_HEAD });
  } catch {
    return new Uint8Array(0);
  }
}

function codeOf(error: unknown): ErrorCode {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'TOO_LARGE';
  return code === 'Z_BUF_ERROR' ? 'GZIP_TRUNCATED' : 'GZIP_DAMAGED';
}

function isPadding(rest: Uint8Array): boolean {
  return rest.every((byte) => byte === 0);
}

/**
 * Unpacks a gzip file as a stream of pieces in new memory. On an error its code is the last value, after
 * every byte that could be unpacked before.
 *
 * zlib discards the bytes that a call unpacked before it met the damage. So a damaged file is read a second
 * time, and the damaged part is fed byte by byte.
 *
 * @param allowance unpacked bytes above which the ratio must not be that of a bomb (GZIP_BOMB)
 */
export async function* gunzipFile(path: string, allowance: number): Pieces {
  let given = 0;
  const first = new GunzipPass(path, Number.POSITIVE_INFINITY);
  for await (const piece of first.pieces()) {
    given += piece.length;
    if (given > allowance && given > MOST_RATIO * (first.fedBefore + FEED_BYTES)) {
      yield 'GZIP_BOMB';
      return;
    }
    yield piece;
  }
  if (first.code !== 'GZIP_DAMAGED') {
    if (first.code !== null) yield first.code;
    return;
  }
  const second = new GunzipPass(path, first.fedBefore);
  for await (const piece of second.pieces()) {
    if (piece.length > given) yield piece.subarray(given);
    given = Math.max(0, given - piece.length);
  }
  yield second.code ?? 'GZIP_DAMAGED';
}

/**
 * Unpacks gzip that comes once, like gunzipFile. What cannot be read again is unpacked twice: the second zlib gets bytes
 * only when the first was content with them, and the damaged part byte by byte.
 */
export async function* gunzipPiped(packed: Pieces, allowance: number): Pieces {
  const [ahead, behind] = [new Gunzip(), new Gunzip()];
  try {
    yield* gunzipTwice(ahead, behind, packed, allowance);
  } finally {
    ahead.close();
    behind.close();
  }
}

async function* gunzipTwice(ahead: Gunzip, behind: Gunzip, packed: Pieces, allowance: number): Pieces {
  let fed = 0;
  let given = 0;
  for await (const slice of slicesOf(packed)) {
    if (typeof slice === 'string') return yield slice;
    if (ahead.ended) {
      if (isPadding(slice)) continue;
      return yield 'GZIP_DAMAGED';
    }
    const code = await ahead.feed(slice);
    const pieces = ahead.take();
    yield* pieces;
    if (code !== null) {
      yield* singly(behind, slice, sizeOfAll(pieces));
      return yield code;
    }
    fed += slice.length;
    given += sizeOfAll(pieces);
    if (given > allowance && given > MOST_RATIO * fed) return yield 'GZIP_BOMB';
    if (ahead.ended && !isPadding(slice.subarray(slice.length - (fed - ahead.used)))) {
      return yield 'GZIP_DAMAGED';
    }
    await behind.feed(slice);
    behind.take();
  }
  if (ahead.ended) return;
  const code = await ahead.feed(null);
  yield* ahead.take();
  if (code !== null) yield code;
}

/** What bytes unpack to before the damage in them, but for the first `given` bytes of that. */
async function* singly(gunzip: Gunzip, damaged: Uint8Array, given: number): AsyncGenerator<Uint8Array> {
  for (let i = 0, code: ErrorCode | null = null; i < damaged.length && code === null; i++) {
    code = await gunzip.feed(damaged.subarray(i, i + 1));
    for (const piece of gunzip.take()) {
      if (piece.length > given) yield piece.subarray(given);
      given = Math.max(0, given - piece.length);
    }
  }
}

/** Pieces cut so small that what zlib makes of one can be held. */
async function* slicesOf(pieces: Pieces): Pieces {
  for await (const piece of pieces) {
    if (typeof piece === 'string') yield piece;
    else for (let at = 0; at < piece.length; at += FEED_BYTES) yield piece.subarray(at, at + FEED_BYTES);
  }
}

const sizeOfAll = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);

class GunzipPass {
  /** The error, once `pieces` has ended. */
  code: ErrorCode | null = null;
  /** Packed bytes fed before the call that failed. */
  fedBefore = 0;
  readonly #path: string;
  readonly #singlyFrom: number;

  constructor(path: string, singlyFrom: number) {
    this.#path = path;
    this.#singlyFrom = singlyFrom;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const descriptor = await openInputLater(this.#path);
    if (typeof descriptor === 'string') {
      this.code = descriptor;
      return;
    }
    const gunzip = new Gunzip();
    try {
      while (this.code === null && !gunzip.ended) {
        const size = this.fedBefore >= this.#singlyFrom ? 1 : FEED_BYTES;
        const packed = new Uint8Array(size);
        const read = await readNextLater(descriptor, packed);
        if (read < 0) this.code = readFault(descriptor);
        else this.code = await gunzip.feed(read === 0 ? null : packed.subarray(0, read));
        yield* gunzip.take();
        if (this.code === null) this.fedBefore += read;
      }
      if (this.code === null && !restIsPadding(descriptor, gunzip.used)) this.code = 'GZIP_DAMAGED';
    } finally {
      closeInput(descriptor);
      gunzip.close();
    }
  }
}

/** zlib, fed step by step. */
class Gunzip {
  /** It met the end of the data, or padding. */
  ended = false;
  readonly #gunzip = createGunzip({ chunkSize: 64 << 10 });
  #out: Uint8Array[] = [];

  constructor() {
    // Flowing mode delivers pieces at once. An iterator would drop queued pieces when an error arrives.
    this.#gunzip.on('data', (piece: Buffer) => this.#out.push(piece));
    this.#gunzip.on('end', () => {
      this.ended = true;
    });
  }

  /** Packed bytes up to the padding, once it has ended. */
  get used(): number {
    return this.#gunzip.bytesWritten;
  }

  /** What was unpacked since the last call. */
  take(): Uint8Array[] {
    return this.#out.splice(0);
  }

  close(): void {
    this.#gunzip.destroy();
  }

  /** Feeds bytes (null: the end) and waits until zlib has consumed them, ended at padding, or failed. */
  feed(packed: Uint8Array | null): Promise<ErrorCode | null> {
    const gunzip = this.#gunzip;
    return new Promise((resolve) => {
      const settle = (code: ErrorCode | null): void => {
        gunzip.off('error', onError);
        gunzip.off('end', onEnd);
        resolve(code);
      };
      const onError = (error: unknown): void => {
        // Later errors of the stream add nothing, and an error without a listener would end the process.
        gunzip.on('error', () => {});
        settle(codeOf(error));
      };
      const onEnd = (): void => settle(null);
      gunzip.once('error', onError);
      gunzip.once('end', onEnd);
      if (packed === null) gunzip.end();
      else gunzip.write(packed, (error) => (error ? undefined : settle(null)));
    });
  }
}

function restIsPadding(descriptor: number, position: number): boolean {
  const rest = new Uint8Array(FEED_BYTES);
  for (;;) {
    const end = readInto(descriptor, rest, 0, position);
    if (end <= 0) return end === 0;
    if (!isPadding(rest.subarray(0, end))) return false;
    // Any step size up to this one gives the same result; a smaller one reads bytes again.
    position += end;
  }
}
