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

/** Unpacks into `out`. @throws Error for data that are damaged */
export function unzstd(bytes: Uint8Array, out: Uint8Array): Uint8Array {
  return decompressZstd(bytes, out);
}
