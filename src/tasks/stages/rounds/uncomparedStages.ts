/**
 * Stages that count the kept members of hot buckets that were not compared with every other kept member of such a bucket.
 *
 * A task holds the hot buckets of a document and of one partner: 25 bytes a band. All else streams.
 *
 * Of samples, where pairs that share too little are no compared pairs: those of a hot fingerprint that the last pairing did not
 * pair all with all, or without them, where they are of two groups.
 */
import { pairsInQuestion } from '../../../../reducers/drawnPairs.js';
import { isUnpaired } from '../../../../reducers/frequentPairs.js';
import { lacksPartner } from '../../../../reducers/hotPairs.js';
import { leastHotBucket } from '../../../sketch/hotBuckets.js';
import { groupOfHot, hasGroups } from '../../stream/crossing.js';
import { BUCKET, KIND, KINDS, OF_HOT, RANK, reliesIn } from '../../stream/kinds.js';
import { compareKeys, FieldWriter, type RecordSource, type StageSink, u64At } from '../../stream/records.js';
import { mapOf, type StreamStage, tagged } from '../../stream/stage.js';

/** Lengths of the keys that count: one a member of the bucket, and one a member of its group. */
const [OF_BUCKET, OF_GROUP] = [BUCKET + 1, BUCKET + 1 + RANK + 1];

/** The hot buckets of every kept member, each with the number of its kept members. */
export const keptSizes: StreamStage = {
  kinds: [KINDS.keptHot],
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  /** keptHot -> bucket, 0; bucket, 1, group, 0 (with groups); and bucket, 1, group, 1, rank, or without groups bucket, 1, rank. */
  map(input, out, { manifest }) {
    const isCross = hasGroups(manifest.params);
    while (input.next()) {
      const { key, value } = input;
      const group = value.subarray(OF_HOT.group, OF_HOT.group + RANK);
      out.key.raw(key, KIND, KIND + BUCKET).u8(0);
      out.write();
      if (isCross) {
        out.key
          .raw(key, KIND, KIND + BUCKET)
          .u8(1)
          .raw(group)
          .u8(0);
        out.write();
      }
      out.key.raw(key, KIND, KIND + BUCKET).u8(1);
      if (isCross) out.key.raw(group).u8(1);
      out.key.raw(key, KIND + BUCKET);
      out.write();
    }
  },
  reduce(input, out) {
    let [members, own, last] = [0, 1, 0];
    while (input.next()) {
      const { key } = input;
      const isFirst = key.length !== last;
      last = key.length;
      if (last === OF_BUCKET) members = isFirst ? 1 : members + 1;
      else if (last === OF_GROUP) own = isFirst ? 1 : own + 1;
      else {
        out.key
          .kind(KINDS.sized)
          .raw(key, last - RANK)
          .raw(key, 0, BUCKET);
        // Without groups, every member is its own group.
        out.value.u64(members - own + 1);
        out.write();
      }
    }
  },
};

/** Tags after the rank: the buckets of a document come before its partners. */
const [SIZED, PARTNER] = [0, 1];

/** Sends the hot buckets of a kept member to every document with which it was compared. */
export const sharing: StreamStage = {
  // compared -> a, 1, b; and b, 1, a.
  ...mapOf({
    [KINDS.sized]: tagged(RANK, SIZED),
    [KINDS.compared]: partners,
    [KINDS.unverified]: partners,
  }),
  shuffles: ['document'],
  prefix: RANK,
  reduce(input, out) {
    const buckets = new FieldWriter();
    while (input.group()) {
      buckets.reset();
      while (input.each()) {
        const { key, value } = input;
        if (key[RANK] === SIZED) {
          buckets.raw(key, RANK + 1);
          out.key
            .kind(KINDS.sized)
            .raw(input.shared)
            .raw(key, RANK + 1);
          out.write(value);
        } else if (buckets.size > 0) {
          out.key
            .kind(KINDS.sharing)
            .raw(key, RANK + 1)
            .raw(input.shared);
          out.write(buckets.view);
        }
      }
    }
  },
};

function partners({ key }: RecordSource, out: StageSink): void {
  out.key.tagged(key, RANK, PARTNER, KIND + 2 * RANK);
  out.write();
  out.key
    .raw(key, KIND + RANK, KIND + 2 * RANK)
    .u8(PARTNER)
    .raw(key, KIND, KIND + RANK);
  out.write();
}

/** The hot buckets of a document, and in each the number of members with which it was compared. */
class Partners {
  private readonly buckets = new FieldWriter();
  private readonly sizes: number[] = [];
  private readonly counts: number[] = [];

  add(bucket: Uint8Array, members: number): void {
    this.buckets.raw(bucket);
    this.sizes.push(members);
    this.counts.push(0);
  }

  /** Counts the buckets shared with a partner; the buckets of both are sorted. */
  meet(others: Uint8Array): void {
    const { counts } = this;
    const own = this.buckets.view;
    for (let i = 0, j = 0; i < own.length && j < others.length; ) {
      const difference = compareKeys(own.subarray(i, i + BUCKET), others.subarray(j, j + BUCKET));
      if (difference === 0) counts[i / BUCKET]!++;
      if (difference <= 0) i += BUCKET;
      if (difference >= 0) j += BUCKET;
    }
  }

  get areAll(): boolean {
    return !this.counts.some((count, i) => lacksPartner(count, this.sizes[i]!, 1));
  }
}

/** Counts the kept members that share a hot bucket with a kept member with which they were not compared. */
export const uncompared: StreamStage = {
  ...mapOf({ [KINDS.sized]: tagged(RANK, SIZED), [KINDS.sharing]: tagged(RANK, PARTNER) }),
  shuffles: ['document'],
  prefix: RANK,
  reduce(input, _out, { facts }) {
    while (input.group()) {
      const partners = new Partners();
      while (input.each()) {
        const { key, value } = input;
        if (key[RANK] === SIZED) partners.add(key.subarray(RANK + 1), u64At(value, 0));
        else partners.meet(value);
      }
      if (!partners.areAll) facts.add('kept uncompared', 1);
    }
  },
};

/** Tags after the fingerprint: its members are announced, by rank; then come the kept ones that rely on frequent fingerprints. */
const [ANNOUNCED, ASKED] = [0, 1];
/** Tags after the rank of an announced member. */
const [TOOK, KEPT] = [0, 1];

/** The kept members of hot fingerprints that rely on frequent ones and may never have been compared. */
export const unpaired: StreamStage = {
  kinds: [KINDS.took, KINDS.keptHot],
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  /** took -> fingerprint, 0, rank, 0; keptHot -> fingerprint, 0, rank, 1 / group; and where it relies fingerprint, 1, rank / unchanged. */
  map(input, out, { manifest }) {
    const groupOf = groupOfHot(manifest.params);
    while (input.next()) {
      const { key, value } = input;
      const isKept = key[0] === KINDS.keptHot;
      out.key.tagged(key, BUCKET, ANNOUNCED).u8(isKept ? KEPT : TOOK);
      out.write(groupOf(key, value));
      if (!isKept || !reliesIn(value)) continue;
      out.key.tagged(key, BUCKET, ASKED);
      out.write(value);
    }
  },
  reduce(input, out, { manifest }) {
    const few = leastHotBucket(manifest.params.hotBucket);
    while (input.group()) {
      let [now, then, took, group] = [0, 0, -1, -1];
      let [hasNew, isOne] = [false, true];
      while (input.each()) {
        const { key, value } = input;
        const rank = u64At(key, BUCKET + 1);
        if (key[BUCKET] === ASKED) {
          // The pairs of a bucket whose kept members are of one group are not in question.
          if (isOne || !isUnpaired(now, then, hasNew, few)) continue;
          out.key.kind(KINDS.keptHot).raw(input.shared).u64(rank);
          out.write(value);
        } else if (key[BUCKET + 1 + RANK] === TOOK) {
          took = rank;
          then++;
        } else {
          if (now++ === 0) group = u64At(value, 0);
          else isOne &&= group === u64At(value, 0);
          hasNew ||= rank !== took;
        }
      }
    }
  },
};

/** Counts the documents of hot fingerprints, each once, and the pairs in question of two that are of one group. */
export const hotDocuments: StreamStage = {
  kinds: [KINDS.hot, KINDS.keptHot],
  shuffles: ['group'],
  prefix: RANK,
  map(input, out, { manifest }) {
    const groupOf = groupOfHot(manifest.params);
    while (input.next()) {
      const { key, value } = input;
      out.key
        .raw(groupOf(key, value))
        .raw(key, KIND + BUCKET)
        .u8(reliesIn(value) ? 1 : 0);
      out.write();
    }
  },
  reduce(input, _out, { facts }) {
    const last = new FieldWriter();
    while (input.group()) {
      let [own, relying] = [0, 0];
      while (input.each()) {
        const { key } = input;
        if (compareKeys(key, last.view) === 0) continue;
        last.reset().raw(key);
        own++;
        relying += key[2 * RANK]!;
      }
      facts.add('hot documents', own);
      facts.add('relying hot documents', relying);
      facts.add('pairs within groups', pairsInQuestion(own, relying));
    }
  },
};
