/**
 * Leaves rows out of the chunk of a column, page by page: pages of which all rows stay are copied as they are, of others
 * levels and values are filtered in their encoding and packed again. A dictionary of which values go is written without them,
 * and so are the places in it of all pages.
 */
import { crc32 } from '../../../../arrays/checksum.js';
import type { Chunk } from '../../../../readers/formats/parquet/footer.js';
import { unpackedPage } from '../../../../readers/formats/parquet/pageCodecs.js';
import {
  DATA_PAGE,
  DATA_PAGE_V2,
  DICTIONARY_PAGE,
  type OpenPages,
  type PageHeader,
  PageWindow,
} from '../../../../readers/formats/parquet/pageWindow.js';
import { ParquetFault } from '../../../../readers/formats/parquet/thrift.js';
import { BOOLEAN, CompactReader, type CompactStruct, compactBytes, I32 } from '../compactThrift.js';
import type { OutputFile } from '../outputFile.js';
import type { PagePacker } from '../packing/pagePacking.js';
import { PageBuffer } from '../values/pageBuffer.js';
import { filterValues, isIndexed, PLAIN } from '../values/valueFilter.js';
import type { DictionaryRest } from './dictionaryUse.js';
import {
  encodingField,
  encodingOf,
  entriesOf,
  isDataPage,
  type OpenedPage,
  openedPage,
  rowsOf,
} from './openedPage.js';
import {
  type FilteredColumn,
  type PageLevels,
  type PageSelection,
  RowCursor,
  writeLevels,
} from './pageLevels.js';

/** A data page that was written. */
export interface WrittenPage {
  /** Its number among the data pages of the chunk as it was. */
  readonly ordinal: number;
  readonly at: number;
  /** With its header. */
  readonly bytes: number;
  /** Number of its first row in the row group as it is now. */
  readonly firstRow: number;
  /** All rows that it had are in it. */
  readonly isWhole: boolean;
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

/** What is to be written of a chunk. */
export interface ChunkSelection {
  /** By row of the row group, a byte each, 0 or 1. */
  readonly keeps: Uint8Array;
  /** Null: all of the dictionary stays, if there is one. */
  readonly dictionary: DictionaryRest | null;
  /** Some entries have no value, and are counted. */
  readonly countsNulls: boolean;
}

export class ChunkFilter {
  private readonly column: FilteredColumn;
  private readonly codec: number;
  private readonly countsNulls: boolean;
  private readonly rest: DictionaryRest | null;
  private readonly window: PageWindow;
  private readonly rows: RowCursor;
  private readonly pack: PagePacker;
  private readonly buffers: PageBuffers;
  private readonly out: OutputFile;
  private readonly pages: WrittenPage[] = [];
  private valuesLeft: number;
  private dictionaryAt = -1;
  private dictionaryEncoding = 0;
  /** Values in the dictionary as it was; -1: there was none so far. */
  private dictionary = -1;
  private ordinal = 0;
  private rowsWritten = 0;
  private values = 0;
  private nulls = 0;
  private unpacked = 0;

  constructor(
    open: OpenPages,
    column: FilteredColumn,
    chunk: Chunk,
    { keeps, dictionary, countsNulls }: ChunkSelection,
    pack: PagePacker,
    buffers: PageBuffers,
    out: OutputFile,
  ) {
    this.column = column;
    this.codec = chunk.codec;
    this.countsNulls = countsNulls;
    this.rest = dictionary;
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
    if (header.kind === DICTIONARY_PAGE) this.writeDictionary(header);
    else if (isDataPage(header)) this.dataPage(header);
    else this.window.pass(header);
    return true;
  }

  /** @throws ParquetFault where the pages have not all rows of the row group */
  finish(rows: number): WrittenChunk {
    if (this.rows.begun !== rows) throw new ParquetFault();
    const { dictionaryAt, dictionaryEncoding, pages, ordinal, values, nulls, unpacked } = this;
    return { dictionaryAt, dictionaryEncoding, pages, pagesBefore: ordinal, values, nulls, unpacked };
  }

  private writeDictionary(header: PageHeader): void {
    if (this.dictionary >= 0 || this.ordinal > 0) throw new ParquetFault();
    this.dictionary = header.facts!.count(1);
    this.dictionaryEncoding = header.facts!.number(2);
    if (this.rest !== null && this.rest.stays.length !== this.dictionary) throw new ParquetFault('CHANGED');
    if (this.rest?.count === 0) {
      this.window.pass(header);
      return;
    }
    this.dictionaryAt = this.out.length;
    if (this.rest === null) this.copy(header);
    else this.shortenDictionary(header, this.rest);
  }

  private shortenDictionary(header: PageHeader, { stays, count }: DictionaryRest): void {
    const { levels, page } = this.buffers;
    levels.clear();
    page.clear();
    const bytes = unpackedPage(this.codec, this.window.data(header), header.unpacked);
    const { type, width } = this.column;
    filterValues({ type, width, encoding: PLAIN, bytes, at: 0, stays, dictionary: 0, numbers: null }, page);
    const packed = this.pack(page.view);
    const tree = this.newHeader(header, packed);
    tree.struct(7).set(1, I32, count);
    this.writeParts(compactBytes(tree), packed);
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
    this.valuesLeft -= entriesOf(header, this.valuesLeft);
    const rows = rowsOf(header, this.column);
    const fate = rows === null ? null : this.rows.fateOf(rows);
    if (fate === null || (fate && this.isRenumbered(header))) this.filterPage(header);
    else {
      this.rows.begun += rows!;
      if (fate) this.keepPage(header, rows!);
      else this.window.pass(header);
    }
    this.ordinal++;
  }

  /** Whether its values are places in a dictionary of which something goes. */
  private isRenumbered(header: PageHeader): boolean {
    return this.rest !== null && isIndexed(encodingOf(header));
  }

  /** A page of which nothing is left out. */
  private keepPage(header: PageHeader, rows: number): void {
    const at = this.out.length;
    const data = this.copy(header);
    this.count(header.facts!.count(1), this.nullsOf(header, data), rows);
    this.note(header, at, rows, true);
  }

  private nullsOf(header: PageHeader, data: Uint8Array): number {
    const { defined } = this.column;
    const facts = header.facts!;
    if (!this.countsNulls || defined === 0) return 0;
    if (header.kind === DATA_PAGE_V2) return facts.count(2);
    const told = facts.struct(5);
    if (told?.has(3)) return told.count(3);
    const { count, definitions } = openedPage(header, data, this.column, this.codec);
    let nulls = 0;
    for (let i = 0; i < count; i++) if (definitions![i] !== defined) nulls++;
    return nulls;
  }

  private count(values: number, nulls: number, rows: number): void {
    this.values += values;
    this.nulls += nulls;
    this.rowsWritten += rows;
  }

  private note(header: PageHeader, at: number, rows: number, isWhole: boolean): void {
    const { kind } = header;
    const encoding = this.newEncoding(header);
    const firstRow = this.rowsWritten - rows;
    this.pages.push({
      ordinal: this.ordinal,
      at,
      bytes: this.out.length - at,
      firstRow,
      isWhole,
      kind,
      encoding,
    });
  }

  /** Without a dictionary, places in it are no values: that of nulls alone is left. */
  private newEncoding(header: PageHeader): number {
    return this.rest?.count === 0 && this.isRenumbered(header) ? PLAIN : encodingOf(header);
  }

  private filterPage(header: PageHeader): void {
    const { levels, page } = this.buffers;
    levels.clear();
    page.clear();
    const data = this.window.data(header);
    const found = openedPage(header, data, this.column, this.codec);
    const selection = this.rows.select(found, this.column);
    if (selection.kept === found.count && !this.isRenumbered(header))
      this.writeAsItWas(header, data, selection);
    else if (selection.kept === 0) return;
    else if (header.kind === DATA_PAGE) this.filterV1(header, found, selection);
    else this.filterV2(header, found, selection);
  }

  private filterV1(header: PageHeader, found: OpenedPage, selection: PageSelection): void {
    const { page } = this.buffers;
    this.writeLevels(found, selection, (write) => {
      const start = page.length;
      for (let i = 0; i < 4; i++) page.push(0);
      write(page);
      page.setUint32(start, page.length - start - 4);
    });
    this.filterValues(header, found, selection);
    this.writePage(header, found, selection, this.pack(page.view), null);
  }

  private filterV2(header: PageHeader, found: OpenedPage, selection: PageSelection): void {
    const { levels, page } = this.buffers;
    let repeatedBytes = 0;
    this.writeLevels(found, selection, (write, isRepetition) => {
      write(levels);
      if (isRepetition) repeatedBytes = levels.length;
    });
    this.filterValues(header, found, selection);
    // Nothing is not packed: readers differ in what it would be.
    const packs = header.facts!.isTrue(7, true) && page.length > 0;
    const packed = packs ? this.pack(page.view) : page.view;
    this.writePage(header, found, selection, packed, { repeatedBytes, isPacked: packs });
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

  private filterValues(header: PageHeader, { bytes, at }: OpenedPage, { values }: PageSelection): void {
    const { type, width } = this.column;
    const { dictionary, rest } = this;
    const encoding = encodingOf(header);
    // Of nulls alone.
    if (rest?.count === 0 && isIndexed(encoding)) return;
    const numbers = rest?.numbers ?? null;
    filterValues({ type, width, encoding, bytes, at, stays: values, dictionary, numbers }, this.buffers.page);
  }

  private writeAsItWas(header: PageHeader, packed: Uint8Array, { kept, nulls, rows }: PageSelection): void {
    const at = this.out.length;
    this.out.write(header.bytes);
    this.out.write(packed);
    this.unpacked += header.bytes.length + header.unpacked;
    this.count(kept, nulls, rows);
    this.note(header, at, rows, true);
  }

  /** Writes the levels of a page of version 2, and what was packed, behind the header with its new facts. */
  private writePage(
    header: PageHeader,
    found: OpenedPage,
    selection: PageSelection,
    packed: Uint8Array,
    ofV2: { readonly repeatedBytes: number; readonly isPacked: boolean } | null,
  ): void {
    const { kept, nulls, rows } = selection;
    const isWhole = kept === found.count;
    const tree = this.newHeader(header, packed);
    const facts = tree.struct(ofV2 === null ? 5 : 8).set(1, I32, kept);
    facts.replace(encodingField(header.kind), this.newEncoding(header));
    // Least and greatest values, and the number of nulls, are those of the page as it was.
    if (!isWhole) facts.remove(ofV2 === null ? 5 : 8);
    if (ofV2 !== null)
      setFactsOfV2(facts, selection, ofV2.repeatedBytes, this.buffers.levels.length, ofV2.isPacked);
    const at = this.out.length;
    this.writeParts(compactBytes(tree), packed);
    this.count(kept, nulls, rows);
    this.note(header, at, rows, isWhole);
  }

  /** The header of a page with the sizes and the checksum of what is in the buffers. */
  private newHeader(header: PageHeader, packed: Uint8Array): CompactStruct {
    const { levels, page } = this.buffers;
    const tree = new CompactReader(header.bytes).struct();
    tree.set(2, I32, levels.length + page.length).set(3, I32, levels.length + packed.length);
    if (tree.has(4)) tree.set(4, I32, crc32(packed, crc32(levels.view)) | 0);
    return tree;
  }

  private writeParts(header: Uint8Array, packed: Uint8Array): void {
    const { levels, page } = this.buffers;
    this.out.write(header);
    this.out.write(levels.view);
    this.out.write(packed);
    this.unpacked += header.length + levels.length + page.length;
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
