/**
 * Stages of exact verification: documents of candidate pairs become shingle sets, and those the resemblance of pairs.
 *
 * Floor 3.
 */
import { shingleSets } from '../../mappers/shingleSets.js';
import { exactPairs } from '../../reducers/verifiedPairs.js';
import { encodeBlock } from '../blocks/block.js';
import type { TaskSource } from '../storage/taskSource.js';
import type { Stage } from './protocol.js';
import { block, kernelOf, put, reading, setupOf } from './stagesContext.js';
import { type PairTask, pairRange } from './stagesPairs.js';

interface SetsTask {
  readonly name: string;
  readonly source: TaskSource;
  readonly text: string | null;
  /** Block with columns `file` and `record` of the wanted documents, in reading order. */
  readonly wanted: string;
}

/** Map: documents of candidate pairs are read a second time and become shingle sets. */
export const sets: Stage = (context) => {
  const task = context.params as unknown as SetsTask;
  const { params } = setupOf(context);
  const source = reading(context, task.source, task.text);
  const wanted = block(context, task.wanted, 'documents').columns;
  const result = shingleSets(source.feed, kernelOf(context), params.shingle, {
    file: wanted.file as Uint32Array,
    record: wanted.record as Float64Array,
  });
  put(context, task.name, result);
  return { bytes: result.meta.bytes as number };
};

/** Reduce: shingle sets of both documents of a pair become its resemblance and containments. */
export const verified: Stage = (context) => {
  const task = context.params as unknown as PairTask;
  const { params } = setupOf(context);
  const places = block(context, 'setPlaces', 'documents').columns;
  const setBlock = places.setBlock as Uint32Array;
  const stored = task.blocks.map((name) => block(context, name, 'shingleSets').columns);
  const agreement = block(context, task.pairs, 'pairs').columns.agreement as Uint16Array;
  const result = exactPairs(
    pairRange(context, task),
    agreement.subarray(task.from, task.to),
    { leastAgreement: task.leastAgreement!, threshold: params.threshold },
    {
      sets: stored.map((one) => ({
        hashes: one.hashes as Uint32Array,
        offsets: one.offsets as Float64Array,
      })),
      setBlock: new Int32Array(setBlock.buffer, setBlock.byteOffset, setBlock.length),
      setIndex: places.setIndex as Uint32Array,
    },
    kernelOf(context).intersectionSize,
  );
  const { jaccard, containmentAB, containmentBA, accepted } = result;
  put(context, task.name, encodeBlock('pairs', {}, { jaccard, containmentAB, containmentBA, accepted }));
  return { verified: result.verified, missing: result.missing };
};
