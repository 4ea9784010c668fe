/**
 * Stages that draw a sample of the pairs that hot buckets skip: which members were drawn, and in which buckets they are.
 *
 * A side file lists the drawn members, 17 bytes each: the coordinator draws at most 262,144, and a task holds all of them.
 */

import { isSample } from '../../../sketch/params.js';
import { THOUSAND, thousandthOf } from '../../../sketch/similarity.js';
import { groupOfHot, hasGroups } from '../../stream/crossing.js';
import { EVIDENCE_KINDS, EvidenceReader } from '../../stream/evidence.js';
import {
  BUCKET,
  HOT_KINDS,
  ID_HASH,
  KIND,
  KINDS,
  OF_HOT,
  OF_HOT_SAMPLE,
  RANK,
  reliesIn,
} from '../../stream/kinds.js';
import { type RecordSource, type StageSink, sharesPrefix, u32At, u64At } from '../../stream/records.js';
import { SortedRows } from '../../stream/sortedRows.js';
import { MAP_ONLY, mapOf, type StagePlace, type StreamStage, unchanged } from '../../stream/stage.js';

/** The side files of the two stages: the number of rows u32, then the rows, ascending. */
export const DRAWN_SIDES = { places: 'drawnPlaces', ranks: 'drawnRanks' } as const;
/** Bytes of a row of `places`: band u16, bucket 8, position u64. */
export const DRAWN_PLACE = BUCKET + 8;

/** The heads of hot buckets among other records. */
export const hotHeads: StreamStage = {
  ...mapOf({ [KINDS.head]: unchanged }),
  ...MAP_ONLY,
};

/** hot, of a bucket with drawn members -> bucket, reliesNot u8 (without groups), group, rank / idHash, relies u8. */
function mapDrawnMembers(input: RecordSource, out: StageSink, here: StagePlace): void {
  const { params } = here.manifest;
  const isCross = hasGroups(params);
  const isSampled = isSample(params.sketch);
  const idHash = isSampled ? OF_HOT_SAMPLE.idHash : OF_HOT.idHash;
  const groupOf = groupOfHot(params);
  const asked = SortedRows.ofSide(here, DRAWN_SIDES.places, DRAWN_PLACE);
  // Consecutive members are mostly of one bucket.
  const bucket = new Uint8Array(BUCKET).fill(0xff);
  let isAsked = asked.beginningWith(bucket) >= 0;
  while (input.next()) {
    const { key, value } = input;
    const own = key.subarray(KIND, KIND + BUCKET);
    if (!sharesPrefix(own, bucket, BUCKET)) {
      bucket.set(own);
      isAsked = asked.beginningWith(own) >= 0;
    }
    if (!isAsked) continue;
    const relies = !isSampled || reliesIn(value);
    out.key.raw(own);
    if (!isCross) out.key.u8(relies ? 0 : 1);
    out.key.raw(groupOf(key, value)).raw(key, KIND + BUCKET);
    out.value.raw(value, idHash, idHash + ID_HASH).u8(relies ? 1 : 0);
    out.write();
  }
}

/**
 * The members at the drawn positions in buckets; positions are in the order of ranks, with groups group by group; of samples without
 * groups, those that rely on frequent fingerprints come first.
 */
export const drawnMembers: StreamStage = {
  kinds: HOT_KINDS,
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapDrawnMembers,
  reduce(input, out, here) {
    const asked = SortedRows.ofSide(here, DRAWN_SIDES.places, DRAWN_PLACE);
    while (input.group()) {
      const positionIn = (row: number): number =>
        row < asked.count && sharesPrefix(asked.row(row), input.shared, BUCKET)
          ? u64At(asked.row(row), BUCKET)
          : -1;
      let next = asked.from(input.shared);
      let wanted = positionIn(next);
      for (let position = 0; input.each(); position++) {
        if (position !== wanted) continue;
        const { key, value } = input;
        out.key.kind(KINDS.drawn).raw(asked.row(next));
        out.value.raw(key, key.length - RANK).raw(value);
        out.write();
        wanted = positionIn(++next);
      }
    }
  },
};

/** Offsets of the fields in the value of `drawn`. */
export const OF_DRAWN = { rank: 0, idHash: RANK, relies: RANK + ID_HASH } as const;

/** The hot buckets of drawn members. */
export const drawnBuckets: StreamStage = {
  kinds: HOT_KINDS,
  ...MAP_ONLY,
  map(input, out, here) {
    const drawn = SortedRows.ofSide(here, DRAWN_SIDES.ranks, RANK);
    while (input.next()) {
      const { key } = input;
      if (drawn.beginningWith(key.subarray(KIND + BUCKET)) < 0) continue;
      out.key.kind(KINDS.inBucket).raw(key, KIND + BUCKET);
      out.key.raw(key, KIND, KIND + BUCKET);
      out.write();
    }
  },
};

/** Numbers of pairs by thousandths of similarity. */
const countsByThousandth = (): Float64Array => new Float64Array(THOUSAND + 1);

/** Writes the counts, under keys that begin so. */
function writeCounts(out: StageSink, begin: Uint8Array, counts: Float64Array): void {
  counts.forEach((count, thousandth) => {
    if (count === 0) return;
    out.key.raw(begin).u32(thousandth);
    out.value.u64(count);
    out.write();
  });
}

/** The accepted pairs by similarity, where sets were compared. */
export const likeness: StreamStage = {
  kinds: EVIDENCE_KINDS,
  shuffles: ['thousandths'],
  prefix: 4,
  map(input, out, { manifest: { params } }) {
    const pair = new EvidenceReader(params);
    const counts = countsByThousandth();
    while (input.next()) {
      if (!pair.read(input) || !pair.accepted || Number.isNaN(pair.jaccard)) continue;
      counts[thousandthOf(params.measure, pair.jaccard, pair.aInB, pair.bInA)]!++;
    }
    writeCounts(out, new Uint8Array(0), counts);
  },
  reduce(input, out) {
    const counts = countsByThousandth();
    while (input.next()) counts[u32At(input.key, 0)]! += u64At(input.value, 0);
    writeCounts(out, Uint8Array.of(KINDS.likeness), counts);
  },
};
