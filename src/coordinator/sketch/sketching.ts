/**
 * Stage 1: every column block becomes a document table and signatures.
 *
 *      exact duplicates  source --keys--> documents/k
 *
 *      one row chunk     source --sketch--> documents/k, signatures/k
 *
 *      N row chunks      source --tiles--> documents/k, tiles/k/0, ...     a block a step: N tiles of some columns
 *                        tiles/k/s --partials--> partials/k/s              a task a step: all row chunks
 *                        tiles/k/*, partials/k/* --minima--> signatures/k
 *
 * A step is up to 8 MB of tiles, and a column block of 4 MB of words is one step: a task for each of its row chunks would
 * spend more time on its way than at work.
 */

import type { TableCounts } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';
import type { StreamPiece } from '../../readers/pieces.js';
import type { Split } from '../../readers/split.js';
import type { Task } from '../../tasks/task.js';
import type { Run } from '../context.js';
import { runReading } from './badRecords.js';

export interface ColumnBlock {
  readonly block: number;
  readonly split: Split;
  /** Name of the block in the store that stands beside the split (src/readers/split.ts); null where none does. */
  readonly text: string | null;
  /** Bytes of the input files, as stored, that the block stands for; absent where they are not known. */
  readonly inputBytes?: number;
  /** The text stays in the store for the second reading. */
  readonly keepText?: boolean;
  /** The chunk of a stream: which stream, and its number within it, from 0. */
  readonly chunk?: { readonly stream: StreamPiece; readonly ordinal: number };
  readonly label: string;
}

export interface SketchedBlock extends ColumnBlock {
  readonly report: TableCounts;
}

/**
 * Sketches the column blocks in `rowChunks` row chunks (1: fused) and yields them in order. The blocks `documents/k` and
 * `signatures/k` are in the store when block k is yielded; they are the same for every number of
 * row chunks. Of exact duplicates alone there are only `documents/k`: without rows there are no row chunks.
 */
export async function* sketchBlocks(
  run: Run,
  blocks: AsyncIterable<ColumnBlock>,
  rowChunks: number,
): AsyncGenerator<SketchedBlock> {
  const chunked = new ChunkedSketching(run, rowChunks);
  const oneTask = run.params.exactDuplicates ? 'contents' : rowChunks === 1 ? 'sketch' : null;
  const sketchOne = async (block: ColumnBlock): Promise<TableCounts> => {
    return oneTask === null ? chunked.sketch(block) : inOneTask(run, oneTask, block);
  };
  const sketched = async (block: ColumnBlock): Promise<SketchedBlock> => {
    const report = await run.withText(block, () => sketchOne(block));
    return { ...block, report };
  };
  yield* run.each(blocks, sketched, { balance: 'column blocks' });
  chunked.end();
}

/** How the blocks of a column block are kept: they leave memory when that is short. */
const KEEP = {
  documents: 'durable',
  signatures: 'durable',
} as const;

/** The parameters of every task over a column block. */
export function splitParams({ block, split, text }: ColumnBlock) {
  return { block, split, text };
}

/** The blocks that a task over a column block reads: what stands beside its split, and others (null: none). */
export function inputsOf({ text }: ColumnBlock, ...others: readonly (string | null)[]): string[] {
  return [text, ...others].filter((name) => name !== null);
}

function inOneTask(run: Run, kind: 'contents' | 'sketch', block: ColumnBlock): Promise<TableCounts> {
  return runReading(run, {
    kind,
    label: block.label,
    params: splitParams(block),
    inputs: inputsOf(block),
    keep: KEEP,
  });
}

/**
 * Sketches the tiles of column block k, which stand in `tiles/k/0` and so on: partial signatures of every step, then their
 * minima. Returns the names of the tiles, which no later task reads.
 */
export async function reduceSteps(
  run: Run,
  k: number,
  label: string,
  steps: number,
  keep: NonNullable<Task['keep']>,
): Promise<string[]> {
  const numbers = Array.from({ length: steps }, (_, step) => step);
  await Promise.all(
    numbers.map((step) =>
      run.task({
        kind: 'partials',
        label: `${label}, step ${step}`,
        params: { block: k, step },
        inputs: [NAMES.tiles(k, step)],
      }),
    ),
  );
  const tiles = numbers.map((step) => NAMES.tiles(k, step));
  const partials = numbers.map((step) => NAMES.partials(k, step));
  const inputs = [...tiles, ...partials];
  await run.task({ kind: 'minima', label, params: { block: k, steps }, inputs, keep });
  for (const name of partials) run.engine.store.delete(name);
  return tiles;
}

/** Blocks of tiles that are kept for reuse, for each worker: a column block of characters is five steps. */
const SPENT_A_WORKER = 8;

/** Sketches column blocks in row chunks, and reuses the memory of tiles for later ones. */
class ChunkedSketching {
  private readonly run: Run;
  private readonly rowChunks: number;
  /** Names of blocks of tiles that no task reads any more. */
  private readonly spent: string[] = [];
  /** Most steps of a column block so far: as many blocks are offered for reuse to the next one. */
  private mostSteps = 1;

  constructor(run: Run, rowChunks: number) {
    this.run = run;
    this.rowChunks = rowChunks;
  }

  async sketch(block: ColumnBlock): Promise<TableCounts> {
    const { run } = this;
    const k = block.block;
    const { steps, report } = await this.tiles(block);
    this.release(await reduceSteps(run, k, block.label, steps, KEEP));
    return report;
  }

  end(): void {
    for (const name of this.spent.splice(0)) this.run.engine.store.delete(name);
  }

  private async tiles(block: ColumnBlock): Promise<{ steps: number; report: TableCounts }> {
    const { run, rowChunks } = this;
    const spent = this.spent.splice(-this.mostSteps);
    const { steps, reused, ...report } = await runReading(run, {
      kind: 'tiles',
      label: block.label,
      params: { ...splitParams(block), rowChunks, spent },
      inputs: inputsOf(block, ...spent),
      keep: KEEP,
    });
    for (const name of reused) run.engine.store.delete(name);
    this.release(spent.filter((name) => !reused.includes(name)));
    this.mostSteps = Math.max(this.mostSteps, Math.min(steps, SPENT_A_WORKER));
    return { steps, report };
  }

  private release(names: readonly string[]): void {
    const { store, parallelism } = this.run.engine;
    for (const name of names) {
      if (this.spent.length < SPENT_A_WORKER * parallelism) this.spent.push(name);
      else store.delete(name);
    }
  }
}
