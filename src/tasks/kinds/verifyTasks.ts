/**
 * Tasks of exact verification: documents of candidate pairs are read a second time and become shingle sets; then the common elements of
 * a range of pairs are counted.
 *
 *      setsOfBatch      needed documents of a batch -> sets/k, and counts/k: hashes per document
 *      commonOfPairs    pairs of a range, sets/* -> common/t: common elements per pair, distinct ones per set
 */
import {
  type CollectedSets,
  gatheredSets,
  type NeededDocuments,
  shingleSets,
} from '../../../mappers/shingleSets.js';
import { commonSizes } from '../../../reducers/intersections.js';
import { type Block, encodeBlock, typedColumns } from '../../blocks/block.js';
import { readWorkFile, writeWorkFile } from '../../store/workFiles.js';
import { type SetFile, setsInFiles } from '../setSource.js';
import type { TaskKind, Workplace } from '../task.js';
import {
  block,
  comparingKernel,
  fileBuffer,
  kernelOf,
  put,
  type ReadingTask,
  reading,
  setupOf,
} from '../workplace.js';
import { dropPairMemory } from './bandTasks.js';

export interface SetsOfBatchTask extends ReadingTask {
  /** Name of a block with columns `file`, `record`, `contentKey`, and `unit` if units are compared, of the needed documents. */
  readonly wanted: string;
  /** Names of the blocks that the task makes. */
  readonly sets: string;
  readonly counts: string;
  /** The folder of work files that `sets` goes to; null: memory. */
  readonly folder: string | null;
}

export interface SetsOfBatchReport {
  /** Bytes of text that were read; 0 if the file existed already. */
  readonly bytes: number;
  /** The number of the first needed document that is missing or has another content key; null: none. */
  readonly changed: number | null;
  /** The position of the column of hashes in the block. */
  readonly at: number;
}

/** Map: needed documents of a batch become shingle sets, in the order of the text, with repetitions. */
export const setsOfBatch: TaskKind<SetsOfBatchTask, SetsOfBatchReport> = {
  work(task, here) {
    dropPairMemory(here);
    const { folder } = task;
    const needed = block(here, task.wanted, 'documents').columns;
    const known = folder === null ? null : readWorkFile(folder, task.sets, 'shingleSets');
    if (known !== null && isOf(known, needed)) return finished(here, task, known, 0);
    const { params } = setupOf(here);
    let bytes = 0;
    let sets: Pick<CollectedSets, 'counts' | 'hashes'>;
    if (params.sets !== undefined) {
      // Lines of sets are not read again, because the elements of each batch are in memory.
      const numbers = Uint32Array.from(needed.record!);
      sets = gatheredSets(block(here, task.text!, 'elementSets'), numbers, kernelOf(here), params.seed);
    } else {
      const documents: NeededDocuments = {
        file: needed.file as Uint32Array,
        record: needed.record as Float64Array,
        unit: needed.unit as Float64Array | undefined,
      };
      const read = shingleSets(reading(here, task).feed, comparingKernel(here), params.shingle, documents);
      bytes = read.bytes;
      sets = read;
      const changed = firstChanged(needed, read.documents(0).columns);
      if (changed !== null) return { bytes, changed, at: 0 };
    }
    const columns = { contentKey: needed.contentKey!, counts: sets.counts, hashes: sets.hashes };
    const stored = encodeBlock('shingleSets', {}, columns, folder === null ? true : fileBuffer(here));
    if (folder !== null) writeWorkFile(folder, task.sets, stored);
    return finished(here, task, stored, bytes);
  },
};

/** Whether a file has the sets of exactly these documents. */
function isOf({ columns }: Block, { contentKey }: Block['columns']): boolean {
  return Buffer.compare(bytesOfKeys(columns.contentKey), bytesOfKeys(contentKey)) === 0;
}

function bytesOfKeys(keys: Block['columns'][string] | undefined): Buffer {
  return keys === undefined ? Buffer.of() : Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
}

function firstChanged(needed: Block['columns'], current: Block['columns']): number | null {
  for (let i = 0; i < needed.file!.length; i++) {
    let isSame = current.file![i] === needed.file![i] && current.record![i] === needed.record![i];
    isSame &&= needed.unit === undefined || current.unit![i] === needed.unit[i];
    for (let word = 4 * i; word < 4 * i + 4; word++)
      isSame &&= current.contentKey![word] === needed.contentKey![word];
    if (!isSame) return i;
  }
  return null;
}

function finished(
  here: Workplace,
  { folder, sets, counts }: SetsOfBatchTask,
  stored: Block,
  bytes: number,
): SetsOfBatchReport {
  const columns = typedColumns(stored, { counts: 'u32', hashes: 'u32' });
  put(here, counts, encodeBlock('shingleSets', {}, { counts: columns.counts }));
  const at = columns.hashes.byteOffset;
  if (folder === null) put(here, sets, stored);
  return { bytes, changed: null, at };
}

export interface CommonOfPairsTask {
  /**
   * Name of a block with columns `a` and `b` of the pairs, numbers of sets; and of sets `block` (an index of `files`), `from` and
   * `counts` as in StoredSets.
   */
  readonly pairs: string;
  /** The blocks with sets. */
  readonly files: readonly SetFile[];
  readonly folder: string | null;
  readonly common: string;
}

/** Reduce: pairs of sets become common elements. */
export const commonOfPairs: TaskKind<CommonOfPairsTask, null> = {
  work({ pairs, files, folder, common }, here) {
    dropPairMemory(here);
    const places = { a: 'u32', b: 'u32', block: 'u32', from: 'f64', counts: 'u32' } as const;
    const { a, b, ...sets } = typedColumns(block(here, pairs, 'pairs'), places);
    const read =
      folder === null
        ? {
            ...sets,
            lists: files.map(({ name }) => hashesIn(block(here, name, 'shingleSets'))),
            list: sets.block,
          }
        : setsInFiles(folder, files, sets, fileBuffer(here));
    // Created first, because the comparer may enlarge kernel memory, which detaches views.
    const comparer = kernelOf(here).setComparer();
    const sizes = commonSizes({ a, b, count: a.length }, read, comparer);
    put(here, common, encodeBlock('pairs', {}, { ...sizes }));
    return null;
  },
};

function hashesIn(sets: Block): Uint32Array {
  return typedColumns(sets, { hashes: 'u32' }).hashes;
}
