/**
 * Page indexes and Bloom filters of chunks that were copied or filtered: what readers use to pass over pages stays true.
 *
 * Source: parquet-format, PageIndex.md and BloomFilter.md. Indexes that do not fit their chunk are left out: they are optional.
 */
import { readInto } from '../../../readers/bytes/wholeFiles.js';
import { ParquetFault } from '../../../readers/formats/parquet/thrift.js';
import type { WrittenChunk } from './chunks/chunkFilter.js';
import type { FilteredColumn } from './chunks/pageLevels.js';
import {
  CompactList,
  CompactReader,
  CompactStruct,
  compactBytes,
  I32,
  I64,
  LIST,
  STRUCT,
} from './compactThrift.js';
import type { OutputFile } from './outputFile.js';

/** Longer ones are damage. */
const MOST_INDEX = 64 << 20;

/** Fields of a chunk: where its offset index and its column index are, and how long. */
const OFFSET_INDEX = 4;
const COLUMN_INDEX = 6;
/** Fields of the metadata of a chunk: where its Bloom filter is, and how long; older writers do not tell the length. */
const BLOOM_OFFSET = 14;
const BLOOM_LENGTH = 15;
const BLOOM_HEADER = 64;

/** The indexes of a chunk as they will be written; null: there is none. */
export interface ChunkIndexes {
  readonly offsets: Uint8Array;
  readonly columns: Uint8Array | null;
}

/** What is read of a file beside its pages. */
export interface SourceFile {
  readonly descriptor: number;
  readonly size: number;
}

/** The indexes of a chunk that was copied, with its pages so many bytes further on. */
export function movedIndexes(source: SourceFile, chunk: CompactStruct, shift: number): ChunkIndexes | null {
  return indexesOf(source, chunk, (offsets, columns) => {
    for (const page of offsets.list(1).structs()) page.set(1, I64, page.number(1) + shift);
    return { offsets: compactBytes(offsets), columns };
  });
}

/**
 * The indexes of a chunk of which pages and rows were left out. Least and greatest values stay bounds; counts do not. Those of
 * strings and bytes may be texts that are gone.
 */
export function filteredIndexes(
  source: SourceFile,
  chunk: CompactStruct,
  { type: columnType }: FilteredColumn,
  { pages, pagesBefore }: WrittenChunk,
): ChunkIndexes | null {
  return indexesOf(source, chunk, (offsets, columns) => {
    if (offsets.list(1).values.length !== pagesBefore) return null;
    const places = pages.map(({ at, bytes, firstRow }) =>
      new CompactStruct().set(1, I64, at).set(2, I32, bytes).set(3, I64, firstRow),
    );
    offsets.set(1, LIST, new CompactList(STRUCT, places)).remove(2);
    const isTold = !columnType.endsWith('BYTE_ARRAY') || pages.every(({ isWhole }) => isWhole);
    if (columns === null || !isTold) return { offsets: compactBytes(offsets), columns: null };
    const bounds = new CompactReader(columns).struct();
    for (const field of [1, 2, 3]) {
      const { type, values } = bounds.list(field);
      if (values.length !== pagesBefore) return null;
      bounds.replace(
        field,
        new CompactList(
          type,
          pages.map(({ ordinal }) => values[ordinal]!),
        ),
      );
    }
    bounds.remove(5, 6, 7);
    return { offsets: compactBytes(offsets), columns: compactBytes(bounds) };
  });
}

/** Takes the places of the indexes from a chunk, and gives the indexes to `change`. Null: none, or they are damaged. */
function indexesOf(
  source: SourceFile,
  chunk: CompactStruct,
  change: (offsets: CompactStruct, columns: Uint8Array | null) => ChunkIndexes | null,
): ChunkIndexes | null {
  try {
    const offsets = indexAt(source, chunk, OFFSET_INDEX);
    if (offsets === null) return null;
    return change(new CompactReader(offsets).struct(), indexAt(source, chunk, COLUMN_INDEX));
  } catch (error) {
    if (!(error instanceof ParquetFault)) throw error;
    return null;
  } finally {
    chunk.remove(OFFSET_INDEX, OFFSET_INDEX + 1, COLUMN_INDEX, COLUMN_INDEX + 1);
  }
}

function indexAt(source: SourceFile, chunk: CompactStruct, field: number): Uint8Array | null {
  return chunk.has(field) && chunk.has(field + 1)
    ? bytesOf(source, chunk.number(field), chunk.number(field + 1))
    : null;
}

function bytesOf({ descriptor, size }: SourceFile, at: number, length: number): Uint8Array {
  if (at < 4 || length < 0 || length > MOST_INDEX || at + length > size) throw new ParquetFault();
  const bytes = new Uint8Array(length);
  if (readInto(descriptor, bytes, 0, at) !== length) throw new ParquetFault('UNREADABLE');
  return bytes;
}

/** Writes the column indexes of a file, then its offset indexes, and says in the chunks where they are. */
export function writeIndexes(
  groups: readonly { readonly indexes: readonly (ChunkIndexes | null)[]; bytes: Uint8Array }[],
  out: OutputFile,
): void {
  for (const field of [COLUMN_INDEX, OFFSET_INDEX]) {
    for (const group of groups) {
      if (group.indexes.every((one) => one === null)) continue;
      const tree = new CompactReader(group.bytes).struct();
      tree
        .list(1)
        .structs()
        .forEach((chunk, i) => {
          const index = field === COLUMN_INDEX ? group.indexes[i]?.columns : group.indexes[i]?.offsets;
          if (!index) return;
          chunk.set(field, I64, out.length).set(field + 1, I32, index.length);
          out.write(index);
        });
      group.bytes = compactBytes(tree);
    }
  }
}

/** Copies the Bloom filter of a chunk: of fewer values it is true as well. */
export function copyBloom(source: SourceFile, metadata: CompactStruct, out: OutputFile): void {
  if (!metadata.has(BLOOM_OFFSET)) return;
  const at = metadata.number(BLOOM_OFFSET);
  let bytes: Uint8Array;
  try {
    bytes = bytesOf(source, at, bloomLength(source, metadata, at));
  } catch (error) {
    if (!(error instanceof ParquetFault)) throw error;
    metadata.remove(BLOOM_OFFSET, BLOOM_LENGTH);
    return;
  }
  metadata.set(BLOOM_OFFSET, I64, out.length);
  out.write(bytes);
}

function bloomLength(source: SourceFile, metadata: CompactStruct, at: number): number {
  if (metadata.has(BLOOM_LENGTH)) return metadata.number(BLOOM_LENGTH);
  const reader = new CompactReader(bytesOf(source, at, Math.min(BLOOM_HEADER, source.size - at)));
  const bits = reader.struct().number(1);
  return reader.at + bits;
}
