/**
 * Stages of the characteristic matrix in row form: lines become rows by row chunk, rows become tiles, and tiles become columns,
 * and the sets of candidate pairs.
 *
 * Names: `setNames/k`, `setNumbers/k`, `setRows/k/r`, `setTiles/r/c`, `setFacts/r` (k split, r row chunk, c column block).
 */

import { labelledTiles, type SetColumns } from '../../../mappers/labelledTiles.js';
import { type LineCounts, RowCollector, setRows } from '../../../mappers/setRows.js';
import { gatheredSets } from '../../../mappers/shingleSets.js';
import { setSignatures } from '../../../mappers/signatures.js';
import { type RowsOfSplit, setTiles } from '../../../reducers/setTiles.js';
import { typedColumns } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { RowWeights } from '../../blocks/sets.js';
import type { SetFields } from '../../readers/formats/setLines.js';
import type { LinesSplit } from '../../readers/split.js';
import { rowRuleOf } from '../../sketch/params.js';
import type { PlannedKind, PlannedRun, Workplace } from '../task.js';
import { block, kernelOf, put, readParamsOf, rowFeed, setupOf } from '../workplace.js';

export interface RowsTask {
  /** Number of the split, from 0. */
  readonly number: number;
  readonly split: LinesSplit;
  readonly text: string | null;
  readonly fields: SetFields;
  readonly rowChunks: number;
  /** As in LinesOfSets. */
  readonly unprocessable?: readonly number[];
}

export interface RowsReport extends LineCounts {
  /** Row chunks with rows of the split. */
  readonly chunks: readonly number[];
  /** The collector that took it (mappers/setRows.ts): the rows have its numbers of sets. */
  readonly collector: number;
}

const COLLECTOR = 'rowCollector';

/** The collector of the splits of a worker: new memory and new names for each of them would cost more than to fill them. */
function collectorOf(here: Workplace, split: number): RowCollector {
  const known = here.scratch.get(COLLECTOR) as RowCollector | undefined;
  if (known?.takes(split)) return known;
  const params = readParamsOf(here);
  const rule = rowRuleOf(params);
  const collector = new RowCollector({ rule, likedFrom: params.sets?.likedFrom ?? 0 }, split, kernelOf(here));
  here.scratch.set(COLLECTOR, collector);
  return collector;
}

/** Map: the lines of a split become names, and rows by row chunk. */
export const rows: PlannedKind<RowsTask, RowsReport> = {
  reads: ['text'],
  writes: ['setNames', 'setRows'],
  planned: ({ reads, blocks }) => (reads === 'sets' ? blocks : null),
  work(task, here) {
    const text = task.text === null ? null : block(here, task.text, 'text');
    const { number, rowChunks } = task;
    const collector = collectorOf(here, number);
    const result = setRows(rowFeed(here, { ...task, beside: text }), number, collector, rowChunks);
    put(here, NAMES.setNames(number), result.names);
    const chunks: number[] = [];
    result.chunks.forEach((chunk, r) => {
      if (chunk === null) return;
      put(here, NAMES.setRows(number, r), chunk);
      chunks.push(r);
    });
    return { ...result.counts, chunks, collector: collector.first };
  },
};

export interface TilesOfSetsTask {
  readonly rowChunk: number;
  readonly documents: number;
  /** Splits with rows of the row chunk, and by split its collector. */
  readonly splits: readonly number[];
  readonly collectors: readonly number[];
}

export interface TilesOfSetsReport {
  readonly entries: number;
  /** Column blocks with a tile in the row chunk. */
  readonly blocks: readonly number[];
}

/** Reduce: the rows that all splits have for a row chunk become its tiles. */
export const tilesOfSets: PlannedKind<TilesOfSetsTask, TilesOfSetsReport> = {
  reads: ['setRows', 'setNumbers'],
  writes: ['setTiles', 'setFacts'],
  planned: ({ reads, lineChunks }) => (reads === 'sets' ? lineChunks : null),
  work(task, here) {
    const { params } = setupOf(here);
    here.scratch.delete(COLLECTOR);
    const splits = task.splits.map((k, i): RowsOfSplit => {
      const rows = block(here, NAMES.setRows(k, task.rowChunk), 'setRows');
      const numbers = block(here, NAMES.setNumbers(task.collectors[i]!), 'documents');
      const documents = numbers.columns.numbers as Uint32Array;
      const { sets, elements } = typedColumns(rows, { sets: 'u32', elements: 'u32' });
      const weights = rows.columns.weights as RowWeights | undefined;
      return { sets, elements, documents, ...(weights !== undefined && { weights }) };
    });
    const result = setTiles(splits, task.documents, rowRuleOf(params), params.seed, kernelOf(here));
    for (const [c, tile] of result.blocks) put(here, NAMES.setTiles(task.rowChunk, c), tile);
    put(here, NAMES.setFacts(task.rowChunk), result.facts);
    return { entries: result.entries, blocks: [...result.blocks.keys()] };
  },
};

interface ColumnsTask {
  readonly block: number;
  readonly columns: number;
  /** Row chunks with a tile of the column block. */
  readonly rowChunks: readonly number[];
}

function tilesOf(here: Workplace, { block: c, rowChunks }: Pick<ColumnsTask, 'block' | 'rowChunks'>) {
  return rowChunks.map((r) => block(here, NAMES.setTiles(r, c), 'setTiles'));
}

export interface SetColumnsTask extends ColumnsTask {
  /** Numbers of the columns that are left out, ascending. */
  readonly without: readonly number[];
}

function setColumns(here: Workplace, task: SetColumnsTask): SetColumns {
  const { columns, without } = task;
  return {
    tiles: tilesOf(here, task),
    columns,
    without,
    labels: kernelOf(here).setLabels(setupOf(here).params.seed),
  };
}

/** Map and Reduce of a column block of sets in one task, where its labelled rows are one row chunk; reports how many they are. */
export const sketchedSets: PlannedKind<SetColumnsTask, { readonly rows: number }> = {
  reads: ['setTiles'],
  writes: ['signatures'],
  planned: (run) => columnsPlanned(run, run.rowChunks === 1),
  work(task, here) {
    const { sketch } = setupOf(here).params;
    const made = setSignatures(setColumns(here, task), kernelOf(here), sketch);
    put(here, NAMES.signatures(task.block), made.signatures);
    return { rows: made.rows };
  },
};

function columnsPlanned({ reads, compared }: PlannedRun, isTaken: boolean) {
  return reads === 'sets' && compared && isTaken ? 'later' : null;
}

export interface LabelledTask extends SetColumnsTask {
  /** How many row chunks the labelled rows have. */
  readonly ofMatrix: number;
}

export interface LabelledReport {
  readonly steps: number;
  readonly rows: number;
}

/** Map: the tiles of a column block of sets become tiles of labelled rows. */
export const labelled: PlannedKind<LabelledTask, LabelledReport> = {
  reads: ['setTiles'],
  writes: ['tiles'],
  planned: (run) => columnsPlanned(run, run.rowChunks > 1),
  work(task, here) {
    const { steps, rows } = labelledTiles(setColumns(here, task), kernelOf(here), task.ofMatrix);
    steps.forEach((step, s) => {
      put(here, NAMES.tiles(task.block, s), step);
    });
    return { steps: steps.length, rows };
  },
};

export interface GatheredTask extends Pick<ColumnsTask, 'block' | 'rowChunks'> {
  readonly name: string;
  /** Block with column `columns`: which sets of the column block are wanted, ascending. */
  readonly wanted: string;
}

/** Map: gathers the sets of candidate pairs from the tiles. */
export const gathered: PlannedKind<GatheredTask, null> = {
  reads: ['setTiles', 'wanted'],
  writes: ['sets'],
  planned: ({ reads, params }) => (reads === 'sets' && params.verify === 'exact' ? 'later' : null),
  work(task, here) {
    const { seed } = setupOf(here).params;
    const wanted = block(here, task.wanted, 'documents').columns.columns as Uint32Array;
    put(here, task.name, gatheredSets(tilesOf(here, task), wanted, kernelOf(here), seed));
    return null;
  },
};
