/**
 * Stages over buckets: the keys of a band become candidate pairs, and so do the members of its hot buckets.
 *
 * A task writes its pairs in segments, with a sample of their rows; slice by slice where it may not hold all pairs.
 */

import { CrossRooms, crossBucketPairs } from '../../../reducers/candidatePairs.js';
import { type HotSlice, hotPairs } from '../../../reducers/hotPairs.js';
import { encodeBlock } from '../../blocks/block.js';
import { ONE } from '../../blocks/names.js';
import { type PairSlice, type Pairs, pairSample, pairSegments, sampleStep } from '../../blocks/pairs.js';
import { signatureParams } from '../../sketch/params.js';
import type { PlannedKind, Workplace } from '../task.js';
import { block, groupsOf, kernelOf, pairingOf, put, setupOf } from '../workplace.js';
import { visitSignatures } from './agreementTasks.js';
import { type BandTask, keyedDocuments } from './keyTasks.js';

export interface CandidateTask extends BandTask {
  readonly name: string;
  /** Larger buckets are hot: their pairs are not made here. */
  readonly hotBucket: number;
  readonly slice: PairSlice;
  readonly segmentRows: number;
}

export interface CandidatesReport {
  /** Documents with keys in the task's range. */
  readonly documents: number;
  readonly buckets: number;
  readonly largestBucket: number;
  readonly hotBuckets: number;
  /** Pairs of all slices. */
  readonly total: number;
}

/**
 * Reduce: the keys of one band, or of a range of it, become buckets, and buckets become pairs. The first slice also writes
 * the members of hot buckets in a block of their own. Bands with few documents share a task, with a report for each.
 */
export const candidates: PlannedKind<readonly CandidateTask[], readonly CandidatesReport[]> = {
  reads: ['groups', 'bucketed', 'bands', 'keys', 'members'],
  writes: ['candidates'],
  // At most so many.
  planned: ({ compared, params }) => (compared === 'signatures' ? params.banding!.bands : null),
  shuffles: { candidates: ['pair'] },
  work: (tasks, here) => tasks.map((task) => bucketed(here, task)),
};

function bucketed(here: Workplace, task: CandidateTask): CandidatesReport {
  const { name, hotBucket, slice, segmentRows } = task;
  const { keys, documents } = keyedDocuments(here, task);
  const groups = groupsOf(here);
  const found =
    groups === null
      ? pairingOf(here).bucketPairs(keys, documents, hotBucket, slice)
      : crossBucketPairs(
          keys,
          documents,
          groups,
          hotBucket,
          slice,
          kernelOf(here).sortByKey64,
          roomsOf(here),
        );
  const { total, hot, buckets, largestBucket, hotBuckets } = found;
  putList(here, name, found, total, segmentRows);
  if (hotBuckets > 0 && slice.from === 0) {
    const members = { documents: hot.documents, buckets: hot.buckets };
    put(here, `${name}/hot`, encodeBlock('buckets', {}, members, true));
  }
  return { documents: documents.length, buckets, largestBucket, hotBuckets, total };
}

/** Memory for the buckets of bands, one a worker. */
function roomsOf({ scratch }: Workplace): CrossRooms {
  const known = scratch.get('crossRooms') as CrossRooms | undefined;
  if (known !== undefined) return known;
  const rooms = new CrossRooms();
  scratch.set('crossRooms', rooms);
  return rooms;
}

/** Writes some pairs of a list of `rows` rows: their segments, and their share of the list's sample. */
export function putList(
  here: Workplace,
  name: string,
  pairs: Pairs,
  rows: number,
  segmentRows: number,
): void {
  if (pairs.count === 0) return;
  let segment = 0;
  for (const part of pairSegments(pairs, segmentRows)) put(here, `${name}/${segment++}`, part);
  const { a, b } = pairSample(pairs, sampleStep(rows));
  put(here, `${name}/sample`, encodeBlock('pairs', {}, { a, b }, true));
}

export interface HotTask {
  readonly name: string;
  readonly band: number;
  /** Block with the members of the hot buckets. */
  readonly hot: string;
  readonly slice: HotSlice;
  readonly segmentRows: number;
  readonly blocks: number;
}

export interface HotReport {
  readonly skipped: number;
  readonly pairs: number;
}

/** Reduce: hot buckets of one band become pairs, sorted. */
export const hot: PlannedKind<HotTask, HotReport> = {
  reads: ['groups', 'idHashes', 'places', 'signatures', 'hotMembers'],
  writes: ['hot'],
  planned: ({ compared }) => (compared === 'signatures' ? 'maybe' : null),
  shuffles: { hot: ['pair'] },
  work(task, here) {
    const { banding, sketch } = signatureParams(setupOf(here).params);
    const { documents, buckets } = block(here, task.hot, 'buckets').columns as Record<string, Uint32Array>;
    const known = block(here, ONE.idHashes, 'documents').columns as Record<string, Uint32Array>;
    const slot = ((task.band + 1) * banding.rows) % sketch.hashes;
    const slots = new Uint32Array(documents!.length);
    visitSignatures(here, task.blocks, documents!, (i, signatures, at) => {
      slots[i] = signatures[at + slot]!;
    });
    const { sortByKey64 } = kernelOf(here);
    const members = { documents: documents!, buckets: buckets! };
    const hashes = hashesOf(known.documents!, known.hashes!, documents!);
    const found = hotPairs(members, slots, hashes, groupsOf(here), sortByKey64, task.slice);
    const pairs = pairingOf(here).distinctPairs([found], []);
    putList(here, task.name, pairs, pairs.count, task.segmentRows);
    return { skipped: found.skipped, pairs: pairs.count };
  },
};

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
