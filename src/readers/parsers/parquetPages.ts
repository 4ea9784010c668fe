/** Parquet by hyparquet: the footer of a file, and the pages of its columns, with strings as bytes. */
import * as zlib from 'node:zlib';
import type { Compressors, DecodedArray, FileMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { parquetMetadata, parquetSchema } from 'hyparquet/src/metadata.js';
import { decompressLz4, decompressLz4Raw, decompressSnappy, decompressZstd } from 'hyparquet-compressors';

/** Nothing is converted: values keep their physical type, and strings their bytes. */
const raw = (value: never): never => value;
const RAW_PARSERS = {
  ...DEFAULT_PARSERS,
  timestampFromMilliseconds: raw,
  timestampFromMicroseconds: raw,
  timestampFromNanoseconds: raw,
  dateFromDays: raw,
  stringFromBytes: raw,
  jsonFromBytes: raw,
  geometryFromBytes: raw,
  geographyFromBytes: raw,
  uuidFromBytes: raw,
};

/** In memory of its own, so that a damaged length ends in an error and not in the bytes of others. */
const own = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
/** zlib takes 0 for no limit. */
const bounded = (size: number): { maxOutputLength: number } => ({ maxOutputLength: Math.max(1, size) });

/** Node's own codecs are several times faster than those in JavaScript. */
const CODECS: Compressors = {
  SNAPPY: (bytes, size) => {
    if (snappySize(bytes) !== size) throw new Error('snappy: the size is not that of the page');
    return decompressSnappy(bytes, size);
  },
  // Hadoop may write the form of zlib under this name.
  GZIP: (bytes, size) => own(zlib.unzipSync(bytes, bounded(size))),
  BROTLI: (bytes, size) => own(zlib.brotliDecompressSync(bytes, bounded(size))),
  ZSTD: (bytes, size) => decompressZstd(bytes, new Uint8Array(size)),
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
};

/** The size that begins snappy data, which the package trusts. */
function snappySize(bytes: Uint8Array): number {
  let size = 0;
  for (let at = 0, scale = 1; at < 5; at++, scale *= 128) {
    const byte = bytes[at] ?? 0;
    size += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  return size;
}

export function isKnownCodec(codec: string): boolean {
  return codec === 'UNCOMPRESSED' || Object.hasOwn(CODECS, codec);
}

export interface Metadata {
  readonly file: FileMetaData;
  readonly schema: SchemaTree;
}

/** The metadata at the end of a file. @throws Error for damaged ones */
export function metadataIn(footer: Uint8Array): Metadata {
  const file = parquetMetadata(footer, { parsers: RAW_PARSERS, geoparquet: false });
  return { file, schema: parquetSchema(file) };
}

/** The header of the page that bytes begin with, and its length. @throws Error where they are not enough */
export function headerIn(bytes: Uint8Array): { readonly header: PageHeader; readonly end: number } {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  return { header: parquetHeader(reader), end: reader.offset };
}

/** @throws Error for damaged data */
export type Decompressor = (bytes: Uint8Array, size: number) => Uint8Array;

type Decoder = Parameters<typeof readPage>[2];
export type PageColumn = Pick<Decoder, 'type' | 'element' | 'schemaPath' | 'codec' | 'pathInSchema'>;

/**
 * The values of a page: of a dictionary its entries; else one per row, and for nested columns arrays of arrays.
 *
 * @param zstd a faster decompressor of zstd, if there is one for the page
 * @param before the last row of the page before, which is continued; absent for flat columns
 * @throws Error for damaged data
 */
export function valuesIn(
  page: Uint8Array,
  header: PageHeader,
  column: PageColumn,
  dictionary: DecodedArray | undefined,
  zstd: Decompressor | null,
  before?: unknown[],
): DecodedArray {
  const { type_length, repetition_type, name } = column.element;
  const element = {
    name,
    type: column.type,
    ...(type_length !== undefined && { type_length }),
    ...(repetition_type !== undefined && { repetition_type }),
  };
  const bytes = column.codec === 'UNCOMPRESSED' ? own(page) : page;
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  const decoder = {
    ...column,
    element,
    parsers: RAW_PARSERS,
    compressors:
      zstd === null ? CODECS : { ...CODECS, ZSTD: (page: Uint8Array, size: number) => own(zstd(page, size)) },
    utf8: false,
  };
  return readPage(reader, header, decoder, dictionary, before, -1).data ?? [];
}
