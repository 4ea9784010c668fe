/**
 * Stages that count in how many documents shingles occur, and put eliminated ones into words.
 *
 * Floor 3.
 */
import { shingleCounts } from '../../mappers/shingleCounts.js';
import { shingleTexts } from '../../mappers/shingleTexts.js';
import type { ArrayFile } from '../readers/formats/arrayCuts.js';
import type { Stage } from './protocol.js';
import { block, kernelOf, put, type ReadingTask, readerOf, reading, setupOf } from './workplace.js';

interface CountsTask extends ReadingTask {
  readonly name: string;
  /** Block with the counters of the filter; null: nothing is ruled out. */
  readonly filter: string | null;
  readonly most: number;
  readonly from: number;
  readonly below: number;
}

/** Map: the documents of a source become counts of their shingles. */
export const counts: Stage = (context) => {
  const task = context.params as unknown as CountsTask;
  const source = reading(context, task);
  const { filter, most, from, below } = task;
  const counters = filter === null ? null : (block(context, filter).columns.counters as Uint16Array);
  const { shingle } = setupOf(context).params;
  const result = shingleCounts(source.feed, kernelOf(context), shingle, { counters, most, from, below });
  put(context, task.name, result);
  return { bytes: result.meta.bytes as number };
};

interface TextsTask extends ReadingTask {
  readonly name: string;
  /** Block with columns `hashes` and `columns` of the wanted shingles. */
  readonly wanted: string;
}

/** Map: the documents of a source become the texts of some of their shingles. */
export const texts: Stage = (context) => {
  const task = context.params as unknown as TextsTask;
  const source = reading(context, task);
  const { hashes, columns } = block(context, task.wanted).columns as Record<string, Uint32Array>;
  const { shingle } = setupOf(context).params;
  put(context, task.name, shingleTexts(source.feed, shingle, { hashes: hashes!, columns: columns! }));
  return null;
};

/*
 * The stage that looks for where a large file is to be cut.
 *
 * Floor 3.
 */

interface CutsTask extends ArrayFile {
  readonly name: string;
}

/** A file that may be one JSON array becomes the places where its column blocks end. */
export const cuts: Stage = (context) => {
  const { name, ...file } = context.params as unknown as CutsTask;
  const { params } = setupOf(context);
  put(context, name, readerOf(context).cuts(file, params, context.progress));
  return null;
};
