/**
 * Stages of exact verification for documents whose sets are too large to be held: their hashes go to files, told apart by
 * range, and pairs are compared range by range.
 *
 * Floor 3.
 */
import { hashRanges } from '../../mappers/hashRanges.js';
import { addSizes, rangedSizes, type SetSizes } from '../../reducers/rangedSizes.js';
import { encodeBlock } from '../blocks/block.js';
import { RangeFile, type RangePieces, RangeReader } from '../storage/rangeFile.js';
import type { Json } from './engine.js';
import type { Stage, TaskContext } from './protocol.js';
import { block, kernelOf, put, type ReadingTask, reading, setupOf } from './stagesContext.js';

interface ScatterTask extends ReadingTask {
  readonly name: string;
  /** Block with columns `file` and `record` of one document. */
  readonly wanted: string;
  /** The file of hashes to be written. */
  readonly path: string;
  readonly ranges: number;
}

/** Map: a document is read a second time, and its hashes become a file and the list of its pieces. */
export const scatter: Stage = (context) => {
  const task = context.params as unknown as ScatterTask;
  const { params } = setupOf(context);
  const { file, record } = block(context, task.wanted, 'documents').columns;
  const source = reading(context, task);
  const out = new RangeFile(task.path);
  try {
    const { bytes, table } = hashRanges(
      source.feed,
      kernelOf(context),
      params.shingle,
      { file: file![0]!, record: record![0]! },
      task.ranges,
      (range, hashes) => out.append(range, hashes),
    );
    const pieces = out.finish();
    put(context, task.name, encodeBlock('hashRanges', { bytes }, { ...table, ...pieces }, true));
    return { bytes };
  } catch (error) {
    out.abandon();
    throw error;
  }
};

/** A document that was scattered: its file, and the block with the pieces. */
interface Scattered {
  readonly path: string;
  readonly pieces: string;
}

interface RangedTask {
  readonly a: Scattered;
  readonly b: Scattered;
  /** Ranges [from, to). */
  readonly from: number;
  readonly to: number;
}

/** Reduce: some ranges of two documents become sizes of sets. */
export const ranged: Stage = (context): Json => {
  const { a, b, from, to } = context.params as unknown as RangedTask;
  const readerA = readerOf(context, a, from, to);
  try {
    const readerB = readerOf(context, b, from, to);
    try {
      let sizes: SetSizes = { a: 0, b: 0, common: 0 };
      for (let range = from; range < to; range++) {
        context.progress();
        const found = rangedSizes(readerA.hashes(range), readerB.hashes(range), kernelOf(context));
        sizes = addSizes(sizes, found);
      }
      return { ...sizes };
    } finally {
      readerB.close();
    }
  } finally {
    readerA.close();
  }
};

function readerOf(context: TaskContext, { path, pieces }: Scattered, from: number, to: number): RangeReader {
  const { range, offset, hashes, checksum } = block(context, pieces, 'hashRanges').columns;
  return new RangeReader(path, { range, offset, hashes, checksum } as unknown as RangePieces, from, to);
}
