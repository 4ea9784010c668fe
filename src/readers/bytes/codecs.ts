/**
 * The table of codecs: the endings and first bytes of each, and its decompressor: Node for gzip, programs for the others.
 */
import { constants } from 'node:buffer';
import type { ErrorCode } from '../../errors.js';
import { CODEC_BITS, CODEC_ENDINGS, CODEC_SHIFT, type Codec, type FileKind } from '../list/fileList.js';
import { begun, type Pieces } from './byteStreams.js';
import { gunzipAtOnce, gunzipBeginning, gunzipThrough } from './gzip.js';
import { adviceFor, decompressAtOnce, decompressThrough, type Flaw, programPath } from './programs.js';

/** Decompressed bytes; `code`: why they are not all. */
export interface Unpacked {
  readonly bytes: Uint8Array;
  readonly code: ErrorCode | null;
}

interface CodecRow {
  readonly name: Codec;
  /** What names end with, in lower case. */
  readonly endings: readonly string[];
  /** Whether these are the first bytes of compressed data; CODEC_PROBE bytes are enough. */
  begins(head: Uint8Array): boolean;
  /** First bytes that are enough to decompress some: the largest block, and the header before it. */
  readonly headBytes: number;
  /** Decompresses data at once: all bytes, or those before damage; none and TOO_LARGE if there are more than `limit`. */
  whole(bytes: Uint8Array, limit: number): Unpacked;
  /**
   * Decompresses a stream. On an error its code is the last value, after every byte that could be decompressed. `again`: the compressed bytes
   * once more, if they can be had.
   */
  stream(compressed: Pieces, again?: () => Pieces): Pieces;
  /** What has to be installed before it can be decompressed here; null: nothing. */
  missing(): string | null;
}

/** First bytes that are enough to recognise every codec. */
export const CODEC_PROBE = 16;

const beginsWith =
  (...bytes: readonly number[]) =>
  (head: Uint8Array): boolean =>
    bytes.every((byte, i) => head[i] === byte);

/** First bytes are decompressed to at most this many. */
const MOST_HEAD = 64 << 20;

/** What the first bytes of compressed data decompress to; nothing if that is too much. */
export function decompressedHead(name: Codec, bytes: Uint8Array): Uint8Array {
  const beginning = name === 'gzip' ? gunzipBeginning(bytes, MOST_HEAD) : null;
  return beginning ?? codecNamed(name).whole(bytes, MOST_HEAD).bytes;
}

/** What the codes of a codec begin with. */
const WORDS = { gzip: 'GZIP', zstd: 'ZSTD', bzip2: 'BZIP2', xz: 'XZ' } as const satisfies Record<
  Codec,
  string
>;

const codeOf = (name: Codec, flaw: Flaw): ErrorCode =>
  flaw === 'FOREIGN' ? 'PACKED_FOREIGN' : `${WORDS[name]}_${flaw}`;

/** No compressed data are shorter. */
const LEAST_PACKED = 9;
const NOTHING = new Uint8Array(0);

/** The flaw that first bytes show: too few, or another format, which a program may decompress as well. */
function flawOfHead(name: Codec, head: Uint8Array): Flaw | null {
  const isLong = head.length >= (name === 'gzip' ? LEAST_PACKED : CODEC_PROBE);
  if (isLong && !codecNamed(name).begins(head)) return 'OTHER';
  return head.length < LEAST_PACKED ? 'TRUNCATED' : null;
}

/** `whole`, `stream` and `missing` of a row: by Node for gzip, else by the program of that name. */
function decompressors(name: Codec): Pick<CodecRow, 'name' | 'whole' | 'stream' | 'missing'> {
  const flawed = (flaw: Flaw): ErrorCode => codeOf(name, flaw);
  const pathOf = (): string | null => (name === 'gzip' ? '' : programPath(name));
  return {
    name,
    whole(bytes, limit) {
      const flaw = flawOfHead(name, bytes.subarray(0, CODEC_PROBE));
      if (flaw !== null) return { bytes: NOTHING, code: flawed(flaw) };
      const path = pathOf();
      if (path === null) return { bytes: NOTHING, code: 'UNPACKER_MISSING' };
      const most = Math.min(limit, constants.MAX_LENGTH);
      const found = name === 'gzip' ? gunzipAtOnce(bytes, most) : decompressAtOnce(name, path, bytes, most);
      if (found === null) return { bytes: NOTHING, code: 'TOO_LARGE' };
      return { bytes: found.bytes, code: found.flaw && flawed(found.flaw) };
    },
    async *stream(compressed, again) {
      const { start, all } = await begun(compressed, CODEC_PROBE);
      const flaw = flawOfHead(name, start);
      const path = pathOf();
      if (flaw !== null) {
        // The code of a file that cannot be read comes first.
        for await (const piece of all) {
          if (typeof piece === 'string') return yield piece;
          if (flaw === 'OTHER') break;
        }
        yield flawed(flaw);
      } else if (path === null) {
        await all.return(undefined);
        yield 'UNPACKER_MISSING';
      } else if (name === 'gzip') yield* gunzipThrough(all, flawed, again);
      else yield* decompressThrough(name, path, all, flawed);
    },
    missing: () => (name === 'gzip' || pathOf() !== null ? null : adviceFor(name)),
  };
}

const isBzip2Level = (byte: number | undefined): boolean => byte! >= 0x31 && byte! <= 0x39;

/** In the order of their numbers in FileKind, from 1. */
export const CODECS: readonly CodecRow[] = [
  {
    ...decompressors('gzip'),
    endings: CODEC_ENDINGS.gzip,
    begins: beginsWith(0x1f, 0x8b, 0x08),
    headBytes: 64 << 10,
  },
  {
    ...decompressors('zstd'),
    endings: CODEC_ENDINGS.zstd,
    begins: (head) =>
      beginsWith(0x28, 0xb5, 0x2f, 0xfd)(head) ||
      (head[0]! >> 4 === 5 && beginsWith(head[0]!, 0x2a, 0x4d, 0x18)(head)),
    headBytes: 256 << 10,
  },
  {
    ...decompressors('bzip2'),
    endings: CODEC_ENDINGS.bzip2,
    begins: (head) =>
      beginsWith(0x42, 0x5a, 0x68)(head) &&
      isBzip2Level(head[3]) &&
      (beginsWith(0x31, 0x41, 0x59, 0x26, 0x53, 0x59)(head.subarray(4)) ||
        beginsWith(0x17, 0x72, 0x45, 0x38, 0x50, 0x90)(head.subarray(4))),
    headBytes: 1 << 20,
  },
  {
    ...decompressors('xz'),
    endings: CODEC_ENDINGS.xz,
    begins: beginsWith(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00),
    headBytes: 128 << 10,
  },
];

/** The codec of data with these first bytes; null: none that is known here. */
export function codecOf(head: Uint8Array): Codec | null {
  return CODECS.find(({ begins }) => begins(head))?.name ?? null;
}

export function codecNamed(name: Codec): CodecRow {
  return CODECS.find((row) => row.name === name)!;
}

export function codecOfKind(kind: FileKind): Codec | null {
  return CODECS[((kind & CODEC_BITS) >> CODEC_SHIFT) - 1]?.name ?? null;
}
