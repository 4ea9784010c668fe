/**
 * Stages that turn sources into column blocks: document table, signatures, bucket keys.
 */

import { bands } from '../../mappers/bands.js';
import { contentKeys } from '../../mappers/contentKeys.js';
import { partialSignatures } from '../../mappers/partialSignatures.js';
import { fusedSignatures } from '../../mappers/signatures.js';
import { matrixTiles } from '../../mappers/tiles.js';
import { signatures } from '../../reducers/signatures.js';
import type { Block } from '../blocks/block.js';
import { NAMES } from '../blocks/names.js';
import { sampleParams, signatureParams } from '../sketch/sketcher.js';
import { mergedSamples, partialSamples, sketchSamples } from './sampleTasks.js';
import type { TaskKind } from './task.js';
import { block, kernelOf, put, type ReadingTask, reading, setupOf, thinningOf } from './workplace.js';

export interface SketchTask extends ReadingTask {
  readonly block: number;
}

export interface TilesTask extends SketchTask {
  readonly rowChunks: number;
  /** Blocks among the inputs that nobody reads any more: their buffers may be written over. */
  readonly spent: readonly string[];
}

/** What a sketching task reports. */
export interface SketchReport {
  readonly documents: number;
  readonly skipped: number;
  readonly lines: number;
  /** Of text. */
  readonly bytes: number;
}

/** What a task that makes tiles reports. */
export interface TilesReport extends SketchReport {
  /** Steps that the tiles were written in. */
  readonly steps: number;
  /** Spent blocks whose buffers are now those of steps. */
  readonly reused: readonly string[];
}

function sketchReport(documents: Block, bytes: number): SketchReport {
  return {
    documents: documents.columns.flags!.length,
    skipped: documents.columns.skipCode!.length,
    lines: documents.meta.lines as number,
    bytes,
  };
}

/** Map: a column block becomes a table of its documents with their content keys. */
export const contents: TaskKind<SketchTask, SketchReport> = {
  shuffles: { documents: ['content key'] },
  work(task, here) {
    const source = reading(here, task);
    const result = contentKeys(source.feed, kernelOf(here), setupOf(here).params.shingle);
    const documents = result.documents(source.lines());
    put(here, NAMES.documents(task.block), documents);
    return sketchReport(documents, result.bytes);
  },
};

/** Map and Reduce of a column block in one task: one row chunk. */
export const sketch: TaskKind<SketchTask, SketchReport> = {
  shuffles: { documents: ['content key'], bands: ['band', 'bucket key'], fingerprints: ['fingerprint'] },
  work(task, here) {
    const { params } = setupOf(here);
    const kernel = kernelOf(here);
    const source = reading(here, task);
    const samples = sampleParams(params);
    if (samples !== null) {
      const { documents, bytes } = sketchSamples(here, task.block, source, samples);
      return sketchReport(documents, bytes);
    }
    const { sketch: scheme, banding } = signatureParams(params);
    const result = fusedSignatures(source.feed, kernel, params.shingle, scheme, thinningOf(here));
    const documents = result.documents(source.lines());
    put(here, NAMES.documents(task.block), documents);
    put(here, NAMES.signatures(task.block), result.signatures);
    put(here, NAMES.bands(task.block), bands(result.signatures, kernel, banding, scheme));
    return sketchReport(documents, result.bytes);
  },
};

/** Map: a column block is scattered into its row chunks, in one step or more. */
export const tiles: TaskKind<TilesTask, TilesReport> = {
  shuffles: { documents: ['content key'], tiles: ['column block', 'row chunk'] },
  work(task, here) {
    const { params } = setupOf(here);
    const source = reading(here, task);
    const spent = task.spent.map((name) => here.input(name));
    const result = matrixTiles(
      source.feed,
      kernelOf(here),
      params.shingle,
      task.rowChunks,
      spent,
      thinningOf(here),
    );
    const documents = result.documents(source.lines());
    put(here, NAMES.documents(task.block), documents);
    result.steps.forEach((step, s) => {
      put(here, NAMES.tiles(task.block, s), step);
    });
    const used = result.steps.map((step) => spent.indexOf(step.buffer)).filter((i) => i >= 0);
    return {
      ...sketchReport(documents, result.bytes),
      steps: result.steps.length,
      reused: used.map((i) => task.spent[i]!),
    };
  },
};

/** Map: the tiles of a step become partial signatures. */
export const partials: TaskKind<{ block: number; step: number }, null> = {
  shuffles: { partials: ['column block'] },
  work(task, here) {
    const place = `${task.block}/${task.step}`;
    const { params } = setupOf(here);
    const samples = sampleParams(params);
    if (samples !== null) partialSamples(here, place, samples);
    else {
      const step = block(here, NAMES.tiles(place), 'tile');
      put(
        here,
        NAMES.partials(place),
        partialSignatures(step, kernelOf(here), signatureParams(params).sketch),
      );
    }
    return null;
  },
};

/** Reduce: the partial signatures of a column block become its signatures. */
export const minima: TaskKind<{ block: number; steps: number }, null> = {
  shuffles: { bands: ['band', 'bucket key'], fingerprints: ['fingerprint'] },
  work(task, here) {
    const { params } = setupOf(here);
    const kernel = kernelOf(here);
    const samples = sampleParams(params);
    const steps = Array.from({ length: task.steps }, (_, s) => `${task.block}/${s}`);
    if (samples !== null) {
      mergedSamples(here, task.block, steps, samples);
      return null;
    }
    const { sketch: scheme, banding } = signatureParams(params);
    const matrix = steps.map((place) => block(here, NAMES.tiles(place), 'tile'));
    const parts = steps.map((place) => block(here, NAMES.partials(place), 'partials'));
    const result = signatures(matrix, parts, kernel, scheme);
    put(here, NAMES.signatures(task.block), result);
    put(here, NAMES.bands(task.block), bands(result, kernel, banding, scheme));
    return null;
  },
};
