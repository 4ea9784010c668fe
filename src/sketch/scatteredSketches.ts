/**
 * From scattered rows to signatures, in the two steps of a matrix chunked by rows: partial signatures of a tile, and
 * element-wise minima over all tiles (Mining of Massive Datasets, exercise 3.3.7).
 *
 * A partial is the signature over a run (the rows of one column in one row chunk), or the run itself where that is cheaper:
 * with few rows an FSS signature takes many rounds to fill its bins, once a chunk instead of once a column ("list or
 * partial"). A list stays where it is, in the tile.
 *
 * Floor 0. Knows rows, runs and sketchers; never blocks.
 */
import type { SketchParams } from './params.js';
import type { ScatteredRows } from './rowScatter.js';
import { createSketcher } from './sketcher.js';

/**
 * Occurrences in all row chunks up to which a column travels as lists. Above it every chunk has enough rows to fill most
 * bins in the first round; below it one sketch over the gathered lists is cheaper than one a chunk.
 */
export const LIST_LIMIT = 4096;

/** The runs of a tile that became signatures; all others are lists. */
export interface Partials {
  /** Numbers of the runs, rising. */
  readonly runs: Uint32Array;
  /** Their raw signatures, `stride` slots each. */
  readonly slots: Uint32Array;
}

/** Which columns of a step are to be sketched. */
export interface StepColumns {
  /** Columns 0 .. columns-1; runs of others are nobody's. */
  readonly columns: number;
  /** Column 0 goes on from the last column of the step before. */
  readonly continues: boolean;
  /** The last column goes on in the next step: it has no signature yet. */
  readonly open: boolean;
}

/** Sketches scattered rows; steps of a column that spans several are given one after the other. */
export interface ScatteredSketcher {
  /** Slots of storage a signature takes. */
  readonly stride: number;
  /**
   * The partial signatures of a step; valid until the next call. `totals`: occurrences of each column in all row chunks,
   * as far as they are known.
   */
  partials(step: ScatteredRows, totals: Uint32Array, columns: number): Partials;
  /** Writes the finished signatures of the columns, but for an open one, to `out`, `stride` slots each. */
  signatures(step: ScatteredRows, partials: Partials, which: StepColumns, out: Uint32Array): void;
}

/** Whether a run of `rows` rows becomes a signature: never where the list is the shorter of both. */
export function isSketched(rows: number, total: number, stride: number): boolean {
  return total > LIST_LIMIT && 2 * rows > stride;
}

/** The plain sketcher of scattered rows, which every faster one is compared with, bit for bit. */
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
      sketcher.finish(carried);
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
