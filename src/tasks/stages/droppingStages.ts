/**
 * Stages that make the drop list: they bring together the pairs and members of a cluster, in the order in which they are decided.
 */

import { higherThresholds } from '../../../reducers/dropList.js';
import { OrderedDrops } from '../../../reducers/streamed/orderedDrops.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { EVIDENCE_KINDS, EvidenceReader } from '../stream/evidence.js';
import {
  IDENTICAL,
  KIND,
  KINDS,
  NEAR,
  OF_LEAD,
  OF_LED,
  OF_MEMBER,
  RANK,
  SAME_TOKENS,
} from '../stream/kinds.js';
import {
  compareKeys,
  FieldWriter,
  f64At,
  PRESENT,
  type RecordSink,
  sharesPrefix,
  u32At,
  u64At,
} from '../stream/records.js';
import { type StagePlace, type StreamStage, withoutKind } from '../stream/stage.js';

/** Tags of `step`: `later` is a member of the class `earlier`, or near it. */
export const MEMBER = 0;
export const PAIR = 1;

/**
 * Tags between Map and Reduce of `leads`: the lead of a class (its first member in the order of survivors), and its pairs with
 * later classes.
 */
const OF_LEADS = { lead: 0, pair: 1 } as const;

/** Joins accepted pairs, or pairs about to be compared, with the lead of their earlier class; only with an order of survivors. */
export const leads: StreamStage = {
  reads: 'records',
  kinds: [KINDS.lead, KINDS.pair, ...EVIDENCE_KINDS],
  shuffles: ['class'],
  prefix: RANK,
  map(input, out, { manifest: { params } }) {
    const pair = new EvidenceReader(params);
    const { units } = sketchFamilyOf(params);
    const [key, value] = [new FieldWriter(), new FieldWriter()];
    while (input.next()) {
      if (input.key[0] === KINDS.lead) {
        out.put(key.reset().raw(input.key, KIND).u8(OF_LEADS.lead).view, input.value);
      } else if (input.key[0] === KINDS.pair) {
        key
          .reset()
          .raw(input.key, KIND, KIND + RANK)
          .u8(OF_LEADS.pair);
        // The larger sample is the container's.
        const isTurned = input.value[0] === 2;
        value
          .reset()
          .f64(isTurned ? 1 : 0)
          .f64(isTurned ? 0 : 1);
        out.put(key.raw(input.key, KIND + RANK).view, value.view);
      } else if (pair.read(input) && pair.accepted) {
        key.reset().u64(pair.a).u8(OF_LEADS.pair).u64(pair.b);
        out.put(key.view, pair.appendShares(value.reset(), units).view);
      }
    }
  },
  reduce(input, out) {
    const [key, value, lead] = [new FieldWriter(), new FieldWriter(), new FieldWriter()];
    while (input.next()) {
      const { key: from } = input;
      if (from[RANK] === OF_LEADS.lead) {
        lead.reset().raw(input.value);
        continue;
      }
      key
        .kind(KINDS.led)
        .raw(from, RANK + 1)
        .raw(from, 0, RANK);
      value.reset().raw(lead.view, OF_LEAD.protected, OF_LEAD.order);
      out.put(key.view, value.raw(input.value).raw(lead.view, OF_LEAD.order).view);
    }
  },
};

/**
 * Tags between Map and Reduce of `steps`, in the order of a class's records: key first u64, tag u8, then a rank, except for
 * labels and leads.
 */
const OF_CLASS = { label: 0, lead: 1, pair: 2, member: 3 } as const;
const TAGS: Readonly<Record<number, number>> = {
  [KINDS.label]: OF_CLASS.label,
  [KINDS.lead]: OF_CLASS.lead,
  [KINDS.led]: OF_CLASS.pair,
  [KINDS.member]: OF_CLASS.member,
};

/** The rank at the end of a key in the order of survivors. */
const rankIn = (order: Uint8Array): Uint8Array => order.subarray(order.length - RANK);

/** Makes the `step` and `node` records of one class after the other. */
class StepSink {
  protectedPairs = 0;
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private readonly class = new Uint8Array(RANK);
  private first = -1;
  private root = -1;
  private hasNode = false;
  /** With an order of survivors: the value of the class's `lead`. */
  private readonly lead = new FieldWriter();
  private readonly hasOrder: boolean;

  constructor(out: RecordSink, { manifest }: StagePlace) {
    this.out = out;
    this.hasOrder = manifest.hasOrder === true;
  }

  /** Begins a class. It has no near pair unless it gets a label. */
  begin(key: Uint8Array): void {
    const first = u64At(key, 0);
    if (first === this.first) return;
    this.class.set(key.subarray(0, RANK));
    this.first = this.root = first;
    this.hasNode = false;
    this.lead.reset();
  }

  label(root: number): void {
    this.root = root;
    this.node(this.first);
  }

  leads(value: Uint8Array): void {
    this.lead.reset().raw(value);
    const members = u32At(value, OF_LEAD.protected);
    this.protectedPairs += (members * (members - 1)) / 2;
  }

  /**
   * Adds a near pair with class `other`. `value`: the resemblance; with an order of survivors, that of `led`, where `other` is
   * the earlier class by place.
   */
  pair(other: Uint8Array, value: Uint8Array): void {
    if (!this.hasNode) throw new Error('a near pair of a document without a component: our own defect');
    if (!this.hasOrder) {
      this.step(other, this.class, this.value.reset().u8(PAIR).raw(value).view);
      return;
    }
    const lead = this.lead.view;
    this.protectedPairs += u32At(lead, OF_LEAD.protected) * u32At(value, OF_LED.protected);
    const [own, others] = [lead.subarray(OF_LEAD.order), value.subarray(OF_LED.order)];
    const isLater = compareKeys(own, others) > 0;
    const [later, earlier] = isLater ? [own, others] : [others, own];
    this.value.reset().u8(PAIR).raw(value, OF_LED.aInB, OF_LED.bInA);
    this.value.raw(isLater ? other : this.class).raw(isLater ? this.class : other);
    this.value.u32(later.length);
    this.step(later, earlier, this.value.view);
  }

  /** Adds a member, which may be the first member itself. `value`: that of `member`. */
  member(rank: Uint8Array, value: Uint8Array): void {
    this.node(this.first);
    if (u64At(rank, 0) !== this.first) this.node(u64At(rank, 0));
    const told = this.value.reset().u8(MEMBER);
    if (!this.hasOrder) {
      if (u64At(rank, 0) !== this.first) this.step(rank, this.class, told.raw(value, 0, OF_MEMBER.text).view);
      return;
    }
    const earlier = this.lead.view.subarray(OF_LEAD.order);
    const later = value.subarray(OF_MEMBER.order);
    if (sharesPrefix(rank, rankIn(earlier), RANK)) return;
    const isSame = u32At(value, OF_MEMBER.text) === u32At(this.lead.view, OF_LEAD.text);
    told
      .u8(isSame ? IDENTICAL : SAME_TOKENS)
      .raw(this.class)
      .raw(this.class)
      .u32(later.length);
    this.step(later, earlier, told.view);
  }

  private step(later: Uint8Array, earlier: Uint8Array, value: Uint8Array): void {
    this.key.kind(KINDS.step).u64(this.root).raw(later).raw(earlier);
    this.out.put(this.key.view, value);
  }

  private node(rank: number): void {
    if (rank === this.first) {
      if (this.hasNode) return;
      this.hasNode = true;
    }
    this.out.put(this.key.kind(KINDS.node).u64(this.root).u64(this.first).u64(rank).view, PRESENT);
  }
}

/** The near pairs and members of classes, keyed by their cluster. The Reduce holds a class's root and lead. */
export const steps: StreamStage = {
  reads: 'records',
  kinds: [KINDS.label, KINDS.lead, KINDS.led, KINDS.member, ...EVIDENCE_KINDS],
  shuffles: ['class'],
  prefix: RANK,
  map(input, out, { manifest: { params, hasOrder } }) {
    const pair = new EvidenceReader(params);
    const { units } = sketchFamilyOf(params);
    const key = new FieldWriter();
    const value = new FieldWriter();
    while (input.next()) {
      const tag = TAGS[input.key[0]!];
      if (tag !== undefined) {
        out.put(key.tagged(input.key, RANK, tag).view, input.value);
      } else if (hasOrder !== true && pair.read(input) && pair.accepted) {
        key.reset().u64(pair.a).u8(OF_CLASS.pair).u64(pair.b);
        out.put(key.view, pair.appendShares(value.reset(), units).view);
      }
    }
  },
  reduce(input, out, here) {
    const sink = new StepSink(out, here);
    while (input.next()) {
      const { key, value } = input;
      const tag = key[RANK]!;
      sink.begin(key);
      if (tag === OF_CLASS.label) sink.label(u64At(value, 0));
      else if (tag === OF_CLASS.lead) sink.leads(value);
      else if (tag === OF_CLASS.pair) sink.pair(key.subarray(RANK + 1), value);
      else sink.member(key.subarray(RANK + 1), value);
    }
    here.facts.add('protected pairs', sink.protectedPairs);
  },
};

/**
 * Bytes at the end of a step's value with an order of survivors: both classes u64, that of `earlier` first, and the length of the
 * key of `later` u32.
 */
const KEYED = 2 * RANK + 4;

/** The classes of a step; only with an order of survivors. */
export function classesOfStep(value: Uint8Array): {
  readonly earlier: Uint8Array;
  readonly later: Uint8Array;
} {
  const from = value.length - KEYED;
  return {
    earlier: value.subarray(from, from + RANK),
    later: value.subarray(from + RANK, from + 2 * RANK),
  };
}

/**
 * The drop list, and how many documents would be dropped at higher thresholds. The Reduce streams the steps of a cluster;
 * reducers/streamed/orderedDrops.ts states what it holds of the documents.
 */
export const drops: StreamStage = {
  reads: 'records',
  shuffles: ['cluster'],
  prefix: RANK,
  map: withoutKind(KINDS.step),
  reduce(input, out, { manifest, facts }) {
    const { params, hasOrder } = manifest;
    const higher = params.verify === 'none' ? [] : higherThresholds(params.threshold);
    const written = new FieldWriter();
    const told = new FieldWriter();
    let kindOfPair = IDENTICAL;
    // The last document that was `later` in a pair, and its class: where the document, the lead of the class, is dropped, no
    // member stays.
    let lead = -1;
    const ofLead = new Uint8Array(RANK);
    const found = new OrderedDrops(higher, (document, kept, jaccard, isOfClass) => {
      told.reset().u64(kept).f64(jaccard);
      told.u8(isOfClass ? kindOfPair : NEAR);
      out.put(written.kind(KINDS.dropped).u64(document).view, told.view);
      if (hasOrder === true && document === lead) out.put(written.kind(KINDS.gone).raw(ofLead).view, PRESENT);
    });
    let root = -1;
    while (input.next()) {
      const { key, value } = input;
      const cluster = u64At(key, 0);
      if (cluster !== root) found.end();
      root = cluster;
      const length = hasOrder === true ? u32At(value, value.length - 4) : RANK;
      const later = u64At(key, length);
      const earlier = u64At(key, key.length - RANK);
      const isProtected = hasOrder === true && key[RANK] === 0;
      if (value[0] === PAIR) {
        found.pair(later, earlier, f64At(value, 1), isProtected);
        lead = later;
        if (hasOrder === true) ofLead.set(classesOfStep(value).later);
      } else {
        kindOfPair = value[1]!;
        found.member(later, earlier, isProtected);
      }
    }
    found.end();
    facts.add('dropped', found.dropped);
    higher.forEach((step, i) => {
      facts.add(`dropped at ${step}`, found.droppedAt[i]!);
    });
  },
};
