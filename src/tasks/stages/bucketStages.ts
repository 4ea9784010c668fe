/**
 * Stages that turn signatures into candidate pairs.
 *
 * A task holds the keys of SIGNATURES signatures at a time; then whole small buckets of about MEMBERS members, or one of
 * `hotBucket`, 48 bytes a member, and PAIRS of their pairs. Of a larger bucket it holds 9 members, whatever its size.
 */

import { bands as bandsOf } from '../../../mappers/bands.js';
import { bucketPairs } from '../../../reducers/candidatePairs.js';
import { HELD_MEMBERS, isLeftToFirst, StreamedBucket } from '../../../reducers/streamed/streamedBuckets.js';
import { ByteColumn, Float64Column, Uint32Column } from '../../arrays/growable.js';
import type { Kernel } from '../../kernel/kernel.js';
import { type BandingParams, type SketchParams, signatureParams } from '../../sketch/params.js';
import { BUCKET, ID_HASH, KIND, KINDS, OF_HEAD, OF_HOT, OF_SIGNATURE, PLACE, RANK } from '../stream/kinds.js';
import { FieldWriter, type RecordSink, type RecordSource, sharesPrefix, u64At } from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';
import { StreamedSignatures } from './streamedSignatures.js';

const SIGNATURES = 1024;
const MEMBERS = 4096;
const PAIRS = 2 ** 18;

/** rank u64, place, idHash 8: of a signature beside its slots. */
const HEAD = RANK + PLACE + ID_HASH;
/** slot u32, idHash 8, rank u64, place: a member as it comes in key and value. */
const OF_MEMBER = { slot: 0, idHash: 4, rank: 4 + ID_HASH, place: 4 + ID_HASH + RANK } as const;
const MEMBER = OF_MEMBER.place + PLACE;

/** Signatures whose bucket keys are made together. */
class BandBlock {
  private readonly banding: BandingParams;
  private readonly sketch: SketchParams;
  private readonly rows: StreamedSignatures;
  private readonly heads = new Uint8Array(SIGNATURES * HEAD);
  private readonly writer = new FieldWriter();
  private readonly out: RecordSink;
  private readonly kernel: Kernel;

  constructor(out: RecordSink, { manifest, kernel }: StagePlace) {
    const { banding, sketch } = signatureParams(manifest.params);
    this.banding = banding;
    this.sketch = sketch;
    this.rows = new StreamedSignatures(sketch.hashes, SIGNATURES);
    this.out = out;
    this.kernel = kernel;
  }

  add({ key, value }: RecordSource): void {
    const row = this.rows.add(value, OF_SIGNATURE.slots);
    this.heads.set(key.subarray(KIND, KIND + RANK), row * HEAD);
    this.heads.set(value.subarray(0, OF_SIGNATURE.slots), row * HEAD + RANK);
    if (this.rows.count === SIGNATURES) this.flush();
  }

  flush(): void {
    const { rows, banding, sketch, kernel } = this;
    const { count, stride, slots } = rows;
    if (count === 0) return;
    const block = bandsOf(slots.subarray(0, count * stride), stride, kernel, banding, sketch);
    const keys = block.columns.keys as Uint32Array;
    for (let row = 0; row < count; row++) this.put(row, keys);
    rows.clear();
  }

  /** The records of a signature: high words of hashes stand first, for the order of keys is theirs as numbers. */
  private put(row: number, keys: Uint32Array): void {
    const { bands, rows } = this.banding;
    const { slots, stride, count } = this.rows;
    const head = this.heads.subarray(row * HEAD, (row + 1) * HEAD);
    const rank = head.subarray(0, RANK);
    const place = head.subarray(RANK, RANK + PLACE);
    const idHash = head.subarray(RANK + PLACE);
    for (let band = 0; band < bands; band++) {
      const at = 2 * (band * count + row);
      const slot = slots[row * stride + (((band + 1) * rows) % this.sketch.hashes)]!;
      this.writer
        .reset()
        .u16(band)
        .u32(keys[at + 1]!)
        .u32(keys[at]!);
      this.out.put(this.writer.u32(slot).raw(idHash).raw(rank).view, place);
    }
  }
}

/**
 * signature -> band u16, bucket 8, slot u32, idHash 8, rank u64 / place. The slot is that after the band's last, around the
 * end.
 */
function mapBands(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const block = new BandBlock(out, here);
  while (input.next()) if (input.key[0] === KINDS.signature) block.add(input);
  block.flush();
}

/** Writes pairs of members: `rank` and `place` behind it, at any place of bytes. */
class PairRecords {
  private readonly out: RecordSink;
  private readonly key = new Uint8Array(KIND + 2 * RANK);
  private readonly value = new Uint8Array(2 * PLACE);

  constructor(out: RecordSink) {
    this.out = out;
    this.key[0] = KINDS.pair;
  }

  put(a: Uint8Array, atA: number, b: Uint8Array, atB: number): void {
    const { key, value } = this;
    // Byte by byte: views would be four objects a pair.
    for (let i = 0; i < RANK; i++) {
      key[KIND + i] = a[atA + i]!;
      key[KIND + RANK + i] = b[atB + i]!;
    }
    for (let i = 0; i < PLACE; i++) {
      value[i] = a[atA + RANK + i]!;
      value[PLACE + i] = b[atB + RANK + i]!;
    }
    this.out.put(key, value);
  }
}

/** Whole small buckets, the last of them still open. Its members have bytes as they came, and their ranks as numbers. */
class SmallBuckets {
  readonly members = new ByteColumn();
  private readonly ranks = new Float64Column();
  private readonly keys = new Uint32Column();
  private bucket = 0;
  /** The first member of the open one. */
  private from = 0;
  private documents = new Uint32Array(0);
  private readonly here: StagePlace;
  private readonly pairs: PairRecords;

  constructor(here: StagePlace, pairs: PairRecords) {
    this.here = here;
    this.pairs = pairs;
  }

  /** Of the open bucket. */
  get open(): number {
    return this.ranks.length - this.from;
  }

  add(tail: Uint8Array, place: Uint8Array): void {
    this.members.append(tail);
    this.members.append(place);
    this.ranks.push(u64At(tail, OF_MEMBER.rank));
    this.keys.push(this.bucket);
    this.keys.push(0);
  }

  /** The members of the open bucket, which leave with it: good until the next call. */
  taken(): Uint8Array {
    const members = this.members.view.subarray(this.from * MEMBER);
    this.shorten();
    return members;
  }

  private shorten(): void {
    this.members.truncate(this.from * MEMBER);
    this.ranks.truncate(this.from);
    this.keys.truncate(2 * this.from);
  }

  close(): void {
    if (this.open === 0) return;
    this.here.facts.most('largest bucket', this.open);
    if (this.open === 1) this.shorten();
    this.from = this.ranks.length;
    this.bucket++;
    if (this.from >= MEMBERS) this.flush();
  }

  /** Makes the pairs of all buckets; none is open. */
  flush(): void {
    const count = this.ranks.length;
    if (count === 0) return;
    const { kernel, facts, manifest } = this.here;
    const pair = kernel.pairing?.bucketPairs ?? bucketPairs;
    const keys = { blocks: [this.keys.view], places: null };
    for (let from = 0, total = 1; from < total; from += PAIRS) {
      const slice = { from, most: PAIRS };
      const found = pair(keys, this.numbers(count), manifest.params.hotBucket, slice);
      this.put(found.a, found.b, found.count);
      total = found.total;
      if (from === 0) facts.add('buckets', found.buckets);
    }
    this.from = 0;
    this.bucket = 0;
    this.shorten();
  }

  private put(a: Uint32Array, b: Uint32Array, count: number): void {
    const members = this.members.view;
    const ranks = this.ranks.view;
    for (let i = 0; i < count; i++) {
      // They stand in the order of slots, not of ranks.
      const isTurned = ranks[a[i]!]! > ranks[b[i]!]!;
      const x = MEMBER * (isTurned ? b[i]! : a[i]!) + OF_MEMBER.rank;
      const y = MEMBER * (isTurned ? a[i]! : b[i]!) + OF_MEMBER.rank;
      this.pairs.put(members, x, members, y);
    }
  }

  /** 0, 1, ... below `count`. */
  private numbers(count: number): Uint32Array {
    if (this.documents.length < count) this.documents = Uint32Array.from({ length: 2 * count }, (_, i) => i);
    return this.documents.subarray(0, count);
  }
}

/** A bucket of more than `hotBucket` members, which stream by. */
class HotBucket {
  private readonly stream = new StreamedBucket();
  /** Members by their place in the order modulo HELD_MEMBERS. */
  private readonly held = new Uint8Array(HELD_MEMBERS * MEMBER);
  private readonly first = new Uint8Array(RANK + PLACE);
  private readonly bucket = new Uint8Array(BUCKET);
  private readonly keys = new FieldWriter();
  private readonly values = new FieldWriter();
  private readonly out: RecordSink;
  private readonly pair: (a: number, b: number) => void;

  constructor(out: RecordSink, pairs: PairRecords) {
    this.out = out;
    const at = (order: number): number => (order % HELD_MEMBERS) * MEMBER + OF_MEMBER.rank;
    this.pair = (a, b) => pairs.put(this.held, at(a), this.held, at(b));
  }

  begin(bucket: Uint8Array): void {
    this.stream.clear();
    this.bucket.set(bucket);
  }

  add(tail: Uint8Array, place: Uint8Array): void {
    const { stream, held } = this;
    const at = (stream.members % HELD_MEMBERS) * MEMBER;
    held.set(tail, at);
    held.set(place, at + OF_MEMBER.place);
    const rank = u64At(tail, OF_MEMBER.rank);
    const order = stream.add(rank, this.pair);
    if (stream.orderOfFirst === order) this.first.set(held.subarray(at + OF_MEMBER.rank, at + MEMBER));
    this.keys.reset().u8(KINDS.hot).raw(this.bucket).u64(rank);
    this.values.reset().raw(tail.subarray(0, OF_MEMBER.rank)).u64(order).raw(place);
    this.out.put(this.keys.view, this.values.view);
  }

  end({ facts }: StagePlace): void {
    const { members, orderOfFirst, made, skipped } = this.stream;
    this.keys.reset().u8(KINDS.head).raw(this.bucket);
    this.values.reset().u64(members).raw(this.first).u64(orderOfFirst);
    this.out.put(this.keys.view, this.values.view);
    facts.add('buckets', 1);
    facts.add('hot buckets', 1);
    facts.add('pairs made in hot buckets', made);
    facts.add('pairs skipped', skipped);
    facts.most('largest bucket', members);
  }
}

function reduceBands(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const { hotBucket } = here.manifest.params;
  const pairs = new PairRecords(out);
  const small = new SmallBuckets(here, pairs);
  const hot = new HotBucket(out, pairs);
  const bucket = new Uint8Array(BUCKET);
  let isHot = false;
  const end = (): void => {
    if (isHot) hot.end(here);
    else small.close();
    isHot = false;
  };
  while (input.next()) {
    const { key, value } = input;
    if (!sharesPrefix(key, bucket, BUCKET)) {
      end();
      bucket.set(key.subarray(0, BUCKET));
    }
    const tail = key.subarray(BUCKET);
    if (!isHot && small.open === hotBucket) {
      isHot = true;
      hot.begin(bucket);
      const members = small.taken();
      for (let at = 0; at < members.length; at += MEMBER) {
        hot.add(
          members.subarray(at, at + OF_MEMBER.place),
          members.subarray(at + OF_MEMBER.place, at + MEMBER),
        );
      }
    }
    if (isHot) hot.add(tail, value);
    else small.add(tail, value);
  }
  end();
  small.flush();
}

/** Documents whose signatures are equal in a band become pairs; of hot buckets also their members. */
export const bands: StreamStage = {
  reads: 'records',
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapBands,
  reduce: reduceBands,
};

/** head -> band u16, bucket 8, 0 / first u64, its place, its order; hot -> band u16, bucket 8, 1, order / rank u64, place. */
function mapHotFirsts(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  const values = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    keys.reset().raw(key.subarray(KIND, KIND + BUCKET));
    if (key[0] === KINDS.head) {
      out.put(keys.u8(0).view, value.subarray(OF_HEAD.first));
    } else if (key[0] === KINDS.hot) {
      values
        .reset()
        .raw(key.subarray(KIND + BUCKET))
        .raw(value.subarray(OF_HOT.place));
      out.put(keys.u8(1).raw(value.subarray(OF_HOT.order, OF_HOT.place)).view, values.view);
    }
  }
}

function reduceHotFirsts(input: RecordSource, out: RecordSink, { facts }: StagePlace): void {
  const pairs = new PairRecords(out);
  const bucket = new Uint8Array(BUCKET);
  const first = new Uint8Array(RANK + PLACE + 8);
  let order = -1;
  let made = 0;
  while (input.next()) {
    const { key, value } = input;
    if (key[BUCKET] === 0) {
      bucket.set(key.subarray(0, BUCKET));
      first.set(value);
      order = u64At(value, RANK + PLACE);
      continue;
    }
    if (order < 0 || !sharesPrefix(key, bucket, BUCKET))
      throw new Error('members of a hot bucket without its head: our own defect');
    if (!isLeftToFirst(order, u64At(key, BUCKET + 1))) continue;
    pairs.put(first, 0, value, 0);
    made++;
  }
  facts.add('pairs with first members', made);
}

/** Members of hot buckets and the first of each become pairs, where they did not stand near. */
export const hotFirsts: StreamStage = {
  reads: 'records',
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapHotFirsts,
  reduce: reduceHotFirsts,
};
