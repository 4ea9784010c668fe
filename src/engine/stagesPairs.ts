/**
 * Stages over buckets and candidate pairs: bucketing by band, and the agreement of signatures.
 *
 * Floor 3.
 */
import { bucketPairs, type Pairs } from '../../reducers/candidatePairs.js';
import { agreements } from '../../reducers/verifiedPairs.js';
import { encodeBlock } from '../blocks/block.js';
import type { Stage, TaskContext } from './protocol.js';
import { block, kernelOf, put, setupOf } from './stagesContext.js';

interface CandidateTask {
  readonly name: string;
  readonly band: number;
  /** Block with columns `documents`, `blockOf`, `columnOf` of the documents to bucket, ascending. */
  readonly documents: string;
  readonly blocks: number;
}

/** Reduce: the keys of one band become buckets, and those pairs. */
export const candidates: Stage = (context) => {
  const task = context.params as unknown as CandidateTask;
  const { params } = setupOf(context);
  const list = block(context, task.documents, 'documents').columns;
  const documents = list.documents as Uint32Array;
  const blockOf = list.blockOf as Uint32Array;
  const columnOf = list.columnOf as Uint32Array;
  const bandBlocks = Array.from({ length: task.blocks }, (_, k) => block(context, `bands/${k}`, 'bands'));
  const bases = bandBlocks.map((one) => 2 * task.band * (one.meta.columns as number));
  const keyColumns = bandBlocks.map((one) => one.columns.keys as Uint32Array);
  const keys = new Uint32Array(2 * documents.length);
  for (let i = 0; i < documents.length; i++) {
    const source = keyColumns[blockOf[i]!]!;
    const at = bases[blockOf[i]!]! + 2 * columnOf[i]!;
    keys[2 * i] = source[at]!;
    keys[2 * i + 1] = source[at + 1]!;
  }
  const found = bucketPairs(keys, documents, params.hotBucket);
  put(
    context,
    task.name,
    encodeBlock(
      'buckets',
      { buckets: found.buckets, largestBucket: found.largestBucket },
      {
        a: found.a.subarray(0, found.count),
        b: found.b.subarray(0, found.count),
        hotOffsets: found.hotOffsets,
        hotMembers: found.hotMembers,
      },
    ),
  );
  return null;
};

interface PairTask {
  readonly name: string;
  readonly pairs: string;
  readonly from: number;
  readonly to: number;
  readonly blocks: readonly string[];
}

function pairRange(context: TaskContext, task: PairTask): Pairs {
  const { a, b } = block(context, task.pairs, 'pairs').columns;
  return {
    a: (a as Uint32Array).subarray(task.from, task.to),
    b: (b as Uint32Array).subarray(task.from, task.to),
    count: task.to - task.from,
  };
}

/** Map: how many slots of their signatures the documents of each candidate pair share. */
export const agreement: Stage = (context) => {
  const task = context.params as unknown as PairTask;
  const { params } = setupOf(context);
  const kernel = kernelOf(context);
  const places = block(context, 'places', 'documents').columns;
  const stored = task.blocks.map((name) => block(context, name, 'signatures'));
  const counts = agreements(
    pairRange(context, task),
    {
      blocks: stored.map((one) => one.columns.slots as Uint32Array),
      blockOf: places.blockOf as Uint32Array,
      columnOf: places.columnOf as Uint32Array,
      stride: kernel.sketcher(params.sketch).stride,
      hashes: params.sketch.hashes,
    },
    kernel.agreement,
  );
  put(context, task.name, encodeBlock('pairs', {}, { agreement: counts }));
  return null;
};
