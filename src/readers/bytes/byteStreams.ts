/** Bytes in pieces: of files, and of streams whose first bytes were read ahead. */
import type { Gunzip } from 'node:zlib';
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

/** An unpacker of Node, fed step by step. */
export class FedUnpacker {
  /** It found the end of the data, or padding. */
  ended = false;
  readonly #stream: Gunzip;
  #out: Uint8Array[] = [];
  /** Later errors of the stream add nothing, and an error without a listener would end the process. */
  #error: Error | null = null;

  constructor(stream: Gunzip) {
    this.#stream = stream;
    // Flowing mode delivers pieces at once. An iterator would drop queued pieces when an error arrives.
    stream.on('data', (piece: Buffer) => this.#out.push(piece));
    stream.on('end', () => {
      this.ended = true;
    });
    stream.on('error', (error) => {
      this.#error ??= error;
    });
  }

  /** Packed bytes up to the padding, once it has ended. */
  get used(): number {
    return this.#stream.bytesWritten;
  }

  /** The bytes unpacked since the last call. */
  take(): Uint8Array[] {
    return this.#out.splice(0);
  }

  close(): void {
    this.#stream.destroy();
  }

  /** Feeds bytes (null: the end) and waits until they are unpacked, it ended at padding, or it failed, which is returned. */
  feed(packed: Uint8Array | null): Promise<Error | null> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const settle = (): void => {
        stream.off('error', settle);
        stream.off('end', settle);
        resolve(this.#error);
      };
      stream.once('error', settle);
      stream.once('end', settle);
      if (packed === null) stream.end();
      else stream.write(packed, (error) => (error ? undefined : settle()));
    });
  }
}
