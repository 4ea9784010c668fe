/** What of Parquet is decoded by packages: structs of Thrift, integers as deltas, and snappy. */
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { snappyUncompress } from 'hysnappy';

/** The fields of the struct that bytes begin with, `field_1` and so on, and its end. @throws Error where the bytes end before, or are no struct */
export function thriftStruct(bytes: Uint8Array): { readonly fields: object; readonly end: number } {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  return { fields: deserializeTCompactProtocol(reader), end: reader.offset };
}

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
