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
import { IdHash } from '../../stream/idHash.js';
import { BUCKET, ID_HASH, KIND, KINDS, OF_SIGNATURE, RANK } from '../../stream/kinds.js';
import {
  FieldWriter,
  PRESENT,
  type RecordSink,
  type RecordSource,
  sharesPrefix,
  u64At,
} from '../../stream/records.js';
import { FINGERPRINT, HeldSamples, SIZES } from '../../stream/sampleRecords.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';
import { ClassSignatures, SIGNATURE_KINDS } from '../documents/classSignatures.js';
import { DOCUMENT_KINDS, RankedDocuments } from '../documents/namingStages.js';
import { MET, MetRecords } from './listStages.js';

const isContained = ({ measure }: ResultParams): boolean => measure === 'containment';

/** Roles in `held`: the document relies on this fingerprint, on others, or on no frequent one. */
const ROLE = { onIt: 0, onOthers: 1, onNone: 2 } as const;
/** Offsets in the value of `held`. */
const OF_HELD = { role: 0, members: 1, next: 9, idHash: 17, group: 25, sizes: 33 } as const;

/** head -> fingerprint, 0 / members; crowd -> fingerprint, 1, rank. */
function mapHolders(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.head) out.put(keys.reset().raw(key, KIND).u8(0).view, value);
    if (key[0] !== KINDS.crowd) continue;
    out.put(keys.turned(key, RANK, 1).view, PRESENT);
  }
}

function reduceHolders(input: RecordSource, out: RecordSink): void {
  const [keys, members] = [new FieldWriter(), new FieldWriter()];
  while (input.next()) {
    const { key, value } = input;
    if (key[BUCKET] === 0) {
      members.reset().raw(value);
      continue;
    }
    keys.kind(KINDS.frequent).raw(key, BUCKET + 1);
    out.put(keys.raw(members.view).raw(key, 0, BUCKET).view, PRESENT);
  }
}

/** In how many documents each frequent fingerprint of a document is. */
export const holders: StreamStage = {
  reads: 'records',
  kinds: [KINDS.crowd, KINDS.head],
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  map: mapHolders,
  reduce: reduceHolders,
};

/** Tags after the rank: the hash of its id and the sample of a document come before its frequent fingerprints. */
const [NAMED, OWN, OF_IT] = [0, 1, 2];

/** Documents -> rank, 0 / idHash; samples -> rank, 1 / as signature; frequent -> rank, 2, members, fingerprint. */
function mapReliance(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  const taken = ClassSignatures.ofFirsts(here);
  const idHash = new IdHash(here.manifest.params.seed);
  const documents = new RankedDocuments(here.manifest, true);
  while (input.next()) {
    const { key } = input;
    if (taken.take(input)) {
      while (taken.next()) out.put(keys.reset().u64(taken.rank).u8(OWN).view, taken.signature);
    } else if (documents.take(input)) {
      while (documents.next()) {
        keys.reset().u64(documents.rank).u8(NAMED);
        out.put(keys.view, idHash.append(values.reset(), documents.value).view);
      }
    } else if (key[0] === KINDS.frequent) {
      out.put(keys.tagged(key, RANK, OF_IT).view, PRESENT);
    }
  }
}

/** A frequent fingerprint: 10 bytes as in keys. */
interface Frequent {
  readonly name: Uint8Array;
  readonly members: number;
}

/** Reads one document after the other, with its frequent fingerprints in the order in which it relies on them. */
class RelianceReading {
  private readonly samples = new HeldSamples(1);
  private readonly rank = new Uint8Array(RANK);
  private readonly idHash = new Uint8Array(ID_HASH);
  /** The compared group. */
  private group = 0;
  private readonly crossing: number;
  private readonly keys = new FieldWriter();
  private readonly values = new FieldWriter();
  private readonly rule: SampleRule;
  private readonly holdsAll: boolean;
  private readonly out: RecordSink;
  private isOpen = false;
  private frequent: Frequent[] = [];

  constructor(out: RecordSink, { manifest }: StagePlace) {
    this.out = out;
    this.rule = sampleRuleOf(manifest.params).rule;
    this.holdsAll = isContained(manifest.params);
    this.crossing = crossingBytes(manifest.params);
  }

  add({ key, value }: RecordSource): void {
    if (key[RANK] === NAMED) {
      this.end();
      this.idHash.set(value);
      return;
    }
    if (key[RANK] === OWN) {
      this.isOpen = true;
      this.rank.set(key.subarray(0, RANK));
      const end = value.length - this.crossing;
      const rank = u64At(key, 0);
      this.group = this.crossing === 0 ? rank : comparedGroup(value, end, rank);
      this.samples.read(0, value, OF_SIGNATURE.slots, end);
      return;
    }
    if (!this.isOpen || !sharesPrefix(key, this.rank, RANK))
      throw new Error(`document ${u64At(key, 0)} has a frequent fingerprint and no sample: our own defect`);
    this.frequent.push({ members: u64At(key, RANK + 1), name: key.slice(2 * RANK + 1) });
  }

  end(): void {
    if (!this.isOpen) return;
    const { samples, frequent } = this;
    samples.frequent[0] = frequent.length;
    const wanted = reliedOn(this.rule, samples.sizes, 0, frequent.length);
    const inOrder = [...frequent].sort((one, other) => Buffer.compare(one.name, other.name));
    this.sampled(inOrder);
    this.held(inOrder, new Set(frequent.slice(0, wanted)));
    this.frequent = [];
    this.isOpen = false;
  }

  /** Writes the sample without its frequent fingerprints. */
  private sampled(frequent: readonly Frequent[]): void {
    const { samples, keys, values } = this;
    const { buffer } = samples.blocks[0]!.values;
    const bytes = new Uint8Array(buffer, 0, FINGERPRINT * samples.sizes.size[0]!);
    samples.appendSizes(0, values.reset());
    for (let at = 0, next = 0; at < bytes.length; at += FINGERPRINT) {
      // Both are in the order of fingerprints.
      if (next < frequent.length && isNamed(frequent[next]!.name, bytes, at)) next++;
      else values.raw(bytes, at, at + FINGERPRINT);
    }
    this.out.put(keys.kind(KINDS.sampled).raw(this.rank).view, values.view);
  }

  private held(frequent: readonly Frequent[], relied: ReadonlySet<Frequent>): void {
    const { keys, values } = this;
    const other = relied.size > 0 ? ROLE.onOthers : ROLE.onNone;
    for (const [i, one] of frequent.entries()) {
      const isRelied = relied.has(one);
      // By resemblance both documents of a pair rely on the fingerprint that makes it.
      if (!isRelied && !this.holdsAll) continue;
      const next = frequent[(i + 1) % frequent.length]!.name;
      values.reset().u8(isRelied ? ROLE.onIt : other);
      values
        .u64(one.members)
        .raw(next, BUCKET - FINGERPRINT)
        .raw(this.idHash)
        .u64(this.group);
      this.samples.appendSizes(0, values);
      this.out.put(keys.kind(KINDS.held).raw(one.name).raw(this.rank).view, values.view);
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
  reads: 'records',
  kinds: [...SIGNATURE_KINDS, ...DOCUMENT_KINDS, KINDS.frequent],
  shuffles: ['document'],
  prefix: RANK,
  map: mapReliance,
  reduce(input, out, here) {
    const reading = new RelianceReading(out, here);
    while (input.next()) reading.add(input);
    reading.end();
  },
};

/** Writes the pairs of a fingerprint that is paired in full: those that rely on it come first, and are held. */
class FullPairs {
  private held: Uint8Array = new Uint8Array(64 * (RANK + SIZES));
  private readonly one = new FieldWriter();
  private readonly met: MetRecords;
  private count = 0;

  constructor(out: RecordSink) {
    this.met = new MetRecords(out, MET.made);
  }

  begin(): void {
    this.count = 0;
  }

  /** `rank`: 8 bytes; `value`: that of `held`. */
  add(rank: Uint8Array, value: Uint8Array): void {
    const { held, met, count } = this;
    const width = RANK + SIZES;
    const one = this.one.reset().raw(rank).raw(value, OF_HELD.sizes).view;
    const own = u64At(rank, 0);
    for (let i = 0; i < count; i++) {
      const at = i * width;
      if (u64At(held, at) < own) met.put(held, at, one, 0);
      else met.put(one, 0, held, at);
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
function putMember({ key, value }: RecordSource, out: RecordSink, keys: FieldWriter): void {
  keys
    .reset()
    .raw(key, KIND, KIND + BUCKET)
    .u8(MEMBER);
  keys.u8(value[OF_HELD.role] === ROLE.onIt ? 0 : 1).raw(key, KIND + BUCKET);
  out.put(keys.view, value);
}

/** Where the rank begins in the key of a member: after fingerprint, tag and role. */
const RANK_AT = BUCKET + 2;

function reduceRelying(input: RecordSource, out: RecordSink, { manifest, facts }: StagePlace): void {
  const { params } = manifest;
  const few = leastHotBucket(params.hotBucket);
  const keys = new FieldWriter();
  const pairs = new FullPairs(out);
  const name = new Uint8Array(BUCKET);
  let [relying, large] = [0, 0];
  while (input.next()) {
    const { key, value } = input;
    if (key[BUCKET] === ANNOUNCED) {
      if (relying === 0 || !sharesPrefix(key, name, BUCKET)) {
        name.set(key.subarray(0, BUCKET));
        relying = 0;
        pairs.begin();
      }
      if (++relying === few + 1) large++;
      continue;
    }
    if (relying === 0 || !sharesPrefix(key, name, BUCKET)) continue;
    const rank = key.subarray(RANK_AT);
    const partners = isContained(params) ? u64At(value, OF_HELD.members) : relying;
    if (value[OF_HELD.role] === ROLE.onIt) {
      keys
        .kind(KINDS.relied)
        .u8(relying > few ? 1 : 0)
        .u64(partners);
      out.put(keys.raw(key, 0, BUCKET).raw(rank).view, PRESENT);
    }
    if (relying <= few) pairs.add(rank, value);
    else out.put(keys.kind(KINDS.held).raw(key, 0, BUCKET).raw(rank).view, value);
  }
  facts.add('large lists', large);
}

/**
 * How many documents rely on each fingerprint: few are paired with all that are candidates for it. A fingerprint on which none
 * relies is left out: its documents come without an announcement.
 */
export const relying: StreamStage = {
  reads: 'records',
  kinds: [KINDS.held],
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  map(input, out) {
    const keys = new FieldWriter();
    while (input.next()) {
      const { key, value } = input;
      if (key[0] !== KINDS.held) continue;
      if (value[OF_HELD.role] === ROLE.onIt) {
        out.put(keys.tagged(key, BUCKET, ANNOUNCED).view, PRESENT);
      }
      putMember(input, out, keys);
    }
  },
  reduce: reduceRelying,
};

/** Bytes of isLarge u8 and partners u64 in a key of `relied`. */
const WEIGHT = 9;
const HIGH = 2 ** 32;

/** Which fingerprints are paired in full although many documents rely on them. One task reads all. */
export const fullLists: StreamStage = {
  reads: 'records',
  kinds: [KINDS.relied],
  shuffles: ['all'],
  prefix: KIND,
  map(input, out) {
    while (input.next()) if (input.key[0] === KINDS.relied) out.put(input.key, input.value);
  },
  reduce(input, out, { manifest, facts }) {
    const { hotBucket } = manifest.params;
    const choice = new FullChoice(mostPartners(hotBucket, manifest.compared ?? 0), 1024);
    const numbers = new FingerprintTable();
    const keys = new FieldWriter();
    const list = new Uint8Array(WEIGHT + BUCKET);
    let isOpen = false;
    let hot = 0;
    const end = (): void => {
      if (!isOpen) return;
      const isFull = choice.end();
      if (!isFull) hot++;
      else if (list[0] === 1) out.put(keys.kind(KINDS.full).raw(list, WEIGHT).view, PRESENT);
    };
    while (input.next()) {
      const key = input.key.subarray(KIND);
      if (!isOpen || !sharesPrefix(key, list, list.length)) {
        end();
        isOpen = true;
        list.set(key.subarray(0, list.length));
        choice.begin(u64At(key, 1), key[0] === 1);
      }
      const rank = u64At(key, list.length);
      choice.add(numbers.add(rank >>> 0, Math.floor(rank / HIGH)));
    }
    end();
    facts.add('hot lists', hot);
  },
};

/** full -> fingerprint, 0; held -> as a member. */
function mapFullPairs(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    const { key } = input;
    if (key[0] === KINDS.full) out.put(keys.reset().raw(key, KIND).u8(ANNOUNCED).view, PRESENT);
    else if (key[0] === KINDS.held) putMember(input, out, keys);
  }
}

/** The pairs of large lists that are paired in full; the documents of the others. */
export const fullPairs: StreamStage = {
  reads: 'records',
  kinds: [KINDS.full, KINDS.held],
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  map: mapFullPairs,
  reduce(input, out) {
    const keys = new FieldWriter();
    const pairs = new FullPairs(out);
    const full = new Uint8Array(BUCKET);
    let isAny = false;
    while (input.next()) {
      const { key, value } = input;
      if (key[BUCKET] === ANNOUNCED) {
        full.set(key.subarray(0, BUCKET));
        isAny = true;
        pairs.begin();
        continue;
      }
      const rank = key.subarray(RANK_AT);
      if (isAny && sharesPrefix(key, full, BUCKET)) pairs.add(rank, value);
      else out.put(keys.kind(KINDS.held).raw(key, 0, BUCKET).raw(rank).view, value);
    }
  },
};

/** Writes members of hot fingerprints, as records of kind `keptHot`: at first every document is kept. */
class HotRecords {
  private readonly keys = new FieldWriter();
  private readonly values = new FieldWriter();
  private readonly out: RecordSink;

  constructor(out: RecordSink) {
    this.out = out;
  }

  /** `value`: that of `held`. */
  put(name: Uint8Array, rank: Uint8Array, value: Uint8Array): void {
    const { keys, values } = this;
    const relies = value[OF_HELD.role] === ROLE.onNone ? 0 : 1;
    values
      .reset()
      .raw(value, OF_HELD.next, OF_HELD.idHash)
      .u32(0)
      .u64(2 * u64At(rank, 0) + relies);
    values.raw(value, OF_HELD.group, OF_HELD.sizes).raw(value, OF_HELD.idHash, OF_HELD.group);
    this.out.put(keys.kind(KINDS.keptHot).raw(name).raw(rank).view, values.view);
  }
}

/** held, where the document relies on the fingerprint -> rank, fingerprint / unchanged. */
function mapChosen(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    if (key[0] !== KINDS.held || value[OF_HELD.role] !== ROLE.onIt) continue;
    keys.reset().raw(key, KIND + BUCKET);
    out.put(keys.raw(key, KIND, KIND + BUCKET).view, value);
  }
}

/** The hot fingerprints by which a document is paired: the smallest on which it relies, so that similar documents have the same. */
export const chosen: StreamStage = {
  reads: 'records',
  kinds: [KINDS.held],
  shuffles: ['document'],
  prefix: RANK,
  map: mapChosen,
  reduce(input, out, { manifest }) {
    const keys = new FieldWriter();
    const hot = new HotRecords(out);
    const rank = new Uint8Array(RANK);
    let count = 0;
    while (input.next()) {
      const { key, value } = input;
      if (count === 0 || !sharesPrefix(key, rank, RANK)) {
        rank.set(key.subarray(0, RANK));
        count = 0;
      }
      if (count++ >= MOST_HOT_LISTS) continue;
      const name = key.subarray(RANK);
      if (isContained(manifest.params)) out.put(keys.kind(KINDS.chosen).raw(name).view, PRESENT);
      else hot.put(name, rank, value);
    }
  },
};

/** chosen -> fingerprint, 0; held -> fingerprint, 1, rank / unchanged. */
function mapHotHolders(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.chosen) out.put(keys.reset().raw(key, KIND).u8(ANNOUNCED).view, PRESENT);
    if (key[0] !== KINDS.held) continue;
    out.put(keys.tagged(key, BUCKET, MEMBER).view, value);
  }
}

/** By containment: all documents that have a hot fingerprint by which some document is paired. */
export const hotHolders: StreamStage = {
  reads: 'records',
  kinds: [KINDS.chosen, KINDS.held],
  shuffles: ['fingerprint'],
  prefix: BUCKET,
  map: mapHotHolders,
  reduce(input, out) {
    const hot = new HotRecords(out);
    const name = new Uint8Array(BUCKET);
    let isAny = false;
    while (input.next()) {
      const { key, value } = input;
      if (key[BUCKET] === ANNOUNCED) {
        name.set(key.subarray(0, BUCKET));
        isAny = true;
      } else if (isAny && sharesPrefix(key, name, BUCKET)) hot.put(name, key.subarray(BUCKET + 1), value);
    }
  },
};
