/** What of Parquet pages is decoded by packages: integers as deltas, snappy, and zstd for Node versions without it. */
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { compressors, decompressZstd } from 'hyparquet-compressors';

/**
 * Unpacks integers written as differences. Returns the position behind them.
 *
 * @throws Error where the bytes end before
 */
export function unpackDeltas(bytes: Uint8Array, at: number, values: Int32Array | BigInt64Array): number {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: at };
  deltaBinaryUnpack(reader, values.length, values);
  return reader.offset;
}

/** Unpacks to `size` bytes, which the data tell as well. @throws Error for data that are damaged */
export function unsnap(bytes: Uint8Array, size: number): Uint8Array {
  return compressors.SNAPPY!(bytes, size);
}

/**
 * Unpacks to `size` bytes at most. Without memory that is given, the package is four times as fast, but takes as much as the
 * data tell: so only where they tell that size.
 *
 * @throws Error for data that are damaged
 */
export function unzstd(bytes: Uint8Array, size: number): Uint8Array {
  return toldSize(bytes) === size ? decompressZstd(bytes) : decompressZstd(bytes, new Uint8Array(size));
}

/** The size in the header of the first frame (RFC 8878, 3.1.1.1); -1: it is not told, or takes eight bytes. */
function toldSize(bytes: Uint8Array): number {
  const flags = bytes[4] ?? 0;
  const isSingle = (flags & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][flags & 3]!;
  const at = (isSingle ? 5 : 6) + dictionary;
  if (at + 4 > bytes.length) return -1;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (flags >> 6) {
    case 0:
      return isSingle ? bytes[at]! : -1;
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return -1;
  }
}
