/**
 * The table of packings: by which names and first bytes a packed file is known, and who unpacks it.
 *
 * A new packing is a row here and its unpacker in `readers/bytes`. Unpackers never hold more than they may: what unpacks to
 * far more than its size is a bomb, and named so.
 */
import type { ErrorCode } from '../../errors.js';
import { type FileKind, PACKING_BITS, PACKING_SHIFT, type Packing } from '../list/fileList.js';
import { fileBytes, type Pieces } from './byteStreams.js';
import { gunzipFile, gunzipHead, gunzipPiped, gunzipWhole } from './gzip.js';
import { PACKING_ENDINGS } from './packingEndings.js';
import { unpackBzip2 } from './unpack/bzip2/bzip2.js';
import { type Unpacker, unpackHead, unpackStream, unpackWhole } from './unpack/unpacking.js';
import { unpackXz } from './unpack/xz/xz.js';
import { unpackZstd } from './unpack/zstd/zstd.js';

interface PackingRow {
  readonly name: Packing;
  /** What names end with, in lower case. */
  readonly endings: readonly string[];
  /** Whether packed data begin so; PACKING_PROBE bytes are enough. */
  begins(head: Uint8Array): boolean;
  /** So many first bytes unpack to something: the most that stands in a block, and what is before it. */
  readonly headBytes: number;
  /** Unpacks data whole: the bytes, or why they are not to be had; TOO_LARGE beyond `limit` unpacked bytes. */
  whole(bytes: Uint8Array, limit: number): Uint8Array | ErrorCode;
  /** What the first bytes of packed data unpack to, as far as it can be had. */
  head(bytes: Uint8Array): Uint8Array;
  /** Unpacks a file as a stream. `allowance`: unpacked bytes above which the ratio must not be that of a bomb. */
  stream(path: string, allowance: number): Pieces;
  /** The same for data that come once. */
  piped(pieces: Pieces, allowance: number): Pieces;
}

/** So many bytes tell every packing. */
export const PACKING_PROBE = 16;

const beginsWith =
  (...bytes: readonly number[]) =>
  (head: Uint8Array): boolean =>
    bytes.every((byte, i) => head[i] === byte);

/** The four ways to unpack, by one unpacker. */
function unpackedBy(unpacker: Unpacker): Pick<PackingRow, 'whole' | 'head' | 'stream' | 'piped'> {
  return {
    whole: (bytes, limit) => unpackWhole(unpacker, bytes, limit),
    head: (bytes) => unpackHead(unpacker, bytes),
    stream: (path, allowance) => unpackStream(unpacker, fileBytes(path), allowance),
    piped: (pieces, allowance) => unpackStream(unpacker, pieces, allowance),
  };
}

const isBzip2Level = (byte: number | undefined): boolean => byte! >= 0x31 && byte! <= 0x39;

/** In the order of their numbers in FileKind, from 1. */
export const PACKINGS: readonly PackingRow[] = [
  {
    name: 'gzip',
    endings: PACKING_ENDINGS.gzip,
    begins: beginsWith(0x1f, 0x8b, 0x08),
    headBytes: 64 << 10,
    whole: gunzipWhole,
    head: gunzipHead,
    stream: gunzipFile,
    piped: gunzipPiped,
  },
  {
    name: 'zstd',
    endings: PACKING_ENDINGS.zstd,
    begins: (head) =>
      beginsWith(0x28, 0xb5, 0x2f, 0xfd)(head) ||
      (head[0]! >> 4 === 5 && beginsWith(head[0]!, 0x2a, 0x4d, 0x18)(head)),
    headBytes: 256 << 10,
    ...unpackedBy({
      unpack: unpackZstd,
      codes: {
        DAMAGED: 'ZSTD_DAMAGED',
        TRUNCATED: 'ZSTD_TRUNCATED',
        BOMB: 'ZSTD_BOMB',
        FOREIGN: 'PACKED_FOREIGN',
      },
    }),
  },
  {
    name: 'bzip2',
    endings: PACKING_ENDINGS.bzip2,
    begins: (head) =>
      beginsWith(0x42, 0x5a, 0x68)(head) &&
      isBzip2Level(head[3]) &&
      (beginsWith(0x31, 0x41, 0x59, 0x26, 0x53, 0x59)(head.subarray(4)) ||
        beginsWith(0x17, 0x72, 0x45, 0x38, 0x50, 0x90)(head.subarray(4))),
    headBytes: 1 << 20,
    ...unpackedBy({
      unpack: unpackBzip2,
      codes: {
        DAMAGED: 'BZIP2_DAMAGED',
        TRUNCATED: 'BZIP2_TRUNCATED',
        BOMB: 'BZIP2_BOMB',
        FOREIGN: 'PACKED_FOREIGN',
      },
    }),
  },
  {
    name: 'xz',
    endings: PACKING_ENDINGS.xz,
    begins: beginsWith(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00),
    headBytes: 128 << 10,
    ...unpackedBy({
      unpack: unpackXz,
      codes: { DAMAGED: 'XZ_DAMAGED', TRUNCATED: 'XZ_TRUNCATED', BOMB: 'XZ_BOMB', FOREIGN: 'PACKED_FOREIGN' },
    }),
  },
];

/** By what bytes are packed that begin with these; null: by nothing that is known here. */
export function packingOf(head: Uint8Array): Packing | null {
  return PACKINGS.find(({ begins }) => begins(head))?.name ?? null;
}

/** The row of a packing. */
export function packingNamed(name: Packing): PackingRow {
  return PACKINGS.find((row) => row.name === name)!;
}

/** The packing that a kind of file says. */
export function packingOfKind(kind: FileKind): Packing | null {
  return PACKINGS[((kind & PACKING_BITS) >> PACKING_SHIFT) - 1]?.name ?? null;
}

/** What the first bytes of a packed file unpack to, as far as it can be had. */
export function headOfPacked(packing: Packing, bytes: Uint8Array): Uint8Array {
  return packingNamed(packing).head(bytes);
}
