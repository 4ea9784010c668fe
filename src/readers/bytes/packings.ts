/**
 * The table of packings: the endings and first bytes of each, and its unpacker: Node for gzip, programs for the others.
 */
import { constants } from 'node:buffer';
import type { ErrorCode } from '../../errors.js';
import { type FileKind, PACKING_BITS, PACKING_SHIFT, type Packing } from '../list/fileList.js';
import { begun, type Pieces } from './byteStreams.js';
import { gunzipAtOnce, gunzipBeforeDamage, gunzipHead, gunzipThrough } from './gzip.js';
import { PACKING_ENDINGS } from './packingEndings.js';
import {
  adviceFor,
  type Flaw,
  type ProgramName,
  programPath,
  type Unpacked,
  unpackAtOnce,
  unpackThrough,
} from './programs.js';

interface PackingRow {
  readonly name: Packing;
  /** What names end with, in lower case. */
  readonly endings: readonly string[];
  /** Whether these are the first bytes of packed data; PACKING_PROBE bytes are enough. */
  begins(head: Uint8Array): boolean;
  /** First bytes that are enough to unpack some: the largest block, and the header before it. */
  readonly headBytes: number;
  /** Unpacks data whole: the bytes, or the code why not; TOO_LARGE beyond `limit` unpacked bytes. */
  whole(bytes: Uint8Array, limit: number): Uint8Array | ErrorCode;
  /** What the first bytes of packed data unpack to, as far as it can be had. */
  head(bytes: Uint8Array): Uint8Array;
  /** What damaged data unpack to before the damage, at most `limit` bytes. */
  beforeDamage(bytes: Uint8Array, limit: number): Uint8Array;
  /**
   * Unpacks a stream. On an error its code is the last value, after every byte that could be unpacked. `again`: the packed bytes
   * once more, if they can be had.
   */
  stream(packed: Pieces, again?: () => Pieces): Pieces;
  /** What has to be installed before it can be unpacked here; null: nothing. */
  missing(): string | null;
}

/** First bytes that are enough to recognise every packing. */
export const PACKING_PROBE = 16;

const beginsWith =
  (...bytes: readonly number[]) =>
  (head: Uint8Array): boolean =>
    bytes.every((byte, i) => head[i] === byte);

/** First bytes are unpacked to at most this many bytes, or their own size, times HEAD_RATIO. */
const ENOUGH_HEAD = 1 << 20;

/** What the codes of a packing begin with. */
const WORDS = { gzip: 'GZIP', zstd: 'ZSTD', bzip2: 'BZIP2', xz: 'XZ' } as const satisfies Record<
  Packing,
  string
>;

const codeOf = (name: Packing, flaw: Flaw): ErrorCode =>
  flaw === 'FOREIGN' ? 'PACKED_FOREIGN' : `${WORDS[name]}_${flaw}`;

/** `whole` of a row, by a function that unpacks at once; its result null: more than `most` bytes. */
function wholeBy(
  name: Packing,
  atOnce: (bytes: Uint8Array, most: number) => Unpacked | 'UNPACKER_MISSING' | null,
): PackingRow['whole'] {
  return (bytes, limit) => {
    const found = atOnce(bytes, Math.min(limit, constants.MAX_LENGTH));
    if (found === null) return 'TOO_LARGE';
    if (found === 'UNPACKER_MISSING') return found;
    return found.flaw === null ? found.bytes : codeOf(name, found.flaw);
  };
}

/** No packed data are shorter; programs do not recognise them. */
const LEAST_PACKED = 9;

/** First bytes with a higher ratio of compression are not used. */
const HEAD_RATIO = 64;

/** The functions that unpack by a program. */
function byProgram(name: ProgramName): Omit<PackingRow, 'endings' | 'begins' | 'headBytes'> {
  // A program also knows other packings.
  const isOther = (bytes: Uint8Array): boolean =>
    bytes.length >= PACKING_PROBE && !packingNamed(name).begins(bytes);
  const atOnce = (bytes: Uint8Array, most: number): Unpacked | 'UNPACKER_MISSING' | null => {
    if (bytes.length < LEAST_PACKED) return { flaw: 'TRUNCATED', bytes: new Uint8Array(0) };
    if (isOther(bytes)) return { flaw: 'DAMAGED', bytes: new Uint8Array(0) };
    const path = programPath(name);
    return path === null ? 'UNPACKER_MISSING' : unpackAtOnce(name, path, bytes, most);
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
    async *stream(packed) {
      const flawed = (flaw: Flaw): ErrorCode => codeOf(name, flaw);
      const { start, all } = await begun(packed, PACKING_PROBE);
      const path = programPath(name);
      if (start.length < LEAST_PACKED) {
        for await (const code of all) yield typeof code === 'string' ? code : flawed('TRUNCATED');
        if (start.length === 0) yield flawed('TRUNCATED');
      } else if (isOther(start) || path === null) {
        await packed.return(undefined);
        yield isOther(start) ? flawed('DAMAGED') : 'UNPACKER_MISSING';
      } else yield* unpackThrough(name, path, all, flawed);
    },
    missing: () => (programPath(name) !== null ? null : adviceFor(name)),
  };
}

const isBzip2Level = (byte: number | undefined): boolean => byte! >= 0x31 && byte! <= 0x39;

/** In the order of their numbers in FileKind, from 1. */
export const PACKINGS: readonly PackingRow[] = [
  {
    name: 'gzip',
    whole: wholeBy('gzip', gunzipAtOnce),
    head: gunzipHead,
    beforeDamage: gunzipBeforeDamage,
    stream: (packed, again) => gunzipThrough(packed, (flaw) => codeOf('gzip', flaw), again),
    missing: () => null,
    endings: PACKING_ENDINGS.gzip,
    begins: beginsWith(0x1f, 0x8b, 0x08),
    headBytes: 64 << 10,
  },
  {
    ...byProgram('zstd'),
    endings: PACKING_ENDINGS.zstd,
    begins: (head) =>
      beginsWith(0x28, 0xb5, 0x2f, 0xfd)(head) ||
      (head[0]! >> 4 === 5 && beginsWith(head[0]!, 0x2a, 0x4d, 0x18)(head)),
    headBytes: 256 << 10,
  },
  {
    ...byProgram('bzip2'),
    endings: PACKING_ENDINGS.bzip2,
    begins: (head) =>
      beginsWith(0x42, 0x5a, 0x68)(head) &&
      isBzip2Level(head[3]) &&
      (beginsWith(0x31, 0x41, 0x59, 0x26, 0x53, 0x59)(head.subarray(4)) ||
        beginsWith(0x17, 0x72, 0x45, 0x38, 0x50, 0x90)(head.subarray(4))),
    headBytes: 1 << 20,
  },
  {
    ...byProgram('xz'),
    endings: PACKING_ENDINGS.xz,
    begins: beginsWith(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00),
    headBytes: 128 << 10,
  },
];

/** The packing of data with these first bytes; null: none that is known here. */
export function packingOf(head: Uint8Array): Packing | null {
  return PACKINGS.find(({ begins }) => begins(head))?.name ?? null;
}

export function packingNamed(name: Packing): PackingRow {
  return PACKINGS.find((row) => row.name === name)!;
}

export function packingOfKind(kind: FileKind): Packing | null {
  return PACKINGS[((kind & PACKING_BITS) >> PACKING_SHIFT) - 1]?.name ?? null;
}
