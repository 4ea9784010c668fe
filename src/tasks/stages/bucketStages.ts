/**
 * Stages that turn signatures into candidate pairs.
 *
 * A task of `bands` holds the keys of SIGNATURES signatures at a time; its Reduce holds whole small buckets of about MEMBERS
 * members, 16 bytes a member, PAIRS of their pairs, and the ranks of one larger bucket, at most 2 MB (or of one bucket of
 * `--hot-bucket`), and the pairs that it remembers, 2 MB. Most rows are alone in their bucket, so a row has only a rank: members of larger buckets get their signatures
 * by another job (largeStages.ts). The jobs of hot buckets hold 9 members, whatever the size of the bucket.
 */

import { MemberPairs } from '../../../reducers/streamed/memberPairs.js';
import type { Groups } from '../../arrays/groupCounts.js';
import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import type { Kernel } from '../../kernel/kernel.js';
import { countedPairs, LISTED, leastHotBucket, MOST_AUTO } from '../../sketch/hotBuckets.js';
import { type BandingParams, type SketchParams, signatureParams } from '../../sketch/params.js';
import { comparedGroup, crossingBytes, hasGroups } from '../stream/crossing.js';
import { BUCKET, ID_HASH, KIND, KINDS, OF_HEAD, RANK } from '../stream/kinds.js';
import {
  FieldWriter,
  PRESENT,
  type RecordSink,
  type RecordSource,
  type StageSink,
  type StageSource,
  u32At,
  u64At,
} from '../stream/records.js';
import { mapOf, type StagePlace, type StreamStage, withoutKind } from '../stream/stage.js';
import { hotBucketOfJob } from '../stream/taskManifest.js';
import { ClassSignatures, SIGNATURE_KINDS } from './documents/classSignatures.js';
import { StreamedSignatures } from './streamedSignatures.js';

const SIGNATURES = 1024;
const MEMBERS = 4096;
const PAIRS = 2 ** 18;

/** Bytes of the compared group, which stands before the rank where documents have groups. */
const GROUP = 8;

/** Bytes of a rank in a row of `bands`: four where no rank needs more, which makes a row shorter by a fifth. */
function rankBytesOf({ firsts }: StagePlace['manifest']): number {
  return firsts !== null && firsts.at(-1)! <= 2 ** 32 ? 4 : RANK;
}

/** Bytes of a row of `bands`: band u16, bucket 8, compared group u64 (with groups), rank u32 or u64. */
function rowOf(manifest: StagePlace['manifest']): number {
  return BUCKET + (hasGroups(manifest.params) ? GROUP : 0) + rankBytesOf(manifest);
}

/** Collects signatures, and makes the rows of SIGNATURES of them at once. */
class BandBlock {
  private readonly banding: BandingParams;
  private readonly sketch: SketchParams;
  private readonly rows: StreamedSignatures;
  private readonly crossing: number;
  /** By signature: its compared group, with groups, and its rank. */
  private readonly tails = new Float64Array(2 * SIGNATURES);
  private tail = 0;
  private readonly made: Uint8Array;
  private readonly out: StageSink;
  private readonly kernel: Kernel;
  private readonly facts: StagePlace['facts'];

  constructor(out: StageSink, { manifest, kernel, facts }: StagePlace) {
    this.facts = facts;
    const { banding, sketch } = signatureParams(manifest.params);
    this.banding = banding;
    this.sketch = sketch;
    this.rows = new StreamedSignatures(sketch.hashes, SIGNATURES);
    this.crossing = crossingBytes(manifest.params);
    this.made = new Uint8Array(SIGNATURES * banding.bands * rowOf(manifest));
    this.out = out;
    this.kernel = kernel;
  }

  add({ rank, value, slotsAt, slotsEnd }: ClassSignatures): void {
    this.rows.add(value, slotsAt, slotsEnd);
    if (this.crossing > 0) this.tails[this.tail++] = comparedGroup(value, slotsEnd, rank);
    this.tails[this.tail++] = rank;
    if (this.rows.count === SIGNATURES) this.flush();
  }

  flush(): void {
    const { rows, banding, sketch, kernel, made } = this;
    const { count, stride, slots } = rows;
    this.facts.add('documents', count);
    const tails = this.tails.subarray(0, this.tail);
    const filled = made.subarray(0, (made.length / SIGNATURES) * count);
    kernel.bandRows(slots.subarray(0, count * stride), stride, banding, sketch.seed, tails, filled);
    this.out.rows(filled);
    rows.clear();
    this.tail = 0;
  }
}

/** Signatures -> rows (rowOf). */
function mapBands(input: RecordSource, out: StageSink, here: StagePlace): void {
  const block = new BandBlock(out, here);
  const signatures = ClassSignatures.ofFirsts(here);
  while (input.next()) if (signatures.take(input)) while (signatures.next()) block.add(signatures);
  block.flush();
}

/** Pairs that a task remembers: a pair has a bucket in most bands. */
const REMEMBERED_BITS = 17;

/** Writes records of kind `pair`, most of them once. */
class PairRecords {
  private readonly firsts = new Float64Array(2 ** REMEMBERED_BITS).fill(-1);
  private readonly seconds = new Float64Array(2 ** REMEMBERED_BITS);
  private readonly out: RecordSink;
  private readonly key = new Uint8Array(KIND + 2 * RANK);
  private readonly fields = new DataView(this.key.buffer);

  constructor(out: RecordSink) {
    this.out = out;
    this.key[0] = KINDS.pair;
  }

  put(a: number, b: number): void {
    const { firsts, seconds } = this;
    const slot = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> (32 - REMEMBERED_BITS);
    if (firsts[slot] === a && seconds[slot] === b) return;
    firsts[slot] = a;
    seconds[slot] = b;
    this.rank(KIND, a);
    this.rank(KIND + RANK, b);
    this.out.put(this.key, PRESENT);
  }

  private rank(at: number, rank: number): void {
    this.fields.setUint32(at, Math.floor(rank / 2 ** 32));
    this.fields.setUint32(at + 4, rank >>> 0);
  }
}

/** Collects small buckets, whole ones and at the end an open one: the ranks of their members. */
class SmallBuckets {
  private readonly ranks = new Float64Column();
  /** Groups of the members; empty without groups. */
  private readonly groups = new Float64Column();
  private readonly keys = new Uint32Column();
  private bucket = 0;
  /** Index of the open bucket's first member. */
  private from = 0;
  private largest = 0;
  private documents = new Uint32Array(0);
  private readonly here: StagePlace;
  private readonly listed: number;
  private readonly pairs: PairRecords;

  constructor(here: StagePlace, listed: number, pairs: PairRecords) {
    this.here = here;
    this.listed = listed;
    this.pairs = pairs;
  }

  get open(): number {
    return this.ranks.length - this.from;
  }

  add(rank: number, group?: number): void {
    this.ranks.push(rank);
    if (group !== undefined) this.groups.push(group);
    this.keys.push(this.bucket);
    this.keys.push(0);
  }

  /** Removes the open bucket, and returns its members: valid until the next call. */
  taken(): Float64Array {
    const members = this.ranks.view.subarray(this.from);
    this.shorten();
    return members;
  }

  private shorten(): void {
    this.ranks.truncate(this.from);
    this.groups.truncate(Math.min(this.from, this.groups.length));
    this.keys.truncate(2 * this.from);
  }

  /** Closes the open bucket. Without an open one, counts a bucket of one member. */
  close(): void {
    const { open } = this;
    this.largest = Math.max(this.largest, open, 1);
    if (open === 0) return;
    this.from = this.ranks.length;
    this.bucket++;
    if (this.from >= MEMBERS) this.flush();
  }

  /** Makes the pairs of all buckets, none of which may be open. */
  flush(): void {
    const count = this.ranks.length;
    const { kernel, facts, manifest } = this.here;
    const { listed } = this;
    facts.most('largest bucket', this.largest);
    if (count === 0) return;
    const keys = { blocks: [this.keys.view], places: null };
    const ranks = this.ranks.view;
    const groups = hasGroups(manifest.params) ? numberedGroups(this.groups.view) : null;
    for (let from = 0, total = 1; from < total; from += PAIRS) {
      const slice = { from, most: PAIRS };
      const found = kernel.pairing.bucketPairs(keys, this.numbers(count), listed, slice, groups);
      // A group's members are in the order of ranks, but those of two groups may not be.
      for (let i = 0; i < found.count; i++) {
        const [a, b] = [ranks[found.a[i]!]!, ranks[found.b[i]!]!];
        this.pairs.put(Math.min(a, b), Math.max(a, b));
      }
      total = found.total;
      if (from > 0) continue;
      facts.add('buckets', found.buckets);
      facts.add('pairs of small buckets', found.total);
    }
    this.from = 0;
    this.bucket = 0;
    this.shorten();
  }

  /** The numbers 0 to `count` - 1. */
  private numbers(count: number): Uint32Array {
    if (this.documents.length < count) this.documents = Uint32Array.from({ length: 2 * count }, (_, i) => i);
    return this.documents.subarray(0, count);
  }
}

function numberedGroups(groups: Float64Array): Groups {
  const numbers = new Map<number, number>();
  const of = Uint32Array.from(groups, (group) => {
    const number = numbers.get(group) ?? numbers.size;
    numbers.set(group, number);
    return number;
  });
  return { of };
}

/** Prefix of the fact that counts the pairs in listless buckets of at most so many members, and more than half as many. */
export const PAIRS_UP_TO = 'pairs in buckets of ';

/** Name of the fact that counts the members of buckets whose pairs are not listed. */
export const CROWD_MEMBERS = 'members of large and hot buckets';

/**
 * The groups of the members of a bucket, which come group by group, and within a group in the order of ranks. Without groups every
 * member is one.
 */
export class BucketGroups {
  /** The member of lowest rank, and the lowest one of another group, with their groups; NONE: there is none. */
  private first = NONE;
  private ofFirst = NONE;
  private other = NONE;
  private ofOther = NONE;
  private group = NONE;
  private ofGroup = 0;
  /** Of the current group: how many members are in question with those alone that are in question with all. */
  private others = 0;
  /** Pairs of two such members of one group. */
  unasked = 0;
  /** Sizes of the groups as runs: members of a group, and how many consecutive groups have as many. */
  private readonly runs: [members: number, groups: number][] = [];

  add(rank: number, group: number, isAsked = true): void {
    if (group !== this.group) this.begin(rank, group);
    this.ofGroup++;
    if (!isAsked) this.unasked += this.others++;
  }

  private begin(rank: number, group: number): void {
    this.endRun();
    this.group = group;
    if (this.first === NONE || rank < this.first) {
      [this.other, this.ofOther] = [this.first, this.ofFirst];
      [this.first, this.ofFirst] = [rank, group];
    } else if (this.other === NONE || rank < this.other) [this.other, this.ofOther] = [rank, group];
  }

  private endRun(): void {
    const last = this.runs.at(-1);
    if (last?.[0] === this.ofGroup) last[1]++;
    else if (this.ofGroup > 0) this.runs.push([this.ofGroup, 1]);
    this.ofGroup = this.others = 0;
  }

  get isOne(): boolean {
    return this.other === NONE;
  }

  /** The sum of the squares of the sizes of the groups. */
  get within(): number {
    this.endRun();
    return this.runs.reduce((sum, [size, groups]) => sum + groups * size * size, 0);
  }

  put(value: FieldWriter, members: number): void {
    const { first, ofFirst, other, ofOther } = this;
    value.u64(members).u64(first).u64(0).u64(ofFirst).u64(other).u64(ofOther).u64(members);
    this.putRuns(value);
  }

  putRuns(value: FieldWriter): void {
    this.endRun();
    for (const [size, groups] of this.runs) value.u32(size).u32(groups);
  }

  clear(): void {
    this.first = this.other = this.group = NONE;
    this.ofGroup = this.others = this.unasked = 0;
    this.runs.length = 0;
  }
}

const NONE = -1;

/** Whether two rows are of one bucket. Compares from the end: the last bytes of the hash mostly differ. */
function isOneBucket(one: Uint8Array, at: number, other: Uint8Array, from: number): boolean {
  for (let i = BUCKET - 1; i >= 0; i--) if (one[at + i] !== other[from + i]) return false;
  return true;
}

/**
 * Reads the members of buckets in order. A bucket counts only from its second member on: most have just one. Of documents with
 * groups a bucket counts only if it has two groups.
 */
class BucketReading {
  private readonly here: StagePlace;
  private readonly listed: number;
  private readonly small: SmallBuckets;
  /** Ranks of a bucket with more than `listed` members, until there are `held` of them. */
  private readonly crowd = new Float64Column();
  private readonly held: number;
  private readonly groups = new BucketGroups();
  private readonly isCross: boolean;
  private readonly rankAt: number;
  private readonly isShort: boolean;
  private readonly bucket = new Uint8Array(BUCKET);
  private members = 0;
  private readonly out: StageSink;

  constructor(out: StageSink, here: StagePlace) {
    const { params } = here.manifest;
    const hotBucket = leastHotBucket(params.hotBucket);
    this.here = here;
    this.out = out;
    this.listed = Math.min(LISTED, hotBucket);
    this.held = Math.max(MOST_AUTO, hotBucket);
    this.small = new SmallBuckets(here, this.listed, new PairRecords(out));
    this.isCross = hasGroups(params);
    this.rankAt = rowOf(here.manifest) - rankBytesOf(here.manifest);
    this.isShort = rankBytesOf(here.manifest) < RANK;
  }

  /** Adds the row at `at`, whose bucket is that of the row before; first adds the row `before`, if it opened no bucket yet. */
  add(rows: Uint8Array, at: number, before: Uint8Array, beforeAt: number): void {
    if (this.members === 0) this.member(before, beforeAt);
    this.member(rows, at);
  }

  private member(rows: Uint8Array, at: number): void {
    const { small, crowd, isCross, listed } = this;
    const rankAt = at + this.rankAt;
    const rank = this.isShort ? u32At(rows, rankAt) : u64At(rows, rankAt);
    const group = isCross ? u64At(rows, at + BUCKET) : rank;
    this.groups.add(rank, group);
    if (this.members++ < listed) {
      small.add(rank, isCross ? group : undefined);
      return;
    }
    if (this.members === listed + 1) {
      this.bucket.set(rows.subarray(at, at + BUCKET));
      for (const member of small.taken()) crowd.push(member);
    }
    if (this.members <= this.held) {
      crowd.push(rank);
      return;
    }
    this.put(0);
    this.one(rank, 0, 0);
  }

  /** Writes and forgets the held members. `members`: their number; 0: there are more than are held. */
  private put(members: number): void {
    this.crowd.view.forEach((rank, order) => {
      this.one(rank, members, order);
    });
    this.crowd.truncate(0);
  }

  private one(rank: number, members: number, order: number): void {
    this.out.key.kind(KINDS.crowd).u64(rank).raw(this.bucket);
    this.out.value.u32(members).u32(order);
    this.out.write();
  }

  end(): void {
    const { small, groups, members, listed } = this;
    if (members === 0) {
      small.close();
      return;
    }
    if (members > listed && !groups.isOne) this.endCrowd();
    else {
      if (groups.isOne) small.taken();
      small.close();
    }
    this.crowd.truncate(0);
    this.members = 0;
    groups.clear();
  }

  private endCrowd(): void {
    const { members, groups, out } = this;
    const { facts } = this.here;
    const size = 2 ** Math.ceil(Math.log2(members));
    facts.add('buckets', 1);
    facts.add(CROWD_MEMBERS, members);
    facts.add(`${PAIRS_UP_TO}${size}`, countedPairs(members, groups.within));
    facts.most('largest bucket', members);
    this.put(members);
    out.key.kind(KINDS.head).raw(this.bucket);
    groups.put(out.value, members);
    out.write();
  }

  finish(): void {
    if (this.members > 0) this.end();
    this.small.flush();
  }
}

function reduceBands(input: StageSource, out: StageSink, here: StagePlace): void {
  const width = rowOf(here.manifest);
  const reading = new BucketReading(out, here);
  // The row before; no band has the number 2^16 - 1.
  const last = new Uint8Array(width).fill(0xff);
  for (let rows = input.rows(); rows !== null; rows = input.rows()) {
    if (isOneBucket(rows, 0, last, 0)) reading.add(rows, 0, last, 0);
    else reading.end();
    for (let at = width; at < rows.length; at += width) {
      if (isOneBucket(rows, at, rows, at - width)) reading.add(rows, at, rows, at - width);
      else reading.end();
    }
    last.set(rows.subarray(rows.length - width));
  }
  reading.finish();
}

/** Documents whose signatures are equal in a band become pairs; of large and hot buckets, the members become `crowd` records. */
export const bands: StreamStage = {
  kinds: SIGNATURE_KINDS,
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  row: rowOf,
  recurring: true,
  map: mapBands,
  reduce: reduceBands,
};

/** Where the rank begins in the key: after bucket, slot u32 and idHash 8. */
const RANK_AT = BUCKET + 4 + ID_HASH;

/** Names of the facts that count hot buckets, and the pairs made in them. */
export const HOT_BUCKETS = 'hot buckets';
const MADE_IN_HOT = 'pairs made in hot buckets';

/** The pairs of hot buckets, the members, and the heads. The head of a bucket comes before its members. */
export const hotPairs: StreamStage = {
  ...mapOf({
    [KINDS.head]({ key, value }, out, { manifest }) {
      if (u64At(value, OF_HEAD.members) > hotBucketOfJob(manifest)) out.put(key.subarray(KIND), value);
    },
    [KINDS.crowded]: withoutKind,
  }),
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  reduce(input, out, { manifest, facts }) {
    const isCross = hasGroups(manifest.params);
    const records = new PairRecords(out);
    const pairs = new MemberPairs(0, (a, b) => records.put(a, b));
    const head = new FieldWriter();
    while (input.group()) {
      pairs.begin();
      const before = pairs.made;
      head.reset();
      let order = 0;
      while (input.each()) {
        const { key, value } = input;
        if (key.length === BUCKET) {
          head.raw(value);
          pairs.announce(u64At(value, OF_HEAD.first), u64At(value, OF_HEAD.group));
          pairs.announce(u64At(value, OF_HEAD.other), u64At(value, OF_HEAD.ofOther));
        }
        // A bucket without a head is not hot: its members are of one group.
        else if (head.size > 0) {
          const rank = u64At(key, RANK_AT);
          pairs.add(rank, isCross ? u64At(value, 0) : rank);
          out.key.kind(KINDS.hot).raw(input.shared).u64(rank);
          out.value.raw(key, BUCKET, RANK_AT).u64(order++);
          if (isCross) out.value.raw(value);
          out.write();
        }
      }
      if (head.size === 0) continue;
      const made = pairs.made - before;
      out.key.kind(KINDS.head).raw(input.shared);
      out.value.raw(head.view, 0, OF_HEAD.made).u64(made).raw(head.view, OF_HEAD.group);
      out.write();
      facts.add(HOT_BUCKETS, 1);
      facts.add(MADE_IN_HOT, made);
    }
  },
};
