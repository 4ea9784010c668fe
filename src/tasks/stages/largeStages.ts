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
import { ElementHash } from '../../text/elements.js';
import { appendNames, comparedGroup, crossingBytes, hasGroups } from '../stream/crossing.js';
import { EvidenceReader } from '../stream/evidence.js';
import { BUCKET, KINDS, OF_CROWD, OF_RANKED, OF_SIGNATURE, PLACE, RANK } from '../stream/kinds.js';
import { PAIRED, RankBits } from '../stream/rankBits.js';
import { FieldWriter, type StageSink, sharesPrefix, u32At, u64At } from '../stream/records.js';
import { mapOf, type StagePlace, type StreamStage, withoutKind } from '../stream/stage.js';
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
export const [OF_ID, OWN] = [0, 1];
const OF_BUCKET = 2;

/** What the Map of documents with their ids, signatures and records of another kind reads. */
export const namedKinds = (kind: number): readonly number[] => [...DOCUMENT_KINDS, ...SIGNATURE_KINDS, kind];

/**
 * Documents -> rank, 0 / hash of the id 8, high word first; signatures -> rank, 1 / as signature; records of a kind -> rank, 2, the rest
 * of the key / unchanged. The hashes of ids put members of buckets in an order that no document decides.
 */
export function mapNamed(
  kind: number,
  signaturesIn: (here: StagePlace) => ClassSignatures,
): StreamStage['map'] {
  return (input, out, here) => {
    const signatures = signaturesIn(here);
    const paired = RankBits.from(here, PAIRED);
    const hash = new ElementHash(here.manifest.params.seed);
    const words = new Uint32Array(2);
    const documents = new RankedDocuments(here.manifest, true);
    while (input.next()) {
      const { key, value } = input;
      if (signatures.take(input)) {
        while (signatures.next()) {
          out.key.u64(signatures.rank).u8(OWN);
          out.write(signatures.signature);
        }
      } else if (documents.take(input)) {
        while (documents.next()) {
          if (paired?.has(documents.rank) === false) continue;
          const document = documents.value;
          hash.write(document, OF_RANKED.id, document.length, words, 0);
          out.key.u64(documents.rank).u8(OF_ID);
          out.value.u32(words[1]!).u32(words[0]!);
          out.write();
        }
      } else if (key[0] === kind) {
        out.key.tagged(key, RANK, OF_BUCKET);
        out.write(value);
      }
    }
  };
}

/** Names of the facts that count the members of large and of hot buckets, in each of their buckets. */
export const LARGE_MEMBERS = 'members of large buckets';
export const HOT_MEMBERS = 'members of hot buckets';

/** A document with its large and hot buckets: at most one in each band. */
class MemberOfBuckets {
  readonly idHash = new FieldWriter();
  readonly signature = new FieldWriter();
  private readonly rank: Uint8Array;
  /** By band: whether the document's bucket is small, large or hot. */
  private readonly states: Uint8Array;
  private readonly buckets: {
    readonly name: Uint8Array;
    readonly members: number;
    /** The document's number among them. */
    readonly number: number;
  }[] = [];
  private readonly out: StageSink;
  private readonly here: StagePlace;

  constructor(out: StageSink, here: StagePlace, rank: Uint8Array) {
    this.out = out;
    this.here = here;
    this.rank = rank;
    this.states = new Uint8Array(signatureParams(here.manifest.params).banding.bands).fill(SMALL);
  }

  /** @throws Error for a bucket of a document whose signature did not come: our own defect */
  add(bucket: Uint8Array, value: Uint8Array): void {
    if (this.signature.size === 0) throw withoutSignature(this.rank);
    const members = u32At(value, OF_CROWD.members);
    const isHot = members === 0 || members > hotBucketOfJob(this.here.manifest);
    this.states[bandOf(bucket)] = isHot ? CAPPED : LARGE;
    this.buckets.push({ name: bucket.slice(), members, number: u32At(value, OF_CROWD.number) });
  }

  /** Writes the document once for each of its buckets. */
  end(): void {
    for (const { name, members, number } of this.buckets) {
      if (this.states[bandOf(name)] === CAPPED) this.hot(name);
      else this.large(name, members, number);
    }
  }

  /** Members of a hot bucket are ordered by the slot after the last slot of the band, modulo the number of slots. */
  private hot(bucket: Uint8Array): void {
    const { rank, out, here } = this;
    const { params } = here.manifest;
    const { banding, sketch } = signatureParams(params);
    const place = OF_SIGNATURE.slots + 4 * (((bandOf(bucket) + 1) * banding.rows) % sketch.hashes);
    const held = this.signature.view;
    here.facts.add(HOT_MEMBERS, 1);
    out.key.kind(KINDS.crowded).raw(bucket);
    for (let byte = 3; byte >= 0; byte--) out.key.u8(held[place + byte]!);
    out.key.raw(this.idHash.view).raw(rank);
    if (hasGroups(params))
      out.value.u64(comparedGroup(held, held.length - crossingBytes(params), u64At(rank, 0)));
    out.write();
  }

  /** Of a bucket with more members than two parts have room for, every two parts are compared. */
  private large(bucket: Uint8Array, members: number, number: number): void {
    const { signature, rank, states, out, here } = this;
    const most = membersOfPart(here.manifest.params);
    here.facts.add(LARGE_MEMBERS, 1);
    const parts = members <= 2 * most ? 1 : Math.ceil(members / most);
    const own = Math.floor((number * parts) / members);
    for (let other = 0; other < parts; other++) {
      if (other === own && parts > 1) continue;
      out.key.kind(KINDS.large).raw(bucket).u16(Math.min(own, other)).u16(Math.max(own, other));
      out.key.u16(own).u32(number);
      out.value.raw(rank).raw(states).raw(signature.view);
      out.write();
    }
  }
}

const bandOf = (bucket: Uint8Array): number => bucket[0]! * 256 + bucket[1]!;

/** Joins the members of large and hot buckets with their ids and signatures. */
export const bucketMembers: StreamStage = {
  kinds: namedKinds(KINDS.crowd),
  shuffles: ['document'],
  prefix: RANK,
  map: mapNamed(KINDS.crowd, ClassSignatures.ofPaired),
  reduce(input, out, here) {
    while (input.group()) {
      const member = new MemberOfBuckets(out, here, input.shared);
      while (input.each()) {
        const { key, value } = input;
        if (key[RANK] === OF_ID) member.idHash.raw(value);
        else if (key[RANK] === OWN) member.signature.raw(value);
        else member.add(key.subarray(RANK + 1), value);
      }
      member.end();
    }
  },
};

/** Bytes by which records come together: bucket and two parts. Then the member's part stands in the key. */
const PARTS = BUCKET + 4;

/** The members of a large bucket, or of two of its parts. */
class HeldMembers {
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
  private readonly out: StageSink;
  private readonly here: StagePlace;

  constructor(out: StageSink, here: StagePlace) {
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

  /** Adds the next member. */
  add(key: Uint8Array, value: Uint8Array): void {
    const { rule, crossing } = this;
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
    if (sharesPrefix(key.subarray(PARTS), key.subarray(BUCKET), 2)) this.firsts++;
  }

  /** Compares the members that are held, writes the pairs that are kept, and forgets the members. `parts`: bucket and two parts. */
  compare(parts: Uint8Array): void {
    const { rows, states, rule, counts } = this;
    const { count, stride, slots } = rows;
    const members = {
      documents: Uint32Array.from({ length: count }, (_, row) => row),
      signatures: slots.subarray(0, stride * count),
      stride,
      states: states.view,
    };
    this.here.kernel.pairing.compareMembers(
      members,
      [...this.spans(parts)],
      { ...rule, band: bandOf(parts) },
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
  private *spans(parts: Uint8Array): Generator<SpanPair> {
    const { firsts, rows } = this;
    const groups = this.crossing > 0 ? this.groups.view : null;
    const both = u32At(parts, BUCKET);
    const [low, high] = [both >>> 16, both & 0xffff];
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
    const { out, crossing } = this;
    const [ranks, places] = [this.ranks.view, this.places.view];
    const [a, b] = ranks[one]! < ranks[other]! ? [one, other] : [other, one];
    out.key.kind(this.evidence.kindOf(agreement)).u64(ranks[a]!).u64(ranks[b]!);
    if (crossing > 0) {
      const crossings = this.crossings.view;
      appendNames(out.key, [ranks[a]!, crossings, crossing * a], [ranks[b]!, crossings, crossing * b]);
    }
    out.value.f64(agreement);
    for (const at of [PLACE * a, PLACE * b]) out.value.raw(places, at, at + PLACE);
    out.write();
  }

  /** Writes how many pairs are not kept, by matching slots: as many numbers as there are slots are too many for the counters of an engine. */
  tell(): void {
    const { out } = this;
    this.counts.forEach((count, slots) => {
      if (count === 0) return;
      out.key.kind(KINDS.unlisted).u32(slots);
      out.value.f64(count);
      out.write();
    });
  }
}

export const largePairs: StreamStage = {
  ...mapOf({ [KINDS.large]: withoutKind }),
  shuffles: ['band', 'bucket', 'parts'],
  prefix: PARTS,
  reduce(input, out, here) {
    const held = new HeldMembers(out, here);
    while (input.group()) {
      while (input.each()) held.add(input.key, input.value);
      held.compare(input.shared);
    }
    held.tell();
  },
};
