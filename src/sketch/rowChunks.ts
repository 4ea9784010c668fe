/** Which row chunk of the characteristic matrix a shingle hash belongs to. */
import { binOf, multiplyHigh64 } from '../arrays/hashing.js';

// Fixed, and different from the constants of every seed: the partition must not change the result, so it
// needs no seed.
const LOW = 0x876a9a99;
const HIGH = 0x9e6c63d0;

/**
 * The row chunk of a shingle hash, 0 <= chunk < rowChunks (1..2^21), by the top bits of a product: they follow from all 64 bits, because
 * FSS chooses a slot by the top bits of `high`: chunks cut by those bits would leave most slots of every partial signature untouched, and
 * FSS would run extra rounds in each.
 */
export function rowChunkOf(low: number, high: number, rowChunks: number): number {
  return binOf(multiplyHigh64(low, high, LOW, HIGH), rowChunks);
}

/** Most rows per tile batch: 8 MB of hashes. Memory does not grow with a document. */
export const STEP_ROWS = 1 << 20;
/** Most runs per tile batch: with very many row chunks the runs, not the rows, fill a batch. */
export const STEP_RUNS = 1 << 18;
/** Most columns per tile batch: empty documents have neither rows nor runs. */
export const STEP_COLUMNS = 1 << 18;
/** Most rows per append, of few row chunks. */
export const APPENDED_ROWS = 65536;
/** Most buckets that an append fills, one a row chunk that it meets; and most rows that all of them have room for. */
export const MOST_BUCKETS = 2048;
export const MOST_BUCKETED = 1 << 21;

/** Most rows per append: each of the buckets has room for all of them, because all may be of one row chunk. */
export function appendedRows(rowChunks: number): number {
  return Math.min(APPENDED_ROWS, Math.floor(MOST_BUCKETED / Math.min(rowChunks, MOST_BUCKETS)));
}

/**
 * The scattered rows of some columns, one column after the other, and of each one row chunk after the other, in the order in which
 * chunks are met. A tile is the runs of one chunk.
 *
 *      in     column 0: a b c d     column 1: b e c
 *      out    a c d | b             b e | c                     a bar ends a run: rows of one column in one chunk
 *
 * The matrix is sparse in both directions (with 65,536 chunks most columns have no row in most of them), so
 * only runs that are not empty are stored. Column after column, a row is moved while it is in the first cache, and the lists of
 * a column lie side by side.
 */
export interface ScatteredRows {
  /** Row chunk of each run. */
  readonly runChunks: Uint32Array;
  /** Column of each run, ascending; a column has one run in a chunk for each call that appended to it. */
  readonly runColumns: Uint32Array;
  /** Where the rows of each run end, in hashes. */
  readonly runEnds: Uint32Array;
  /** Hashes, (low, high) each. */
  readonly rows: Uint32Array;
}

/** Scatters the rows of columns into row chunks, one tile batch at a time. */
export interface RowScatter {
  /**
   * Whether `count` (at most `appendedRows`) more rows fit; always true when nothing was appended since
   * `take`.
   */
  fits(count: number): boolean;
  /** Appends the first `count` rows of `hashes` to `column`. Columns must not descend from call to call. */
  append(column: number, hashes: Uint32Array, count: number): void;
  /** Marks the position that `rewind` returns to. */
  mark(): void;
  /** Removes the rows appended since the last `mark`, or since `take` if that came later. */
  rewind(): void;
  /** The rows appended since the last `take`; valid until the next call. */
  take(): ScatteredRows;
}

/** Whether `count` more rows fit into a batch with these rows and runs. */
export function stepFits(rows: number, runs: number, count: number, rowChunks: number): boolean {
  return rows + count <= STEP_ROWS && runs + Math.min(count, rowChunks) <= STEP_RUNS;
}

/**
 * Columns of up to this many occurrences in all row chunks travel as lists. Above this limit every chunk has
 * enough rows to fill most bins in the first round; below it one sketch over the gathered lists is cheaper than
 * one sketch per chunk.
 */
export const LIST_LIMIT = 4096;

/**
 * The runs of a tile that became signatures; all others are lists.
 *
 * A partial is the signature over a run (the rows of one column in one row chunk), or the run itself as a list
 * where that is cheaper: with few rows an FSS signature takes many rounds to fill its bins, once per chunk
 * instead of once per column. A list stays in the tile.
 */
export interface Partials {
  /** Numbers of the runs, ascending. */
  readonly runs: Uint32Array;
  /** Their signatures, `stride` slots each. */
  readonly slots: Uint32Array;
}

/** The columns of a tile batch that are sketched. */
export interface StepColumns {
  /** Columns 0 .. columns-1; runs of other columns are ignored. */
  readonly columns: number;
  /** Column 0 continues the last column of the previous batch. */
  readonly continues: boolean;
  /** The last column continues in the next batch: it has no signature yet. */
  readonly open: boolean;
}

/**
 * Sketches scattered rows in two steps: partial signatures of a tile, and element-wise minima over all tiles
 * (Mining of Massive Datasets, exercise 3.3.7). The batches of a column that spans several are passed one
 * after the other.
 */
export interface ScatteredSketcher {
  /** Slots of storage a signature takes. */
  readonly stride: number;
  /**
   * The partial signatures of a tile batch; valid until the next call. `totals`: occurrences of each column
   * in all row chunks, as far as they are known.
   */
  partials(step: ScatteredRows, totals: Uint32Array, columns: number): Partials;
  /** Writes the finished signatures of the columns, except an open one, to `out`, `stride` slots each. */
  signatures(step: ScatteredRows, partials: Partials, which: StepColumns, out: Uint32Array): void;
}
