/**
 * Rows of the characteristic matrix scattered by row chunk: hashes come column after column, and leave row chunk after
 * row chunk, in each chunk column after column.
 *
 *      in     column 0: a b c d     column 1: b e c
 *      out    chunk 0: b | b e      chunk 1: a c d | c          a bar ends a run: rows of one column in one chunk
 *
 * The matrix is sparse in both directions (with 65,536 chunks most columns have no row in most of them), so only runs
 * that are not empty are told.
 *
 * Floor 0. Knows hashes only; never what a document or a sketch is.
 */
import { rowChunkOf } from './rowChunks.js';

/** Most rows of one step: 8 MB of hashes. What stands in memory does not grow with a document. */
export const STEP_ROWS = 1 << 20;
/** Most runs of one step: with very many row chunks they, not the rows, are what fills it. */
export const STEP_RUNS = 1 << 18;
/** Most columns of one step: empty documents have neither rows nor runs. */
export const STEP_COLUMNS = 1 << 18;
/** Most rows that are appended at once. */
export const APPENDED_ROWS = 65536;

/** What was scattered, all tiles of some columns: row chunk after row chunk. */
export interface ScatteredRows {
  /** Where the runs of each row chunk end, in runs. */
  readonly chunkEnds: Uint32Array;
  /** Column of each run; a column has as many in a chunk as there were calls that appended to it. */
  readonly runColumns: Uint32Array;
  /** Where the rows of each run end, in hashes. */
  readonly runEnds: Uint32Array;
  /** Hashes, (low, high) each. */
  readonly rows: Uint32Array;
}

/** Scatters rows, a step at a time. */
export interface RowScatter {
  /** Whether `count` (at most APPENDED_ROWS) more rows have room; always, when nothing was appended since `take`. */
  fits(count: number): boolean;
  /** Appends the first `count` rows of `hashes` to `column`, which is not before that of any earlier call. */
  append(column: number, hashes: Uint32Array, count: number): void;
  /** What is appended from here on can be forgotten. */
  mark(): void;
  /** Forgets what was appended since the last `mark`, or `take` if that came later. */
  rewind(): void;
  /** What was appended since the last `take`; valid until the next call. */
  take(): ScatteredRows;
}

/** Whether more rows have room beside those there are. */
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
  /** By row chunk: the run in hand, counted from 1. */
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
