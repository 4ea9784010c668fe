/** CRC-32 by the platform where it has one (Node 20.15, 22.2), several times faster than ours. */
import * as zlib from 'node:zlib';
import { crc32 } from '../arrays/checksum.js';

export const checksumOf: (bytes: Uint8Array, before?: number) => number =
  typeof zlib.crc32 === 'function' ? (bytes, before) => zlib.crc32(bytes, before) : crc32;
