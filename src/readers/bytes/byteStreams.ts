/** Bytes in pieces: of files, and of streams whose first bytes were read ahead. */
import type { ErrorCode } from '../../errors.js';
import { closeInput, openInput, readInto } from './wholeFiles.js';

/** Bytes as they come; an error is the last value, after every byte that could be had before it. */
export type Pieces = AsyncGenerator<Uint8Array | ErrorCode>;

const READ_BYTES = 256 << 10;

export async function* fileBytes(path: string): Pieces {
  const descriptor = openInput(path);
  if (typeof descriptor === 'string') {
    yield descriptor;
    return;
  }
  try {
    for (;;) {
      const piece = new Uint8Array(READ_BYTES);
      const end = readInto(descriptor, piece, 0, null);
      if (end < 0) yield 'UNREADABLE';
      if (end <= 0) return;
      yield piece.subarray(0, end);
    }
  } finally {
    closeInput(descriptor);
  }
}

/** The beginning of a stream, and a stream of all its bytes. */
interface Begun {
  readonly start: Uint8Array;
  readonly all: Pieces;
}

/** Reads at least `least` bytes, or all: how a pipe cuts its bytes must not change how they are recognized. */
export async function begun(pieces: Pieces, least: number): Promise<Begun> {
  const held: Uint8Array[] = [];
  let seen = 0;
  let code: ErrorCode | null = null;
  while (seen < least) {
    const { value, done } = await pieces.next();
    if (done === true) break;
    if (typeof value === 'string') {
      code = value as ErrorCode;
      break;
    }
    held.push(value);
    seen += value.length;
  }
  const start = Buffer.concat(held);
  const all = resumed(start, code, pieces);
  const end = all.return.bind(all);
  // A generator that was never started runs no `finally`: the file or program behind it would stay open.
  all.return = async (value) => {
    await pieces.return(undefined);
    return end(value);
  };
  return { start, all };
}

/** The pieces that were read ahead, then the rest. */
async function* resumed(start: Uint8Array, code: ErrorCode | null, pieces: Pieces): Pieces {
  if (start.length > 0) yield start;
  if (code !== null) yield code;
  else yield* pieces;
}
