/**
 * Stages that make the drop list: pairs and members of a cluster come together in the order in which they are decided.
 */

import { higherThresholds } from '../../../reducers/dropList.js';
import { OrderedDrops } from '../../../reducers/streamed/orderedDrops.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { EvidenceReader } from '../stream/evidence.js';
import { IDENTICAL, KIND, KINDS, NEAR, RANK } from '../stream/kinds.js';
import { FieldWriter, f64At, type RecordSink, u64At } from '../stream/records.js';
import type { StreamStage } from '../stream/stage.js';

/** Tags of `step`: `later` is a member of a class, or near to `earlier`. */
const MEMBER = 0;
const PAIR = 1;

/** Tags between Map and Reduce of `steps`, in the order in which a class is told: key first u64, tag u8, then a rank but for labels. */
const OF_CLASS = { label: 0, pair: 1, member: 2 } as const;

/** Makes `step` and `node` of one class after the other. */
class StepSink {
  private readonly key = new FieldWriter();
  private readonly out: RecordSink;
  private first = -1;
  private root = -1;
  private hasNode = false;

  constructor(out: RecordSink) {
    this.out = out;
  }

  /** A class, which is in no near pair until it gets a label. */
  begin(first: number): void {
    if (first === this.first) return;
    this.first = this.root = first;
    this.hasNode = false;
  }

  label(root: number): void {
    this.root = root;
    this.node(this.first);
  }

  /** `value` holds the resemblance. */
  pair(later: number, value: Uint8Array): void {
    if (!this.hasNode) throw new Error('a near pair of a document without a component: our own defect');
    this.step(later, PAIR, value);
  }

  /** The class may name its first member among the others. `value`: kindOfPair. */
  member(rank: number, value: Uint8Array): void {
    if (rank === this.first) return;
    this.node(this.first);
    this.node(rank);
    this.step(rank, MEMBER, value);
  }

  private step(later: number, tag: number, value: Uint8Array): void {
    this.key.reset().u8(KINDS.step).u64(this.root).u64(later).u8(tag).u64(this.first);
    this.out.put(this.key.view, value);
  }

  private node(rank: number): void {
    if (rank === this.first) {
      if (this.hasNode) return;
      this.hasNode = true;
    }
    this.out.put(this.key.reset().u8(KINDS.node).u64(this.root).u64(this.first).u64(rank).view, PRESENT);
  }
}

const PRESENT = Uint8Array.of(1);

/** The near pairs and members of classes, by the cluster that they are in: the Reduce holds a class's root alone. */
export const steps: StreamStage = {
  reads: 'records',
  kinds: [KINDS.label, KINDS.member, KINDS.compared, KINDS.evidence],
  shuffles: ['class'],
  prefix: RANK,
  map(input, out, { manifest: { params } }) {
    const pair = new EvidenceReader(params);
    const { units } = sketchFamilyOf(params);
    const key = new FieldWriter();
    const value = new FieldWriter();
    while (input.next()) {
      const { key: from } = input;
      if (from[0] === KINDS.label) {
        out.put(key.reset().u64(u64At(from, KIND)).u8(OF_CLASS.label).view, input.value);
      } else if (from[0] === KINDS.member) {
        key.reset().u64(u64At(from, KIND)).u8(OF_CLASS.member);
        out.put(key.u64(u64At(from, KIND + RANK)).view, input.value.subarray(0, 1));
      } else if (pair.read(input) && pair.accepted) {
        key.reset().u64(pair.a).u8(OF_CLASS.pair).u64(pair.b);
        out.put(key.view, value.reset().f64(pair.resemblance(units)).view);
      }
    }
  },
  reduce(input, out) {
    const sink = new StepSink(out);
    while (input.next()) {
      const { key, value } = input;
      const tag = key[RANK]!;
      sink.begin(u64At(key, 0));
      if (tag === OF_CLASS.label) sink.label(u64At(value, 0));
      else if (tag === OF_CLASS.pair) sink.pair(u64At(key, RANK + 1), value);
      else sink.member(u64At(key, RANK + 1), value);
    }
  },
};

/**
 * The drop list, and how many documents would be dropped at higher thresholds. A cluster's steps stream; what is held of its
 * documents reducers/streamed/orderedDrops.ts says.
 */
export const drops: StreamStage = {
  reads: 'records',
  shuffles: ['cluster'],
  prefix: RANK,
  map(input, out) {
    // The key of the record without its kind: root u64, later u64, tag u8, earlier u64.
    while (input.next()) if (input.key[0] === KINDS.step) out.put(input.key.subarray(KIND), input.value);
  },
  reduce(input, out, { manifest, facts }) {
    const { threshold, verify } = manifest.params;
    const higher = verify === 'none' ? [] : higherThresholds(threshold);
    const written = new FieldWriter();
    const told = new FieldWriter();
    let kindOfPair = IDENTICAL;
    const found = new OrderedDrops(higher, (document, kept, jaccard, isOfClass) => {
      told.reset().u64(kept).f64(jaccard);
      told.u8(isOfClass ? kindOfPair : NEAR);
      out.put(written.reset().u8(KINDS.dropped).u64(document).view, told.view);
    });
    let root = -1;
    while (input.next()) {
      const { key, value } = input;
      const cluster = u64At(key, 0);
      if (cluster !== root) found.end();
      root = cluster;
      const later = u64At(key, RANK);
      const earlier = u64At(key, 2 * RANK + 1);
      if (key[2 * RANK] === PAIR) found.pair(later, earlier, f64At(value, 0));
      else {
        kindOfPair = value[0]!;
        found.member(later, earlier);
      }
    }
    found.end();
    facts.add('dropped', found.dropped);
    higher.forEach((step, i) => {
      facts.add(`dropped at ${step}`, found.droppedAt[i]!);
    });
  },
};
