/**
 * Stages that make the drop list: they bring together the pairs and members of a cluster, in the order in which they are decided.
 */

import { higherThresholds } from '../../../reducers/dropList.js';
import { OrderedDrops } from '../../../reducers/streamed/orderedDrops.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { EVIDENCE_KINDS, EvidenceReader } from '../stream/evidence.js';
import { IDENTICAL, KINDS, NEAR, OF_LEAD, OF_LED, OF_MEMBER, RANK, SAME_TOKENS } from '../stream/kinds.js';
import {
  compareKeys,
  FieldWriter,
  f64At,
  type StageSink,
  sharesPrefix,
  u32At,
  u64At,
} from '../stream/records.js';
import { joined, mapOf, type StreamStage, withoutKind } from '../stream/stage.js';

/** Tags of `step`: `later` is a member of the class `earlier`, or near it. */
export const MEMBER = 0;
export const PAIR = 1;

/** Tags between Map and Reduce of `leads`: what leads a class in the order of survivors, and its pairs with later classes. */
const OF_LEADS = { lead: 0, pair: 1 } as const;

/** Joins accepted pairs, or pairs about to be compared, with the lead of their earlier class; only with an order of survivors. */
export const leads: StreamStage = {
  kinds: [KINDS.lead, KINDS.pair, ...EVIDENCE_KINDS],
  shuffles: ['class'],
  prefix: RANK,
  map(input, out, { manifest: { params } }) {
    const pair = new EvidenceReader(params);
    const { units } = sketchFamilyOf(params);
    while (input.next()) {
      const { key, value } = input;
      if (key[0] === KINDS.lead) {
        out.key.tagged(key, RANK, OF_LEADS.lead);
        out.write(value);
      } else if (key[0] === KINDS.pair) {
        out.key.tagged(key, RANK, OF_LEADS.pair);
        // The larger sample is the container's.
        const isTurned = value[0] === 2;
        out.value.f64(isTurned ? 1 : 0).f64(isTurned ? 0 : 1);
        out.write();
      } else if (pair.read(input) && pair.accepted) {
        out.key.u64(pair.a).u8(OF_LEADS.pair).u64(pair.b);
        pair.appendShares(out.value, units);
        out.write();
      }
    }
  },
  reduce: joined(RANK, (lead, { key, value, shared }, out) => {
    out.key
      .kind(KINDS.led)
      .raw(key, RANK + 1)
      .raw(shared);
    out.value.raw(lead, OF_LEAD.protected, OF_LEAD.order).raw(value).raw(lead, OF_LEAD.order);
    out.write();
  }),
};

/** Bytes of the rank of a class, and of the tag behind it. */
const BEHIND = RANK + 1;

/** Tags between Map and Reduce of `steps`, in the order of a class's records: a rank follows, except for labels and leads. */
const OF_CLASS = { label: 0, lead: 1, pair: 2, member: 3 } as const;
const TAGS: Readonly<Record<number, number>> = {
  [KINDS.label]: OF_CLASS.label,
  [KINDS.lead]: OF_CLASS.lead,
  [KINDS.led]: OF_CLASS.pair,
  [KINDS.member]: OF_CLASS.member,
};

/** The rank at the end of a key in the order of survivors. */
const rankIn = (order: Uint8Array): Uint8Array => order.subarray(order.length - RANK);

/** Makes the `step` and `node` records of a class, of which `label` is the root of its cluster: without one, it has no near pair. */
class ClassSteps {
  private readonly out: StageSink;
  private readonly class: Uint8Array;
  private readonly first: number;
  private root: number;
  private hasNode = false;
  /** With an order of survivors: the value of the class's `lead`. */
  private readonly lead: FieldWriter;

  /** @param lead memory for one class after the other: to make it takes longer than all else that is done with a small class */
  constructor(out: StageSink, first: Uint8Array, lead: FieldWriter) {
    this.out = out;
    this.class = first;
    this.lead = lead.reset();
    this.first = this.root = u64At(first, 0);
  }

  label(root: number): void {
    this.root = root;
    this.node(this.first);
  }

  /** Returns the number of protected members. */
  leads(value: Uint8Array): number {
    this.lead.raw(value);
    return u32At(value, OF_LEAD.protected);
  }

  /** Adds a near pair with class `other`. `value`: the resemblance. */
  pair(other: Uint8Array, value: Uint8Array): void {
    if (!this.hasNode) throw new Error('a near pair of a document without a component: our own defect');
    this.out.value.u8(PAIR).raw(value);
    this.step(other, this.class);
  }

  /** The same with an order of survivors, where `other` is the earlier class by place. `value`: that of `led`. */
  led(other: Uint8Array, value: Uint8Array): void {
    if (!this.hasNode) throw new Error('a near pair of a document without a component: our own defect');
    const [own, others] = [this.lead.view.subarray(OF_LEAD.order), value.subarray(OF_LED.order)];
    const isLater = compareKeys(own, others) > 0;
    const [later, earlier] = isLater ? [own, others] : [others, own];
    this.out.value.u8(PAIR).raw(value, OF_LED.aInB, OF_LED.bInA);
    this.out.value.raw(isLater ? other : this.class).raw(isLater ? this.class : other);
    this.out.value.u32(later.length);
    this.step(later, earlier);
  }

  /** Adds a member, which may be the first member itself. `value`: that of `member`. */
  member(rank: Uint8Array, value: Uint8Array): void {
    const { lead, out } = this;
    this.node(this.first);
    const isFirst = u64At(rank, 0) === this.first;
    if (!isFirst) this.node(u64At(rank, 0));
    if (lead.size === 0) {
      if (isFirst) return;
      out.value.u8(MEMBER).raw(value, 0, OF_MEMBER.text);
      this.step(rank, this.class);
      return;
    }
    const earlier = lead.view.subarray(OF_LEAD.order);
    const later = value.subarray(OF_MEMBER.order);
    if (sharesPrefix(rank, rankIn(earlier), RANK)) return;
    const isSame = u32At(value, OF_MEMBER.text) === u32At(lead.view, OF_LEAD.text);
    out.value.u8(MEMBER).u8(isSame ? IDENTICAL : SAME_TOKENS);
    out.value.raw(this.class).raw(this.class).u32(later.length);
    this.step(later, earlier);
  }

  private step(later: Uint8Array, earlier: Uint8Array): void {
    this.out.key.kind(KINDS.step).u64(this.root).raw(later).raw(earlier);
    this.out.write();
  }

  private node(rank: number): void {
    if (rank === this.first && this.hasNode) return;
    this.hasNode = true;
    writeNode(this.out, this.root, this.first, rank);
  }
}

/** Writes that a document is in a cluster, with the first member of its class. */
export function writeNode(out: StageSink, root: number, first: number, rank: number): void {
  out.key.kind(KINDS.node).u64(root).u64(first).u64(rank);
  out.write();
}

/** The near pairs and members of classes, keyed by their cluster. The Reduce holds a class's root and lead. */
export const steps: StreamStage = {
  kinds: [KINDS.label, KINDS.lead, KINDS.led, KINDS.member, ...EVIDENCE_KINDS],
  shuffles: ['class'],
  prefix: RANK,
  map(input, out, { manifest: { params, hasOrder } }) {
    const pair = new EvidenceReader(params);
    const { units } = sketchFamilyOf(params);
    while (input.next()) {
      const { key, value } = input;
      const tag = TAGS[key[0]!];
      if (tag !== undefined) {
        out.key.tagged(key, RANK, tag);
        out.write(value);
      } else if (hasOrder !== true && pair.read(input) && pair.accepted) {
        out.key.u64(pair.a).u8(OF_CLASS.pair).u64(pair.b);
        pair.appendShares(out.value, units);
        out.write();
      }
    }
  },
  reduce(input, out, { manifest, facts }) {
    const lead = new FieldWriter();
    while (input.group()) {
      const steps = new ClassSteps(out, input.shared, lead);
      let protectedMembers = 0;
      while (input.each()) {
        const { key, value } = input;
        const tag = key[RANK]!;
        if (tag === OF_CLASS.label) steps.label(u64At(value, 0));
        else if (tag === OF_CLASS.lead) {
          protectedMembers = steps.leads(value);
          facts.add('protected pairs', (protectedMembers * (protectedMembers - 1)) / 2);
        } else if (tag === OF_CLASS.member) steps.member(key.subarray(BEHIND), value);
        else if (manifest.hasOrder !== true) steps.pair(key.subarray(BEHIND), value);
        else {
          facts.add('protected pairs', protectedMembers * u32At(value, OF_LED.protected));
          steps.led(key.subarray(BEHIND), value);
        }
      }
    }
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
  ...mapOf({ [KINDS.step]: withoutKind }),
  shuffles: ['cluster'],
  prefix: RANK,
  reduce(input, out, { manifest, facts }) {
    const { params, hasOrder } = manifest;
    const higher = params.verify === 'none' ? [] : higherThresholds(params.threshold);
    let kindOfPair = IDENTICAL;
    // The last document that was `later` in a pair, and its class: where the document, the lead of the class, is dropped, no
    // member stays.
    let lead = -1;
    const ofLead = new Uint8Array(RANK);
    const found = new OrderedDrops(higher, (document, kept, jaccard, isOfClass) => {
      writeDropped(out, document, kept, jaccard, isOfClass ? kindOfPair : NEAR);
      if (hasOrder !== true || document !== lead) return;
      out.key.kind(KINDS.gone).raw(ofLead);
      out.write();
    });
    while (input.group()) {
      while (input.each()) {
        const { key, value } = input;
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
    }
    facts.add('dropped', found.dropped);
    higher.forEach((step, i) => {
      facts.add(`dropped at ${step}`, found.droppedAt[i]!);
    });
  },
};

export function writeDropped(
  out: StageSink,
  document: number,
  kept: number,
  jaccard: number,
  reason: number,
): void {
  out.key.kind(KINDS.dropped).u64(document);
  out.value.u64(kept).f64(jaccard).u8(reason);
  out.write();
}
