/**
 * Stages that turn sources into column blocks: document table, signatures, bucket keys.
 *
 * Floor 3.
 */
import { bands } from '../../mappers/bands.js';
import { contentKeys } from '../../mappers/contentKeys.js';
import { partialSignatures } from '../../mappers/partialSignatures.js';
import { fusedSignatures } from '../../mappers/signatures.js';
import { matrixTiles } from '../../mappers/tiles.js';
import { signatures } from '../../reducers/signatures.js';
import type { Block, SketchReport, TilesReport } from '../blocks/block.js';
import { sampleParams, signatureParams } from '../sketch/sketcher.js';
import type { Stage } from './protocol.js';
import { mergedSamples, partialSamples, sketchSamples } from './sampleTasks.js';
import { block, kernelOf, put, type ReadingTask, reading, setupOf, thinningOf } from './workplace.js';

interface SketchTask extends ReadingTask {
  readonly block: number;
}

interface TilesTask extends SketchTask {
  readonly rowChunks: number;
  /** Blocks among the inputs that nobody reads any more: their buffers may be written over. */
  readonly spent: readonly string[];
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
export const contents: Stage = (context) => {
  const task = context.params as unknown as SketchTask;
  const source = reading(context, task);
  const result = contentKeys(source.feed, kernelOf(context), setupOf(context).params.shingle);
  const documents = result.documents(source.lines());
  put(context, `documents/${task.block}`, documents);
  return { ...sketchReport(documents, result.bytes) };
};

/** Map and Reduce of a column block in one task: one row chunk. */
export const sketch: Stage = (context) => {
  const task = context.params as unknown as SketchTask;
  const { params } = setupOf(context);
  const kernel = kernelOf(context);
  const source = reading(context, task);
  const samples = sampleParams(params);
  if (samples !== null) {
    const { documents, bytes } = sketchSamples(context, task.block, source, samples);
    return { ...sketchReport(documents, bytes) };
  }
  const { sketch: scheme, banding } = signatureParams(params);
  const result = fusedSignatures(source.feed, kernel, params.shingle, scheme, thinningOf(context));
  const documents = result.documents(source.lines());
  put(context, `documents/${task.block}`, documents);
  put(context, `signatures/${task.block}`, result.signatures);
  put(context, `bands/${task.block}`, bands(result.signatures, kernel, banding, scheme));
  return { ...sketchReport(documents, result.bytes) };
};

/** Map: a column block is scattered into its row chunks, in one step or more. */
export const tiles: Stage = (context) => {
  const task = context.params as unknown as TilesTask;
  const { params } = setupOf(context);
  const source = reading(context, task);
  const spent = task.spent.map((name) => context.input(name));
  const result = matrixTiles(
    source.feed,
    kernelOf(context),
    params.shingle,
    task.rowChunks,
    spent,
    thinningOf(context),
  );
  const documents = result.documents(source.lines());
  put(context, `documents/${task.block}`, documents);
  result.steps.forEach((step, s) => {
    put(context, `tiles/${task.block}/${s}`, step);
  });
  const used = result.steps.map((step) => spent.indexOf(step.buffer)).filter((i) => i >= 0);
  const report: TilesReport = {
    ...sketchReport(documents, result.bytes),
    steps: result.steps.length,
    reused: used.map((i) => task.spent[i]!),
  };
  return { ...report };
};

/** Map: the tiles of a step become partial signatures. */
export const partials: Stage = (context) => {
  const task = context.params as unknown as { block: number; step: number };
  const place = `${task.block}/${task.step}`;
  const { params } = setupOf(context);
  const samples = sampleParams(params);
  if (samples !== null) partialSamples(context, place, samples);
  else {
    const step = block(context, `tiles/${place}`, 'tile');
    put(
      context,
      `partials/${place}`,
      partialSignatures(step, kernelOf(context), signatureParams(params).sketch),
    );
  }
  return null;
};

/** Reduce: the partial signatures of a column block become its signatures. */
export const minima: Stage = (context) => {
  const task = context.params as unknown as { block: number; steps: number };
  const { params } = setupOf(context);
  const kernel = kernelOf(context);
  const samples = sampleParams(params);
  const steps = Array.from({ length: task.steps }, (_, s) => `${task.block}/${s}`);
  if (samples !== null) {
    mergedSamples(context, task.block, steps, samples);
    return null;
  }
  const { sketch: scheme, banding } = signatureParams(params);
  const matrix = steps.map((place) => block(context, `tiles/${place}`, 'tile'));
  const parts = steps.map((place) => block(context, `partials/${place}`, 'partials'));
  const result = signatures(matrix, parts, kernel, scheme);
  put(context, `signatures/${task.block}`, result);
  put(context, `bands/${task.block}`, bands(result, kernel, banding, scheme));
  return null;
};
