/**
 * The table of codecs: the endings and first bytes of each, and its decompressor: Node for gzip, programs for the others.
 */
import { constants } from 'node:buffer';
import type { ErrorCode } from '../../errors.js';
import { CODEC_BITS, CODEC_SHIFT, type Codec, type FileKind } from '../list/fileList.js';
import { begun, type Pieces } from './byteStreams.js';
import { CODEC_ENDINGS } from './codecEndings.js';
import { gunzipAtOnce, gunzipBeforeDamage, gunzipHead, gunzipThrough } from './gzip.js';
import {
  adviceFor,
  type Decompressed,
  decompressAtOnce,
  decompressThrough,
  type Flaw,
  type ProgramName,
  programPath,
} from './programs.js';

interface CodecRow {
  readonly name: Codec;
  /** What names end with, in lower case. */
  readonly endings: readonly string[];
  /** Whether these are the first bytes of compressed data; CODEC_PROBE bytes are enough. */
  begins(head: Uint8Array): boolean;
  /** First bytes that are enough to decompress some: the largest block, and the header before it. */
  readonly headBytes: number;
  /** Decompresses data whole: the bytes, or the code why not; TOO_LARGE beyond `limit` decompressed bytes. */
  whole(bytes: Uint8Array, limit: number): Uint8Array | ErrorCode;
  /** What the first bytes of compressed data decompress to, as far as it can be had. */
  head(bytes: Uint8Array): Uint8Array;
  /** What damaged data decompress to before the damage, at most `limit` bytes. */
  beforeDamage(bytes: Uint8Array, limit: number): Uint8Array;
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

/** First bytes are decompressed to at most this many bytes, or their own size, times HEAD_RATIO. */
const ENOUGH_HEAD = 1 << 20;

/** What the codes of a codec begin with. */
const WORDS = { gzip: 'GZIP', zstd: 'ZSTD', bzip2: 'BZIP2', xz: 'XZ' } as const satisfies Record<
  Codec,
  string
>;

const codeOf = (name: Codec, flaw: Flaw): ErrorCode =>
  flaw === 'FOREIGN' ? 'PACKED_FOREIGN' : `${WORDS[name]}_${flaw}`;

/** `whole` of a row, by a function that decompresses at once; its result null: more than `most` bytes. */
function wholeBy(
  name: Codec,
  atOnce: (bytes: Uint8Array, most: number) => Decompressed | 'UNPACKER_MISSING' | null,
): CodecRow['whole'] {
  return (bytes, limit) => {
    const found = atOnce(bytes, Math.min(limit, constants.MAX_LENGTH));
    if (found === null) return 'TOO_LARGE';
    if (found === 'UNPACKER_MISSING') return found;
    return found.flaw === null ? found.bytes : codeOf(name, found.flaw);
  };
}

/** No compressed data are shorter; programs do not recognise them. */
const LEAST_PACKED = 9;

/** First bytes with a higher ratio of compression are not used. */
const HEAD_RATIO = 64;

/** The functions that decompress by a program. */
function byProgram(name: ProgramName): Omit<CodecRow, 'endings' | 'begins' | 'headBytes'> {
  // A program also knows other codecs.
  const isOther = (bytes: Uint8Array): boolean =>
    bytes.length >= CODEC_PROBE && !codecNamed(name).begins(bytes);
  const atOnce = (bytes: Uint8Array, most: number): Decompressed | 'UNPACKER_MISSING' | null => {
    if (bytes.length < LEAST_PACKED) return { flaw: 'TRUNCATED', bytes: new Uint8Array(0) };
    if (isOther(bytes)) return { flaw: 'DAMAGED', bytes: new Uint8Array(0) };
    const path = programPath(name);
    return path === null ? 'UNPACKER_MISSING' : decompressAtOnce(name, path, bytes, most);
  };
  const beforeDamage = (bytes: Uint8Array, limit: number): Uint8Array => {
    const found = atOnce(bytes, limit);
    return found === null || found === 'UNPACKER_MISSING' ? new Uint8Array(0) : found.bytes;
  };
  return {
    name,
    whole: wholeBy(name, atOnce),
    beforeDamage,
    head: (bytes) => beforeDamage(bytes, HEAD_RATIO * Math.max(ENOUGH_HEAD, bytes.length)),
    async *stream(compressed) {
      const flawed = (flaw: Flaw): ErrorCode => codeOf(name, flaw);
      const { start, all } = await begun(compressed, CODEC_PROBE);
      const path = programPath(name);
      if (start.length < LEAST_PACKED) {
        for await (const code of all) yield typeof code === 'string' ? code : flawed('TRUNCATED');
        if (start.length === 0) yield flawed('TRUNCATED');
      } else if (isOther(start) || path === null) {
        await compressed.return(undefined);
        yield isOther(start) ? flawed('DAMAGED') : 'UNPACKER_MISSING';
      } else yield* decompressThrough(name, path, all, flawed);
    },
    missing: () => (programPath(name) !== null ? null : adviceFor(name)),
  };
}

const isBzip2Level = (byte: number | undefined): boolean => byte! >= 0x31 && byte! <= 0x39;

/** In the order of their numbers in FileKind, from 1. */
export const CODECS: readonly CodecRow[] = [
  {
    name: 'gzip',
    whole: wholeBy('gzip', gunzipAtOnce),
    head: gunzipHead,
    beforeDamage: gunzipBeforeDamage,
    stream: (compressed, again) => gunzipThrough(compressed, (flaw) => codeOf('gzip', flaw), again),
    missing: () => null,
    endings: CODEC_ENDINGS.gzip,
    begins: beginsWith(0x1f, 0x8b, 0x08),
    headBytes: 64 << 10,
  },
  {
    ...byProgram('zstd'),
    endings: CODEC_ENDINGS.zstd,
    begins: (head) =>
      beginsWith(0x28, 0xb5, 0x2f, 0xfd)(head) ||
      (head[0]! >> 4 === 5 && beginsWith(head[0]!, 0x2a, 0x4d, 0x18)(head)),
    headBytes: 256 << 10,
  },
  {
    ...byProgram('bzip2'),
    endings: CODEC_ENDINGS.bzip2,
    begins: (head) =>
      beginsWith(0x42, 0x5a, 0x68)(head) &&
      isBzip2Level(head[3]) &&
      (beginsWith(0x31, 0x41, 0x59, 0x26, 0x53, 0x59)(head.subarray(4)) ||
        beginsWith(0x17, 0x72, 0x45, 0x38, 0x50, 0x90)(head.subarray(4))),
    headBytes: 1 << 20,
  },
  {
    ...byProgram('xz'),
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
