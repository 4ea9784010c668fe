/**
 * Stages that turn signatures into candidate pairs.
 *
 * A task of `bands` holds the keys of SIGNATURES signatures at a time; its Reduce holds whole small buckets of about MEMBERS
 * members (or one bucket of `hotBucket`), 16 bytes a member, and PAIRS of their pairs. Most rows are alone in their bucket, so a
 * row has only a rank: another job gives members of larger buckets the fields that order them, and the job after it holds 9
 * members, whatever the size of the bucket.
 */

import { bands as bandsOf } from '../../../mappers/bands.js';
import { CrossRooms, crossBucketPairs } from '../../../reducers/crossPairs.js';
import { CrossMembers } from '../../../reducers/streamed/crossMembers.js';
import { HELD_MEMBERS, isLeftToFirst, StreamedBucket } from '../../../reducers/streamed/streamedBuckets.js';
import type { Groups } from '../../arrays/groupCounts.js';
import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import type { Kernel } from '../../kernel/kernel.js';
import {
  type BandingParams,
  type ResultParams,
  type SketchParams,
  signatureParams,
} from '../../sketch/params.js';
import { comparedGroup, crossingBytes, hasGroups } from '../stream/crossing.js';
import { BUCKET, ID_HASH, KIND, KINDS, OF_HEAD, OF_HOT, OF_SIGNATURE, RANK } from '../stream/kinds.js';
import {
  FieldWriter,
  type RecordSink,
  type RecordSource,
  type StageSink,
  type StageSource,
  sharesPrefix,
  u32At,
  u64At,
} from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';
import { hotBucketOfJob } from '../stream/taskManifest.js';
import { StreamedSignatures } from './streamedSignatures.js';

const SIGNATURES = 1024;
const MEMBERS = 4096;
const PAIRS = 2 ** 18;

const ONE = Uint8Array.of(1);

/** Bytes of a row of `bands`: band u16, bucket 8, rank u64. */
const ROW = BUCKET + RANK;
/** Bytes of the compared group u64, which stands before the rank where documents have groups. */
const GROUP = 8;
const rowOf = (params: ResultParams): number => (hasGroups(params) ? ROW + GROUP : ROW);

/** Collects signatures, and makes the bucket keys of SIGNATURES of them at once. */
class BandBlock {
  private readonly banding: BandingParams;
  private readonly sketch: SketchParams;
  private readonly rows: StreamedSignatures;
  private readonly ranks = new Uint32Array(2 * SIGNATURES);
  private readonly groups = new Float64Array(SIGNATURES);
  private readonly crossing: number;
  private readonly width: number;
  private readonly made: Uint8Array;
  private readonly fields: DataView;
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
    this.width = rowOf(manifest.params);
    this.made = new Uint8Array(SIGNATURES * this.width);
    this.fields = new DataView(this.made.buffer);
    this.out = out;
    this.kernel = kernel;
  }

  add({ key, value }: RecordSource): void {
    const end = value.length - this.crossing;
    const row = this.rows.add(this.crossing === 0 ? value : value.subarray(0, end), OF_SIGNATURE.slots);
    if (this.crossing > 0) this.groups[row] = comparedGroup(value, end, u64At(key, KIND));
    this.ranks[2 * row] = u32At(key, KIND);
    this.ranks[2 * row + 1] = u32At(key, KIND + 4);
    if (this.rows.count === SIGNATURES) this.flush();
  }

  flush(): void {
    const { rows, banding, sketch, kernel } = this;
    const { count, stride, slots } = rows;
    if (count === 0) return;
    this.facts.add('documents', count);
    const block = bandsOf(slots.subarray(0, count * stride), stride, kernel, banding, sketch);
    const keys = block.columns.keys as Uint32Array;
    for (let band = 0; band < banding.bands; band++) this.put(band, keys.subarray(2 * band * count));
    rows.clear();
  }

  /** Writes the rows of a band, the high word of each bucket's hash first: then the order of bytes is that of the numbers. */
  private put(band: number, keys: Uint32Array): void {
    const { fields, ranks, rows, width } = this;
    const rankAt = width - RANK;
    for (let row = 0, at = 0; row < rows.count; row++, at += width) {
      fields.setUint16(at, band);
      fields.setUint32(at + 2, keys[2 * row + 1]!);
      fields.setUint32(at + 6, keys[2 * row]!);
      fields.setUint32(at + rankAt, ranks[2 * row]!);
      fields.setUint32(at + rankAt + 4, ranks[2 * row + 1]!);
      if (rankAt === BUCKET) continue;
      fields.setUint32(at + BUCKET, Math.floor(this.groups[row]! / 2 ** 32));
      fields.setUint32(at + BUCKET + 4, this.groups[row]! >>> 0);
    }
    this.out.rows(this.made.subarray(0, width * rows.count));
  }
}

/** signature -> band u16, bucket 8, compared group u64 (with groups), rank u64. */
function mapBands(input: RecordSource, out: StageSink, here: StagePlace): void {
  const block = new BandBlock(out, here);
  while (input.next()) if (input.key[0] === KINDS.signature) block.add(input);
  block.flush();
}

/** Writes and counts records of kind `pair`. */
class PairRecords {
  private readonly out: RecordSink;
  private readonly facts: StagePlace['facts'];
  private readonly key = new Uint8Array(KIND + 2 * RANK);
  private readonly fields = new DataView(this.key.buffer);

  constructor(out: RecordSink, { facts }: StagePlace) {
    this.out = out;
    this.facts = facts;
    this.key[0] = KINDS.pair;
  }

  put(a: number, b: number): void {
    this.rank(KIND, a);
    this.rank(KIND + RANK, b);
    this.out.put(this.key, ONE);
    this.facts.add('pairs told', 1);
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
  private readonly rooms = new CrossRooms();
  private readonly keys = new Uint32Column();
  private bucket = 0;
  /** Index of the open bucket's first member. */
  private from = 0;
  private largest = 0;
  private documents = new Uint32Array(0);
  private readonly here: StagePlace;
  private readonly pairs: PairRecords;

  constructor(here: StagePlace, pairs: PairRecords) {
    this.here = here;
    this.pairs = pairs;
  }

  /** Number of members of the open bucket. */
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

  /** Groups of the members of the open bucket: valid until the next call. */
  get openGroups(): Float64Array {
    return this.groups.view.subarray(this.from);
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
    facts.most('largest bucket', this.largest);
    if (count === 0) return;
    const keys = { blocks: [this.keys.view], places: null };
    const ranks = this.ranks.view;
    const most = hotBucketOfJob(manifest);
    const groups = hasGroups(manifest.params) ? numberedGroups(this.groups.view) : null;
    for (let from = 0, total = 1; from < total; from += PAIRS) {
      const slice = { from, most: PAIRS };
      const found =
        groups === null
          ? kernel.pairing.bucketPairs(keys, this.numbers(count), most, slice)
          : crossBucketPairs(keys, this.numbers(count), groups, most, slice, undefined, this.rooms);
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

/** Renumbers the groups from 0 on. */
function numberedGroups(groups: Float64Array): Groups {
  const numbers = new Map<number, number>();
  const of = Uint32Array.from(groups, (group) => {
    const number = numbers.get(group) ?? numbers.size;
    numbers.set(group, number);
    return number;
  });
  return { of, shared: numbers.size };
}

/** Prefix of the fact that counts the pairs in hot buckets of at most so many members, and more than half as many. */
export const PAIRS_UP_TO = 'pairs in buckets of ';

/** Writes the members of a hot bucket, one after the other. */
class CrowdRecords {
  private members = 0;
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;

  constructor(out: RecordSink) {
    this.out = out;
  }

  put(rank: number, bucket: Uint8Array, group?: number): void {
    this.members++;
    const value = group === undefined ? ONE : this.value.reset().u64(group).view;
    this.out.put(this.key.reset().u8(KINDS.crowd).u64(rank).raw(bucket).view, value);
  }

  /** Forgets the members: they are of one group, so the bucket makes no pair. */
  forget(): void {
    this.members = 0;
  }

  end({ facts }: StagePlace): void {
    facts.add('buckets', 1);
    facts.add('hot buckets', 1);
    const size = 2 ** Math.ceil(Math.log2(this.members));
    facts.add(`${PAIRS_UP_TO}${size}`, (this.members * (this.members - 1)) / 2);
    facts.most('largest bucket', this.members);
    this.members = 0;
  }
}

/** Whether two rows are of one bucket. Compares from the end: the last bytes of the hash mostly differ. */
function isOneBucket(one: Uint8Array, at: number, other: Uint8Array, from: number): boolean {
  for (let i = BUCKET - 1; i >= 0; i--) if (one[at + i] !== other[from + i]) return false;
  return true;
}

/** Reads the members of buckets in order. A bucket counts only from its second member on: most have just one. */
class BucketReading {
  private readonly here: StagePlace;
  private readonly most: number;
  private readonly small: SmallBuckets;
  private readonly crowd: CrowdRecords;
  private isHot = false;

  constructor(out: RecordSink, here: StagePlace) {
    this.here = here;
    this.most = hotBucketOfJob(here.manifest);
    this.small = new SmallBuckets(here, new PairRecords(out, here));
    this.crowd = new CrowdRecords(out);
  }

  /**
   * Adds the row at `at`, whose bucket is that of the row before; adds the rank `before`, too, if that one opened no bucket yet.
   */
  add(rows: Uint8Array, at: number, before: number): void {
    const { small, crowd } = this;
    if (!this.isHot && small.open === 0) small.add(before);
    if (!this.isHot && small.open === this.most) {
      this.isHot = true;
      for (const member of small.taken()) crowd.put(member, rows.subarray(at, at + BUCKET));
    }
    const rank = u64At(rows, at + BUCKET);
    if (this.isHot) crowd.put(rank, rows.subarray(at, at + BUCKET));
    else small.add(rank);
  }

  end(): void {
    if (this.isHot) this.crowd.end(this.here);
    else this.small.close();
    this.isHot = false;
  }

  finish(): void {
    if (this.isHot || this.small.open > 0) this.end();
    this.small.flush();
  }
}

/** The same with groups: a bucket's members come group by group, and within a group in the order of ranks. */
class CrossReading {
  private readonly here: StagePlace;
  private readonly most: number;
  private readonly small: SmallBuckets;
  private readonly crowd: CrowdRecords;
  private readonly out: RecordSink;
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  /** The current bucket; no band has the number 2^16 - 1. */
  private readonly bucket = new Uint8Array(BUCKET).fill(0xff);
  private members = 0;
  private group = -1;
  private ofGroup = 0;
  /** The member of lowest rank, and the first member of another group, with their groups. */
  private first = { rank: -1, group: -1 };
  private other = { rank: -1, group: -1 };
  /** Sizes of the groups of a hot bucket, as runs: members of a group, and how many consecutive groups have as many. */
  private readonly runs: [members: number, groups: number][] = [];

  constructor(out: RecordSink, here: StagePlace) {
    this.here = here;
    this.most = hotBucketOfJob(here.manifest);
    this.small = new SmallBuckets(here, new PairRecords(out, here));
    this.crowd = new CrowdRecords(out);
    this.out = out;
  }

  add(rows: Uint8Array, at: number): void {
    const { bucket, small, crowd } = this;
    if (!isOneBucket(rows, at, bucket, 0)) {
      this.end();
      bucket.set(rows.subarray(at, at + BUCKET));
    }
    const group = u64At(rows, at + BUCKET);
    const rank = u64At(rows, at + BUCKET + GROUP);
    if (group !== this.group) this.begin(rank, group);
    this.ofGroup++;
    if (this.members++ < this.most) {
      small.add(rank, group);
      return;
    }
    if (small.open > 0) {
      const groups = small.openGroups.slice();
      small.taken().forEach((member, i) => {
        crowd.put(member, bucket, groups[i]!);
      });
    }
    crowd.put(rank, bucket, group);
  }

  private begin(rank: number, group: number): void {
    this.endRun();
    this.group = group;
    const { first, other } = this;
    if (first.rank < 0 || rank < first.rank) {
      this.other = first;
      this.first = { rank, group };
    } else if (other.rank < 0 || rank < other.rank) this.other = { rank, group };
  }

  private endRun(): void {
    const last = this.runs.at(-1);
    if (last?.[0] === this.ofGroup) last[1]++;
    else if (this.ofGroup > 0) this.runs.push([this.ofGroup, 1]);
    this.ofGroup = 0;
  }

  private end(): void {
    const { small, crowd, members, other, here } = this;
    if (members === 0) return;
    this.endRun();
    const hasTwoGroups = other.rank >= 0;
    if (members > this.most && hasTwoGroups) {
      crowd.end(here);
      this.head();
    } else if (members > this.most) crowd.forget();
    else {
      if (!hasTwoGroups) small.taken();
      small.close();
    }
    this.members = 0;
    this.group = -1;
    this.runs.length = 0;
    this.clear();
  }

  private clear(): void {
    this.first = { rank: -1, group: -1 };
    this.other = { rank: -1, group: -1 };
  }

  private head(): void {
    const { first, other, value } = this;
    value.reset().u64(this.members).u64(first.rank).u64(0).u64(first.group).u64(other.rank).u64(other.group);
    for (const [members, groups] of this.runs) value.u32(members).u32(groups);
    this.out.put(this.key.reset().u8(KINDS.head).raw(this.bucket).view, value.view);
  }

  finish(): void {
    this.end();
    this.small.flush();
  }
}

function reduceCrossBands(input: StageSource, out: RecordSink, here: StagePlace): void {
  const reading = new CrossReading(out, here);
  for (let rows = input.rows(); rows !== null; rows = input.rows())
    for (let at = 0; at < rows.length; at += ROW + GROUP) reading.add(rows, at);
  reading.finish();
}

function reduceBands(input: StageSource, out: RecordSink, here: StagePlace): void {
  if (hasGroups(here.manifest.params)) {
    reduceCrossBands(input, out, here);
    return;
  }
  const reading = new BucketReading(out, here);
  // The row before; no band has the number 2^16 - 1.
  const last = new Uint8Array(ROW).fill(0xff);
  for (let rows = input.rows(); rows !== null; rows = input.rows()) {
    if (isOneBucket(rows, 0, last, 0)) reading.add(rows, 0, u64At(last, BUCKET));
    else reading.end();
    for (let at = ROW; at < rows.length; at += ROW) {
      if (isOneBucket(rows, at, rows, at - ROW)) reading.add(rows, at, u64At(rows, at - ROW + BUCKET));
      else reading.end();
    }
    last.set(rows.subarray(rows.length - ROW));
  }
  reading.finish();
}

/** Documents whose signatures are equal in a band become pairs; of hot buckets, the members become `crowd` records. */
export const bands: StreamStage = {
  reads: 'records',
  kinds: [KINDS.signature],
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  row: rowOf,
  map: mapBands,
  reduce: reduceBands,
};

/** crowd -> a row as in `bands`. */
function mapLargeBuckets(input: RecordSource, out: StageSink, { manifest }: StagePlace): void {
  const width = rowOf(manifest.params);
  const made = new Uint8Array(SIGNATURES * width);
  const rankAt = width - RANK;
  let end = 0;
  while (input.next()) {
    const { key, value } = input;
    if (key[0] !== KINDS.crowd) continue;
    for (let i = 0; i < BUCKET; i++) made[end + i] = key[KIND + RANK + i]!;
    for (let i = BUCKET; i < rankAt; i++) made[end + i] = value[i - BUCKET]!;
    for (let i = 0; i < RANK; i++) made[end + rankAt + i] = key[KIND + i]!;
    end += width;
    if (end < made.length) continue;
    out.rows(made);
    end = 0;
  }
  if (end > 0) out.rows(made.subarray(0, end));
}

/** The same for the members that `bands` wrote, with a larger `hotBucket`, which follows from the sizes of their buckets. */
export const largeBuckets: StreamStage = { ...bands, kinds: [KINDS.crowd], map: mapLargeBuckets };

/** Tags after the rank: the signature of a document comes before its buckets. */
const [OWN, OF_BUCKET] = [0, 1];

/** signature -> rank, 0 / unchanged; crowd -> rank, 1, band u16, bucket 8. */
function mapHotMembers(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.signature) {
      out.put(keys.reset().raw(key, KIND).u8(OWN).view, value);
    } else if (key[0] === KINDS.crowd) {
      keys
        .reset()
        .raw(key, KIND, KIND + RANK)
        .u8(OF_BUCKET);
      out.put(keys.raw(key, KIND + RANK).view, value);
    }
  }
}

/** Members of a bucket are ordered by the slot after the last slot of the band, modulo the number of slots. */
function reduceHotMembers(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const { banding, sketch } = signatureParams(manifest.params);
  const keys = new FieldWriter();
  const rank = new Uint8Array(RANK);
  const signature = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    if (key[RANK] === OWN) {
      rank.set(key.subarray(0, RANK));
      signature.reset().raw(value);
      continue;
    }
    if (signature.view.length === 0 || !sharesPrefix(key, rank, RANK))
      throw new Error(`document ${u64At(key, 0)} is in a bucket and has no signature: our own defect`);
    const bucket = key.subarray(RANK + 1);
    const band = bucket[0]! * 256 + bucket[1]!;
    const place = OF_SIGNATURE.slots + 4 * (((band + 1) * banding.rows) % sketch.hashes);
    const held = signature.view;
    keys.reset().u8(KINDS.crowded).raw(bucket);
    for (let byte = 3; byte >= 0; byte--) keys.u8(held[place + byte]!);
    keys.raw(held, OF_SIGNATURE.idHash, OF_SIGNATURE.slots).raw(rank);
    out.put(keys.view, value);
  }
}

/** Joins the members of hot buckets with their signatures, for the fields that order them. */
export const hotMembers: StreamStage = {
  reads: 'records',
  kinds: [KINDS.signature, KINDS.crowd],
  shuffles: ['document'],
  prefix: RANK,
  map: mapHotMembers,
  reduce: reduceHotMembers,
};

/** Where the rank begins in the key: after bucket, slot u32 and idHash 8. */
const RANK_AT = BUCKET + 4 + ID_HASH;

/** A bucket of more than `hotBucket` members, which are read one after the other. */
class HotBucket {
  private readonly stream = new StreamedBucket();
  /** Ranks of the last members, by their position in the bucket's order modulo HELD_MEMBERS. */
  private readonly held = new Float64Array(HELD_MEMBERS);
  private readonly bucket = new Uint8Array(BUCKET);
  private readonly keys = new FieldWriter();
  private readonly values = new FieldWriter();
  private readonly out: RecordSink;
  private readonly pair: (a: number, b: number) => void;

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    const pairs = new PairRecords(out, here);
    const rankAt = (order: number): number => this.held[order % HELD_MEMBERS]!;
    this.pair = (a, b) => pairs.put(rankAt(a), rankAt(b));
  }

  /** Whether a key is of this bucket. */
  isOf(key: Uint8Array): boolean {
    return sharesPrefix(key, this.bucket, BUCKET);
  }

  begin(key: Uint8Array): void {
    this.stream.clear();
    this.bucket.set(key.subarray(0, BUCKET));
  }

  add(key: Uint8Array): void {
    const { stream, held } = this;
    const rank = u64At(key, RANK_AT);
    held[stream.members % HELD_MEMBERS] = rank;
    const order = stream.add(rank, this.pair);
    this.keys.reset().u8(KINDS.hot).raw(this.bucket).u64(rank);
    this.out.put(this.keys.view, this.values.reset().raw(key, BUCKET, RANK_AT).u64(order).view);
  }

  end({ facts }: StagePlace): void {
    const { members, first, orderOfFirst, made, skipped } = this.stream;
    if (members === 0) return;
    this.keys.reset().u8(KINDS.head).raw(this.bucket);
    this.out.put(this.keys.view, this.values.reset().u64(members).u64(first).u64(orderOfFirst).view);
    facts.add(MADE_IN_HOT, made);
    facts.add('pairs skipped', skipped);
  }
}

/** Name of the fact that counts the pairs made in hot buckets. */
export const MADE_IN_HOT = 'pairs made in hot buckets';

/**
 * All pairs that the rule for hot buckets makes with groups, and the members. The head of a bucket comes first; only hot ones
 * have one.
 */
function reduceCrossPairs(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const records = new PairRecords(out, here);
  const pairs = new CrossMembers(0, (a, b) => records.put(a, b));
  const bucket = new Uint8Array(BUCKET);
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  let [isHot, order] = [false, 0];
  while (input.next()) {
    const { key, value } = input;
    if (key.length === BUCKET) {
      bucket.set(key);
      [isHot, order] = [true, 0];
      pairs.begin();
      pairs.announce(u64At(value, OF_HEAD.first), u64At(value, OF_HEAD.group));
      pairs.announce(u64At(value, OF_HEAD.other), u64At(value, OF_HEAD.ofOther));
    }
    if (key.length === BUCKET || !isHot || !sharesPrefix(key, bucket, BUCKET)) continue;
    pairs.add(u64At(key, RANK_AT), u64At(value, 0));
    keys.reset().u8(KINDS.hot).raw(bucket).raw(key, RANK_AT);
    out.put(keys.view, values.reset().raw(key, BUCKET, RANK_AT).u64(order++).raw(value).view);
  }
  here.facts.add(MADE_IN_HOT, pairs.made);
}

/**
 * The pairs of neighbours in hot buckets, the members, and the heads; with groups, `bands` made the heads, which say which
 * buckets are hot.
 */
export const hotPairs: StreamStage = {
  reads: 'records',
  kinds: [KINDS.crowded, KINDS.head],
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map(input, out) {
    while (input.next()) {
      const { key, value } = input;
      if (key[0] === KINDS.crowded) out.put(key.subarray(KIND), value);
      else if (key[0] === KINDS.head) out.put(key.subarray(KIND), value.subarray(0, OF_HEAD.runs));
    }
  },
  reduce(input, out, here) {
    if (hasGroups(here.manifest.params)) {
      reduceCrossPairs(input, out, here);
      return;
    }
    const hot = new HotBucket(out, here);
    while (input.next()) {
      const { key } = input;
      if (!hot.isOf(key)) {
        hot.end(here);
        hot.begin(key);
      }
      hot.add(key);
    }
    hot.end(here);
  },
};

/** head -> band u16, bucket 8, 0 / first u64, its order; hot -> band u16, bucket 8, 1, order / rank u64. */
function mapHotFirsts(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    keys.reset().raw(key, KIND, KIND + BUCKET);
    if (key[0] === KINDS.head) out.put(keys.u8(0).view, value.subarray(OF_HEAD.first));
    else if (key[0] === KINDS.hot)
      out.put(keys.u8(1).raw(value, OF_HOT.order).view, key.subarray(KIND + BUCKET));
  }
}

function reduceHotFirsts(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const { facts } = here;
  const pairs = new PairRecords(out, here);
  const bucket = new Uint8Array(BUCKET);
  let [first, order, made] = [-1, -1, 0];
  while (input.next()) {
    const { key, value } = input;
    if (key[BUCKET] === 0) {
      bucket.set(key.subarray(0, BUCKET));
      first = u64At(value, 0);
      order = u64At(value, RANK);
      continue;
    }
    if (order < 0 || !sharesPrefix(key, bucket, BUCKET))
      throw new Error('members of a hot bucket without its head: our own defect');
    if (!isLeftToFirst(order, u64At(key, BUCKET + 1))) continue;
    pairs.put(first, u64At(value, 0));
    made++;
  }
  facts.add('pairs with first members', made);
}

/** Pairs every member of a hot bucket with the bucket's first member, unless they were paired as neighbours. */
export const hotFirsts: StreamStage = {
  reads: 'records',
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapHotFirsts,
  reduce: reduceHotFirsts,
};
