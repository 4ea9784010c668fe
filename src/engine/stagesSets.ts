/**
 * Stages of exact verification: documents of candidate pairs become shingle sets, and those the resemblance of pairs.
 *
 * Floor 3.
 */
import { shingleSets } from '../../mappers/shingleSets.js';
import { exactPairs } from '../../reducers/exactPairs.js';
import { encodeBlock } from '../blocks/block.js';
import type { Stage } from './protocol.js';
import { block, kernelOf, put, type ReadingTask, reading, setupOf } from './stagesContext.js';
import { fusedPairs } from './stagesFused.js';

interface SetsTask extends ReadingTask {
  readonly name: string;
  /** Block with columns `file` and `record` of the wanted documents, in reading order. */
  readonly wanted: string;
}

/** Map: documents of candidate pairs are read a second time and become shingle sets. */
export const sets: Stage = (context) => {
  const task = context.params as unknown as SetsTask;
  const { params } = setupOf(context);
  const source = reading(context, task);
  const wanted = block(context, task.wanted, 'documents').columns;
  const result = shingleSets(source.feed, kernelOf(context), params.shingle, {
    file: wanted.file as Uint32Array,
    record: wanted.record as Float64Array,
  });
  put(context, task.name, result);
  return { bytes: result.meta.bytes as number };
};

interface FusedTask extends SetsTask {
  /** Block with columns `a` and `b` of pairs, positions in the list of wanted documents. */
  readonly pairs: string;
}

/** Map and Reduce in one: documents are read a second time, and their pairs compared at once. */
export const fused: Stage = (context) => {
  const task = context.params as unknown as FusedTask;
  const { shingle, threshold, measure } = setupOf(context).params;
  const source = reading(context, task);
  const { file, record } = block(context, task.wanted, 'documents').columns;
  const { a, b } = block(context, task.pairs, 'pairs').columns as Record<string, Uint32Array>;
  const result = fusedPairs(
    source.feed,
    kernelOf(context),
    shingle,
    { file: file as Uint32Array, record: record as Float64Array },
    { a: a!, b: b!, count: a!.length },
    threshold,
    measure,
  );
  put(context, task.name, result);
  return { bytes: result.meta.bytes as number };
};

interface VerifiedTask {
  readonly name: string;
  /**
   * Block with columns `a` and `b` of the pairs, numbers of sets; and of the sets `setBlock`, counted in `blocks`,
   * and `setIndex`.
   */
  readonly pairs: string;
  readonly blocks: readonly string[];
}

/** Reduce: shingle sets of both documents of a pair become its resemblance and containments. */
export const verified: Stage = (context) => {
  const task = context.params as unknown as VerifiedTask;
  const { threshold, measure } = setupOf(context).params;
  const columns = block(context, task.pairs, 'pairs').columns as Record<string, Uint32Array>;
  const { a, b, setBlock, setIndex } = columns;
  const stored = task.blocks.map((name) => block(context, name, 'shingleSets').columns);
  const blocks = stored.map((one) => ({
    hashes: one.hashes as Uint32Array,
    offsets: one.offsets as Float64Array,
  }));
  const result = exactPairs(
    { a: a!, b: b!, count: a!.length },
    { blocks, setBlock: setBlock!, setIndex: setIndex! },
    threshold,
    kernelOf(context).setComparer(),
    measure,
  );
  put(context, task.name, encodeBlock('pairs', {}, { ...result }));
  return null;
};
