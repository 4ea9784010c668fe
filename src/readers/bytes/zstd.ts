/**
 * The zstd of Node from 22.15 on. Most versions take a frame that is cut off for a complete one, and stop behind the first of several:
 * so the structure of frames (RFC 8878) is followed here, and Node gets one frame after the other.
 */
import * as zlib from 'node:zlib';
import type { ErrorCode } from '../../errors.js';
import { FedUnpacker, type Pieces } from './byteStreams.js';
import type { Flaw, Unpacked } from './programs.js';

/** Functions that the declared types lack. */
interface ZstdOfNode {
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: object) => Buffer;
  readonly createZstdDecompress?: (options: object) => zlib.Gunzip;
  readonly createZstdCompress?: () => zlib.Gzip;
  readonly constants: { readonly ZSTD_d_windowLogMax?: number; readonly ZSTD_e_continue?: number };
}

const { zstdDecompressSync, createZstdDecompress, createZstdCompress, constants } = zlib as ZstdOfNode;

/** Data that refer back by more than 512 MB are refused: they would take as much memory. */
const PARAMS = { params: { [constants.ZSTD_d_windowLogMax ?? 0]: 29 } };

/** Whether this Node has it. */
export const HAS_ZSTD = zstdDecompressSync !== undefined;

export function zstdPacking(): zlib.Gzip {
  return createZstdCompress!();
}

const MAGIC = 0xfd2fb528;
/** The first bytes of a skippable frame: one of sixteen numbers. */
const SKIPPABLE = 0x184d2a5;
const RUN = 1;
const CHECKSUM = 4;

type Part = 'magic' | 'skipped size' | 'skipped' | 'descriptor' | 'header' | 'block' | 'content' | 'checksum';

/** Bytes of a part whose length is known before. */
const LENGTHS = { magic: 4, 'skipped size': 4, descriptor: 1, block: 3, checksum: CHECKSUM } as const;

/** Follows frames, in pieces of any length. */
class Frames {
  /** The next part, which ends after so many bytes. */
  #part: Part = 'magic';
  #left: number = LENGTHS.magic;
  /** The number that was read of the part, the lowest byte first, and the number of its bytes so far. */
  #number = 0;
  #read = 0;
  #isLast = false;
  #hasChecksum = false;

  /** Whether data may end here. */
  get isBetween(): boolean {
    return this.#part === 'magic' && this.#read === 0;
  }

  /** Goes on from `at` to behind the frame, or to the end of the bytes; returns where. -1: this is no zstd. */
  follow(bytes: Uint8Array, at: number): number {
    while (at < bytes.length) {
      if (this.#isPassed()) {
        const step = Math.min(this.#left, bytes.length - at);
        this.#left -= step;
        at += step;
      } else {
        this.#number += bytes[at++]! * 2 ** (8 * this.#read++);
        this.#left--;
      }
      while (this.#left === 0) {
        if (!this.#next()) return -1;
        if (this.isBetween) return at;
      }
    }
    return at;
  }

  #isPassed(): boolean {
    return this.#part === 'content' || this.#part === 'skipped' || this.#part === 'header';
  }

  /** Evaluates the part that was read, and sets the next one; false: it is wrong. */
  #next(): boolean {
    const number = this.#number;
    switch (this.#part) {
      case 'magic':
        if (number === MAGIC) return this.#expect('descriptor');
        return Math.floor(number / 16) === SKIPPABLE && this.#expect('skipped size');
      case 'skipped size':
        return this.#expect('skipped', number);
      case 'descriptor':
        this.#hasChecksum = (number & 4) !== 0;
        return (number & 8) === 0 && this.#expect('header', headerBytes(number));
      case 'header':
        return this.#expect('block');
      case 'block': {
        this.#isLast = (number & 1) === 1;
        const kind = (number >> 1) & 3;
        return kind < 3 && this.#expect('content', kind === RUN ? 1 : number >>> 3);
      }
      case 'content':
        if (!this.#isLast) return this.#expect('block');
        return this.#expect(this.#hasChecksum ? 'checksum' : 'magic');
      default:
        return this.#expect('magic');
    }
  }

  #expect(part: Part, length: number = LENGTHS[part as keyof typeof LENGTHS]): true {
    this.#part = part;
    this.#left = length;
    this.#number = this.#read = 0;
    return true;
  }
}

/** Bytes of a header behind its descriptor: the window, the dictionary, the size of the content. */
function headerBytes(descriptor: number): number {
  const isSingle = (descriptor & 32) !== 0;
  return (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]! + [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
}

/** Unpacks data at once. Null: they unpack to more than `most` bytes. */
export function unpackZstdAtOnce(packed: Uint8Array, most: number): Unpacked | null {
  const parts: Uint8Array[] = [];
  let left = most;
  const ended = (flaw: Flaw | null): Unpacked => ({
    flaw,
    bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts),
  });
  const frames = new Frames();
  for (let from = 0; from < packed.length; ) {
    const isFrame = packed[from] === (MAGIC & 0xff);
    const to = frames.follow(packed, from);
    if (to < 0) return ended('DAMAGED');
    // All bytes of the beginning of data that can be unpacked.
    if (isFrame) {
      try {
        const part = zstdDecompressSync!(packed.subarray(from, to), {
          ...PARAMS,
          // From Node 24.21 on a frame that is cut is an error, unless more of it may come.
          finishFlush: constants.ZSTD_e_continue,
          maxOutputLength: Math.max(1, left),
        });
        if (part.length > left) return null;
        left -= part.length;
        parts.push(part);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
        return ended(flawOf(error));
      }
    }
    from = to;
  }
  return ended(frames.isBetween && packed.length > 0 ? null : 'TRUNCATED');
}

const FOREIGN = /dictionary|windowTooLarge|too much memory/i;

function flawOf(error: unknown): Flaw {
  const { code, message } = error as NodeJS.ErrnoException;
  return FOREIGN.test(`${code} ${message}`) ? 'FOREIGN' : 'DAMAGED';
}

/** Packed bytes that Node gets at a time: of damaged bytes it gives nothing. */
const FEED = 16 << 10;

/** Unpacks a stream; see unpackThrough. */
export async function* unpackZstdThrough(
  packed: Pieces,
  count: (bytes: number) => void,
  flawed: (flaw: Flaw) => ErrorCode,
): Pieces {
  const frames = new Frames();
  let frame: FedUnpacker | null = null;
  let isEmpty = true;
  try {
    for (;;) {
      const { value, done } = await packed.next();
      if (done === true) break;
      if (typeof value === 'string') {
        yield value as ErrorCode;
        return;
      }
      count(value.length);
      const bytes = value as Uint8Array;
      for (let from = 0; from < bytes.length; ) {
        isEmpty = false;
        if (frames.isBetween && bytes[from] === (MAGIC & 0xff))
          frame = new FedUnpacker(createZstdDecompress!({ ...PARAMS, chunkSize: 256 << 10 }));
        const to = frames.follow(bytes.subarray(0, Math.min(bytes.length, from + FEED)), from);
        const error = to < 0 ? null : ((await frame?.feed(bytes.subarray(from, to))) ?? null);
        const flaw = to < 0 ? 'DAMAGED' : error === null ? null : flawOf(error);
        if (frame !== null) yield* frame.take();
        if (flaw !== null) {
          yield flawed(flaw);
          return;
        }
        from = to;
        if (!frames.isBetween) continue;
        frame?.close();
        frame = null;
      }
    }
    if (isEmpty || !frames.isBetween) yield flawed('TRUNCATED');
  } finally {
    frame?.close();
    await packed.return(undefined);
  }
}
