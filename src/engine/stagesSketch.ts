/**
 * Stages that turn sources into column blocks: document table, signatures, bucket keys.
 *
 * Floor 3.
 */
import { bands } from '../../mappers/bands.js';
import { fusedSignatures } from '../../mappers/fusedSignatures.js';
import { matrixTiles } from '../../mappers/matrixTiles.js';
import { partialSignatures } from '../../mappers/partialSignatures.js';
import { signatures } from '../../reducers/signatures.js';
import type { Block } from '../blocks/block.js';
import type { SketchReport } from '../blocks/shapes.js';
import type { Json } from './engine.js';
import type { Stage } from './protocol.js';
import { block, kernelOf, put, type ReadingTask, reading, setupOf } from './stagesContext.js';

interface SketchTask extends ReadingTask {
  readonly block: number;
  readonly rowChunks: number;
}

function sketchReport(documents: Block, bytes: number): Json {
  const report: SketchReport = {
    documents: documents.columns.flags!.length,
    skipped: documents.columns.skipCode!.length,
    lines: documents.meta.lines as number,
    bytes,
  };
  return { ...report };
}

/** Map and Reduce of a column block in one task: one row chunk. */
export const sketch: Stage = (context) => {
  const task = context.params as unknown as SketchTask;
  const { params } = setupOf(context);
  const kernel = kernelOf(context);
  const source = reading(context, task);
  const result = fusedSignatures(source.feed, kernel, params.shingle, params.sketch);
  const documents = result.documents(source.lines());
  put(context, `documents/${task.block}`, documents);
  put(context, `signatures/${task.block}`, result.signatures);
  put(context, `bands/${task.block}`, bands(result.signatures, kernel, params.banding, params.sketch));
  return sketchReport(documents, result.bytes);
};

/** Map: a column block is scattered into its row chunks. */
export const tiles: Stage = (context) => {
  const task = context.params as unknown as SketchTask;
  const { params } = setupOf(context);
  const source = reading(context, task);
  const result = matrixTiles(source.feed, kernelOf(context), params.shingle, task.rowChunks);
  const documents = result.documents(source.lines());
  put(context, `documents/${task.block}`, documents);
  result.tiles.forEach((tile, chunk) => {
    put(context, `tile/${task.block}/${chunk}`, tile);
  });
  return sketchReport(documents, result.bytes);
};

/** Map: one tile becomes partial signatures. */
export const partials: Stage = (context) => {
  const task = context.params as unknown as { block: number; chunk: number };
  const tile = block(context, `tile/${task.block}/${task.chunk}`, 'tile');
  const { params } = setupOf(context);
  put(
    context,
    `partials/${task.block}/${task.chunk}`,
    partialSignatures(tile, kernelOf(context), params.sketch),
  );
  return null;
};

/** Reduce: the partial signatures of a column block become its signatures. */
export const minima: Stage = (context) => {
  const task = context.params as unknown as { block: number };
  const { params } = setupOf(context);
  const kernel = kernelOf(context);
  const parts = context.task.inputs.map((name) => block(context, name, 'partials'));
  const result = signatures(parts, kernel, params.sketch);
  put(context, `signatures/${task.block}`, result);
  put(context, `bands/${task.block}`, bands(result, kernel, params.banding, params.sketch));
  return null;
};
