/**
 * Stages that decide how frequent fingerprints of samples are used, by the rules of reducers/frequentPairs.ts.
 *
 *      holders       crowd, head       in how many documents each frequent fingerprint is
 *      reliance      frequent          on which of them a document relies: `held`; its other fingerprints: `sampled`
 *      relying       held              on how many documents rely; those with few are paired in full
 *      fullLists     relied            one task chooses which of the others are
 *      fullPairs     full, held        their pairs; `held` of hot ones
 *      chosen        held              by which hot fingerprints each document is paired; of resemblance, as `hot`
 *      hotHolders    chosen, held      by containment: all documents that have them, as `hot`
 *
 * Tasks hold the frequent fingerprints of a document, or the documents that rely on a fingerprint that is paired in full: at most
 * as many as give all documents together the partners of `mostPartners`. `fullLists` holds 20 bytes a document that relies on
 * some fingerprint, and up to 40 while tables grow.
 */

import { FullChoice, MOST_HOT_LISTS, reliedOn } from '../../../../reducers/frequentPairs.js';
import { FingerprintTable } from '../../../arrays/hashTable.js';
import { leastHotBucket, mostPartners } from '../../../sketch/hotBuckets.js';
import type { ResultParams } from '../../../sketch/params.js';
import { type SampleRule, sampleRuleOf } from '../../../sketch/samples/sampleRule.js';
import { comparedGroup, crossingBytes } from '../../stream/crossing.js';
import { BUCKET, KIND, KINDS, OF_SIGNATURE, RANK } from '../../stream/kinds.js';
import { FieldWriter, type RecordSource, type StageSink, u64At } from '../../stream/records.js';
import { FINGERPRINT, HeldSamples, SIZES } from '../../stream/sampleRecords.js';
import {
  joined,
  mapOf,
  type StagePlace,
  type StreamStage,
  tagged,
  turned,
  unchanged,
} from '../../stream/stage.js';
import { ClassSignatures } from '../documents/classSignatures.js';
import { mapNamed, namedKinds, OF_ID, OWN } from '../largeStages.js';
import { MET, writeMet } from './listStages.js';

const isContained = ({ measure }: ResultParams): boolean => measure === 'containment';

/** Roles in `held`: the document relies on this fingerprint, on others, or on no frequent one. */
const ROLE = { onIt: 0, onOthers: 1, onNone: 2 } as const;
/** Offsets in the value of `held`. */
const OF_HELD = { role: 0, members: 1, next: 9, idHash: 17, group: 25, sizes: 33 } as const;

/** In how many documents each frequent fingerprint of a document is. */
export const holders: StreamStage = {
  ...mapOf({ [KINDS.head]: tagged(BUCKET, 0), [KINDS.crowd]: turned(RANK, 1) }),
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  reduce: joined(BUCKET, (members, { key, shared }, out) => {
    out.key
      .kind(KINDS.frequent)
      .raw(key, BUCKET + 1)
      .raw(members)
      .raw(shared);
    out.write();
  }),
};

/** A frequent fingerprint: 10 bytes as in keys. */
interface Frequent {
  readonly name: Uint8Array;
  readonly members: number;
}

/** A document with its frequent fingerprints, in the order in which it relies on them. */
class DocumentOfFrequent {
  private readonly samples: HeldSamples;
  private readonly rank: Uint8Array;
  private readonly idHash = new FieldWriter();
  /** The compared group. */
  private group = 0;
  private readonly params: ResultParams;
  private readonly out: StageSink;
  /** Its sample has come. */
  private isOpen = false;
  private readonly frequent: Frequent[] = [];

  constructor(out: StageSink, { manifest }: StagePlace, rank: Uint8Array, samples: HeldSamples) {
    this.out = out;
    this.params = manifest.params;
    this.rank = rank;
    this.samples = samples;
  }

  add({ key, value }: RecordSource): void {
    if (key[RANK] === OF_ID) this.idHash.raw(value);
    else if (key[RANK] === OWN) {
      this.isOpen = true;
      const crossing = crossingBytes(this.params);
      const end = value.length - crossing;
      const rank = u64At(key, 0);
      this.group = crossing === 0 ? rank : comparedGroup(value, end, rank);
      this.samples.read(0, value, OF_SIGNATURE.slots, end);
    } else if (this.isOpen)
      this.frequent.push({ members: u64At(key, RANK + 1), name: key.slice(2 * RANK + 1) });
    else
      throw new Error(`document ${u64At(key, 0)} has a frequent fingerprint and no sample: our own defect`);
  }

  end(rule: SampleRule): void {
    if (!this.isOpen) return;
    const { samples, frequent } = this;
    samples.frequent[0] = frequent.length;
    const wanted = reliedOn(rule, samples.sizes, 0, frequent.length);
    const inOrder = [...frequent].sort((one, other) => Buffer.compare(one.name, other.name));
    this.sampled(inOrder);
    this.held(inOrder, new Set(frequent.slice(0, wanted)));
  }

  /** Writes the sample without its frequent fingerprints. */
  private sampled(frequent: readonly Frequent[]): void {
    const { samples, out } = this;
    const { buffer } = samples.blocks[0]!.values;
    const bytes = new Uint8Array(buffer, 0, FINGERPRINT * samples.sizes.size[0]!);
    out.key.kind(KINDS.sampled).raw(this.rank);
    samples.appendSizes(0, out.value);
    for (let at = 0, next = 0; at < bytes.length; at += FINGERPRINT) {
      // Both are in the order of fingerprints.
      if (next < frequent.length && isNamed(frequent[next]!.name, bytes, at)) next++;
      else out.value.raw(bytes, at, at + FINGERPRINT);
    }
    out.write();
  }

  private held(frequent: readonly Frequent[], relied: ReadonlySet<Frequent>): void {
    const { out } = this;
    const other = relied.size > 0 ? ROLE.onOthers : ROLE.onNone;
    for (const [i, one] of frequent.entries()) {
      const isRelied = relied.has(one);
      // By resemblance both documents of a pair rely on the fingerprint that makes it.
      if (!isRelied && !isContained(this.params)) continue;
      const next = frequent[(i + 1) % frequent.length]!.name;
      out.key.kind(KINDS.held).raw(one.name).raw(this.rank);
      out.value.u8(isRelied ? ROLE.onIt : other).u64(one.members);
      out.value
        .raw(next, BUCKET - FINGERPRINT)
        .raw(this.idHash.view)
        .u64(this.group);
      this.samples.appendSizes(0, out.value);
      out.write();
    }
  }
}

/** Whether a name is that of the fingerprint of columns at `at`. */
function isNamed(name: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < FINGERPRINT; i++) if (name[BUCKET - 1 - i] !== bytes[at + i]) return false;
  return true;
}

/** The frequent fingerprints on which documents rely; by containment, all that they have. */
export const reliance: StreamStage = {
  kinds: namedKinds(KINDS.frequent),
  shuffles: ['document'],
  prefix: RANK,
  map: mapNamed(KINDS.frequent, ClassSignatures.ofFirsts),
  reduce(input, out, here) {
    const { rule } = sampleRuleOf(here.manifest.params);
    const samples = new HeldSamples(1);
    while (input.group()) {
      const document = new DocumentOfFrequent(out, here, input.shared, samples);
      while (input.each()) document.add(input);
      document.end(rule);
    }
  },
};

/** Writes the pairs of a fingerprint that is paired in full: those that rely on it come first, and are held. */
class FullPairs {
  private held: Uint8Array = new Uint8Array(64 * (RANK + SIZES));
  private readonly one = new FieldWriter();
  private readonly out: StageSink;
  private count = 0;

  constructor(out: StageSink) {
    this.out = out;
  }

  begin(): void {
    this.count = 0;
  }

  /** `rank`: 8 bytes; `value`: that of `held`. */
  add(rank: Uint8Array, value: Uint8Array): void {
    const { held, out, count } = this;
    const width = RANK + SIZES;
    const one = this.one.reset().raw(rank).raw(value, OF_HELD.sizes).view;
    const own = u64At(rank, 0);
    for (let i = 0; i < count; i++) {
      const at = i * width;
      if (u64At(held, at) < own) writeMet(out, MET.made, held, at, one, 0);
      else writeMet(out, MET.made, one, 0, held, at);
    }
    if (value[OF_HELD.role] !== ROLE.onIt) return;
    if (width * (count + 1) > held.length) {
      this.held = new Uint8Array(2 * held.length);
      this.held.set(held);
    }
    this.held.set(one, width * this.count++);
  }
}

/** Tags after the fingerprint: those that rely on it are announced, and come before the others that have it. */
const [ANNOUNCED, MEMBER] = [0, 1];

/** Puts a document of a fingerprint: those that rely on it first, in the order of ranks. */
function writeMember({ key, value }: RecordSource, out: StageSink): void {
  out.key.raw(key, KIND, KIND + BUCKET).u8(MEMBER);
  out.key.u8(value[OF_HELD.role] === ROLE.onIt ? 0 : 1).raw(key, KIND + BUCKET);
  out.write(value);
}

/** Where the rank begins in the key of a member: after fingerprint, tag and role. */
const RANK_AT = BUCKET + 2;

/**
 * How many documents rely on each fingerprint: few are paired with all that are candidates for it. A fingerprint on which none
 * relies is left out: its documents come without an announcement.
 */
export const relying: StreamStage = {
  ...mapOf({
    [KINDS.held](record, out) {
      if (record.value[OF_HELD.role] === ROLE.onIt) {
        out.key.tagged(record.key, BUCKET, ANNOUNCED);
        out.write();
      }
      writeMember(record, out);
    },
  }),
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  reduce(input, out, { manifest: { params }, facts }) {
    const few = leastHotBucket(params.hotBucket);
    const pairs = new FullPairs(out);
    while (input.group()) {
      let relying = 0;
      pairs.begin();
      while (input.each()) {
        const { key, value } = input;
        if (key[BUCKET] === ANNOUNCED) {
          if (++relying === few + 1) facts.add('large lists', 1);
          continue;
        }
        if (relying === 0) continue;
        const rank = key.subarray(RANK_AT);
        if (value[OF_HELD.role] === ROLE.onIt) {
          out.key.kind(KINDS.relied).u8(relying > few ? 1 : 0);
          out.key.u64(isContained(params) ? u64At(value, OF_HELD.members) : relying);
          out.key.raw(input.shared).raw(rank);
          out.write();
        }
        if (relying <= few) pairs.add(rank, value);
        else {
          out.key.kind(KINDS.held).raw(input.shared).raw(rank);
          out.write(value);
        }
      }
    }
  },
};

/** Bytes of isLarge u8 and partners u64 in a key of `relied`. */
const WEIGHT = 9;
const HIGH = 2 ** 32;

/** Which fingerprints are paired in full although many documents rely on them. One task reads all. */
export const fullLists: StreamStage = {
  ...mapOf({ [KINDS.relied]: unchanged }),
  shuffles: ['all'],
  prefix: KIND,
  reduce(input, out, { manifest, facts }) {
    const { hotBucket } = manifest.params;
    const choice = new FullChoice(mostPartners(hotBucket, manifest.compared ?? 0), 1024);
    const numbers = new FingerprintTable();
    while (input.group(KIND + WEIGHT + BUCKET)) {
      const list = input.shared;
      const isLarge = list[KIND] === 1;
      choice.begin(u64At(list, KIND + 1), isLarge);
      while (input.each()) {
        const rank = u64At(input.key, list.length);
        choice.add(numbers.add(rank >>> 0, Math.floor(rank / HIGH)));
      }
      if (!choice.end()) facts.add('hot lists', 1);
      else if (isLarge) {
        out.key.kind(KINDS.full).raw(list, KIND + WEIGHT);
        out.write();
      }
    }
  },
};

/** The pairs of large lists that are paired in full; the documents of the others. */
export const fullPairs: StreamStage = {
  ...mapOf({ [KINDS.full]: tagged(BUCKET, ANNOUNCED), [KINDS.held]: writeMember }),
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  reduce(input, out) {
    const pairs = new FullPairs(out);
    while (input.group()) {
      let isFull = false;
      pairs.begin();
      while (input.each()) {
        const { key, value } = input;
        if (key[BUCKET] === ANNOUNCED) isFull = true;
        else if (isFull) pairs.add(key.subarray(RANK_AT), value);
        else {
          out.key.kind(KINDS.held).raw(input.shared).raw(key, RANK_AT);
          out.write(value);
        }
      }
    }
  },
};

/** Writes a member of a hot fingerprint, as a record of kind `keptHot`: at first every document is kept. `value`: that of `held`. */
function writeHot(out: StageSink, name: Uint8Array, rank: Uint8Array, value: Uint8Array): void {
  const relies = value[OF_HELD.role] === ROLE.onNone ? 0 : 1;
  out.key.kind(KINDS.keptHot).raw(name).raw(rank);
  out.value.raw(value, OF_HELD.next, OF_HELD.idHash).u32(0);
  out.value.u64(2 * u64At(rank, 0) + relies);
  out.value.raw(value, OF_HELD.group, OF_HELD.sizes).raw(value, OF_HELD.idHash, OF_HELD.group);
  out.write();
}

/** The hot fingerprints by which a document is paired: the smallest on which it relies, so that similar documents have the same. */
export const chosen: StreamStage = {
  ...mapOf({
    [KINDS.held]({ key, value }, out) {
      if (value[OF_HELD.role] !== ROLE.onIt) return;
      out.key.raw(key, KIND + BUCKET).raw(key, KIND, KIND + BUCKET);
      out.write(value);
    },
  }),
  shuffles: ['document'],
  prefix: RANK,
  reduce(input, out, { manifest }) {
    while (input.group()) {
      for (let taken = 0; taken < MOST_HOT_LISTS && input.each(); taken++) {
        const name = input.key.subarray(RANK);
        if (!isContained(manifest.params)) writeHot(out, name, input.shared, input.value);
        else {
          out.key.kind(KINDS.chosen).raw(name);
          out.write();
        }
      }
    }
  },
};

/** By containment: all documents that have a hot fingerprint by which some document is paired. */
export const hotHolders: StreamStage = {
  ...mapOf({ [KINDS.chosen]: tagged(BUCKET, ANNOUNCED), [KINDS.held]: tagged(BUCKET, MEMBER) }),
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  reduce: joined(BUCKET, (isChosen, { key, value, shared }, out) => {
    if (isChosen.length > 0) writeHot(out, shared, key.subarray(BUCKET + 1), value);
  }),
};
