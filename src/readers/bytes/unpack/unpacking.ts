/**
 * Unpacks data that are held whole, the first bytes of data, and streams, by an unpacker; says how it failed, and never gives
 * more than it may.
 */
import { constants } from 'node:buffer';
import type { ErrorCode } from '../../../errors.js';
import type { Pieces } from '../byteStreams.js';
import { type Flaw, PackedInput, type Unpacking, Unreadable } from './packedInput.js';

/**
 * Data that unpack to more than this many times their size, beyond an allowance, are a bomb: texts reach 50,
 * and gzip at most 1032.
 */
export const MOST_RATIO = 250;

/**
 * Unpacked bytes that one file may have whatever its ratio; for a stream, which is not held, --max-document
 * is the allowance.
 */
export const ALLOWANCE_BYTES = 64 << 20;

/** First bytes are unpacked until there are so many, or as many as they are themselves. */
const ENOUGH_HEAD = 1 << 20;

/** Milliseconds after which others have their turn on the thread of a stream. */
const TURN = 20;

/** How an unpacker is named in error codes, and what it does. */
export interface Unpacker {
  readonly unpack: (input: PackedInput) => Unpacking;
  readonly codes: Readonly<Record<Flaw | 'BOMB', ErrorCode>>;
}

/** Unpacks data whole: the bytes, or why they are not to be had; TOO_LARGE beyond `limit` unpacked bytes. */
export function unpackWhole(
  { unpack, codes }: Unpacker,
  bytes: Uint8Array,
  limit: number,
): Uint8Array | ErrorCode {
  const bomb = Math.max(ALLOWANCE_BYTES, MOST_RATIO * bytes.length);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (const piece of unpack(new PackedInput(bytes, Math.min(limit, bomb)))) {
      if (!(piece instanceof Uint8Array)) continue;
      size += piece.length;
      if (size > limit || size > constants.MAX_LENGTH) return 'TOO_LARGE';
      if (size > bomb) return codes.BOMB;
      pieces.push(piece);
    }
  } catch (error) {
    return codes[flawOf(error)];
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/** What first bytes unpack to, as far as it can be had. */
export function unpackHead({ unpack }: Pick<Unpacker, 'unpack'>, bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (const piece of unpack(new PackedInput(bytes, ENOUGH_HEAD))) {
      if (!(piece instanceof Uint8Array)) continue;
      size += piece.length;
      pieces.push(piece);
      if (size > Math.max(ENOUGH_HEAD, bytes.length)) break;
    }
  } catch (error) {
    flawOf(error);
  }
  return Buffer.concat(pieces);
}

/**
 * Unpacks a stream. On an error its code is the last value, after every byte that could be unpacked before.
 *
 * @param allowance unpacked bytes above which the ratio must not be that of a bomb
 */
export async function* unpackStream({ unpack, codes }: Unpacker, packed: Pieces, allowance: number): Pieces {
  const input = new PackedInput();
  let taken = 0;
  let given = 0;
  let turn = performance.now();
  try {
    for (const piece of unpack(input)) {
      if (piece === null) {
        const { value, done } = await packed.next();
        if (typeof value === 'string') {
          yield value as ErrorCode;
          return;
        }
        if (done !== true) taken += value.length;
        input.add(done === true ? null : value);
      } else if (piece instanceof Promise) await piece;
      else {
        given += piece.length;
        if (given > allowance && given > MOST_RATIO * taken) {
          yield codes.BOMB;
          return;
        }
        yield piece;
      }
      if (performance.now() - turn > TURN) {
        await new Promise((resolve) => setImmediate(resolve));
        turn = performance.now();
      }
    }
  } catch (error) {
    yield codes[flawOf(error)];
  } finally {
    await packed.return(undefined);
  }
}

/** @throws what is no flaw of data */
function flawOf(error: unknown): Flaw {
  if (error instanceof Unreadable) return error.flaw;
  throw error;
}
