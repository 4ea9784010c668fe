/** Which row chunk of the characteristic matrix a shingle hash belongs to. */
import { binOf, mixedHigh } from '../arrays/hashing.js';
import { createSketcher } from './family.js';
import type { SketchParams } from './params.js';

// Fixed, and different from the constants of every seed: the partition must not change the result, so it
// needs no seed.
const LOW = 0x85ebca77;
const HIGH = 0x27d4eb2f;

/**
 * The row chunk of a shingle hash, 0 <= chunk < rowChunks (1..2^21). A second mix of all 64 bits, because FSS
 * chooses a slot by the top bits of `high`: chunks cut by those bits would leave most slots of every
 * partial signature untouched, and FSS would run extra rounds in each.
 */
export function rowChunkOf(low: number, high: number, rowChunks: number): number {
  return binOf(mixedHigh(low ^ LOW, high ^ HIGH), rowChunks);
}

/** Most rows per tile batch: 8 MB of hashes. Memory does not grow with a document. */
export const STEP_ROWS = 1 << 20;
/** Most runs per tile batch: with very many row chunks they, not the rows, fill it. */
export const STEP_RUNS = 1 << 18;
/** Most columns per tile batch: empty documents have neither rows nor runs. */
export const STEP_COLUMNS = 1 << 18;
/** Most rows per append. */
export const APPENDED_ROWS = 65536;

/**
 * The scattered rows of some columns: one row chunk after the other, in each chunk one column after the
 * other.
 *
 *      in     column 0: a b c d     column 1: b e c
 *      out    chunk 0: b | b e      chunk 1: a c d | c          a bar ends a run: rows of one column in one chunk
 *
 * The matrix is sparse in both directions (with 65,536 chunks most columns have no row in most of them), so
 * only runs that are not empty are stored.
 */
export interface ScatteredRows {
  /** Where the runs of each row chunk end, in runs. */
  readonly chunkEnds: Uint32Array;
  /** Column of each run; a column has one run in a chunk for each call that appended to it. */
  readonly runColumns: Uint32Array;
  /** Where the rows of each run end, in hashes. */
  readonly runEnds: Uint32Array;
  /** Hashes, (low, high) each. */
  readonly rows: Uint32Array;
}

/** Scatters the rows of columns into row chunks, one tile batch at a time. */
export interface RowScatter {
  /**
   * Whether `count` (at most APPENDED_ROWS) more rows fit; always true when nothing was appended since
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

function grown(array: Uint32Array, length: number): Uint32Array {
  if (length <= array.length) return array;
  const larger = new Uint32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

class PlainScatter implements RowScatter {
  private readonly rowChunks: number;
  /** By row chunk: the current run, counted from 1. */
  private readonly current: Uint32Array;
  private rows = new Uint32Array(512);
  private runOfRow = new Uint32Array(256);
  /** Chunk, column and rows of each run. */
  private runs = new Uint32Array(192);
  private rowCount = 0;
  private runCount = 0;
  private markedRows = 0;
  private markedRuns = 0;

  constructor(rowChunks: number) {
    this.rowChunks = rowChunks;
    this.current = new Uint32Array(rowChunks);
  }

  fits(count: number): boolean {
    return stepFits(this.rowCount, this.runCount, count, this.rowChunks);
  }

  append(column: number, hashes: Uint32Array, count: number): void {
    const { current, rowChunks } = this;
    const before = this.runCount;
    const rows = grown(this.rows, 2 * (this.rowCount + count));
    const runOfRow = grown(this.runOfRow, this.rowCount + count);
    const runs = grown(this.runs, 3 * (before + Math.min(count, rowChunks)));
    rows.set(hashes.subarray(0, 2 * count), 2 * this.rowCount);
    for (let i = 0; i < count; i++) {
      const chunk = rowChunkOf(hashes[2 * i]!, hashes[2 * i + 1]!, rowChunks);
      if (current[chunk]! <= before) {
        runs.set([chunk, column, 0], 3 * this.runCount);
        current[chunk] = ++this.runCount;
      }
      const run = current[chunk]! - 1;
      runs[3 * run + 2]!++;
      runOfRow[this.rowCount + i] = run;
    }
    this.rowCount += count;
    Object.assign(this, { rows, runOfRow, runs });
  }

  mark(): void {
    this.markedRows = this.rowCount;
    this.markedRuns = this.runCount;
  }

  rewind(): void {
    this.rowCount = this.markedRows;
    this.runCount = this.markedRuns;
    this.current.fill(0);
  }

  take(): ScatteredRows {
    const { rowCount, runCount, rows, runOfRow, runs } = this;
    const taken = {
      chunkEnds: new Uint32Array(this.rowChunks),
      runColumns: new Uint32Array(runCount),
      runEnds: new Uint32Array(runCount),
      rows: new Uint32Array(2 * rowCount),
    };
    const next = placesOf(runs, runCount, taken);
    for (let i = 0; i < rowCount; i++) {
      const to = 2 * next[runOfRow[i]!]!++;
      taken.rows[to] = rows[2 * i]!;
      taken.rows[to + 1] = rows[2 * i + 1]!;
    }
    this.rowCount = 0;
    this.runCount = 0;
    this.current.fill(0);
    this.mark();
    return taken;
  }
}

/** Sorts the runs by chunk, stably, into the columns of `taken`; returns where the rows of each begin. */
function placesOf(runs: Uint32Array, runCount: number, taken: ScatteredRows): Uint32Array {
  const { chunkEnds, runColumns, runEnds } = taken;
  const rowsOfChunk = new Uint32Array(chunkEnds.length);
  for (let run = 0; run < runCount; run++) {
    chunkEnds[runs[3 * run]!]!++;
    rowsOfChunk[runs[3 * run]!]! += runs[3 * run + 2]!;
  }
  let firstRun = 0;
  let firstRow = 0;
  for (let chunk = 0; chunk < chunkEnds.length; chunk++) {
    const size = rowsOfChunk[chunk]!;
    rowsOfChunk[chunk] = firstRow;
    firstRow += size;
    const own = chunkEnds[chunk]!;
    chunkEnds[chunk] = firstRun;
    firstRun += own;
  }
  const places = new Uint32Array(runCount);
  for (let run = 0; run < runCount; run++) {
    const chunk = runs[3 * run]!;
    const place = chunkEnds[chunk]!++;
    places[run] = rowsOfChunk[chunk]!;
    rowsOfChunk[chunk]! += runs[3 * run + 2]!;
    runColumns[place] = runs[3 * run + 1]!;
    runEnds[place] = rowsOfChunk[chunk]!;
  }
  return places;
}

/** A scatter into `rowChunks` row chunks, 1..65536. */
export function createRowScatter(rowChunks: number): RowScatter {
  return new PlainScatter(rowChunks);
}

/**
 * Columns of up to this many occurrences in all row chunks travel as lists. Above it every chunk has enough
 * rows to fill most bins in the first round; below it one sketch over the gathered lists is cheaper than one
 * per chunk.
 */
export const LIST_LIMIT = 4096;

/**
 * The runs of a tile that became signatures; all others are lists.
 *
 * A partial is the signature over a run (the rows of one column in one row chunk), or the run itself where
 * that is cheaper: with few rows an FSS signature takes many rounds to fill its bins, once per chunk instead
 * of once per column. A list stays in the tile.
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

/** Whether a run of `rows` rows becomes a signature: never where the list is shorter. */
function isSketched(rows: number, total: number, stride: number): boolean {
  return total > LIST_LIMIT && 2 * rows > stride;
}

/** The reference sketcher of scattered rows; faster ones equal it bit for bit. */
export function createScatteredSketcher(params: SketchParams): ScatteredSketcher {
  const sketcher = createSketcher(params);
  const { stride } = sketcher;
  const carried = new Uint32Array(stride);

  function rowsOf({ rows, runEnds }: ScatteredRows, run: number): Uint32Array {
    return rows.subarray(run === 0 ? 0 : 2 * runEnds[run - 1]!, 2 * runEnds[run]!);
  }

  function partials(step: ScatteredRows, totals: Uint32Array, columns: number): Partials {
    const sketched = step.runColumns.reduce<number[]>((found, column, run) => {
      const size = rowsOf(step, run).length / 2;
      if (column < columns && isSketched(size, totals[column]!, stride)) found.push(run);
      return found;
    }, []);
    const slots = new Uint32Array(stride * sketched.length);
    sketched.forEach((run, i) => {
      const signature = slots.subarray(stride * i, stride * (i + 1));
      const rows = rowsOf(step, run);
      sketcher.clear(signature);
      sketcher.update(signature, rows, rows.length / 2);
    });
    return { runs: Uint32Array.from(sketched), slots };
  }

  function signatures(step: ScatteredRows, partial: Partials, which: StepColumns, out: Uint32Array): void {
    const lists = Array.from({ length: which.columns }, (): Uint32Array[] => []);
    const signed = Array.from({ length: which.columns }, (): Uint32Array[] => []);
    const partialOf = new Map(Array.from(partial.runs, (run, i) => [run, i]));
    step.runColumns.forEach((column, run) => {
      if (column >= which.columns) return;
      const i = partialOf.get(run);
      if (i === undefined) lists[column]!.push(rowsOf(step, run));
      else signed[column]!.push(partial.slots.subarray(stride * i, stride * (i + 1)));
    });
    for (let column = 0; column < which.columns; column++) {
      if (column > 0 || !which.continues) sketcher.clear(carried);
      const gathered = gather(lists[column]!);
      sketcher.update(carried, gathered, gathered.length / 2);
      for (const signature of signed[column]!) sketcher.merge(carried, signature);
      if (which.open && column === which.columns - 1) return;
      out.set(carried, stride * column);
    }
  }

  return { stride, partials, signatures };
}

function gather(lists: readonly Uint32Array[]): Uint32Array {
  const gathered = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    gathered.set(list, at);
    at += list.length;
  }
  return gathered;
}
