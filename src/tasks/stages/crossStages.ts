/**
 * Stages for documents with groups, where only pairs of two groups count: the rows of documents with the same tokens, the
 * members of clusters, and the drop list.
 *
 * A document of a class may stay while a document of another group in that class is dropped, so these stages decide documents,
 * not classes. The Reduce of `crossDrops` holds the documents and pairs of one cluster, about 100 and 30 bytes each, and decides
 * them with the code of worker threads; with --expand-identical, that of `identicalRows` holds 24 bytes for each member of one
 * class; all else streams.
 */
import {
  type DropList,
  dropList,
  higherThresholds,
  keptDocuments,
  pairsAmong,
  referenceMatches,
} from '../../../reducers/dropList.js';
import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { atOnce } from '../../arrays/stepwise.js';
import { MinHashError } from '../../errors.js';
import { crossingAt } from '../stream/crossing.js';
import {
  IDENTICAL,
  KIND,
  KINDS,
  NEAR,
  OF_GROUPED,
  OF_LEAD,
  OF_LED,
  RANK,
  SAME_TOKENS,
  TABLES,
} from '../stream/kinds.js';
import {
  compareKeys,
  FieldWriter,
  f64At,
  type RecordSink,
  type RecordSource,
  u32At,
  u64At,
} from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';
import { MEMBER, PAIR } from './droppingStages.js';

const PRESENT = Uint8Array.of(1);

/** Where the text of the other group's first member begins in `crossed`. */
const OTHER_TEXT = 2 * RANK;

/** Makes the rows of documents with the same tokens, one class after the other. */
class IdenticalRows {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private readonly expands: boolean;
  private first = -1;
  private group = 0;
  /** The first member of another group than that of the first member, and its text; -1: there is none. */
  private other = -1;
  private otherText = 0;
  private readonly ranks = new Float64Column();
  private readonly groups = new Float64Column();
  private readonly texts = new Uint32Column();

  constructor(out: RecordSink, { manifest: { params } }: StagePlace) {
    this.out = out;
    this.expands = params.expandIdentical;
  }

  begin(first: number, crossed: Uint8Array): void {
    const { group, other } = crossingAt(crossed, 0);
    this.first = first;
    this.group = group;
    this.other = other - 1;
    this.otherText = u32At(crossed, OTHER_TEXT);
    for (const column of [this.ranks, this.groups, this.texts]) column.truncate(0);
  }

  /** Adds the next member, in the order of ranks. */
  member(rank: number, value: Uint8Array): void {
    if (this.other < 0) return;
    const text = u32At(value, OF_GROUPED.text);
    const group = u64At(value, OF_GROUPED.group);
    if (this.expands) this.all(rank, group, text);
    else if (rank !== this.first) {
      if (group === this.group) this.row(this.other, rank, text === this.otherText);
      else this.row(this.first, rank, text === 0);
    }
  }

  private all(rank: number, group: number, text: number): void {
    const [ranks, groups, texts] = [this.ranks.view, this.groups.view, this.texts.view];
    for (let i = 0; i < ranks.length; i++)
      if (groups[i] !== group) this.row(ranks[i]!, rank, texts[i] === text);
    this.ranks.push(rank);
    this.groups.push(group);
    this.texts.push(text);
  }

  private row(one: number, other: number, isSame: boolean): void {
    this.key.reset().u8(KINDS.row).u8(TABLES.identical).u64(Math.min(one, other)).u64(Math.max(one, other));
    this.out.put(this.key.view, this.value.reset().u8(isSame ? IDENTICAL : SAME_TOKENS).view);
  }
}

const [CLASS, A_MEMBER] = [0, 1];

/** The rows of documents of two groups with the same tokens: see src/output/tables/crossRuns.ts. */
export const identicalRows: StreamStage = {
  reads: 'records',
  kinds: [KINDS.crossed, KINDS.member],
  shuffles: ['class'],
  prefix: RANK,
  map(input, out) {
    const keys = new FieldWriter();
    while (input.next()) {
      const { key, value } = input;
      keys.reset().raw(key, KIND, KIND + RANK);
      if (key[0] === KINDS.crossed) out.put(keys.u8(CLASS).view, value);
      else if (key[0] === KINDS.member)
        out.put(keys.u8(A_MEMBER).raw(key, KIND + RANK).view, value.subarray(0, OF_GROUPED.order));
    }
  },
  reduce(input, out, here) {
    const rows = new IdenticalRows(out, here);
    while (input.next()) {
      const { key, value } = input;
      if (key[RANK] === CLASS) rows.begin(u64At(key, 0), value);
      else rows.member(u64At(key, RANK + 1), value);
    }
  },
};

/**
 * Tags between Map and Reduce of `crossSteps`, in the order of a class's records: key first u64, tag u8, then for pairs and
 * members a rank.
 */
const OF_CLASS = { crossed: 0, label: 1, lead: 2, pair: 3, member: 4 } as const;

/** Tags after the root in keys of steps: documents come before pairs. */
const [DOCUMENTS, PAIRS] = [0, 1];

/** Makes the `step` and `node` records of one class after the other. */
class CrossSteps {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private first = -1;
  private root = -1;
  private group = 0;
  private isLinked = false;
  private members = 0;
  private readonly lead = new FieldWriter();

  constructor(out: RecordSink) {
    this.out = out;
  }

  /** Begins a class. It is in a cluster if it has members of two groups, or gets a label. */
  begin(first: number, crossed: Uint8Array): void {
    this.end();
    const { group, other } = crossingAt(crossed, 0);
    this.first = this.root = first;
    this.group = group;
    this.isLinked = other > 0;
    this.members = 0;
  }

  label(root: number): void {
    this.root = root;
    this.isLinked = true;
  }

  leads(value: Uint8Array): void {
    this.lead.reset().raw(value, OF_LEAD.order);
  }

  /** Adds a near pair with class `a`, whose first member comes before that of this class. `value`: that of `led`. */
  pair(a: Uint8Array, value: Uint8Array): void {
    const { key, out, first, root } = this;
    const isLater = compareKeys(this.lead.view, value.subarray(OF_LED.order)) > 0;
    key.reset().u8(KINDS.step).u64(root).u8(PAIRS).raw(a).u64(first);
    this.value.reset().u8(PAIR).raw(value, OF_LED.jaccard, OF_LED.order);
    if (isLater) this.value.raw(a).u64(first);
    else this.value.u64(first).raw(a);
    out.put(key.view, this.value.u32(0).view);
  }

  member(rank: number, value: Uint8Array): void {
    this.members++;
    if (!this.isLinked) return;
    this.document(
      rank,
      value.subarray(OF_GROUPED.order),
      u64At(value, OF_GROUPED.group),
      u32At(value, OF_GROUPED.text),
    );
  }

  /** Ends the class. One without `member` records has one document, the first. */
  end(): void {
    if (this.isLinked && this.members === 0) this.document(this.first, this.lead.view, this.group, 0);
    this.isLinked = false;
  }

  private document(rank: number, order: Uint8Array, group: number, text: number): void {
    const { key, value, out, first, root } = this;
    key.reset().u8(KINDS.step).u64(root).u8(DOCUMENTS).raw(order);
    out.put(key.view, value.reset().u8(MEMBER).u64(first).u64(group).u32(text).view);
    out.put(key.reset().u8(KINDS.node).u64(root).u64(first).u64(rank).view, PRESENT);
  }
}

/** The documents and near pairs of clusters. The Reduce holds the facts of one class. */
export const crossSteps: StreamStage = {
  reads: 'records',
  kinds: [KINDS.crossed, KINDS.label, KINDS.lead, KINDS.led, KINDS.member],
  shuffles: ['class'],
  prefix: RANK,
  map(input, out) {
    const keys = new FieldWriter();
    const tags = new Map<number, number>([
      [KINDS.crossed, OF_CLASS.crossed],
      [KINDS.label, OF_CLASS.label],
      [KINDS.lead, OF_CLASS.lead],
      [KINDS.led, OF_CLASS.pair],
      [KINDS.member, OF_CLASS.member],
    ]);
    while (input.next()) {
      const { key, value } = input;
      const tag = tags.get(key[0]!);
      if (tag === undefined) continue;
      keys
        .reset()
        .raw(key, KIND, KIND + RANK)
        .u8(tag);
      out.put(keys.raw(key, KIND + RANK).view, value);
    }
  },
  reduce(input, out) {
    const steps = new CrossSteps(out);
    while (input.next()) {
      const { key, value } = input;
      const tag = key[RANK];
      if (tag === OF_CLASS.crossed) steps.begin(u64At(key, 0), value);
      else if (tag === OF_CLASS.label) steps.label(u64At(value, 0));
      else if (tag === OF_CLASS.lead) steps.leads(value);
      else if (tag === OF_CLASS.pair) steps.pair(key.subarray(RANK + 1), value);
      else steps.member(u64At(key, RANK + 1), value);
    }
    steps.end();
  },
};

/** Most documents and pairs of a cluster that one task holds: 6 GB. */
const MOST_HELD = 100_000_000;

/** The documents of one cluster, numbered in the order of survivors, and its near pairs. */
class HeldCluster {
  readonly ranks = new Float64Column();
  private readonly classes = new Float64Column();
  private readonly first = new Uint32Column();
  private readonly groups = new Uint32Column();
  private readonly texts = new Uint32Column();
  private readonly open = new Uint32Column();
  private readonly a = new Uint32Column();
  private readonly b = new Uint32Column();
  private readonly jaccard = new Float64Column();
  /** Numbers the classes; `firstOf` has each one's document that comes first in the order of survivors. */
  private readonly table = new FingerprintTable();
  private readonly firstOf = new Uint32Column();
  /** Renumbers the groups from 0 on: the reference stays group 0. */
  private readonly numbers = new Map<number, number>();

  clear(): void {
    for (const column of this.columns) column.truncate(0);
    this.table.clear();
    this.numbers.clear();
    this.numbers.set(0, 0);
  }

  private get columns() {
    const { ranks, classes, first, groups, texts, open, a, b, jaccard, firstOf } = this;
    return [ranks, classes, first, groups, texts, open, a, b, jaccard, firstOf];
  }

  document(order: Uint8Array, value: Uint8Array): void {
    const own = u64At(value, 1);
    const group = u64At(value, 1 + RANK);
    const number = this.numbers.get(group) ?? this.numbers.size;
    this.numbers.set(group, number);
    const place = this.table.add(own >>> 0, Math.floor(own / 2 ** 32));
    if (place === this.firstOf.length) this.firstOf.push(this.ranks.length);
    this.first.push(this.firstOf.view[place]!);
    this.ranks.push(u64At(order, order.length - RANK));
    this.classes.push(own);
    this.groups.push(number);
    this.texts.push(u32At(value, 1 + 2 * RANK));
    this.open.push(order[0]!);
    this.bound();
  }

  pair(a: number, b: number, jaccard: number): void {
    this.a.push(this.placeOf(a));
    this.b.push(this.placeOf(b));
    this.jaccard.push(jaccard);
    this.bound();
  }

  private placeOf(own: number): number {
    const place = this.table.numberOf(own >>> 0, Math.floor(own / 2 ** 32));
    if (place < 0) throw new Error('a near pair of a document that is in no cluster: our own defect');
    return this.firstOf.view[place]!;
  }

  private bound(): void {
    if (this.ranks.length + this.a.length <= MOST_HELD) return;
    const detail = `a cluster has more than ${MOST_HELD} documents and pairs of groups, which are too many for one task`;
    throw new MinHashError({ code: 'TASK_MEMORY', detail });
  }

  /** Decides which documents of the cluster are dropped, writes them, and counts. */
  decide(out: RecordSink, { facts, manifest: { params } }: StagePlace): void {
    const count = this.ranks.length;
    if (count === 0) return;
    const [a, b, jaccard] = [this.a.view, this.b.view, this.jaccard.view];
    const near = { a, b, jaccard, count: a.length };
    const [first, group] = [this.first.view, this.groups.view];
    const none = new Uint32Array(0);
    const members = { firsts: this.firstOf.view, offsets: none, members: none, texts: none };
    const classes = { first, members };
    const isProtected = Uint8Array.from(this.open.view, (open) => 1 - open);
    const precedence = { rank: null, isProtected, group };
    const drop = atOnce(dropList(classes, near, precedence));
    this.tell(out, drop);
    facts.add('dropped', drop.document.length);
    facts.add('protected pairs', pairsAmong(classes, near, drop.kept, precedence));
    if (params.groups?.by === 'against')
      facts.add('reference matches', referenceMatches(classes, near, group, new Uint8Array(count)));
    for (const step of params.verify === 'none' ? [] : higherThresholds(params.threshold)) {
      const rows = Uint32Array.from(jaccard.keys()).filter((row) => jaccard[row]! >= step);
      const some = { a: rows.map((row) => a[row]!), b: rows.map((row) => b[row]!), count: rows.length };
      const kept = atOnce(keptDocuments(classes, some, precedence));
      facts.add(
        `dropped at ${step}`,
        kept.reduce((sum, one) => sum + 1 - one, 0),
      );
    }
  }

  private tell(out: RecordSink, { kept, document, keptDocument, jaccard }: DropList): void {
    const [key, value] = [new FieldWriter(), new FieldWriter()];
    const [ranks, texts, first] = [this.ranks.view, this.texts.view, this.first.view];
    const hasKept = new Uint8Array(kept.length);
    for (let d = 0; d < kept.length; d++) hasKept[first[d]!]! |= kept[d]!;
    for (let i = 0; i < document.length; i++) {
      const [d, by] = [document[i]!, keptDocument[i]!];
      const reason = first[d] !== first[by] ? NEAR : texts[d] === texts[by] ? IDENTICAL : SAME_TOKENS;
      out.put(
        key.reset().u8(KINDS.dropped).u64(ranks[d]!).view,
        value.reset().u64(ranks[by]!).f64(jaccard[i]!).u8(reason).view,
      );
    }
    for (const d of this.firstOf.view)
      if (hasKept[d] === 0) out.put(key.reset().u8(KINDS.gone).u64(this.classes.view[d]!).view, PRESENT);
  }
}

/** The drop list of documents with groups, one cluster after the other, and how many would be dropped at higher thresholds. */
export const crossDrops: StreamStage = {
  reads: 'records',
  kinds: [KINDS.step],
  shuffles: ['cluster'],
  prefix: RANK,
  map(input, out) {
    while (input.next()) if (input.key[0] === KINDS.step) out.put(input.key.subarray(KIND), input.value);
  },
  reduce(input: RecordSource, out: RecordSink, here: StagePlace) {
    const cluster = new HeldCluster();
    let root = -1;
    while (input.next()) {
      const { key, value } = input;
      const own = u64At(key, 0);
      if (own !== root) {
        cluster.decide(out, here);
        cluster.clear();
        root = own;
      }
      const told = key.subarray(RANK + 1);
      if (key[RANK] === DOCUMENTS) cluster.document(told, value);
      else cluster.pair(u64At(told, 0), u64At(told, RANK), f64At(value, 1));
    }
    cluster.decide(out, here);
  },
};
