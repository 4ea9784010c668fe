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
import { ALLOWANCE_BYTES, MOST_RATIO } from './bombs.js';
import { FedUnpacker, type Pieces } from './byteStreams.js';

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

/** The unpacked beginning of gzip data, as far as it can be unpacked. */
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
 * Unpacks gzip in pieces, into new memory. On an error its code is the last value, after the bytes unpacked before;
 * zlib gives no bytes of the call that finds the damage.
 *
 * @param allowance unpacked bytes above which the ratio must not be that of a bomb (GZIP_BOMB)
 */
export async function* gunzipStream(packed: Pieces, allowance: number): Pieces {
  const gunzip = new FedUnpacker(createGunzip({ chunkSize: 64 << 10 }));
  let fed = 0;
  let given = 0;
  try {
    for await (const slice of slicesOf(packed)) {
      if (typeof slice === 'string') return yield slice;
      if (gunzip.ended) {
        if (isPadding(slice)) continue;
        return yield 'GZIP_DAMAGED';
      }
      const error = await gunzip.feed(slice);
      fed += slice.length;
      for (const piece of gunzip.take()) {
        given += piece.length;
        if (given > allowance && given > MOST_RATIO * fed) return yield 'GZIP_BOMB';
        yield piece;
      }
      if (error !== null) return yield codeOf(error);
      if (gunzip.ended && !isPadding(slice.subarray(slice.length - (fed - gunzip.used)))) {
        return yield 'GZIP_DAMAGED';
      }
    }
    if (gunzip.ended) return;
    const error = await gunzip.feed(null);
    yield* gunzip.take();
    if (error !== null) yield codeOf(error);
  } finally {
    gunzip.close();
  }
}

/** Pieces so small that their unpacked bytes can be held. */
async function* slicesOf(pieces: Pieces): Pieces {
  for await (const piece of pieces) {
    if (typeof piece === 'string') yield piece;
    else for (let at = 0; at < piece.length; at += FEED_BYTES) yield piece.subarray(at, at + FEED_BYTES);
  }
}
