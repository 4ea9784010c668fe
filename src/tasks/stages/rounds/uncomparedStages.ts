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
import { isCompared } from '../../stream/evidence.js';
import { BUCKET, isHotMember, KIND, KINDS, OF_HOT, RANK, reliesIn } from '../../stream/kinds.js';
import {
  compareKeys,
  FieldWriter,
  PRESENT,
  type RecordSink,
  type RecordSource,
  sharesPrefix,
  u64At,
} from '../../stream/records.js';
import { type StagePlace, type StreamStage, withTags } from '../../stream/stage.js';

/** Lengths of the keys that count: one a member of the bucket, and one a member of its group. */
const [OF_BUCKET, OF_GROUP] = [BUCKET + 1, BUCKET + 1 + 8 + 1];

/** keptHot -> bucket, 0; bucket, 1, group, 0 (with groups); and bucket, 1, group, 1, rank, or without groups bucket, 1, rank. */
function mapKeptSizes(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const keys = new FieldWriter();
  const isCross = hasGroups(manifest.params);
  while (input.next()) {
    const { key, value } = input;
    if (key[0] !== KINDS.keptHot) continue;
    const bucket = key.subarray(KIND, KIND + BUCKET);
    out.put(keys.reset().raw(bucket).u8(0).view, PRESENT);
    keys.reset().raw(bucket).u8(1);
    if (isCross) {
      keys.raw(value, OF_HOT.group, OF_HOT.group + RANK);
      out.put(keys.u8(0).view, PRESENT);
      keys.reset(OF_GROUP - 1).u8(1);
    }
    out.put(keys.raw(key, KIND + BUCKET).view, PRESENT);
  }
}

function reduceKeptSizes(input: RecordSource, out: RecordSink): void {
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  let [members, own, last] = [0, 1, 0];
  while (input.next()) {
    const { key } = input;
    const isFirst = key.length !== last;
    last = key.length;
    if (last === OF_BUCKET) members = isFirst ? 1 : members + 1;
    else if (last === OF_GROUP) own = isFirst ? 1 : own + 1;
    else {
      keys.kind(KINDS.sized).raw(key, last - RANK);
      // Without groups, every member is its own group.
      out.put(keys.raw(key, 0, BUCKET).view, values.reset().u64(members - own + 1).view);
    }
  }
}

/** The hot buckets of every kept member, each with the number of its kept members. */
export const keptSizes: StreamStage = {
  reads: 'records',
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapKeptSizes,
  reduce: reduceKeptSizes,
};

/** Tags after the rank: the buckets of a document come before its partners. */
const [SIZED, PARTNER] = [0, 1];

/** sized -> rank, 0, bucket / members; compared -> a, 1, b; and b, 1, a. */
function mapSharing(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.sized) {
      out.put(keys.tagged(key, RANK, SIZED).view, value);
    } else if (isCompared(key[0])) {
      const [a, b] = [key.subarray(KIND, KIND + RANK), key.subarray(KIND + RANK, KIND + 2 * RANK)];
      out.put(keys.reset().raw(a).u8(PARTNER).raw(b).view, PRESENT);
      out.put(keys.reset().raw(b).u8(PARTNER).raw(a).view, PRESENT);
    }
  }
}

function reduceSharing(input: RecordSource, out: RecordSink): void {
  const [keys, buckets] = [new FieldWriter(), new FieldWriter()];
  let document = -1;
  while (input.next()) {
    const { key, value } = input;
    const rank = u64At(key, 0);
    if (rank !== document) {
      document = rank;
      buckets.reset();
    }
    if (key[RANK] === SIZED) {
      buckets.raw(key, RANK + 1);
      keys.kind(KINDS.sized).u64(rank);
      out.put(keys.raw(key, RANK + 1).view, value);
    } else if (buckets.view.length > 0) {
      keys.kind(KINDS.sharing).raw(key, RANK + 1);
      out.put(keys.u64(rank).view, buckets.view);
    }
  }
}

/** Sends the hot buckets of a kept member to every document with which it was compared. */
export const sharing: StreamStage = {
  reads: 'records',
  shuffles: ['document'],
  prefix: RANK,
  map: mapSharing,
  reduce: reduceSharing,
};

/** The hot buckets of a document, and in each the number of members with which it was compared. */
class Partners {
  private readonly buckets = new FieldWriter();
  private sizes: number[] = [];
  private counts: number[] = [];

  clear(): void {
    this.buckets.reset();
    this.sizes = [];
    this.counts = [];
  }

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

function reduceUncompared(input: RecordSource, _out: RecordSink, { facts }: StagePlace): void {
  const partners = new Partners();
  let [document, uncompared] = [-1, 0];
  while (input.next()) {
    const { key, value } = input;
    const rank = u64At(key, 0);
    if (rank !== document) {
      if (!partners.areAll) uncompared++;
      partners.clear();
      document = rank;
    }
    if (key[RANK] === SIZED) partners.add(key.subarray(RANK + 1), u64At(value, 0));
    else partners.meet(value);
  }
  if (!partners.areAll) uncompared++;
  facts.add('kept uncompared', uncompared);
}

/** Counts the kept members that share a hot bucket with a kept member with which they were not compared. */
export const uncompared: StreamStage = {
  reads: 'records',
  shuffles: ['document'],
  prefix: RANK,
  map: withTags(RANK, { [KINDS.sized]: SIZED, [KINDS.sharing]: PARTNER }),
  reduce: reduceUncompared,
};

/** Tags after the fingerprint: its members are announced, by rank; then come the kept ones that rely on frequent fingerprints. */
const [ANNOUNCED, ASKED] = [0, 1];
/** Tags after the rank of an announced member. */
const [TOOK, KEPT] = [0, 1];

/** took -> fingerprint, 0, rank, 0; keptHot -> fingerprint, 0, rank, 1 / group; and where it relies fingerprint, 1, rank / unchanged. */
function mapUnpaired(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const keys = new FieldWriter();
  const groupOf = groupOfHot(manifest.params);
  while (input.next()) {
    const { key, value } = input;
    const isKept = key[0] === KINDS.keptHot;
    if (!isKept && key[0] !== KINDS.took) continue;
    out.put(keys.tagged(key, BUCKET, ANNOUNCED).u8(isKept ? KEPT : TOOK).view, groupOf(key, value));
    if (!isKept || !reliesIn(value)) continue;
    keys.reset(BUCKET).u8(ASKED);
    out.put(keys.raw(key, KIND + BUCKET).view, value);
  }
}

function reduceUnpaired(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const few = leastHotBucket(manifest.params.hotBucket);
  const keys = new FieldWriter();
  const bucket = new Uint8Array(BUCKET).fill(0xff);
  let [now, then, took, group] = [0, 0, -1, -1];
  let [hasNew, isOne] = [false, true];
  while (input.next()) {
    const { key, value } = input;
    if (!sharesPrefix(key, bucket, BUCKET)) {
      bucket.set(key.subarray(0, BUCKET));
      [now, then, took, group] = [0, 0, -1, -1];
      [hasNew, isOne] = [false, true];
    }
    const rank = u64At(key, BUCKET + 1);
    if (key[BUCKET] === ASKED) {
      // The pairs of a bucket whose kept members are of one group are not in question.
      if (isOne || !isUnpaired(now, then, hasNew, few)) continue;
      out.put(keys.kind(KINDS.keptHot).raw(bucket).u64(rank).view, value);
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

/** The kept members of hot fingerprints that rely on frequent ones and may never have been compared. */
export const unpaired: StreamStage = {
  reads: 'records',
  kinds: [KINDS.took, KINDS.keptHot],
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  map: mapUnpaired,
  reduce: reduceUnpaired,
};

/** Counts the documents of hot fingerprints, each once, and the pairs in question of two that are of one group. */
export const hotDocuments: StreamStage = {
  reads: 'records',
  kinds: [KINDS.hot, KINDS.keptHot],
  shuffles: ['group'],
  prefix: RANK,
  map(input, out, { manifest }) {
    const keys = new FieldWriter();
    const groupOf = groupOfHot(manifest.params);
    while (input.next()) {
      const { key, value } = input;
      if (!isHotMember(key[0])) continue;
      keys
        .reset()
        .raw(groupOf(key, value))
        .raw(key, KIND + BUCKET);
      out.put(keys.u8(reliesIn(value) ? 1 : 0).view, PRESENT);
    }
  },
  reduce(input, _out, { facts }) {
    const last = new Uint8Array(2 * RANK + 1).fill(0xff);
    // Of the group: its documents, and those that rely on frequent fingerprints.
    let [own, relying] = [0, 0];
    const end = (): void => {
      facts.add('hot documents', own);
      facts.add('relying hot documents', relying);
      facts.add('pairs within groups', pairsInQuestion(own, relying));
      own = relying = 0;
    };
    while (input.next()) {
      const { key } = input;
      if (compareKeys(key, last) === 0) continue;
      if (!sharesPrefix(key, last, RANK)) end();
      last.set(key);
      own++;
      relying += key[2 * RANK]!;
    }
    end();
  },
};
