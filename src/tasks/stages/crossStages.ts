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
import type { ResultParams } from '../../sketch/params.js';
import { crossingAt, hasGroups } from '../stream/crossing.js';
import {
  IDENTICAL,
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
  type RecordSource,
  type StageSink,
  u32At,
  u64At,
} from '../stream/records.js';
import { mapOf, type StagePlace, type StreamStage, tagged, withoutKind } from '../stream/stage.js';
import type { ToldApart } from '../stream/taskManifest.js';
import { MEMBER, PAIR, writeDropped, writeNode } from './droppingStages.js';

/** Where the text of the other group's first member begins in `crossed`. */
const OTHER_TEXT = 2 * RANK;

const [CLASS, A_MEMBER] = [0, 1];

/** The rows of documents with the same tokens, by the rule of reducers/identicalPairs.ts: of two groups, or all pairs. */
export const identicalRows: StreamStage = {
  ...mapOf({
    [KINDS.crossed]: tagged(RANK, CLASS),
    [KINDS.member]({ key, value }, out) {
      out.key.tagged(key, RANK, A_MEMBER);
      out.write(value.subarray(0, OF_GROUPED.order));
    },
  }),
  shuffles: ['class'],
  prefix: RANK,
  reduce(input, out, { manifest: { params } }) {
    const pairs = new ClassPairs(params.expandIdentical, (a, b, isSame) => {
      out.key.kind(KINDS.row).u8(TABLES.identical).u64(a).u64(b);
      out.value.u8(isSame ? IDENTICAL : SAME_TOKENS);
      out.write();
    });
    const isCross = hasGroups(params);
    while (input.group()) {
      // Without groups all pairs are made.
      pairs.begin(-1, 0);
      while (input.each()) {
        const { key, value } = input;
        if (key[RANK] === CLASS) pairs.begin(crossingAt(value, 0).other - 1, u32At(value, OTHER_TEXT));
        else {
          const rank = u64At(key, RANK + 1);
          pairs.member(rank, isCross ? u64At(value, OF_GROUPED.group) : rank, u32At(value, OF_GROUPED.text));
        }
      }
    }
  },
};

/** Tags between Map and Reduce of `heldSteps`, in the order of a class's records: a rank follows those of pairs and members. */
const OF_CLASS = { crossed: 0, label: 1, lead: 2, pair: 3, member: 4 } as const;

/** Tags after the root in keys of steps: documents come before pairs. */
const [DOCUMENTS, PAIRS] = [0, 1];

/** The documents and near pairs of clusters. The Reduce holds the facts of one class. */
export const heldSteps: StreamStage = {
  ...mapOf({
    [KINDS.crossed]: tagged(RANK, OF_CLASS.crossed),
    [KINDS.label]: tagged(RANK, OF_CLASS.label),
    [KINDS.lead]: tagged(RANK, OF_CLASS.lead),
    [KINDS.led]: tagged(RANK, OF_CLASS.pair),
    [KINDS.member]: tagged(RANK, OF_CLASS.member),
  }),
  shuffles: ['class'],
  prefix: RANK,
  reduce(input, out, { manifest: { params } }) {
    const isCross = hasGroups(params);
    const lead = new FieldWriter();
    const document = (root: number, rank: number, order: Uint8Array, group: number, text: number): void => {
      const first = u64At(input.shared, 0);
      out.key.kind(KINDS.step).u64(root).u8(DOCUMENTS).raw(order);
      out.value.u8(MEMBER).u64(first).u64(group).u32(text);
      out.write();
      writeNode(out, root, first, rank);
    };
    while (input.group()) {
      const first = u64At(input.shared, 0);
      // A class is in a cluster if it has a label, or several members; with groups, members of two of them.
      let [root, group, members, isLinked] = [first, 0, 0, false];
      lead.reset();
      while (input.each()) {
        const { key, value } = input;
        const tag = key[RANK];
        if (tag === OF_CLASS.crossed) {
          const crossing = crossingAt(value, 0);
          group = crossing.group;
          isLinked = crossing.other > 0;
        } else if (tag === OF_CLASS.label) {
          root = u64At(value, 0);
          isLinked = true;
        } else if (tag === OF_CLASS.lead) lead.raw(value);
        else if (tag === OF_CLASS.pair) writePair(out, params, root, lead.view, input);
        else {
          members++;
          isLinked ||= !isCross;
          if (!isLinked) continue;
          const own = isCross ? u64At(value, OF_GROUPED.group) : 0;
          const order = value.subarray(isCross ? OF_GROUPED.order : OF_MEMBER.order);
          document(root, u64At(key, RANK + 1), order, own, u32At(value, OF_MEMBER.text));
        }
      }
      // Without `member` records the class has one document, the first.
      if (isLinked && members === 0) document(root, first, lead.view.subarray(OF_LEAD.order), group, 0);
    }
  },
};

/** Writes a near pair of the class that the key begins with and an earlier one. `lead`: of the class. */
function writePair(
  out: StageSink,
  { measure, threshold }: ResultParams,
  root: number,
  lead: Uint8Array,
  { key, value }: RecordSource,
): void {
  const [first, a] = [key.subarray(0, RANK), key.subarray(RANK + 1)];
  const isContained = measure === 'containment';
  const [aInB, bInA] = [f64At(value, OF_LED.aInB), f64At(value, OF_LED.bInA)];
  const [isA, isB] = [u32At(value, OF_LED.protected) > 0, u32At(lead, OF_LEAD.protected) > 0];
  const isEarlier = isContained
    ? containsOther(aInB, bInA, isA, isB)
    : compareKeys(lead.subarray(OF_LEAD.order), value.subarray(OF_LED.order)) > 0;
  const isIdle = isContained && dropsNone(isEarlier ? bInA : aInB, threshold, isA, isB);
  out.key.kind(KINDS.step).u64(root).u8(PAIRS).raw(a).raw(first);
  out.value.u8(PAIR).raw(value, OF_LED.aInB, OF_LED.order);
  out.value.raw(isEarlier || isIdle ? a : first).raw(isEarlier && !isIdle ? first : a);
  out.value.u32(0);
  out.write();
}

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
  private readonly out: StageSink;
  private readonly here: StagePlace;
  private readonly told: ToldPairs;

  constructor(out: StageSink, here: StagePlace) {
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
    return atOnce(
      containedPairs([verified], guardOf(classes, precedence, this.here.manifest.params.threshold)),
    );
  }

  private tell(
    { ranks, texts, classes: { first, members } }: HeldCluster['inColumns'],
    { kept, document, keptDocument, jaccard }: DropList,
  ): void {
    const { out } = this;
    const hasKept = new Uint8Array(kept.length);
    for (let d = 0; d < kept.length; d++) hasKept[first[d]!]! |= kept[d]!;
    for (let i = 0; i < document.length; i++) {
      const [d, by] = [document[i]!, keptDocument[i]!];
      const reason = first[d] !== first[by] ? NEAR : texts[d] === texts[by] ? IDENTICAL : SAME_TOKENS;
      writeDropped(out, ranks[d]!, ranks[by]!, jaccard[i]!, reason);
    }
    members.firsts.forEach((d, number) => {
      if (hasKept[d] !== 0) return;
      out.key.kind(KINDS.gone).u64(this.classes.view[number]!);
      out.write();
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
  ...mapOf({ [KINDS.step]: withoutKind }),
  shuffles: ['cluster'],
  prefix: RANK,
  reduce(input, out, here) {
    const cluster = new HeldCluster(out, here);
    while (input.group()) {
      cluster.clear();
      while (input.each()) {
        const { key, value } = input;
        const told = key.subarray(RANK + 1);
        if (key[RANK] === DOCUMENTS) cluster.document(told, value);
        else cluster.pair(u64At(told, 0), u64At(told, RANK), f64At(value, 1), f64At(value, 9));
      }
      cluster.decide();
    }
  },
};
