/**
 * Stages for documents with groups, where only pairs of two groups count: the rows of documents with the same tokens. And the
 * members of clusters and the drop list, where documents are decided, not classes: with groups a document of a class may stay
 * while a document of another group in that class is dropped, and decisions may tell two of a class apart.
 *
 * The Reduce of `heldDrops` holds the documents and pairs of one cluster, about 100 and 30 bytes each, and decides them with the
 * code of worker threads; with --expand-identical, that of `identicalRows` holds 24 bytes for each member of one class; all else
 * streams.
 */
import {
  type ContainedPairs,
  containedDropList,
  containedPairs,
  containsOther,
  type DropList,
  dropList,
  dropsNone,
  groundsOf,
  guardOf,
  pairsAmong,
  referenceMatches,
} from '../../../reducers/dropList.js';
import { ClassPairs } from '../../../reducers/identicalPairs.js';
import { dropsAtThresholds } from '../../../reducers/thresholds.js';
import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { atOnce } from '../../arrays/stepwise.js';
import { MinHashError } from '../../errors.js';
import { crossingAt, hasGroups } from '../stream/crossing.js';
import {
  IDENTICAL,
  KIND,
  KINDS,
  NEAR,
  OF_GROUPED,
  OF_LEAD,
  OF_LED,
  OF_MEMBER,
  RANK,
  SAME_TOKENS,
  TABLES,
} from '../stream/kinds.js';
import {
  compareKeys,
  FieldWriter,
  f64At,
  PRESENT,
  type RecordSink,
  type RecordSource,
  u32At,
  u64At,
} from '../stream/records.js';
import { type StagePlace, type StreamStage, withoutKind, withTags } from '../stream/stage.js';
import type { ToldApart } from '../stream/taskManifest.js';
import { MEMBER, PAIR } from './droppingStages.js';

/** Where the text of the other group's first member begins in `crossed`. */
const OTHER_TEXT = 2 * RANK;

const [CLASS, A_MEMBER] = [0, 1];

/** The rows of documents with the same tokens, by the rule of reducers/identicalPairs.ts: of two groups, or all pairs. */
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
  reduce(input, out, { manifest: { params } }) {
    const [keys, values] = [new FieldWriter(), new FieldWriter()];
    const pairs = new ClassPairs(params.expandIdentical, (a, b, isSame) => {
      keys.kind(KINDS.row).u8(TABLES.identical).u64(a).u64(b);
      out.put(keys.view, values.reset().u8(isSame ? IDENTICAL : SAME_TOKENS).view);
    });
    const isCross = hasGroups(params);
    let first = -1;
    while (input.next()) {
      const { key, value } = input;
      const isCrossing = key[RANK] === CLASS;
      if (u64At(key, 0) !== first) {
        first = u64At(key, 0);
        // Without groups all pairs are made.
        pairs.begin(
          isCrossing ? crossingAt(value, 0).other - 1 : -1,
          isCrossing ? u32At(value, OTHER_TEXT) : 0,
        );
      }
      if (isCrossing) continue;
      const rank = u64At(key, RANK + 1);
      pairs.member(rank, isCross ? u64At(value, OF_GROUPED.group) : rank, u32At(value, OF_GROUPED.text));
    }
  },
};

/**
 * Tags between Map and Reduce of `heldSteps`, in the order of a class's records: key first u64, tag u8, then for pairs and
 * members a rank.
 */
const OF_CLASS = { crossed: 0, label: 1, lead: 2, pair: 3, member: 4 } as const;

/** Tags after the root in keys of steps: documents come before pairs. */
const [DOCUMENTS, PAIRS] = [0, 1];

/** Makes the `step` and `node` records of one class after the other. */
class HeldSteps {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private first = -1;
  private root = -1;
  private group = 0;
  private isLinked = false;
  private members = 0;
  private readonly lead = new FieldWriter();
  private readonly isCross: boolean;
  private readonly isContained: boolean;
  private readonly threshold: number;

  constructor(out: RecordSink, { manifest: { params } }: StagePlace) {
    this.out = out;
    this.isCross = hasGroups(params);
    this.isContained = params.measure === 'containment';
    this.threshold = params.threshold;
  }

  /** Begins a class. It is in a cluster if it gets a label, or has several members; with groups, members of two of them. */
  begin(first: number): void {
    if (first === this.first) return;
    this.end();
    this.first = this.root = first;
    this.members = this.group = 0;
  }

  crossed(crossing: Uint8Array): void {
    const { group, other } = crossingAt(crossing, 0);
    this.group = group;
    this.isLinked = other > 0;
  }

  label(root: number): void {
    this.root = root;
    this.isLinked = true;
  }

  leads(value: Uint8Array): void {
    this.lead.reset().raw(value);
  }

  /** Adds a near pair with class `a`, whose first member comes before that of this class. `value`: that of `led`. */
  pair(a: Uint8Array, value: Uint8Array): void {
    const { key, out, first, root } = this;
    const [aInB, bInA] = [f64At(value, OF_LED.aInB), f64At(value, OF_LED.bInA)];
    const [isA, isB] = [u32At(value, OF_LED.protected) > 0, u32At(this.lead.view, OF_LEAD.protected) > 0];
    const isEarlier = this.isContained
      ? containsOther(aInB, bInA, isA, isB)
      : compareKeys(this.lead.view.subarray(OF_LEAD.order), value.subarray(OF_LED.order)) > 0;
    const isIdle = this.isContained && dropsNone(isEarlier ? bInA : aInB, this.threshold, isA, isB);
    key.kind(KINDS.step).u64(root).u8(PAIRS).raw(a).u64(first);
    this.value.reset().u8(PAIR).raw(value, OF_LED.aInB, OF_LED.order);
    if (isEarlier || isIdle) this.value.raw(a);
    else this.value.u64(first);
    if (isEarlier && !isIdle) this.value.u64(first);
    else this.value.raw(a);
    out.put(key.view, this.value.u32(0).view);
  }

  member(rank: number, value: Uint8Array): void {
    this.members++;
    if (!this.isCross) this.isLinked = true;
    if (!this.isLinked) return;
    const group = this.isCross ? u64At(value, OF_GROUPED.group) : 0;
    const order = value.subarray(this.isCross ? OF_GROUPED.order : OF_MEMBER.order);
    this.document(rank, order, group, u32At(value, OF_MEMBER.text));
  }

  /** Ends the class. One without `member` records has one document, the first. */
  end(): void {
    if (this.isLinked && this.members === 0)
      this.document(this.first, this.lead.view.subarray(OF_LEAD.order), this.group, 0);
    this.isLinked = false;
  }

  private document(rank: number, order: Uint8Array, group: number, text: number): void {
    const { key, value, out, first, root } = this;
    key.kind(KINDS.step).u64(root).u8(DOCUMENTS).raw(order);
    out.put(key.view, value.reset().u8(MEMBER).u64(first).u64(group).u32(text).view);
    out.put(key.kind(KINDS.node).u64(root).u64(first).u64(rank).view, PRESENT);
  }
}

/** The documents and near pairs of clusters. The Reduce holds the facts of one class. */
export const heldSteps: StreamStage = {
  reads: 'records',
  kinds: [KINDS.crossed, KINDS.label, KINDS.lead, KINDS.led, KINDS.member],
  shuffles: ['class'],
  prefix: RANK,
  map: withTags(RANK, {
    [KINDS.crossed]: OF_CLASS.crossed,
    [KINDS.label]: OF_CLASS.label,
    [KINDS.lead]: OF_CLASS.lead,
    [KINDS.led]: OF_CLASS.pair,
    [KINDS.member]: OF_CLASS.member,
  }),
  reduce(input, out, here) {
    const steps = new HeldSteps(out, here);
    while (input.next()) {
      const { key, value } = input;
      const tag = key[RANK];
      steps.begin(u64At(key, 0));
      if (tag === OF_CLASS.crossed) steps.crossed(value);
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

/** The documents of one cluster, in the order of survivors, and its near pairs. */
class HeldCluster {
  private readonly ranks = new Float64Column();
  /** By document the number of its class, by class the rank of its first member. */
  private readonly classOf = new Uint32Column();
  private readonly classes = new Float64Column();
  private readonly groups = new Uint32Column();
  private readonly texts = new Uint32Column();
  private readonly open = new Uint32Column();
  private readonly a = new Uint32Column();
  private readonly b = new Uint32Column();
  /** The shares of a in b and of b in a. */
  private readonly aInB = new Float64Column();
  private readonly bInA = new Float64Column();
  private readonly table = new FingerprintTable();
  /** Renumbers the groups from 0 on: the reference stays group 0. */
  private readonly numbers = new Map<number, number>();
  private readonly out: RecordSink;
  private readonly here: StagePlace;
  private readonly told: ToldPairs;

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    this.here = here;
    this.told = new ToldPairs(here.manifest);
  }

  clear(): void {
    for (const column of this.columns) column.truncate(0);
    this.table.clear();
    this.numbers.clear();
    this.numbers.set(0, 0);
  }

  private get columns() {
    const { ranks, classOf, classes, groups, texts, open, a, b, aInB, bInA } = this;
    return [ranks, classOf, classes, groups, texts, open, a, b, aInB, bInA];
  }

  document(order: Uint8Array, value: Uint8Array): void {
    const own = u64At(value, 1);
    const group = u64At(value, 1 + RANK);
    const number = this.numbers.get(group) ?? this.numbers.size;
    this.numbers.set(group, number);
    const place = this.table.add(own >>> 0, Math.floor(own / 2 ** 32));
    if (place === this.classes.length) this.classes.push(own);
    this.classOf.push(place);
    this.ranks.push(u64At(order, order.length - RANK));
    this.groups.push(number);
    this.texts.push(u32At(value, 1 + 2 * RANK));
    this.open.push(order[0]!);
    this.bound();
  }

  pair(a: number, b: number, aInB: number, bInA: number): void {
    this.a.push(this.numberOf(a));
    this.b.push(this.numberOf(b));
    this.aInB.push(aInB);
    this.bInA.push(bInA);
    this.bound();
  }

  private numberOf(own: number): number {
    const place = this.table.numberOf(own >>> 0, Math.floor(own / 2 ** 32));
    if (place < 0) throw new Error('a near pair of a document that is in no cluster: our own defect');
    return place;
  }

  private bound(): void {
    if (this.ranks.length + this.a.length <= MOST_HELD) return;
    const detail = `a cluster has more than ${MOST_HELD} documents and pairs, which are too many for one task that has to hold them`;
    throw new MinHashError({ code: 'TASK_MEMORY', detail });
  }

  /** The cluster as worker threads have it: documents are numbered by place, a class is named by its first. */
  private get inColumns() {
    const { ranks, classOf, groups, texts, open } = this;
    const rank = placesByRank(ranks.view);
    const classes = Uint32Array.from(rank, (at) => classOf.view[at]!);
    const firstOf = new Uint32Array(this.classes.length);
    for (let d = classes.length - 1; d >= 0; d--) firstOf[classes[d]!] = d;
    const none = new Uint32Array(0);
    const members = { firsts: firstOf, offsets: none, members: none, texts: none };
    const [a, b] = [this.a.view, this.b.view].map((ends) => ends.map((own) => firstOf[own]!)) as [
      Uint32Array,
      Uint32Array,
    ];
    const { params } = this.here.manifest;
    const isProtected = Uint8Array.from(rank, (at) => 1 - open.view[at]!);
    const group = hasGroups(params) ? rank.map((at) => groups.view[at]!) : null;
    const own = Float64Array.from(rank, (at) => ranks.view[at]!);
    return {
      ranks: own,
      texts: rank.map((at) => texts.view[at]!),
      classes: { first: classes.map((number) => firstOf[number]!), members },
      near: { a, b, jaccard: this.aInB.view, count: a.length },
      precedence: { rank, isProtected, group, apart: this.told.among(own) },
    };
  }

  /** Decides which documents of the cluster are dropped, writes them, and counts. */
  decide(): void {
    const { facts, manifest } = this.here;
    const { params } = manifest;
    const count = this.ranks.length;
    if (count === 0) return;
    const cluster = this.inColumns;
    const { classes, near, precedence } = cluster;
    const { group } = precedence;
    const contained = params.measure === 'containment' ? this.containedIn(cluster) : null;
    const drop = atOnce(
      contained === null
        ? dropList(classes, near, precedence)
        : containedDropList(classes, contained, precedence),
    );
    this.tell(cluster, drop);
    facts.add('dropped', drop.document.length);
    const grounds = groundsOf(classes, near, precedence);
    const left = pairsAmong(grounds.classes, grounds.near, drop.kept, precedence);
    facts.add('protected pairs', left);
    if (precedence.apart.length > 0)
      facts.add('pairs told apart', pairsAmong(classes, near, drop.kept, precedence) - left);
    if (params.groups?.by === 'against' && group !== null)
      facts.add('reference matches', referenceMatches(classes, near, group, new Uint8Array(count)));
    const by = { classes, precedence, pairs: contained ?? near, drop };
    for (const { threshold, dropped } of atOnce(dropsAtThresholds(params, by)))
      facts.add(`dropped at ${threshold}`, dropped);
  }

  private containedIn({ classes, near, precedence }: HeldCluster['inColumns']): ContainedPairs {
    const { a, b, jaccard, count } = near;
    const evidence = { jaccard, containmentAB: this.aInB.view, containmentBA: this.bInA.view };
    const verified = {
      ...{ a, b, count, agreement: new Float64Array(count), accepted: new Uint8Array(count).fill(1) },
      exact: { rows: Uint32Array.from(a.keys()), ...evidence },
    };
    return containedPairs(verified, guardOf(classes, precedence, this.here.manifest.params.threshold));
  }

  private tell(
    { ranks, texts, classes: { first, members } }: HeldCluster['inColumns'],
    { kept, document, keptDocument, jaccard }: DropList,
  ): void {
    const { out } = this;
    const [key, value] = [new FieldWriter(), new FieldWriter()];
    const hasKept = new Uint8Array(kept.length);
    for (let d = 0; d < kept.length; d++) hasKept[first[d]!]! |= kept[d]!;
    for (let i = 0; i < document.length; i++) {
      const [d, by] = [document[i]!, keptDocument[i]!];
      const reason = first[d] !== first[by] ? NEAR : texts[d] === texts[by] ? IDENTICAL : SAME_TOKENS;
      out.put(
        key.kind(KINDS.dropped).u64(ranks[d]!).view,
        value.reset().u64(ranks[by]!).f64(jaccard[i]!).u8(reason).view,
      );
    }
    members.firsts.forEach((d, number) => {
      if (hasKept[d] === 0) out.put(key.kind(KINDS.gone).u64(this.classes.view[number]!).view, PRESENT);
    });
  }
}

/** By number in the order of ranks: the place among all. */
function placesByRank(ranks: Float64Array): Uint32Array {
  const places = Uint32Array.from(ranks.keys());
  return ranks.every((rank, i) => i === 0 || rank > ranks[i - 1]!)
    ? places
    : places.sort((one, other) => ranks[one]! - ranks[other]!);
}

/** The pairs that decisions tell apart, in clusters. */
class ToldPairs {
  private readonly apart: readonly ToldApart[];
  private readonly named: ReadonlySet<number>;

  constructor({ apart }: StagePlace['manifest']) {
    this.apart = apart ?? [];
    this.named = new Set(this.apart.flatMap(({ ranks }) => ranks));
  }

  /** The pairs of two documents of a cluster, by their places in its ranks. */
  among(ranks: Float64Array): (readonly [number, number])[] {
    const places = new Map<number, number>();
    ranks.forEach((rank, place) => {
      if (this.named.has(rank)) places.set(rank, place);
    });
    if (places.size < 2) return [];
    return this.apart.flatMap(({ ranks: [earlier, later] }) => {
      const [one, other] = [places.get(earlier), places.get(later)];
      return one === undefined || other === undefined ? [] : [[one, other] as const];
    });
  }
}

/** The drop list, one cluster after the other, document by document, and how many would be dropped at higher thresholds. */
export const heldDrops: StreamStage = {
  reads: 'records',
  kinds: [KINDS.step],
  shuffles: ['cluster'],
  prefix: RANK,
  map: withoutKind(KINDS.step),
  reduce(input: RecordSource, out: RecordSink, here: StagePlace) {
    const cluster = new HeldCluster(out, here);
    let root = -1;
    while (input.next()) {
      const { key, value } = input;
      const own = u64At(key, 0);
      if (own !== root) {
        cluster.decide();
        cluster.clear();
        root = own;
      }
      const told = key.subarray(RANK + 1);
      if (key[RANK] === DOCUMENTS) cluster.document(told, value);
      else cluster.pair(u64At(told, 0), u64At(told, RANK), f64At(value, 1), f64At(value, 9));
    }
    cluster.decide();
  },
};
