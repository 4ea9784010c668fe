/**
 * Cuts large Parquet files into splits of rows, between pages where it can.
 *
 *      row group 0                row group 1            splits end with the first page behind which they hold `step`
 *      page page page | page page page | page ...        bytes of text; a page of far more is cut by rows
 *
 * The footer has the places of the pages of a column, and their headers, which are read alone, have the numbers of rows.
 */
import type { Block } from '../../../blocks/block.js';
import { withInput } from '../../bytes/wholeFiles.js';
import type { ReadBuffers, ReadParams } from '../../documentSink.js';
import { type ArrayFile, Cuts } from '../../split.js';
import { type Chunk, chunkOf, type Footer, type RowGroup } from './footer.js';
import { rowsOfPage } from './leafCursor.js';
import type { Leaf } from './leaves.js';
import { DICTIONARY_PAGE, type OpenPages, PageWindow } from './pageWindow.js';
import { faultOf, mostPageOf, openParquet, pageRoom, placeOfRow } from './parquetFile.js';

/** The cost of a row beside its text, in bytes of text. */
const ROW_BYTES = 16;

/** Pages of more steps are cut by rows: every split unpacks such a page again, and holds only the rows of its part. */
const STEPS_A_PAGE = 4;

/**
 * Finds the cuts of a file, as a block of kind `cuts` (split.ts): `ends` are numbers of rows, `from` and `to` places in
 * the file, for progress. Without cuts it is read as a whole, which reports its faults.
 *
 * @param progress called before every read
 */
export function parquetCuts(
  { file, step }: ArrayFile,
  params: ReadParams,
  buffers: ReadBuffers,
  progress: () => void,
): Block {
  const cut = (descriptor: number): Block => {
    const { footer, wanted } = openParquet(descriptor, params, buffers);
    const cutter = new RowCutter(footer, step);
    const open = {
      descriptor,
      mostPage: mostPageOf(params),
      room: pageRoom(params, file.id),
      kept: null,
      progress,
    };
    for (const group of footer.groups) cutter.group(open, group, wanted.texts);
    cutter.cut();
    return cutter.cuts.block();
  };
  try {
    return withInput(file.path, cut, () => new Cuts().block());
  } catch (error) {
    faultOf(error);
    return new Cuts().block();
  }
}

class RowCutter {
  readonly cuts = new Cuts();
  private readonly footer: Footer;
  private readonly step: number;
  /** The row behind the last page, and the bytes since the last cut. */
  private row = 0;
  private bytes = 0;

  constructor(footer: Footer, step: number) {
    this.footer = footer;
    this.step = step;
  }

  group(open: OpenPages, group: RowGroup, texts: readonly Leaf[]): void {
    const end = group.first + group.rows;
    try {
      const chunks = texts.map((leaf) => ({
        leaf,
        chunk: chunkOf(group, leaf.node.column, this.footer.end),
      }));
      const all = chunks.reduce((sum, { chunk }) => sum + chunk.unpacked, 0);
      const largest = chunks.reduce((most, one) => (one.chunk.unpacked > most.chunk.unpacked ? one : most));
      this.pages(open, largest.leaf, largest.chunk, all / Math.max(1, largest.chunk.unpacked), end);
      this.take(end - this.row, all);
    } catch (error) {
      // The reader of the file reports the fault; the rest of the row group is one split.
      faultOf(error);
      this.row = end;
      this.cut();
    }
  }

  /** Adds the pages of a column, as long as their headers have numbers of rows. `share`: of the bytes of all columns. */
  private pages(open: OpenPages, leaf: Leaf, chunk: Chunk, share: number, end: number): void {
    const window = new PageWindow(open, chunk);
    let mean = 0;
    while (this.row < end && !window.isAtEnd) {
      const header = window.header();
      window.pass(header);
      if (header.kind === DICTIONARY_PAGE) mean = header.unpacked / Math.max(1, header.facts!.count(1));
      const rows = rowsOfPage(leaf, header);
      if (rows === null && header.kind !== DICTIONARY_PAGE && header.facts !== null) return;
      if (rows === null) continue;
      this.take(Math.min(rows, end - this.row), Math.max(header.unpacked, rows * mean) * share);
    }
  }

  /** The next rows, which are in one page, with so many bytes of text. */
  private take(rows: number, bytes: number): void {
    if (rows === 0) return;
    const { step } = this;
    const weight = bytes + ROW_BYTES * rows;
    const parts = Math.min(rows, Math.ceil(weight / (STEPS_A_PAGE * step)));
    if (parts > 1) {
      this.cut();
      const first = this.row;
      for (let part = 1; part <= parts; part++) {
        this.row = first + Math.floor((rows * part) / parts);
        this.cut();
      }
      return;
    }
    this.row += rows;
    this.bytes += weight;
    if (this.bytes >= step) this.cut();
  }

  /** Ends a split behind the last row, if it has any. */
  cut(): void {
    this.bytes = 0;
    if (this.row > this.cuts.elements) this.cuts.end(placeOfRow(this.footer, this.row), this.row);
  }
}
