/**
 * Leaves rows out of the chunk of a column, page by page: pages of which all rows stay are copied as they are, of others
 * levels and values are filtered in their encoding and packed again, and the dictionary stays.
 */
import { crc32 } from '../../../arrays/checksum.js';
import type { Chunk } from '../../../readers/formats/parquet/footer.js';
import { levelsIn } from '../../../readers/formats/parquet/leafCursor.js';
import { unpackedPage } from '../../../readers/formats/parquet/pageCodecs.js';
import {
  DATA_PAGE,
  DATA_PAGE_V2,
  DICTIONARY_PAGE,
  type OpenPages,
  type PageHeader,
  PageWindow,
} from '../../../readers/formats/parquet/pageWindow.js';
import { ParquetFault } from '../../../readers/formats/parquet/thrift.js';
import { BOOLEAN, CompactReader, type CompactStruct, compactBytes, I32 } from './compactThrift.js';
import type { OutputFile } from './outputFile.js';
import type { PagePacker } from './packing/pagePacking.js';
import {
  type FilteredColumn,
  type PageLevels,
  type PageSelection,
  RowCursor,
  writeLevels,
} from './pageLevels.js';
import { PageBuffer } from './values/pageBuffer.js';
import { filterValues } from './values/valueFilter.js';

/** Entries of one page; writers end pages at some 20,000. */
const MOST_ENTRIES = 1 << 24;

/** Levels as runs, the only form that is written. */
const RLE = 3;

/** A data page that was written. */
export interface WrittenPage {
  /** Its number among the data pages of the chunk as it was. */
  readonly ordinal: number;
  readonly at: number;
  /** With its header. */
  readonly bytes: number;
  /** Number of its first row in the row group as it is now. */
  readonly firstRow: number;
  /** PageType and Encoding. */
  readonly kind: number;
  readonly encoding: number;
}

/** What was written of a chunk. */
export interface WrittenChunk {
  /** -1: there is none. */
  readonly dictionaryAt: number;
  readonly dictionaryEncoding: number;
  readonly pages: readonly WrittenPage[];
  /** Data pages of the chunk as it was. */
  readonly pagesBefore: number;
  readonly values: number;
  /** Entries without a value, where they were to be counted. */
  readonly nulls: number;
  /** Bytes with headers. */
  readonly unpacked: number;
}

/** Scratch memory for all chunks of a file. */
export interface PageBuffers {
  readonly levels: PageBuffer;
  readonly page: PageBuffer;
}

export const pageBuffers = (): PageBuffers => ({ levels: new PageBuffer(), page: new PageBuffer() });

export class ChunkFilter {
  private readonly column: FilteredColumn;
  private readonly codec: number;
  private readonly countsNulls: boolean;
  private readonly window: PageWindow;
  private readonly rows: RowCursor;
  private readonly pack: PagePacker;
  private readonly buffers: PageBuffers;
  private readonly out: OutputFile;
  private readonly pages: WrittenPage[] = [];
  private valuesLeft: number;
  private dictionaryAt = -1;
  private dictionaryEncoding = 0;
  private dictionary = 0;
  private ordinal = 0;
  private rowsWritten = 0;
  private values = 0;
  private nulls = 0;
  private unpacked = 0;

  /** @param keeps by row of the row group, a byte each, 0 or 1; @param countsNulls some entries have no value, and are counted */
  constructor(
    open: OpenPages,
    column: FilteredColumn,
    chunk: Chunk,
    countsNulls: boolean,
    keeps: Uint8Array,
    pack: PagePacker,
    buffers: PageBuffers,
    out: OutputFile,
  ) {
    this.column = column;
    this.codec = chunk.codec;
    this.countsNulls = countsNulls;
    this.window = new PageWindow(open, chunk);
    this.valuesLeft = chunk.values;
    this.rows = new RowCursor(keeps);
    this.pack = pack;
    this.buffers = buffers;
    this.out = out;
  }

  /** Writes the next page that stays, if any; false: there are no more. @throws ParquetFault */
  next(): boolean {
    if (this.valuesLeft === 0) return false;
    if (this.window.isAtEnd) throw new ParquetFault();
    const header = this.window.header();
    if (header.kind === DICTIONARY_PAGE) this.copyDictionary(header);
    else if (header.kind === DATA_PAGE || header.kind === DATA_PAGE_V2) this.dataPage(header);
    else this.window.pass(header);
    return true;
  }

  /** @throws ParquetFault where the pages have not all rows of the row group */
  finish(rows: number): WrittenChunk {
    if (this.rows.begun !== rows) throw new ParquetFault();
    const { dictionaryAt, dictionaryEncoding, pages, ordinal, values, nulls, unpacked } = this;
    return { dictionaryAt, dictionaryEncoding, pages, pagesBefore: ordinal, values, nulls, unpacked };
  }

  private copyDictionary(header: PageHeader): void {
    if (this.dictionaryAt >= 0 || this.ordinal > 0) throw new ParquetFault();
    this.dictionary = header.facts!.count(1);
    this.dictionaryEncoding = header.facts!.number(2);
    this.dictionaryAt = this.out.length;
    this.copy(header);
  }

  /** Returns the data of the page, packed. */
  private copy(header: PageHeader): Uint8Array {
    const data = this.window.data(header);
    this.out.write(header.bytes);
    this.out.write(data);
    this.unpacked += header.bytes.length + header.unpacked;
    return data;
  }

  private dataPage(header: PageHeader): void {
    const facts = header.facts!;
    const count = facts.count(1);
    if (count > this.valuesLeft) throw new ParquetFault();
    if (count > MOST_ENTRIES) throw new ParquetFault('TOO_LARGE');
    this.valuesLeft -= count;
    const isV2 = header.kind === DATA_PAGE_V2;
    const rows = isV2 ? facts.count(3) : this.column.repeated === 0 ? count : null;
    const fate = rows === null ? null : this.rows.fateOf(rows);
    if (fate === null) this.filterPage(header, count);
    else {
      this.rows.begun += rows!;
      if (fate) this.keepPage(header, count, rows!);
      else this.window.pass(header);
    }
    this.ordinal++;
  }

  /** A page of which nothing is left out. */
  private keepPage(header: PageHeader, count: number, rows: number): void {
    const at = this.out.length;
    const data = this.copy(header);
    this.count(count, this.nullsOf(header, count, data), rows);
    this.note(header, at, rows);
  }

  private nullsOf(header: PageHeader, count: number, data: Uint8Array): number {
    const { defined } = this.column;
    const facts = header.facts!;
    if (!this.countsNulls || defined === 0) return 0;
    if (header.kind === DATA_PAGE_V2) return facts.count(2);
    const told = facts.struct(5);
    if (told?.has(3)) return told.count(3);
    const { definitions } = this.levelsOfV1(header, count, data);
    let nulls = 0;
    for (let i = 0; i < count; i++) if (definitions![i] !== defined) nulls++;
    return nulls;
  }

  private count(values: number, nulls: number, rows: number): void {
    this.values += values;
    this.nulls += nulls;
    this.rowsWritten += rows;
  }

  private note({ kind, facts }: PageHeader, at: number, rows: number): void {
    this.pages.push({
      ordinal: this.ordinal,
      at,
      bytes: this.out.length - at,
      firstRow: this.rowsWritten - rows,
      kind,
      encoding: facts!.number(kind === DATA_PAGE ? 2 : 4),
    });
  }

  private filterPage(header: PageHeader, count: number): void {
    const { levels, page } = this.buffers;
    levels.clear();
    page.clear();
    const data = this.window.data(header);
    if (header.kind === DATA_PAGE) this.filterV1(header, count, data);
    else this.filterV2(header, count, data);
  }

  /** Levels and values as they are unpacked, and where the values begin. */
  private levelsOfV1(
    header: PageHeader,
    count: number,
    packed: Uint8Array,
  ): PageLevels & { readonly bytes: Uint8Array; readonly at: number } {
    const facts = header.facts!;
    const { defined, repeated } = this.column;
    const bytes = unpackedPage(this.codec, packed, header.unpacked);
    let at = 0;
    const levels = (most: number, encoding: number): Uint8Array | null => {
      if (most === 0) return null;
      if (facts.number(encoding) !== RLE) throw new ParquetFault('PARQUET_ENCODING');
      if (at + 4 > bytes.length) throw new ParquetFault();
      const length = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
      at += 4 + length;
      return levelsIn(bytes, at - length, at, most, count);
    };
    const repetitions = levels(repeated, 4);
    const definitions = levels(defined, 3);
    return { count, repetitions, definitions, bytes, at };
  }

  private filterV1(header: PageHeader, count: number, packed: Uint8Array): void {
    const { page } = this.buffers;
    const found = this.levelsOfV1(header, count, packed);
    const selection = this.rows.select(found, this.column);
    if (selection.kept === count) {
      this.writeAsItWas(header, packed, selection);
      return;
    }
    if (selection.kept === 0) return;
    this.writeLevels(found, selection, (write) => {
      const start = page.length;
      for (let i = 0; i < 4; i++) page.push(0);
      write(page);
      page.setUint32(start, page.length - start - 4);
    });
    this.filterValues(found.bytes, found.at, header.facts!.number(2), selection);
    this.writePage(header, selection, this.pack(page.view), null);
  }

  private filterV2(header: PageHeader, count: number, data: Uint8Array): void {
    const facts = header.facts!;
    const { defined, repeated } = this.column;
    const { levels, page } = this.buffers;
    const first = facts.count(6);
    const from = first + facts.count(5);
    if (from > data.length || from > header.unpacked) throw new ParquetFault();
    const repetitions = repeated === 0 ? null : levelsIn(data, 0, first, repeated, count);
    const definitions = defined === 0 ? null : levelsIn(data, first, from, defined, count);
    const found = { count, repetitions, definitions };
    const selection = this.rows.select(found, this.column);
    if (selection.kept === 0) return;
    let repeatedBytes = 0;
    this.writeLevels(found, selection, (write, isRepetition) => {
      write(levels);
      if (isRepetition) repeatedBytes = levels.length;
    });
    const isPacked = facts.isTrue(7, true);
    const bytes = unpackedPage(isPacked ? this.codec : 0, data.subarray(from), header.unpacked - from);
    this.filterValues(bytes, 0, facts.number(4), selection);
    // Nothing is not packed: readers differ in what it would be.
    const packs = isPacked && page.length > 0;
    const packed = packs ? this.pack(page.view) : page.view;
    this.writePage(header, selection, packed, { repeatedBytes, isPacked: packs });
  }

  private writeLevels(
    { repetitions, definitions }: PageLevels,
    { entries }: PageSelection,
    give: (write: (out: PageBuffer) => void, isRepetition: boolean) => void,
  ): void {
    const { defined, repeated } = this.column;
    if (repetitions !== null) give((out) => writeLevels(repetitions, entries, repeated, out), true);
    if (definitions !== null) give((out) => writeLevels(definitions, entries, defined, out), false);
  }

  private filterValues(bytes: Uint8Array, at: number, encoding: number, { values }: PageSelection): void {
    const { type, width } = this.column;
    const { dictionary } = this;
    filterValues({ type, width, encoding, bytes, at, stays: values, dictionary }, this.buffers.page);
  }

  private writeAsItWas(header: PageHeader, packed: Uint8Array, { kept, nulls, rows }: PageSelection): void {
    const at = this.out.length;
    this.out.write(header.bytes);
    this.out.write(packed);
    this.unpacked += header.bytes.length + header.unpacked;
    this.count(kept, nulls, rows);
    this.note(header, at, rows);
  }

  /** Writes the levels of a page of version 2, and what was packed, behind the header with its new facts. */
  private writePage(
    header: PageHeader,
    selection: PageSelection,
    packed: Uint8Array,
    ofV2: { readonly repeatedBytes: number; readonly isPacked: boolean } | null,
  ): void {
    const { levels, page } = this.buffers;
    const tree = new CompactReader(header.bytes).struct();
    tree.set(2, I32, levels.length + page.length).set(3, I32, levels.length + packed.length);
    if (tree.has(4)) tree.set(4, I32, crc32(packed, crc32(levels.view)) | 0);
    const { kept, nulls, rows } = selection;
    const facts = tree.struct(ofV2 === null ? 5 : 8).set(1, I32, kept);
    // Least and greatest values, and the number of nulls, are those of the page as it was.
    facts.remove(ofV2 === null ? 5 : 8);
    if (ofV2 !== null) setFactsOfV2(facts, selection, ofV2.repeatedBytes, levels.length, ofV2.isPacked);
    const bytes = compactBytes(tree);
    const at = this.out.length;
    this.out.write(bytes);
    this.out.write(levels.view);
    this.out.write(packed);
    this.unpacked += bytes.length + levels.length + page.length;
    this.count(kept, nulls, rows);
    this.note(header, at, rows);
  }
}

function setFactsOfV2(
  facts: CompactStruct,
  { nulls, rows }: PageSelection,
  repeatedBytes: number,
  levelBytes: number,
  isPacked: boolean,
): void {
  facts.set(2, I32, nulls).set(3, I32, rows);
  facts.set(5, I32, levelBytes - repeatedBytes).set(6, I32, repeatedBytes);
  facts.set(7, BOOLEAN, isPacked);
}
