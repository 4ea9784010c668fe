/**
 * Stages that turn sources into column blocks: table of documents, signatures.
 */

import { contentKeys } from '../../../mappers/contentKeys.js';
import { partialSignatures } from '../../../mappers/partialSignatures.js';
import { fusedSignatures } from '../../../mappers/signatures.js';
import { matrixTiles } from '../../../mappers/tiles.js';
import { signatures } from '../../../reducers/signatures.js';
import { countsIn, type TableCounts } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';
import type { PlannedKind } from '../task.js';
import { block, firstReading, kernelOf, put, type ReadingTask, setupOf } from '../workplace.js';

export interface SketchTask extends ReadingTask {
  readonly block: number;
}

export interface TilesTask extends SketchTask {
  readonly rowChunks: number;
  /** Names of input blocks that no other task reads any more: the task may overwrite their buffers. */
  readonly spent: readonly string[];
}

export interface SketchReport extends TableCounts {
  /** Number of the column block: a resumed run rejects a logged report with another number. */
  readonly block: number;
}

export interface TilesReport extends SketchReport {
  /** Steps in which the tiles were written. */
  readonly steps: number;
  /** Spent blocks whose buffers now hold steps. */
  readonly reused: readonly string[];
}

/** Map: a column block becomes a table of its documents with their content keys. */
export const contents: PlannedKind<SketchTask, SketchReport> = {
  reads: ['text'],
  writes: ['documents'],
  planned: ({ reads, blocks }) => (reads === 'keys' ? blocks : null),
  work(task, here) {
    const source = firstReading(here, task);
    const result = contentKeys(source.feed, kernelOf(here), setupOf(here).params.shingle);
    const documents = source.table(result.documents);
    put(here, NAMES.documents(task.block), documents);
    return { block: task.block, ...countsIn(documents) };
  },
};

/** Map and Reduce of a column block in one task, where the matrix has one row chunk. */
export const sketch: PlannedKind<SketchTask, SketchReport> = {
  reads: ['text'],
  writes: ['documents', 'signatures'],
  planned: ({ reads, blocks }) => (reads === 'whole' ? blocks : null),
  work(task, here) {
    const source = firstReading(here, task);
    const { params } = setupOf(here);
    const result = fusedSignatures(source.feed, kernelOf(here), params.shingle, params.sketch);
    put(here, NAMES.signatures(task.block), result.signatures);
    const documents = source.table(result.documents);
    put(here, NAMES.documents(task.block), documents);
    return { block: task.block, ...countsIn(documents) };
  },
};

/** Map: scatters a column block into its row chunks, in one or more steps. */
export const tiles: PlannedKind<TilesTask, TilesReport> = {
  reads: ['text', 'tiles'],
  writes: ['documents', 'tiles'],
  planned: ({ reads, blocks }) => (reads === 'row chunks' ? blocks : null),
  work(task, here) {
    const { params } = setupOf(here);
    const source = firstReading(here, task);
    const spent = task.spent.map((name) => here.input(name));
    const result = matrixTiles(source.feed, kernelOf(here), params.shingle, task.rowChunks, spent);
    const documents = source.table(result.documents);
    put(here, NAMES.documents(task.block), documents);
    result.steps.forEach((step, s) => {
      put(here, NAMES.tiles(task.block, s), step);
    });
    const used = result.steps.map((step) => spent.indexOf(step.buffer)).filter((i) => i >= 0);
    return {
      block: task.block,
      ...countsIn(documents),
      steps: result.steps.length,
      reused: used.map((i) => task.spent[i]!),
    };
  },
};

/** Map: the tiles of a step become partial sketches. */
export const partials: PlannedKind<{ block: number; step: number }, null> = {
  reads: ['tiles'],
  writes: ['partials'],
  planned: ({ compared, rowChunks }) => (compared && rowChunks > 1 ? 'later' : null),
  work(task, here) {
    const place = `${task.block}/${task.step}`;
    const step = block(here, NAMES.tiles(place), 'tile');
    const { sketch: scheme } = setupOf(here).params;
    put(here, NAMES.partials(place), partialSignatures(step, kernelOf(here), scheme));
    return null;
  },
};

/** Reduce: the partial sketches of a column block become its sketches. */
export const minima: PlannedKind<{ block: number; steps: number }, { readonly block: number }> = {
  reads: ['tiles', 'partials'],
  writes: ['signatures'],
  planned: ({ reads, compared, blocks, rowChunks }) => {
    if (!compared || rowChunks === 1) return null;
    return reads === 'sets' ? 'later' : blocks;
  },
  work(task, here) {
    const places = Array.from({ length: task.steps }, (_, s) => `${task.block}/${s}`);
    const matrix = places.map((place) => block(here, NAMES.tiles(place), 'tile'));
    const parts = places.map((place) => block(here, NAMES.partials(place), 'partials'));
    const { sketch: scheme } = setupOf(here).params;
    put(here, NAMES.signatures(task.block), signatures(matrix, parts, kernelOf(here), scheme));
    return { block: task.block };
  },
};
