/**
 * Stages that turn sources into column blocks: table of documents, signatures.
 */

import { contentKeys } from '../../../mappers/contentKeys.js';
import { partialSignatures } from '../../../mappers/partialSignatures.js';
import { fusedSignatures, setSignatures } from '../../../mappers/signatures.js';
import { matrixTiles } from '../../../mappers/tiles.js';
import { signatures } from '../../../reducers/signatures.js';
import { countsIn, type TableCounts } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';
import { type FamilyName, sketchFamilyOf } from '../../sketch/family.js';
import { signatureParams } from '../../sketch/params.js';
import type { PlannedKind, Workplace } from '../task.js';
import {
  block,
  firstReading,
  kernelOf,
  put,
  type ReadingTask,
  type Sketching,
  setupOf,
  thinningOf,
} from '../workplace.js';
import { SAMPLES } from './sampleTasks.js';

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
  reads: ['text', 'eliminated'],
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
  reads: ['text', 'eliminated'],
  writes: ['documents', 'signatures', 'fingerprints'],
  planned: ({ reads, blocks }) => (reads === 'whole' ? blocks : null),
  work(task, here) {
    const source = firstReading(here, task);
    const documents = sketchingOf(here).sketch(here, task.block, source);
    put(here, NAMES.documents(task.block), documents);
    return { block: task.block, ...countsIn(documents) };
  },
};

/** Map: scatters a column block into its row chunks, in one or more steps. */
export const tiles: PlannedKind<TilesTask, TilesReport> = {
  reads: ['text', 'tiles', 'eliminated'],
  writes: ['documents', 'tiles'],
  planned: ({ reads, blocks }) => (reads === 'row chunks' ? blocks : null),
  work(task, here) {
    const { params } = setupOf(here);
    const source = firstReading(here, task);
    const spent = task.spent.map((name) => here.input(name));
    const result = matrixTiles(
      source.feed,
      kernelOf(here),
      params.shingle,
      task.rowChunks,
      spent,
      thinningOf(here),
    );
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
  planned: ({ compared, rowChunks }) => (compared !== null && rowChunks > 1 ? 'later' : null),
  work(task, here) {
    sketchingOf(here).partials(here, `${task.block}/${task.step}`);
    return null;
  },
};

/** Reduce: the partial sketches of a column block become its sketches. */
export const minima: PlannedKind<{ block: number; steps: number }, { readonly block: number }> = {
  reads: ['tiles', 'partials'],
  writes: ['signatures', 'fingerprints'],
  planned: ({ reads, compared, blocks, rowChunks }) => {
    if (compared === null || rowChunks === 1) return null;
    return reads === 'sets' ? 'later' : blocks;
  },
  work(task, here) {
    const places = Array.from({ length: task.steps }, (_, s) => `${task.block}/${s}`);
    sketchingOf(here).minima(here, task.block, places);
    return { block: task.block };
  },
};

/** How the sketching tasks make signatures. */
const SIGNATURES: Sketching = {
  sketch(here, k, source) {
    const { params } = setupOf(here);
    const scheme = signatureParams(params).sketch;
    const result = fusedSignatures(source.feed, kernelOf(here), params.shingle, scheme, thinningOf(here));
    put(here, NAMES.signatures(k), result.signatures);
    return source.table(result.documents);
  },
  sets(here, k, sets) {
    const scheme = signatureParams(setupOf(here).params).sketch;
    const made = setSignatures(sets, kernelOf(here), scheme, thinningOf(here));
    put(here, NAMES.signatures(k), made.signatures);
    return made.rows;
  },
  partials(here, place) {
    const step = block(here, NAMES.tiles(place), 'tile');
    const scheme = signatureParams(setupOf(here).params).sketch;
    put(here, NAMES.partials(place), partialSignatures(step, kernelOf(here), scheme));
  },
  minima(here, k, places) {
    const matrix = places.map((place) => block(here, NAMES.tiles(place), 'tile'));
    const parts = places.map((place) => block(here, NAMES.partials(place), 'partials'));
    const scheme = signatureParams(setupOf(here).params).sketch;
    put(here, NAMES.signatures(k), signatures(matrix, parts, kernelOf(here), scheme));
  },
};

const FAMILIES: Readonly<Record<FamilyName, Sketching>> = { signatures: SIGNATURES, samples: SAMPLES };

export function sketchingOf(here: Workplace): Sketching {
  return FAMILIES[sketchFamilyOf(setupOf(here).params).name];
}
