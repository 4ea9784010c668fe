/**
 * Finds which values of the dictionary of a chunk are of rows that stay: the others are written no more, for whoever leaves
 * texts out wants them to be gone. The chunk is read for it once more, so that memory holds a page.
 */
import type { Chunk } from '../../../../readers/formats/parquet/footer.js';
import {
  DICTIONARY_PAGE,
  type OpenPages,
  type PageHeader,
  PageWindow,
} from '../../../../readers/formats/parquet/pageWindow.js';
import { ParquetFault } from '../../../../readers/formats/parquet/thrift.js';
import { isIndexed, readIndices } from '../values/valueFilter.js';
import { encodingOf, entriesOf, isDataPage, openedPage, rowsOf } from './openedPage.js';
import { type FilteredColumn, RowCursor } from './pageLevels.js';

/** What stays of a dictionary of which something goes. */
export interface DictionaryRest {
  /** By value as it was: whether it stays, a byte each, 0 or 1, and its number then. */
  readonly stays: Uint8Array;
  readonly numbers: Uint32Array;
  readonly count: number;
}

export class DictionaryUse {
  private readonly column: FilteredColumn;
  private readonly codec: number;
  private readonly window: PageWindow;
  private readonly rows: RowCursor;
  /** Pages that have places in the dictionary and were not yet read. */
  private indexed: number;
  private valuesLeft: number;
  private stays = new Uint8Array(0);
  private count = 0;

  /** @param keeps by row of the row group, a byte each, 0 or 1 */
  constructor(open: OpenPages, column: FilteredColumn, chunk: Chunk, keeps: Uint8Array) {
    this.column = column;
    this.codec = chunk.codec;
    this.window = new PageWindow(open, chunk);
    this.rows = new RowCursor(keeps);
    this.valuesLeft = chunk.values;
    this.indexed = this.beginDictionary() ? indexedPages(new PageWindow(open, chunk), chunk.values) : 0;
  }

  /** Reads the next page; false: all is known. @throws ParquetFault */
  next(): boolean {
    if (this.indexed === 0 || this.count === this.stays.length) return false;
    const header = this.window.header();
    if (isDataPage(header)) this.dataPage(header);
    else this.window.pass(header);
    return true;
  }

  /** Null: there is no dictionary, or all its values stay. */
  rest(): DictionaryRest | null {
    const { stays, count } = this;
    if (count === stays.length) return null;
    const numbers = new Uint32Array(stays.length);
    let number = 0;
    for (let i = 0; i < stays.length; i++) {
      numbers[i] = number;
      number += stays[i]!;
    }
    return { stays, numbers, count };
  }

  /** Goes behind the dictionary; false: there is none before the first data page. */
  private beginDictionary(): boolean {
    if (this.valuesLeft === 0) return false;
    for (;;) {
      if (this.window.isAtEnd) throw new ParquetFault();
      const header = this.window.header();
      if (isDataPage(header)) return false;
      this.window.pass(header);
      if (header.kind !== DICTIONARY_PAGE) continue;
      const values = header.facts!.count(1);
      const { type, width } = this.column;
      // Before memory is taken for it: a value has its bytes, and a string those of its length.
      const least = type === 'BYTE_ARRAY' ? 4 : Math.max(width, 1 / 8);
      if (values * least > header.unpacked) throw new ParquetFault();
      this.stays = new Uint8Array(values);
      return true;
    }
  }

  private dataPage(header: PageHeader): void {
    this.valuesLeft -= entriesOf(header, this.valuesLeft);
    const hasIndices = isIndexed(encodingOf(header));
    if (hasIndices) this.indexed--;
    const rows = rowsOf(header, this.column);
    if (rows !== null) {
      const fate = this.rows.fateOf(rows);
      if (fate === false || !hasIndices) {
        this.rows.begun += rows;
        this.window.pass(header);
        return;
      }
    }
    const page = openedPage(header, this.window.data(header), this.column, this.codec);
    const { values } = this.rows.select(page, this.column);
    if (hasIndices) this.mark(readIndices(page.bytes, page.at, values.length), values);
  }

  private mark(indices: Uint32Array, values: Uint8Array): void {
    const { stays } = this;
    for (let i = 0; i < indices.length; i++) {
      if (values[i] === 0) continue;
      const index = indices[i]!;
      if (index >= stays.length) throw new ParquetFault();
      if (stays[index] === 0) {
        stays[index] = 1;
        this.count++;
      }
    }
  }
}

/** Data pages with places in the dictionary, by their headers: behind the last of them nothing needs to be read. */
function indexedPages(window: PageWindow, valuesLeft: number): number {
  let pages = 0;
  while (valuesLeft > 0) {
    if (window.isAtEnd) throw new ParquetFault();
    const header = window.header();
    if (isDataPage(header)) {
      valuesLeft -= entriesOf(header, valuesLeft);
      if (isIndexed(encodingOf(header))) pages++;
    }
    window.pass(header);
  }
  return pages;
}
