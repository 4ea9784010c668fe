/**
 * Stages over buckets: signatures become candidate pairs, band by band, and so do the members of hot buckets.
 *
 * A task writes its pairs slice by slice where it may not hold all of them.
 */

import { type HotPairs, type HotSlice, hotPairs } from '../../../reducers/hotPairs.js';
import { encodeBlock, typedColumns } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { BandKeys, PairSlice, Pairs } from '../../blocks/pairs.js';
import type { Kernel } from '../../kernel/kernel.js';
import { strideOf } from '../../sketch/signature.js';
import type { PlannedKind, Workplace } from '../task.js';
import { bandKernelOf, block, glance, groupsOf, kernelOf, pairingOf, put, setupOf } from '../workplace.js';
import { visitSignatures } from './agreementTasks.js';

export interface CandidateTask {
  readonly band: number;
  /** Name of a block with `documents`, ascending, and either their `places` among all columns or their `buckets`. */
  readonly documents: string;
  /** For documents with places: the number of blocks `signatures/k`, and of their columns. Else 0. */
  readonly blocks: number;
  readonly columns: number;
  readonly name: string;
  /** Larger buckets are hot: their pairs are not made here. */
  readonly hotBucket: number;
  readonly slice: PairSlice;
}

export interface CandidatesReport {
  /** Documents of the band. */
  readonly documents: number;
  readonly buckets: number;
  readonly largestBucket: number;
  readonly hotBuckets: number;
  /** Pairs of all slices. */
  readonly total: number;
}

/**
 * Map and Reduce: signatures become the keys of one band, keys become buckets, and buckets become pairs. The first slice also writes
 * the members of hot buckets in a block of their own. Bands that follow one another share a task, with a report for each: it reads all
 * signatures once.
 */
export const candidates: PlannedKind<readonly CandidateTask[], readonly CandidatesReport[]> = {
  reads: ['groups', 'bucketed', 'signatures', 'members'],
  writes: ['candidates'],
  // At most so many.
  planned: ({ compared, params }) => (compared ? params.banding.bands : null),
  work(tasks, here) {
    const kernel = tasks[0]!.columns < MANY_COLUMNS ? kernelOf(here) : bandKernelOf(here);
    const keysOf = keysOfBands(here, kernel, tasks);
    return tasks.map((task) => bucketed(here, kernel, task, keysOf));
  },
};

/** From so many columns on the keys of bands are worth a kernel of their own. */
const MANY_COLUMNS = 1 << 18;

function bucketed(
  here: Workplace,
  kernel: Kernel,
  { band, documents: given, name, hotBucket, slice }: CandidateTask,
  keysOf: (band: number) => Uint32Array,
): CandidatesReport {
  const columns = block(here, given, 'documents').columns as Record<string, Uint32Array>;
  const documents = columns.documents!;
  const keys: BandKeys =
    columns.places === undefined
      ? { blocks: [numberedKeys(columns.buckets!)], places: null }
      : { blocks: [keysOf(band)], places: columns.places };
  const found = kernel.pairing.bucketPairs(keys, documents, hotBucket, slice, groupsOf(here));
  const { total, hot, buckets, largestBucket, hotBuckets } = found;
  putPairs(here, name, found);
  if (hotBuckets > 0 && slice.from === 0) {
    const members = { documents: hot.documents, buckets: hot.buckets };
    put(here, `${name}/hot`, encodeBlock('buckets', {}, members, true));
  }
  return { documents: documents.length, buckets, largestBucket, hotBuckets, total };
}

/** By band of the tasks: the keys of all columns, made from all signatures. */
function keysOfBands(
  here: Workplace,
  kernel: Kernel,
  tasks: readonly CandidateTask[],
): (band: number) => Uint32Array {
  const { banding, sketch } = setupOf(here).params;
  const { blocks, columns, band } = tasks[0]!;
  function* signatures(): Generator<Uint32Array> {
    for (let k = 0; k < blocks; k++) {
      yield glance(here, NAMES.signatures(k), 'signatures').columns.slots as Uint32Array;
      here.progress();
    }
  }
  const shape = { columns, stride: strideOf(sketch.hashes) };
  const some = { from: band, to: band + tasks.length };
  return kernel.bandColumns(signatures(), shape, banding, sketch.seed, some);
}

/** Numbers of buckets as keys of documents: high words. */
function numberedKeys(buckets: Uint32Array): Uint32Array {
  const keys = new Uint32Array(2 * buckets.length);
  for (let i = 0; i < buckets.length; i++) keys[2 * i + 1] = buckets[i]!;
  return keys;
}

/** Writes pairs of a list, in memory that the tasks which compare them share. */
function putPairs(here: Workplace, name: string, { a, b, count }: Pairs): void {
  const columns = { a: a.subarray(0, count), b: b.subarray(0, count) };
  put(here, name, encodeBlock('pairs', {}, columns, true));
}

export interface HotTask {
  readonly name: string;
  /** Block with the members of hot buckets of the band. */
  readonly hot: string;
  readonly slice: HotSlice;
  readonly band: number;
  /** How many blocks of signatures there are. */
  readonly blocks: number;
}

export interface HotReport {
  readonly skipped: number;
  readonly pairs: number;
}

/** Reduce: the members of hot buckets become pairs, sorted. */
export const hot: PlannedKind<HotTask, HotReport> = {
  reads: ['groups', 'idHashes', 'places', 'signatures', 'hotMembers'],
  writes: ['hot'],
  planned: ({ compared }) => (compared ? 'maybe' : null),
  work(task, here) {
    const found = pairsOfBand(task, here);
    const pairs = pairingOf(here).distinctPairs([found], []);
    putPairs(here, task.name, pairs);
    return { skipped: found.skipped, pairs: pairs.count };
  },
};

function pairsOfBand(task: HotTask, here: Workplace): HotPairs {
  const { band, blocks } = task;
  const { banding, sketch } = setupOf(here).params;
  const members = typedColumns(block(here, task.hot, 'buckets'), { documents: 'u32', buckets: 'u32' });
  const { documents } = members;
  const known = typedColumns(block(here, ONE.idHashes, 'documents'), { documents: 'u32', hashes: 'u32' });
  const slot = ((band + 1) * banding.rows) % sketch.hashes;
  const slots = new Uint32Array(documents.length);
  visitSignatures(here, blocks, documents, (i, signatures, at) => {
    slots[i] = signatures[at + slot]!;
  });
  const hashes = hashesOf(known.documents, known.hashes, documents);
  return hotPairs(members, slots, hashes, groupsOf(here), kernelOf(here).sortByKey64, task.slice);
}

/** The hashes of `documents`, a part of the `known` documents with hashes; both lists ascend. */
function hashesOf(known: Uint32Array, hashes: Uint32Array, documents: Uint32Array): Uint32Array {
  const out = new Uint32Array(2 * documents.length);
  for (let i = 0, k = 0; i < documents.length; i++) {
    while (known[k]! < documents[i]!) k++;
    out[2 * i] = hashes[2 * k]!;
    out[2 * i + 1] = hashes[2 * k + 1]!;
  }
  return out;
}
