/**
 * Map: the tiles of one document batch of sets, an element once with its multiplicity -> tiles of labelled
 * rows, in the form that documents have.
 *
 *      setTiles    set 0: x, y twice    ->    tile    column 0: x, y, y'
 *
 * From here on a set is a column like any other: the same Map sketches it, the same Reduce takes the minima.
 */
import type { Block } from '../src/blocks/block.js';
import type { ColumnHandler } from '../src/blocks/documents.js';
import { type SetLabels, TiledSets } from '../src/blocks/sets.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { StepWriter } from './tiles.js';

/** The columns of a column block of sets. */
export interface SetColumns {
  /** Blocks `setTiles` of the column block, of different row chunks. */
  readonly tiles: readonly Block[];
  readonly columns: number;
  /** Columns that are left out, ascending: they are empty. */
  readonly without: readonly number[];
  readonly labels: SetLabels;
}

interface LabelledTiles {
  /** Tile batches of kind `tile` (src/blocks/tiles.ts), shared, at least one. */
  readonly steps: readonly Block[];
  /** Rows of the matrix that are 1. */
  readonly rows: number;
}

/**
 * Passes the labelled rows of the columns 0 .. `columns`-1 of a block, from its tiles of all row chunks, to `to`; returns how many
 * there are. A set without an element has an empty column, and so have those in `without`
 * (ascending), which are left out.
 */
export function labelledColumns(
  { tiles, columns, without, labels }: SetColumns,
  to: Pick<ColumnHandler, 'begin'> & { end(): void; rows(hashes: Uint32Array, count: number): void },
): number {
  const sets = new TiledSets(tiles, labels);
  const give = (hashes: Uint32Array, count: number): void => to.rows(hashes, count);
  let rows = 0;
  for (let column = 0, left = 0; column < columns; column++) {
    to.begin();
    if (without[left] === column) left++;
    else rows += sets.rowsOf(column, give);
    to.end();
  }
  return rows;
}

/** The columns in `rowChunks` row chunks. */
export function labelledTiles(sets: SetColumns, kernel: Kernel, rowChunks: number): LabelledTiles {
  const writer = new StepWriter(kernel.rowScatter(rowChunks), rowChunks, []);
  const rows = labelledColumns(sets, writer);
  return { steps: writer.finish(), rows };
}
