/** Writes row groups: chunks of columns as they are, or without some rows, and chunks of added columns behind them. */
import { type Chunk, chunkOf, type Footer, type RowGroup } from '../../../readers/formats/parquet/footer.js';
import type { OpenPages } from '../../../readers/formats/parquet/pageWindow.js';
import { type AddedColumn, type KeptRows, writeColumn } from './addedColumns.js';
import { ChunkFilter, pageBuffers, type WrittenChunk, type WrittenPage } from './chunks/chunkFilter.js';
import { DictionaryUse } from './chunks/dictionaryUse.js';
import { type FilteredColumn, filteredColumns } from './chunks/pageLevels.js';
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
import { packerOf } from './packing/pagePacking.js';
import {
  type ChunkIndexes,
  copyBloom,
  filteredIndexes,
  movedIndexes,
  type SourceFile,
} from './pageIndexes.js';
import { PLAIN } from './values/valueFilter.js';

/** Pages that are larger than this and than their chunk says are damaged. */
const LEAST_MOST_PAGE = 256 << 20;
const MOST_PAGE = 2_000_000_000;

/** A chunk is copied in pieces. */
const PIECE = 8 << 20;

/** Codecs by their numbers: what added columns are packed by where that of the file cannot be written. */
const SNAPPY = 1;
const LZO = 3;

/** A PageType. */
const DICTIONARY_PAGE = 2;

/** Called before every page or piece of a column: where it gives a promise, that is to be waited for. */
export type Pause = (column: string) => Promise<void> | null;

/** A row group that was written. */
export interface WrittenGroup {
  /** Its metadata, without the places of page indexes. */
  bytes: Uint8Array;
  /** By chunk. */
  readonly indexes: readonly (ChunkIndexes | null)[];
}

export class GroupWriter {
  private readonly source: SourceFile;
  private readonly footer: Footer;
  private readonly columns: readonly FilteredColumn[];
  private readonly added: readonly AddedColumn[];
  private readonly out: OutputFile;
  private readonly pause: Pause;
  private readonly buffers = pageBuffers();
  /** By column: rows were left out of one of its chunks. */
  private readonly isFiltered: Uint8Array;

  constructor(
    source: SourceFile,
    footer: Footer,
    added: readonly AddedColumn[],
    out: OutputFile,
    pause: Pause,
  ) {
    this.source = source;
    this.footer = footer;
    this.columns = filteredColumns(footer.root);
    this.isFiltered = new Uint8Array(this.columns.length);
    this.added = added;
    this.out = out;
    this.pause = pause;
  }

  /**
   * Writes a row group of which at least one row stays. Changes `tree`, which is its metadata.
   *
   * @param kept null: all rows, and nothing is added
   * @param ordinal its number in the new file
   * @throws ParquetFault
   */
  async write(
    group: RowGroup,
    tree: CompactStruct,
    kept: KeptRows | null,
    ordinal: number,
  ): Promise<WrittenGroup> {
    const start = this.out.length;
    const chunks = tree.list(1).structs();
    const indexes: (ChunkIndexes | null)[] = [];
    for (let i = 0; i < this.columns.length; i++) {
      const chunk = chunkOf(group, i, this.footer.end);
      const isWhole = kept === null || kept.kept === group.rows;
      if (isWhole) indexes.push(await this.copyChunk(this.columns[i]!, chunk, chunks[i]!));
      else indexes.push(await this.filterChunk(this.columns[i]!, chunk, chunks[i]!, kept.keeps));
    }
    if (kept !== null) {
      for (const column of this.added) chunks.push(await this.addChunk(column, kept, chunks[0]));
      setTotals(tree, chunks, kept.kept);
    }
    for (const chunk of chunks) copyBloom(this.source, chunk.struct(3), this.out);
    tree.replace(5, start);
    tree.replace(7, ordinal);
    return { bytes: compactBytes(tree), indexes };
  }

  /**
   * Takes least and greatest values out of the statistics of filtered columns, in all row groups: they were those of more rows,
   * some readers take them for exact, and some take those of the row groups that have them for those of all.
   */
  clearBounds(groups: readonly WrittenGroup[]): void {
    if (!this.isFiltered.includes(1)) return;
    for (const group of groups) {
      const tree = new CompactReader(group.bytes).struct();
      tree
        .list(1)
        .structs()
        .forEach((chunk, i) => {
          const metadata = chunk.struct(3);
          if (this.isFiltered[i] !== 1 || !metadata.has(12)) return;
          const nulls = nullsOf(metadata);
          metadata.remove(12);
          if (nulls !== null) metadata.set(12, STRUCT, new CompactStruct().set(3, I64, nulls));
        });
      group.bytes = compactBytes(tree);
    }
  }

  private async copyChunk(
    column: FilteredColumn,
    { from, to }: Chunk,
    tree: CompactStruct,
  ): Promise<ChunkIndexes | null> {
    const shift = this.out.length - from;
    for (let at = from; at < to; at += PIECE) {
      await this.pause(column.path);
      this.out.copy(this.source.descriptor, at, Math.min(to, at + PIECE));
    }
    const metadata = tree.struct(3);
    const told = tree.has(2) ? tree.number(2) : 0;
    tree.replace(2, told >= from && told < to ? told + shift : 0);
    for (const field of [9, 10, 11]) {
      if (metadata.has(field) && metadata.number(field) > 0)
        metadata.replace(field, metadata.number(field) + shift);
    }
    return movedIndexes(this.source, tree, shift);
  }

  private async filterChunk(
    column: FilteredColumn,
    chunk: Chunk,
    tree: CompactStruct,
    keeps: Uint8Array,
  ): Promise<ChunkIndexes | null> {
    const start = this.out.length;
    const mostPage = Math.min(MOST_PAGE, Math.max(LEAST_MOST_PAGE, chunk.unpacked));
    const open: OpenPages = {
      descriptor: this.source.descriptor,
      mostPage,
      kept: null,
      progress: () => {},
    };
    await this.pause(column.path);
    const pack = await packerOf(chunk.codec);
    const metadata = tree.struct(3);
    const nulls = nullsOf(metadata);
    const use = new DictionaryUse(open, column, chunk, keeps);
    await this.goThrough(use, column);
    const selection = { keeps, dictionary: use.rest(), countsNulls: nulls !== null && nulls > 0 };
    const filter = new ChunkFilter(open, column, chunk, selection, pack, this.buffers, this.out);
    await this.goThrough(filter, column);
    const written = filter.finish(keeps.length);
    setPlaces(tree, metadata, written, { start, end: this.out.length });
    if (nulls !== null) metadata.struct(12).set(3, I64, written.nulls);
    setPages(metadata, written);
    this.isFiltered[column.index] = 1;
    return filteredIndexes(this.source, tree, column, written);
  }

  private async goThrough(pages: { next(): boolean }, { path }: FilteredColumn): Promise<void> {
    while (pages.next()) {
      const pause = this.pause(path);
      if (pause !== null) await pause;
    }
  }

  private async addChunk(
    column: AddedColumn,
    kept: KeptRows,
    like: CompactStruct | undefined,
  ): Promise<CompactStruct> {
    await this.pause(column.name);
    const told = like?.struct(3).number(4) ?? SNAPPY;
    const codec = told === LZO ? SNAPPY : told;
    return writeColumn(column, kept, codec, await packerOf(codec), this.out);
  }
}

/** The sizes of a row group, and its rows. */
function setTotals(tree: CompactStruct, chunks: readonly CompactStruct[], rows: number): void {
  let unpacked = 0;
  let packed = 0;
  for (const chunk of chunks) {
    unpacked += chunk.struct(3).number(6);
    packed += chunk.struct(3).number(7);
  }
  tree.set(2, I64, unpacked).set(3, I64, rows);
  tree.replace(6, packed);
}

function setPlaces(
  tree: CompactStruct,
  metadata: CompactStruct,
  { dictionaryAt, pages, values, unpacked }: WrittenChunk,
  { start, end }: { readonly start: number; readonly end: number },
): void {
  const first = pages[0]?.at ?? start;
  const told = tree.has(2) ? tree.number(2) : 0;
  tree.replace(2, told === 0 ? 0 : told === metadata.number(9) ? first : start);
  metadata
    .set(5, I64, values)
    .set(6, I64, unpacked)
    .set(7, I64, end - start)
    .set(9, I64, first);
  metadata.remove(10, 11);
  if (dictionaryAt >= 0) metadata.set(11, I64, dictionaryAt);
}

/** How many entries of a chunk have no value; null: that is not told. */
function nullsOf(metadata: CompactStruct): number | null {
  return metadata.has(12) && metadata.struct(12).has(3) ? metadata.struct(12).number(3) : null;
}

/** What is told of the pages: how many have which kind and encoding. How long their values are, and where on earth, is left out. */
function setPages(metadata: CompactStruct, written: WrittenChunk): void {
  const told = metadata.list(2).values;
  if (written.pages.some(({ encoding }) => encoding === PLAIN) && !told.includes(PLAIN)) told.push(PLAIN);
  const isTold = metadata.has(13);
  metadata.remove(13, 16, 17);
  if (isTold) metadata.set(13, LIST, new CompactList(STRUCT, pageCounts(written)));
}

/** How many pages have which kind and encoding. */
function pageCounts({ dictionaryAt, dictionaryEncoding, pages }: WrittenChunk): CompactStruct[] {
  const counts = new Map<string, { kind: number; encoding: number; count: number }>();
  const count = ({ kind, encoding }: Pick<WrittenPage, 'kind' | 'encoding'>): void => {
    const key = `${kind} ${encoding}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { kind, encoding, count: 1 });
    else known.count++;
  };
  if (dictionaryAt >= 0) count({ kind: DICTIONARY_PAGE, encoding: dictionaryEncoding });
  pages.forEach(count);
  return [...counts.values()].map(({ kind, encoding, count }) =>
    new CompactStruct().set(1, I32, kind).set(2, I32, encoding).set(3, I32, count),
  );
}
