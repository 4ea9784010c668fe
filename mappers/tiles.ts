/**
 * Map: documents -> tiles of the characteristic matrix, one per row chunk.
 *
 *                     columns = documents of one document batch
 *                     D0   D1   D2   ...
 *      row chunk 0    x    .    x          -> tile 0
 *      row chunk 1    .    x    x          -> tile 1        rows = shingles, by ranges of a second mix of their hash
 *      ...
 *
 * A tile holds, column after column, the hashes of the rows that are 1; the matrix is sparse, so its zeros
 * are never stored. Row chunks are ranges of a mix that is independent of the bits that choose a sketch's
 * bin. The tiles of some columns are scattered together into one block, a tile batch; a full batch is written
 * and the next one begun, so the memory for scattering does not grow with a document.
 */

import { Uint32Column } from '../src/arrays/growable.js';
import type { Block, BlockBuffer } from '../src/blocks/block.js';
import {
  type ColumnHandler,
  type DocumentFeed,
  DocumentRecorder,
  type TableEnd,
} from '../src/blocks/documents.js';
import { encodeStep, VOID, voidFrom } from '../src/blocks/tiles.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { appendedRows, type RowScatter, STEP_COLUMNS } from '../src/sketch/rowChunks.js';
import type { ShingleParams } from '../src/text/shingles.js';

interface MatrixTiles {
  readonly documents: TableEnd;
  /** Tile batches of kind `tile` (src/blocks/tiles.ts), shared, at least one. */
  readonly steps: readonly Block[];
  /** Bytes of text read. */
  readonly bytes: number;
}

const firstColumnOf = ({ meta }: Block): number => meta.firstColumn as number;

/**
 * Scatters columns into tile batches; tracks the columns of the current batch, and where the open column
 * began.
 */
export class StepWriter implements ColumnHandler {
  readonly steps: Block[] = [];
  private readonly scatter: RowScatter;
  private readonly rowChunks: number;
  /** Most rows that are appended at a time. */
  private readonly most: number;
  private readonly spent: BlockBuffer[];
  /** Row totals of the columns that ended in the current batch. */
  private readonly totals = new Uint32Column();
  private firstColumn = 0;
  private continues = false;
  /** Of the open column: its rows so far, and the batch in which it began; -1: the current one. */
  private total = 0;
  private firstStep = -1;

  constructor(scatter: RowScatter, rowChunks: number, spent: readonly BlockBuffer[]) {
    this.scatter = scatter;
    this.rowChunks = rowChunks;
    this.most = appendedRows(rowChunks);
    this.spent = [...spent];
  }

  begin(): void {
    if (this.totals.length === STEP_COLUMNS) this.write(false);
    this.total = 0;
    this.firstStep = -1;
    this.scatter.mark();
  }

  rows(hashes: Uint32Array, count: number): void {
    for (let from = 0; from < count; from += this.most) {
      const taken = Math.min(this.most, count - from);
      if (!this.scatter.fits(taken)) this.write(this.total > 0);
      const part = taken === count ? hashes : hashes.subarray(2 * from, 2 * (from + taken));
      this.scatter.append(this.totals.length, part, taken);
      this.total += taken;
    }
  }

  end(): void {
    this.totals.push(Math.min(this.total, VOID - 1));
    this.total = 0;
  }

  void(): void {
    this.scatter.rewind();
    this.total = 0;
    if (this.firstStep < 0) return;
    // The batches after its first one hold only this column, and so does the first one, if the column is its first.
    const first = this.steps[this.firstStep]!;
    const last = first.columns.totals!.length - 1;
    const alone = last === 0;
    if (!alone) voidFrom(first, last);
    this.steps.length = this.firstStep + Number(!alone);
    this.continues = false;
  }

  takeBack(column: number): void {
    // Ends the current batch, so that every batch can be cut before the column.
    if (this.totals.length > 0) this.write(false);
    const { steps } = this;
    while (steps.length > 0 && firstColumnOf(steps.at(-1)!) >= column) steps.pop();
    if (steps.length > 0) voidFrom(steps.at(-1)!, column - firstColumnOf(steps.at(-1)!));
    this.firstColumn = column;
    this.continues = false;
  }

  finish(): readonly Block[] {
    if (this.totals.length > 0 || this.steps.length === 0) this.write(false);
    return this.steps;
  }

  /** Writes the current batch. `open`: the current column has rows in it, and continues in the next batch. */
  private write(open: boolean): void {
    const { totals, firstColumn, continues, rowChunks } = this;
    const ended = totals.length;
    if (open) totals.push(Math.min(this.total, VOID - 1));
    if (open && this.firstStep < 0) this.firstStep = this.steps.length;
    const scattered = this.scatter.take();
    const step = { rowChunks, firstColumn, continues, open, scattered, totals: totals.view };
    this.steps.push(encodeStep(step, this.spent));
    this.firstColumn += ended;
    this.continues = open;
    totals.truncate(0);
  }
}

/**
 * The tiles of one document batch. `rowChunks` 1..65536; a document without tokens has an empty column in every
 * tile. `spent`: shared buffers that batches may overwrite.
 */
export function matrixTiles(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  rowChunks: number,
  spent: readonly BlockBuffer[] = [],
): MatrixTiles {
  const writer = new StepWriter(kernel.rowScatter(rowChunks), rowChunks, spent);
  const stream = kernel.shingleStream(shingle, (hashes, count) => {
    writer.rows(hashes, count);
  });
  const recorder = new DocumentRecorder(stream, writer);
  feed(recorder);
  const steps = writer.finish();
  return { documents: recorder.finish, steps, bytes: recorder.bytes };
}
