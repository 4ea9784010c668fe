/** What of Parquet pages is decoded by packages: integers as deltas, and snappy. */
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { snappyUncompress } from 'hysnappy';

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
  return snappyUncompress(bytes, size);
}
