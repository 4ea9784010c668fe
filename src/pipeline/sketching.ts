/**
 * Stage 1: every column block becomes a document table, signatures and bucket keys.
 *
 *      one row chunk     source --sketch--> documents/k, signatures/k, bands/k
 *
 *      N row chunks      source --tiles--> documents/k, tiles/k/0, ...     a block a step: N tiles of some columns
 *                        tiles/k/s --partials--> partials/k/s              a task a step: all row chunks
 *                        tiles/k/*, partials/k/* --minima--> signatures/k, bands/k
 *
 * A step is up to 8 MB of tiles, and a column block of 4 MB of words is one step: a task for each of its row chunks would
 * spend more time on its way than at work.
 *
 * Floor 4.
 */
import { encodeBlock } from '../blocks/block.js';
import type { SketchReport, TilesReport } from '../blocks/shapes.js';
import type { TaskSource } from '../storage/taskSource.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';

/** A column block before it is sketched. */
export interface ColumnBlock {
  readonly block: number;
  readonly source: TaskSource;
  /** Name of the block of text in the store, for sources that are not files. */
  readonly text: string | null;
  /** The text stays in the store for the second reading. */
  readonly keepText?: boolean;
  /** For chunks: their number within their stream. */
  readonly ordinal?: number;
  readonly label: string;
}

/** A column block with what its sketching reported. */
export interface SketchedBlock extends ColumnBlock {
  readonly report: SketchReport;
}

/**
 * Sketches the column blocks in `rowChunks` row chunks (1: fused) and yields them in order. The blocks `documents/k`,
 * `signatures/k` and `bands/k` are in the store when block k is yielded; they are the same for every number of row chunks.
 */
export async function* sketchBlocks(
  run: Run,
  blocks: AsyncIterable<ColumnBlock>,
  rowChunks: number,
): AsyncGenerator<SketchedBlock> {
  const sketchOne = rowChunks === 1 ? sketchFused : sketchInChunks;
  yield* inOrder(blocks, 2 * run.engine.parallelism, async (block) => {
    const report = await sketchOne(run, block, rowChunks);
    if (block.text !== null && block.keepText !== true) run.engine.store.delete(block.text);
    return { ...block, report };
  });
}

function sourceTask(stage: string, block: ColumnBlock, rowChunks: number) {
  return {
    stage,
    label: block.label,
    params: {
      block: block.block,
      source: block.source as unknown as Record<string, never>,
      text: block.text,
      rowChunks,
    },
    inputs: block.text === null ? [] : [block.text],
  };
}

async function sketchFused(run: Run, block: ColumnBlock): Promise<SketchReport> {
  const result = await run.task(sourceTask('sketch', block, 1));
  return result.report as unknown as SketchReport;
}

async function sketchInChunks(run: Run, block: ColumnBlock, rowChunks: number): Promise<SketchReport> {
  const k = block.block;
  const { steps, ...report } = (await run.task(sourceTask('tiles', block, rowChunks)))
    .report as unknown as TilesReport;
  const numbers = Array.from({ length: steps }, (_, step) => step);
  await Promise.all(
    numbers.map((step) =>
      run.task({
        stage: 'partials',
        label: `${block.label}, step ${step}`,
        params: { block: k, step },
        inputs: [`tiles/${k}/${step}`],
      }),
    ),
  );
  const inputs = numbers.flatMap((step) => [`tiles/${k}/${step}`, `partials/${k}/${step}`]);
  await run.task({ stage: 'minima', label: block.label, params: { block: k, steps }, inputs });
  for (const name of inputs) run.engine.store.delete(name);
  return report;
}

/** A block of text for the store: the bytes of some lines. */
export function textBlock(bytes: Uint8Array, shared: boolean) {
  return encodeBlock('text', {}, { bytes }, shared);
}
