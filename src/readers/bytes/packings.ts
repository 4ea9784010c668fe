/**
 * The table of packings: by which names and first bytes a packed file is known, and who unpacks it.
 *
 * A new packing is a row here and its unpacker in `readers/bytes`. Unpackers never hold more than they may: what unpacks to
 * far more than its size is a bomb, and named so.
 */
import type { ErrorCode } from '../../errors.js';
import { type FileKind, PACKING_BITS, PACKING_SHIFT, type Packing } from '../list/fileList.js';
import { gunzipFile, gunzipHead, gunzipWhole } from './gzip.js';

/** Bytes as they come; an error is the last value, after every byte that could be had before it. */
export type Pieces = AsyncGenerator<Uint8Array | ErrorCode>;

interface PackingRow {
  readonly name: Packing;
  /** What names end with, in lower case. */
  readonly endings: readonly string[];
  /** Whether packed data begin so. */
  begins(head: Uint8Array): boolean;
  /** Unpacks data whole: the bytes, or why they are not to be had; TOO_LARGE beyond `limit` unpacked bytes. */
  whole(bytes: Uint8Array, limit: number): Uint8Array | ErrorCode;
  /** What the first bytes of packed data unpack to, as far as it can be had. */
  head(bytes: Uint8Array): Uint8Array;
  /** Unpacks a file as a stream. `allowance`: unpacked bytes above which the ratio must not be that of a bomb. */
  stream(path: string, allowance: number): Pieces;
}

const beginsWith =
  (...bytes: readonly number[]) =>
  (head: Uint8Array): boolean =>
    bytes.every((byte, i) => head[i] === byte);

/** In the order of their numbers in FileKind, from 1. */
export const PACKINGS: readonly PackingRow[] = [
  {
    name: 'gzip',
    endings: ['.gz'],
    begins: beginsWith(0x1f, 0x8b, 0x08),
    whole: gunzipWhole,
    head: gunzipHead,
    stream: gunzipFile,
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
