/**
 * Stages that draw a sample of the pairs that hot buckets skip: which members were drawn, and in which buckets they are.
 *
 * A side file lists the drawn members, 17 bytes each: the coordinator draws at most 262,144, and a task holds all of them.
 */

import { isSample } from '../../../sketch/params.js';
import { THOUSAND, thousandthOf } from '../../../sketch/similarity.js';
import { groupOfHot, hasGroups } from '../../stream/crossing.js';
import { EvidenceReader } from '../../stream/evidence.js';
import {
  BUCKET,
  ID_HASH,
  isHotMember,
  KIND,
  KINDS,
  OF_HOT,
  OF_HOT_SAMPLE,
  RANK,
  reliesIn,
} from '../../stream/kinds.js';
import {
  FieldWriter,
  PRESENT,
  type RecordSink,
  type RecordSource,
  sharesPrefix,
  u32At,
  u64At,
} from '../../stream/records.js';
import { SortedRows } from '../../stream/sortedRows.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';

/** The side files of the two stages: the number of rows u32, then the rows, ascending. */
export const DRAWN_SIDES = { places: 'drawnPlaces', ranks: 'drawnRanks' } as const;
/** Bytes of a row of `places`: band u16, bucket 8, position u64. */
export const DRAWN_PLACE = BUCKET + 8;

/** The heads of hot buckets among other records. */
export const hotHeads: StreamStage = {
  reads: 'records',
  shuffles: [],
  prefix: 0,
  map: (input, out) => {
    while (input.next()) if (input.key[0] === KINDS.head) out.put(input.key, input.value);
  },
  reduce: null,
};

/** hot, of a bucket with drawn members -> bucket, reliesNot u8 (without groups), group, rank / idHash, relies u8. */
function mapDrawnMembers(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const { params } = here.manifest;
  const isCross = hasGroups(params);
  const isSampled = isSample(params.sketch);
  const idHash = isSampled ? OF_HOT_SAMPLE.idHash : OF_HOT.idHash;
  const groupOf = groupOfHot(params);
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  const asked = SortedRows.ofSide(here, DRAWN_SIDES.places, DRAWN_PLACE);
  // Consecutive members are mostly of one bucket.
  const bucket = new Uint8Array(BUCKET).fill(0xff);
  let isAsked = asked.beginningWith(bucket) >= 0;
  while (input.next()) {
    const { key, value } = input;
    if (!isHotMember(key[0])) continue;
    const own = key.subarray(KIND, KIND + BUCKET);
    if (!sharesPrefix(own, bucket, BUCKET)) {
      bucket.set(own);
      isAsked = asked.beginningWith(own) >= 0;
    }
    if (!isAsked) continue;
    const relies = !isSampled || reliesIn(value);
    keys.reset().raw(own);
    if (!isCross) keys.u8(relies ? 0 : 1);
    keys.raw(groupOf(key, value)).raw(key, KIND + BUCKET);
    values.reset().raw(value, idHash, idHash + ID_HASH);
    out.put(keys.view, values.u8(relies ? 1 : 0).view);
  }
}

function reduceDrawnMembers(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const asked = SortedRows.ofSide(here, DRAWN_SIDES.places, DRAWN_PLACE);
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  const bucket = new Uint8Array(BUCKET);
  let [position, next, wanted] = [0, 0, -1];
  const lookAt = (row: number): void => {
    next = row;
    wanted = -1;
    if (row < asked.count && sharesPrefix(asked.row(row), bucket, BUCKET))
      wanted = u64At(asked.row(row), BUCKET);
  };
  let isFirst = true;
  while (input.next()) {
    const { key, value } = input;
    if (isFirst || !sharesPrefix(key, bucket, BUCKET)) {
      isFirst = false;
      bucket.set(key.subarray(0, BUCKET));
      position = 0;
      lookAt(asked.from(bucket));
    }
    if (position === wanted) {
      keys.kind(KINDS.drawn).raw(asked.row(next));
      values
        .reset()
        .raw(key, key.length - RANK)
        .raw(value);
      out.put(keys.view, values.view);
      lookAt(next + 1);
    }
    position++;
  }
}

/**
 * The members at the drawn positions in buckets; positions are in the order of ranks, with groups group by group; of samples without
 * groups, those that rely on frequent fingerprints come first.
 */
export const drawnMembers: StreamStage = {
  reads: 'records',
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapDrawnMembers,
  reduce: reduceDrawnMembers,
};

/** Offsets of the fields in the value of `drawn`. */
export const OF_DRAWN = { rank: 0, idHash: RANK, relies: RANK + ID_HASH } as const;

function mapDrawnBuckets(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const drawn = SortedRows.ofSide(here, DRAWN_SIDES.ranks, RANK);
  const keys = new FieldWriter();
  while (input.next()) {
    const { key } = input;
    if (!isHotMember(key[0])) continue;
    const rank = key.subarray(KIND + BUCKET);
    if (drawn.beginningWith(rank) < 0) continue;
    keys.kind(KINDS.inBucket).raw(rank);
    out.put(keys.raw(key, KIND, KIND + BUCKET).view, PRESENT);
  }
}

export const drawnBuckets: StreamStage = {
  reads: 'records',
  shuffles: [],
  prefix: 0,
  map: mapDrawnBuckets,
  reduce: null,
};

function mapLikeness(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const { params } = manifest;
  const pair = new EvidenceReader(params);
  const counts = new Float64Array(THOUSAND + 1);
  while (input.next()) {
    if (!pair.read(input) || !pair.accepted || Number.isNaN(pair.jaccard)) continue;
    counts[thousandthOf(params.measure, pair.jaccard, pair.aInB, pair.bInA)]!++;
  }
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  for (let at = 0; at <= THOUSAND; at++) {
    if (counts[at]! > 0) out.put(keys.reset().u32(at).view, values.reset().u64(counts[at]!).view);
  }
}

function reduceLikeness(input: RecordSource, out: RecordSink): void {
  const counts = new Float64Array(THOUSAND + 1);
  while (input.next()) counts[u32At(input.key, 0)]! += u64At(input.value, 0);
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  for (let at = 0; at <= THOUSAND; at++) {
    if (counts[at]! === 0) continue;
    out.put(keys.kind(KINDS.likeness).u32(at).view, values.reset().u64(counts[at]!).view);
  }
}

/** The accepted pairs by similarity, where sets were compared. */
export const likeness: StreamStage = {
  reads: 'records',
  shuffles: ['thousandths'],
  prefix: 4,
  map: mapLikeness,
  reduce: reduceLikeness,
};
