/**
 * Stages that give the members of large and hot buckets what they are paired by, and compare those of large buckets all with all.
 *
 * A pair that shares several buckets is made in one of them only, by the rule of reducers/largeBuckets.ts: so a member of a large
 * bucket brings, beside its signature, the states of its buckets in all bands. A task holds one document with its buckets; then the
 * signatures of a bucket, or, of a bucket with more members than MOST_BYTES has room for, of two of its parts.
 */

import { spansOf } from '../../../reducers/largeBuckets.js';
import { ByteColumn, Float64Column } from '../../arrays/growable.js';
import { CAPPED, LARGE, type LargeRule, SMALL, type SpanPair } from '../../blocks/pairs.js';
import { leastKept } from '../../sketch/family.js';
import { type ResultParams, signatureParams } from '../../sketch/params.js';
import { strideOf } from '../../sketch/signature.js';
import { appendNames, comparedGroup, crossingBytes, hasGroups } from '../stream/crossing.js';
import { EvidenceReader } from '../stream/evidence.js';
import { IdHash } from '../stream/idHash.js';
import { BUCKET, KINDS, OF_CROWD, OF_SIGNATURE, PLACE, RANK } from '../stream/kinds.js';
import { PAIRED, RankBits } from '../stream/rankBits.js';
import {
  FieldWriter,
  PRESENT,
  type RecordSink,
  type RecordSource,
  sharesPrefix,
  u32At,
  u64At,
} from '../stream/records.js';
import { type StagePlace, type StreamStage, withoutKind } from '../stream/stage.js';
import { hotBucketOfJob } from '../stream/taskManifest.js';
import { withoutSignature } from './comparingStages.js';
import { ClassSignatures, SIGNATURE_KINDS } from './documents/classSignatures.js';
import { DOCUMENT_KINDS, RankedDocuments } from './documents/namingStages.js';
import { StreamedSignatures } from './streamedSignatures.js';

/** Bytes of the signatures of a part of a bucket; a task holds two parts. */
const MOST_BYTES = 2 ** 22;

const membersOfPart = (params: ResultParams): number =>
  Math.floor(MOST_BYTES / (4 * strideOf(signatureParams(params).sketch.hashes)));

/** Tags after the rank: the hash of the id of a document and its signature come before its buckets. */
const [OF_ID, OWN, OF_BUCKET] = [0, 1, 2];

/** Documents -> rank, 0 / idHash 8; signatures -> rank, 1 / as signature; crowd -> rank, 2, band u16, bucket 8 / unchanged. */
function mapBucketMembers(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  const signatures = ClassSignatures.ofPaired(here);
  const paired = RankBits.from(here, PAIRED);
  const idHash = new IdHash(here.manifest.params.seed);
  const documents = new RankedDocuments(here.manifest, true);
  while (input.next()) {
    const { key, value } = input;
    if (signatures.take(input)) {
      while (signatures.next()) out.put(keys.reset().u64(signatures.rank).u8(OWN).view, signatures.signature);
      continue;
    }
    documents.take(input);
    while (documents.next()) {
      if (paired?.has(documents.rank) === false) continue;
      keys.reset().u64(documents.rank).u8(OF_ID);
      out.put(keys.view, idHash.append(values.reset(), documents.value).view);
    }
    if (key[0] !== KINDS.crowd) continue;
    out.put(keys.tagged(key, RANK, OF_BUCKET).view, value);
  }
}

/** Names of the facts that count the members of large and of hot buckets, in each of their buckets. */
export const LARGE_MEMBERS = 'members of large buckets';
export const HOT_MEMBERS = 'members of hot buckets';

class MemberOfBuckets {
  private readonly rank = new Uint8Array(RANK);
  private readonly idHash = new FieldWriter();
  private readonly signature = new FieldWriter();
  private isHeld = false;
  /** By band: whether the document's bucket is small, large or hot. */
  private readonly states: Uint8Array;
  private readonly buckets: Uint8Array;
  /** By bucket: its number of members, and the document's number among them. */
  private readonly sizes: Uint32Array;
  private count = 0;
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private readonly params: ResultParams;
  private readonly hotBucket: number;
  private readonly most: number;
  private readonly facts: StagePlace['facts'];

  constructor(out: RecordSink, { manifest, facts }: StagePlace) {
    this.out = out;
    this.facts = facts;
    this.params = manifest.params;
    this.hotBucket = hotBucketOfJob(manifest);
    this.most = membersOfPart(manifest.params);
    const { bands } = signatureParams(manifest.params).banding;
    this.states = new Uint8Array(bands);
    this.buckets = new Uint8Array(BUCKET * bands);
    this.sizes = new Uint32Array(2 * bands);
  }

  /** Takes the hash of the id of the document that begins next. */
  named(idHash: Uint8Array): void {
    this.idHash.reset().raw(idHash);
  }

  begin(rank: Uint8Array, signature: Uint8Array): void {
    this.rank.set(rank);
    this.signature.reset().raw(signature);
    this.isHeld = true;
  }

  /** @throws Error for a bucket of a document whose signature did not come: our own defect */
  add(rank: Uint8Array, bucket: Uint8Array, value: Uint8Array): void {
    if (!this.isHeld || !sharesPrefix(rank, this.rank, RANK)) throw withoutSignature(rank);
    const members = u32At(value, OF_CROWD.members);
    this.states[bandOf(bucket)] = members === 0 || members > this.hotBucket ? CAPPED : LARGE;
    this.buckets.set(bucket, BUCKET * this.count);
    this.sizes[2 * this.count] = members;
    this.sizes[2 * this.count++ + 1] = u32At(value, OF_CROWD.number);
  }

  /** Writes the document once for each of its buckets, and forgets it. */
  end(): void {
    for (let i = 0; i < this.count; i++) {
      const bucket = this.buckets.subarray(BUCKET * i, BUCKET * (i + 1));
      if (this.states[bandOf(bucket)] === CAPPED) this.hot(bucket);
      else this.large(bucket, this.sizes[2 * i]!, this.sizes[2 * i + 1]!);
    }
    this.count = 0;
    this.states.fill(SMALL);
  }

  /** Members of a hot bucket are ordered by the slot after the last slot of the band, modulo the number of slots. */
  private hot(bucket: Uint8Array): void {
    const { params, rank, key, signature } = this;
    const { banding, sketch } = signatureParams(params);
    const place = OF_SIGNATURE.slots + 4 * (((bandOf(bucket) + 1) * banding.rows) % sketch.hashes);
    const held = signature.view;
    this.facts.add(HOT_MEMBERS, 1);
    key.kind(KINDS.crowded).raw(bucket);
    for (let byte = 3; byte >= 0; byte--) key.u8(held[place + byte]!);
    key.raw(this.idHash.view).raw(rank);
    if (!hasGroups(params)) this.out.put(key.view, PRESENT);
    else {
      const group = comparedGroup(held, held.length - crossingBytes(params), u64At(rank, 0));
      this.out.put(key.view, this.value.reset().u64(group).view);
    }
  }

  /** Of a bucket with more members than two parts have room for, every two parts are compared. */
  private large(bucket: Uint8Array, members: number, number: number): void {
    const { key, value, out, signature, rank, states, most, facts } = this;
    value.reset().raw(rank).raw(states).raw(signature.view);
    facts.add(LARGE_MEMBERS, 1);
    const parts = members <= 2 * most ? 1 : Math.ceil(members / most);
    const own = Math.floor((number * parts) / members);
    for (let other = 0; other < parts; other++) {
      if (other === own && parts > 1) continue;
      key.kind(KINDS.large).raw(bucket).u16(Math.min(own, other)).u16(Math.max(own, other));
      out.put(key.u16(own).u32(number).view, value.view);
    }
  }
}

const bandOf = (bucket: Uint8Array): number => bucket[0]! * 256 + bucket[1]!;

/** Joins the members of large and hot buckets with their ids and signatures. */
export const bucketMembers: StreamStage = {
  reads: 'records',
  kinds: [...DOCUMENT_KINDS, ...SIGNATURE_KINDS, KINDS.crowd],
  shuffles: ['document'],
  prefix: RANK,
  map: mapBucketMembers,
  reduce(input, out, here) {
    const member = new MemberOfBuckets(out, here);
    while (input.next()) {
      const { key, value } = input;
      if (key[RANK] === OF_ID) {
        member.end();
        member.named(value);
      } else if (key[RANK] === OWN) {
        member.end();
        member.begin(key.subarray(0, RANK), value);
      } else member.add(key.subarray(0, RANK), key.subarray(RANK + 1), value);
    }
    member.end();
  },
};

/** Bytes by which records come together: bucket and two parts. Then the member's part stands in the key. */
const PARTS = BUCKET + 4;

/** The members of a large bucket, or of two of its parts. */
class HeldMembers {
  private readonly parts = new Uint8Array(PARTS);
  private readonly ranks = new Float64Column();
  private readonly rows: StreamedSignatures;
  private readonly states = new ByteColumn();
  private readonly places = new ByteColumn();
  /** Crossings and compared groups; empty without groups. */
  private readonly crossings = new ByteColumn();
  private readonly groups = new Float64Column();
  /** Members of the first part. */
  private firsts = 0;
  private readonly rule: Omit<LargeRule, 'band'>;
  private readonly counts: Float64Array;
  private readonly crossing: number;
  private readonly evidence: EvidenceReader;
  private readonly out: RecordSink;
  private readonly here: StagePlace;
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();

  constructor(out: RecordSink, here: StagePlace) {
    const { params } = here.manifest;
    const { banding, sketch } = signatureParams(params);
    this.rule = { ...banding, hashes: sketch.hashes, least: leastKept(params) };
    this.rows = new StreamedSignatures(sketch.hashes, 2 * membersOfPart(params));
    this.evidence = new EvidenceReader(params);
    this.counts = new Float64Array(sketch.hashes + 1);
    this.crossing = crossingBytes(params);
    this.out = out;
    this.here = here;
  }

  /** Adds the next member; first compares the members that are held, if it is of another bucket or of other parts. */
  add(key: Uint8Array, value: Uint8Array): void {
    if (!sharesPrefix(key, this.parts, PARTS)) {
      this.compare();
      this.parts.set(key.subarray(0, PARTS));
    }
    const { parts, rule, crossing } = this;
    const rank = u64At(value, 0);
    const place = RANK + rule.bands;
    const end = value.length - crossing;
    this.rows.add(value, place + PLACE, end);
    this.ranks.push(rank);
    this.states.append(value.subarray(RANK, place));
    this.places.append(value.subarray(place, place + PLACE));
    if (crossing > 0) {
      this.crossings.append(value.subarray(end));
      this.groups.push(comparedGroup(value, end, rank));
    }
    if (sharesPrefix(key.subarray(PARTS), parts.subarray(BUCKET), 2)) this.firsts++;
  }

  /** Compares the members that are held, writes the pairs that are kept, and forgets the members. */
  compare(): void {
    const { rows, states, rule, counts, parts } = this;
    const { count, stride, slots } = rows;
    if (count === 0) return;
    const members = {
      documents: Uint32Array.from({ length: count }, (_, row) => row),
      signatures: slots.subarray(0, stride * count),
      stride,
      states: states.view,
    };
    const band = bandOf(parts);
    const spans = [...this.spans()];
    this.here.kernel.pairing.compareMembers(
      members,
      spans,
      { ...rule, band },
      counts,
      (a, b, equal, made) => {
        for (let i = 0; i < made; i++) this.put(a[i]!, b[i]!, equal[i]!);
        this.here.facts.add('compared pairs', made);
      },
    );
    rows.clear();
    for (const column of [this.ranks, states, this.places, this.crossings, this.groups]) column.truncate(0);
    this.firsts = 0;
  }

  /** Each part is compared with itself beside the part before it, and the first one beside the second. */
  private *spans(): Generator<SpanPair> {
    const { parts, firsts, rows } = this;
    const groups = this.crossing > 0 ? this.groups.view : null;
    const [low, high] = [
      parts[BUCKET]! * 256 + parts[BUCKET + 1]!,
      parts[BUCKET + 2]! * 256 + parts[BUCKET + 3]!,
    ];
    const [one, other] = [
      { from: 0, to: firsts },
      { from: firsts, to: rows.count },
    ];
    if (low === 0 && high <= 1) yield* spansOf(one, one, groups);
    if (high === low) return;
    if (high === low + 1) yield* spansOf(other, other, groups);
    yield* spansOf(one, other, groups);
  }

  private put(one: number, other: number, agreement: number): void {
    const { key, value, out, crossing } = this;
    const [ranks, places] = [this.ranks.view, this.places.view];
    const [a, b] = ranks[one]! < ranks[other]! ? [one, other] : [other, one];
    key.kind(this.evidence.kindOf(agreement)).u64(ranks[a]!).u64(ranks[b]!);
    if (crossing > 0) {
      const crossings = this.crossings.view;
      appendNames(key, [ranks[a]!, crossings, crossing * a], [ranks[b]!, crossings, crossing * b]);
    }
    value
      .reset()
      .f64(agreement)
      .raw(places, PLACE * a, PLACE * (a + 1))
      .raw(places, PLACE * b, PLACE * (b + 1));
    out.put(key.view, value.view);
  }

  /** Counts the pairs that are not kept, by matching slots. */
  tell(): void {
    this.counts.forEach((count, slots) => {
      if (count > 0) this.here.facts.add(`${UNLISTED}${slots}`, count);
    });
  }
}

/** Prefix of the fact that counts the pairs with so many matching slots that are only counted. */
const UNLISTED = 'unlisted with ';

/** By number of matching slots: the pairs that `largePairs` only counted. */
export function unlistedOf(sums: Readonly<Record<string, number>>, hashes: number): Float64Array {
  return Float64Array.from({ length: hashes + 1 }, (_, slots) => sums[`${UNLISTED}${slots}`] ?? 0);
}

export const largePairs: StreamStage = {
  reads: 'records',
  kinds: [KINDS.large],
  shuffles: ['band', 'bucket', 'parts'],
  prefix: PARTS,
  map: withoutKind(KINDS.large),
  reduce(input, out, here) {
    const held = new HeldMembers(out, here);
    while (input.next()) held.add(input.key, input.value);
    held.compare();
    held.tell();
  },
};
