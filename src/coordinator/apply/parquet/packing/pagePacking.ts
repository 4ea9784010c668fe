/** Packs pages by the codecs of parquet-format's Compression.md, each at the level that most writers of Parquet use. */
import * as zlib from 'node:zlib';
import { ParquetFault } from '../../../../readers/formats/parquet/thrift.js';
import { parser } from '../../../../readers/parsers/load.js';
import { lz4Framed, lz4Packed } from './lz4Packing.js';

/** The result may be the bytes themselves. */
export type PagePacker = (bytes: Uint8Array) => Uint8Array;

const BROTLI_QUALITY = 5;

/** By the numbers of CompressionCodec; LZO is not there. */
const PACKERS: Readonly<Record<number, () => PagePacker | Promise<PagePacker>>> = {
  0: () => (bytes) => bytes,
  1: () => parser('parquetPages').snap,
  2: () => (bytes) => zlib.gzipSync(bytes),
  4: () => (bytes) =>
    zlib.brotliCompressSync(bytes, {
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  5: () => lz4Framed,
  6: () => parser('zstdPack').zstdPacker(),
  7: () => lz4Packed,
};

/** @throws ParquetFault PARQUET_CODEC */
export async function packerOf(codec: number): Promise<PagePacker> {
  const packer = PACKERS[codec];
  if (packer === undefined) throw new ParquetFault('PARQUET_CODEC');
  return packer();
}
