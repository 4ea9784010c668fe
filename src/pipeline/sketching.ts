/**
 * Stage 1: every column block becomes a document table, signatures and bucket keys.
 *
 *      one row chunk     source --sketch--> documents/k, signatures/k, bands/k
 *
 *      N row chunks      source --tiles--> documents/k, tile/k/0 .. tile/k/N-1
 *                        tile/k/c --partials--> partials/k/c                        N tasks
 *                        partials/k/0..N-1 --minima--> signatures/k, bands/k
 *
 * Floor 4.
 */
import { encodeBlock } from '../blocks/block.js';
import type { SketchReport } from '../blocks/shapes.js';
import type { TaskSource } from '../storage/taskSource.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import { runReading } from './unprocessable.js';

/** A column block before it is sketched. */
export interface ColumnBlock {
  readonly block: number;
  readonly source: TaskSource;
  /** Name of the block of text in the store that goes with the source: which files, or bytes; null for ranges. */
  readonly text: string | null;
  /** Bytes of the input files, as stored, that the block stands for; absent where they are not known. */
  readonly inputBytes?: number;
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
  // Row chunks of a block are as many tasks, so fewer blocks under way fill the workers and less memory is held.
  const limit = rowChunks === 1 ? 2 * run.engine.parallelism : run.engine.parallelism + 1;
  const sketchOne = rowChunks === 1 ? sketchFused : sketchInChunks;
  yield* inOrder(blocks, limit, async (block) => {
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
  const { result } = await runReading(run, sourceTask('sketch', block, 1));
  return result.report as unknown as SketchReport;
}

async function sketchInChunks(run: Run, block: ColumnBlock, rowChunks: number): Promise<SketchReport> {
  const k = block.block;
  const { report } = (await runReading(run, sourceTask('tiles', block, rowChunks))).result;
  const chunks = Array.from({ length: rowChunks }, (_, chunk) => chunk);
  await Promise.all(
    chunks.map(async (chunk) => {
      const tile = `tile/${k}/${chunk}`;
      await run.task({
        stage: 'partials',
        label: `${block.label}, row chunk ${chunk}`,
        params: { block: k, chunk },
        inputs: [tile],
      });
      run.engine.store.delete(tile);
    }),
  );
  const partials = chunks.map((chunk) => `partials/${k}/${chunk}`);
  await run.task({
    stage: 'minima',
    label: block.label,
    params: { block: k },
    inputs: partials,
  });
  for (const name of partials) run.engine.store.delete(name);
  return report as unknown as SketchReport;
}

/** A block of text for the store: the bytes of some lines. */
export function textBlock(bytes: Uint8Array, shared: boolean) {
  return encodeBlock('text', {}, { bytes }, shared);
}
