/** Unpacks pages, by the codecs of parquet-format's Compression.md; unpacked bytes never exceed the size in the header. */
import * as zlib from 'node:zlib';
import { packingNamed } from '../../bytes/packings.js';
import { parser } from '../../parsers/load.js';
import { ParquetFault } from './thrift.js';

/** @throws Error for damaged data; its result is checked */
type Unpack = (bytes: Uint8Array, size: number) => Uint8Array;

/** By the numbers of CompressionCodec. */
const CODECS: Readonly<Record<number, Unpack>> = {
  0: (bytes) => bytes,
  1: unpackSnappy,
  // GzipCodec of Hadoop may write zlib's form.
  2: (bytes, size) => zlib.unzipSync(bytes, { maxOutputLength: atLeastOne(size) }),
  4: (bytes, size) => zlib.brotliDecompressSync(bytes, { maxOutputLength: atLeastOne(size) }),
  5: unpackLz4,
  6: unpackZstd,
  7: unpackLz4Block,
};

/** @throws ParquetFault PARQUET_CODEC, PARQUET_BROKEN */
export function unpackedPage(codec: number, bytes: Uint8Array, size: number): Uint8Array {
  const unpack = CODECS[codec];
  if (unpack === undefined) throw new ParquetFault('PARQUET_CODEC');
  let page: Uint8Array;
  try {
    page = size === 0 ? new Uint8Array(0) : unpack(bytes, size);
  } catch (error) {
    if (error instanceof ParquetFault) throw error;
    throw new ParquetFault('PARQUET_BROKEN', { cause: error });
  }
  if (page.length !== size) throw new ParquetFault();
  return page;
}

/** zlib takes 0 for no limit. */
const atLeastOne = (size: number): number => Math.max(1, size);

/** The package trusts the length before the data: it must be that of the page. */
function unpackSnappy(bytes: Uint8Array, size: number): Uint8Array {
  let told = 0;
  let scale = 1;
  for (let at = 0; at < 5; at++, scale *= 128) {
    const byte = bytes[at] ?? 0;
    told += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  if (told !== size) throw new ParquetFault();
  return parser('parquetPages').unsnap(bytes, size);
}

function unpackZstd(bytes: Uint8Array, size: number): Uint8Array {
  const found = packingNamed('zstd').whole(bytes, size);
  if (typeof found !== 'string') return found;
  throw new ParquetFault(found === 'UNPACKER_MISSING' ? found : 'PARQUET_BROKEN');
}

/** LZ4 in the frames of Hadoop (sizes of both forms, big-endian), or a block alone, which older writers wrote under its name. */
function unpackLz4(bytes: Uint8Array, size: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const out = new Uint8Array(size);
  let filled = 0;
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) return unpackLz4Block(bytes, size);
    const [unpacked, packed] = [view.getUint32(at), view.getUint32(at + 4)];
    at += 8;
    if (packed > bytes.length - at || unpacked > size - filled) return unpackLz4Block(bytes, size);
    try {
      if (lz4Block(bytes.subarray(at, at + packed), out, filled) !== filled + unpacked)
        return unpackLz4Block(bytes, size);
    } catch {
      return unpackLz4Block(bytes, size);
    }
    at += packed;
    filled += unpacked;
  }
  return filled === size ? out : unpackLz4Block(bytes, size);
}

function unpackLz4Block(bytes: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  if (lz4Block(bytes, out, 0) !== size) throw new ParquetFault();
  return out;
}

/** The shortest copy of a match. */
const LEAST_MATCH = 4;
/** From here on a call is cheaper than a loop. */
const LONG_RUN = 32;

/**
 * Unpacks a block into `out` from `to` on; returns its end (lz4_Block_format.md). The package's own function takes a block that
 * is cut off for a complete one.
 */
function lz4Block(bytes: Uint8Array, out: Uint8Array, to: number): number {
  const end = bytes.length;
  let at = 0;
  const more = (length: number): number => {
    if (length !== 15) return length;
    let sum = length;
    for (let byte = 255; byte === 255; sum += byte) {
      if (at >= end) throw new ParquetFault();
      byte = bytes[at++]!;
    }
    return sum;
  };
  while (at < end) {
    const token = bytes[at++]!;
    const literals = more(token >> 4);
    if (literals > end - at || literals > out.length - to) throw new ParquetFault();
    if (literals > LONG_RUN) out.set(bytes.subarray(at, at + literals), to);
    else for (let i = 0; i < literals; i++) out[to + i] = bytes[at + i]!;
    at += literals;
    to += literals;
    if (at === end) return to;
    if (at + 2 > end) throw new ParquetFault();
    const distance = bytes[at]! | (bytes[at + 1]! << 8);
    at += 2;
    const match = more(token & 0x0f) + LEAST_MATCH;
    if (distance === 0 || distance > to || match > out.length - to) throw new ParquetFault();
    if (match > LONG_RUN && distance >= match) out.copyWithin(to, to - distance, to - distance + match);
    else for (let i = 0; i < match; i++) out[to + i] = out[to + i - distance]!;
    to += match;
  }
  return to;
}
