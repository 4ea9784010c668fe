/**
 * Map: the tiles of one document batch of sets, an element once with its multiplicity -> tiles of labelled
 * rows, in the form that documents have.
 *
 *      setTiles    set 0: x, y twice    ->    tile    column 0: x, y, y'
 *
 * From here on a set is a column like any other: the same Map sketches it, the same Reduce takes the minima.
 */
import type { Block } from '../src/blocks/block.js';
import { TiledSets } from '../src/blocks/sets.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { Thinning } from '../src/sketch/thinning.js';
import { StepWriter } from './tiles.js';

interface LabelledTiles {
  /** Tile batches of kind `tile` (src/blocks/tiles.ts), shared, at least one. */
  readonly steps: readonly Block[];
  /** Rows of the matrix that are 1, including those that `thinning` removes. */
  readonly rows: number;
}

/**
 * The columns 0 .. `columns`-1 of a block from its tiles of all row chunks. A set without an element has an
 * empty column, and so have those in `without` (ascending), which are left out. `thinning` removes rows of
 * the matrix; absent: none.
 */
export function labelledTiles(
  tiles: readonly Block[],
  columns: number,
  without: readonly number[],
  kernel: Kernel,
  seed: number,
  rowChunks: number,
  thinning?: Thinning,
): LabelledTiles {
  const writer = new StepWriter(kernel.rowScatter(rowChunks), rowChunks, []);
  const sets = new TiledSets(tiles, seed);
  const give = (hashes: Uint32Array, count: number): void =>
    writer.rows(hashes, thinning?.keep(hashes, count) ?? count);
  let rows = 0;
  for (let column = 0, left = 0; column < columns; column++) {
    writer.begin();
    if (without[left] === column) left++;
    else rows += sets.rowsOf(column, give);
    writer.end();
  }
  return { steps: writer.finish(), rows };
}
