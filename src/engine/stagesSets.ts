/**
 * Stages of exact verification: documents of candidate pairs become shingle sets, and those the resemblance of pairs.
 *
 * Floor 3.
 */
import { shingleSets } from '../../mappers/shingleSets.js';
import { exactPairs, type ShingleSetBlock } from '../../reducers/exactPairs.js';
import { groupedSets } from '../../reducers/groupedSets.js';
import { encodeBlock } from '../blocks/block.js';
import type { Stage, TaskContext } from './protocol.js';
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
  const { shingle, threshold } = setupOf(context).params;
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
  );
  put(context, task.name, result);
  return { bytes: result.meta.bytes as number };
};

interface GroupedTask {
  /** Begins the names of the blocks: `/` and the number of the group follow. */
  readonly name: string;
  /** Block with columns `block`, counted in `blocks`, `index` and `group`. */
  readonly copies: string;
  readonly blocks: readonly string[];
}

/** Reduce: sets from many blocks become a block for each group that needs them. One of the many is in memory at a time. */
export const grouped: Stage = (context) => {
  const task = context.params as unknown as GroupedTask;
  const {
    block: from,
    index,
    group,
  } = block(context, task.copies, 'pairs').columns as Record<'block' | 'index' | 'group', Uint32Array>;
  const copies = { block: from, index, group };
  const made = groupedSets(copies, (number) => setsIn(context, task.blocks[number]!));
  for (const [number, sets] of made) put(context, `${task.name}/${number}`, sets);
  return null;
};

function setsIn(context: TaskContext, name: string): ShingleSetBlock {
  const { hashes, offsets } = block(context, name, 'shingleSets').columns;
  return { hashes: hashes as Uint32Array, offsets: offsets as Float64Array };
}

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
  const { threshold } = setupOf(context).params;
  const columns = block(context, task.pairs, 'pairs').columns as Record<string, Uint32Array>;
  const { a, b, setBlock, setIndex } = columns;
  // The places of sets are the task's own: they move with their sets.
  const indexes = setIndex!.slice();
  const blocks = task.blocks.map((name, number) => {
    return neededSets(setsIn(context, name), setBlock!, indexes, number);
  });
  const result = exactPairs(
    { a: a!, b: b!, count: a!.length },
    { blocks, setBlock: setBlock!, setIndex: indexes },
    threshold,
    kernelOf(context).setComparer(),
  );
  put(context, task.name, encodeBlock('pairs', {}, { ...result }));
  return null;
};

/**
 * The sets of one block. One in shared memory is there anyway; of one that was read from disk for this task only what the
 * task needs stays, and `setIndex` is changed to where it is then.
 */
function neededSets(
  sets: ShingleSetBlock,
  setBlock: Uint32Array,
  setIndex: Uint32Array,
  number: number,
): ShingleSetBlock {
  const { hashes, offsets } = sets;
  if (hashes.buffer instanceof SharedArrayBuffer) return sets;
  const kept = new Float64Array(setBlock.reduce((sum, one) => sum + (one === number ? 1 : 0), 1));
  let needed = 0;
  for (let s = 0, i = 0; s < setBlock.length; s++) {
    if (setBlock[s] !== number) continue;
    needed += offsets[setIndex[s]! + 1]! - offsets[setIndex[s]!]!;
    kept[++i] = needed;
  }
  if (2 * needed >= hashes.length / 2) return sets;
  const copy = new Uint32Array(2 * needed);
  for (let s = 0, i = 0; s < setBlock.length; s++) {
    if (setBlock[s] !== number) continue;
    const index = setIndex[s]!;
    copy.set(hashes.subarray(2 * offsets[index]!, 2 * offsets[index + 1]!), 2 * kept[i]!);
    setIndex[s] = i++;
  }
  return { hashes: copy, offsets: kept };
}
