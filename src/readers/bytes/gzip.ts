/**
 * Unpacks gzip, whole and as a stream.
 *
 * Several members and padding by zeros are valid; any other bytes after the end are damage. zlib stops at
 * padding and does not report the bytes behind it, so they are checked here: a member behind zeros would be
 * lost in silence.
 */
import { createGunzip, gunzipSync, type Gunzip as ZlibGunzip, constants as zlib } from 'node:zlib';
import type { ErrorCode } from '../../errors.js';
import { FedUnpacker, type Pieces } from './byteStreams.js';
import type { Flaw, Unpacked } from './programs.js';

/** Packed bytes passed to zlib at a time. */
const FEED_BYTES = 32 << 10;

/** Missing in @types/node: with `info`, gunzipSync also returns the engine. */
interface GunzipInfo {
  readonly buffer: Buffer;
  readonly engine: ZlibGunzip;
}

const NOTHING = new Uint8Array(0);

/** Unpacks data at once. Null: they unpack to more than `most` bytes. */
export function gunzipAtOnce(bytes: Uint8Array, most: number): Unpacked | null {
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

/** The most that first bytes are unpacked to. */
const MOST_HEAD = 64 << 20;

/** The unpacked beginning of gzip data, as far as it can be unpacked. */
export function gunzipHead(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: MOST_HEAD });
  } catch {
    return NOTHING;
  }
}

function flawOf(error: unknown): Flaw {
  return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? 'TRUNCATED' : 'DAMAGED';
}

function isPadding(rest: Uint8Array): boolean {
  return rest.every((byte) => byte === 0);
}

/** Unpacks a stream, into new memory; see unpackThrough. zlib gives no bytes of the call that finds the damage. */
export async function* gunzipThrough(
  packed: Pieces,
  count: (bytes: number) => void,
  flawed: (flaw: Flaw) => ErrorCode,
): Pieces {
  const gunzip = new FedUnpacker(createGunzip({ chunkSize: 64 << 10 }));
  let fed = 0;
  try {
    for await (const slice of slicesOf(packed)) {
      if (typeof slice === 'string') return yield slice;
      if (gunzip.ended) {
        if (isPadding(slice)) continue;
        return yield flawed('DAMAGED');
      }
      const error = await gunzip.feed(slice);
      fed += slice.length;
      count(slice.length);
      yield* gunzip.take();
      if (error !== null) return yield flawed(flawOf(error));
      if (gunzip.ended && !isPadding(slice.subarray(slice.length - (fed - gunzip.used)))) {
        return yield flawed('DAMAGED');
      }
    }
    if (gunzip.ended) return;
    const error = await gunzip.feed(null);
    yield* gunzip.take();
    if (error !== null) yield flawed(flawOf(error));
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
