/**
 * Stages that count the documents of each shingle, and find the texts of eliminated shingles.
 */

import { shingleCounts } from '../../../mappers/shingleCounts.js';
import { shingleTexts } from '../../../mappers/shingleTexts.js';
import type { ArrayFile } from '../../readers/split.js';
import type { PlannedKind } from '../task.js';
import {
  block,
  kernelOf,
  put,
  type ReadingTask,
  readerOf,
  reading,
  readParamsOf,
  setupOf,
} from '../workplace.js';
import type { BytesReport } from './setTasks.js';

export interface CountsTask extends ReadingTask {
  readonly name: string;
  /** Block with the counters of the filter; null: every shingle is counted. */
  readonly filter: string | null;
  readonly most: number;
  readonly from: number;
  readonly below: number;
}

/** Map: the documents of a source become counts of their shingles. */
export const counts: PlannedKind<CountsTask, BytesReport> = {
  reads: ['text', 'eliminated', 'shingleFilter'],
  writes: ['counts'],
  planned: ({ params }) => (params.maxShingleDocuments === null ? null : 'later'),
  work(task, here) {
    const source = reading(here, task);
    const { filter, most, from, below } = task;
    const counters = filter === null ? null : (block(here, filter).columns.counters as Uint16Array);
    const { shingle } = setupOf(here).params;
    const result = shingleCounts(source.feed, kernelOf(here), shingle, { counters, most, from, below });
    put(here, task.name, result);
    return { bytes: result.meta.bytes as number, lost: source.lost() };
  },
};

export interface TextsTask extends ReadingTask {
  readonly name: string;
  /** Block with columns `hashes` (of the wanted shingles) and `columns`. */
  readonly wanted: string;
}

/** Map: the documents of a source become the texts of some of their shingles. */
export const texts: PlannedKind<TextsTask, null> = {
  reads: ['text', 'wantedTexts'],
  writes: ['shingleTexts'],
  planned: ({ params }) => (params.maxShingleDocuments === null ? null : 'maybe'),
  work(task, here) {
    const source = reading(here, task);
    const { hashes, columns } = block(here, task.wanted).columns as Record<string, Uint32Array>;
    const { shingle } = setupOf(here).params;
    put(here, task.name, shingleTexts(source.feed, shingle, { hashes: hashes!, columns: columns! }));
    return null;
  },
};

export interface CutsTask extends ArrayFile {
  readonly name: string;
}

/** Map: a file that may be one JSON array becomes the offsets where its column blocks end. */
export const cuts: PlannedKind<CutsTask, null> = {
  reads: [],
  writes: ['cuts'],
  planned: ({ arrays }) => (arrays === 0 ? null : arrays),
  work({ name, ...file }, here) {
    put(here, name, readerOf(here).cuts(file, readParamsOf(here), here.progress));
    return null;
  },
};
