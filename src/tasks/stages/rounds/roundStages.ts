/**
 * Stages of a round over hot buckets: the new pairs of kept members, and the pairs of documents that lean on members at risk.
 * A dropped document leans on the kept documents that it is near; a kept one is at risk where a new pair may drop it.
 *
 * A task holds 256 members of a bucket, 8 bytes each; all else streams.
 */

import { containsOther } from '../../../../reducers/dropList.js';
import { MemberPairs } from '../../../../reducers/streamed/memberPairs.js';
import { leastNear } from '../../../sketch/family.js';
import { LEAST_HOT, leastHotBucket } from '../../../sketch/hotBuckets.js';
import { isSample } from '../../../sketch/params.js';
import { groupOfHot, hasGroups } from '../../stream/crossing.js';
import { COMPARED_KINDS, EvidenceReader, isCompared } from '../../stream/evidence.js';
import {
  BUCKET,
  isHotMember,
  KIND,
  KINDS,
  OF_HEAD,
  OF_HOT,
  OF_HOT_SAMPLE,
  OF_LEAD,
  OF_LED,
  RANK,
} from '../../stream/kinds.js';
import {
  compareKeys,
  FieldWriter,
  f64At,
  PRESENT,
  type RecordSink,
  type RecordSource,
  sharesPrefix,
  u32At,
  u64At,
} from '../../stream/records.js';
import { type StagePlace, type StreamStage, withTags } from '../../stream/stage.js';
import { hotBucketOfJob } from '../../stream/taskManifest.js';
import { BucketGroups } from '../bucketStages.js';
import { classesOfStep, PAIR } from '../droppingStages.js';
import { withdrawnIn } from '../withdrawnStages.js';

/** The kind of record that says that a class is dropped: without an order of survivors, its first member is dropped. */
const goneKind = ({ hasOrder }: StagePlace['manifest']): number =>
  hasOrder === true ? KINDS.gone : KINDS.dropped;

/** Tags after the rank, in this order. */
const [DROPPED, LEAD, MEMBER] = [0, 1, 2];
/** Bytes of the value of `hot` without the key in the order of survivors. */
const hotBytes = ({ params }: StagePlace['manifest']): number =>
  isSample(params.sketch)
    ? OF_HOT_SAMPLE.bytes
    : hasGroups(params)
      ? OF_HOT.group + RANK
      : OF_HOT.order + RANK;

/** dropped -> rank, 0; lead -> rank, 1 / its order; hot, keptHot -> rank, 2, bucket / unchanged. Counts evidence. */
function mapKeptMembers(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const { manifest, facts } = here;
  const { params } = manifest;
  const isWithdrawn = withdrawnIn(here);
  const pair = new EvidenceReader(params);
  const least = leastNear(params);
  const gone = goneKind(manifest);
  const hot = hotBytes(manifest);
  const keys = new FieldWriter();
  let [accepted, near] = [0, 0];
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === gone) {
      out.put(keys.reset().raw(key, KIND).u8(DROPPED).view, PRESENT);
    } else if (key[0] === KINDS.lead) {
      out.put(keys.reset().raw(key, KIND).u8(LEAD).view, value.subarray(OF_LEAD.order));
    } else if (isHotMember(key[0])) {
      out.put(keys.turned(key, BUCKET, MEMBER).view, value.subarray(0, hot));
      const rank = key.subarray(KIND + BUCKET);
      // A document that is withdrawn is not paired again.
      if (isWithdrawn(rank)) out.put(keys.reset().raw(rank).u8(DROPPED).view, PRESENT);
    } else if (pair.read(input)) {
      if (pair.accepted) accepted++;
      if (params.verify === 'exact' ? pair.accepted : pair.agreement >= least) near++;
    }
  }
  facts.add('accepted', accepted);
  facts.add('near', near);
}

function reduceKeptMembers(input: RecordSource, out: RecordSink): void {
  const [keys, values, order] = [new FieldWriter(), new FieldWriter(), new FieldWriter()];
  let dropped = -1;
  while (input.next()) {
    const { key, value } = input;
    const rank = u64At(key, 0);
    if (key[RANK] === DROPPED) dropped = rank;
    else if (key[RANK] === LEAD) order.reset().raw(value);
    else {
      keys.kind(rank === dropped ? KINDS.hot : KINDS.keptHot);
      out.put(keys.raw(key, RANK + 1).raw(key, 0, RANK).view, values.reset().raw(value).raw(order.view).view);
    }
  }
}

/** Marks the members of hot buckets that are kept. Of evidence among its inputs, counts the accepted and the near pairs. */
export const keptMembers: StreamStage = {
  reads: 'records',
  shuffles: ['document'],
  prefix: RANK,
  map: mapKeptMembers,
  reduce: reduceKeptMembers,
};

const [ANNOUNCED, TAKEN] = [0, 1];

/**
 * keptHot -> bucket, 0, group, rank / its order; and bucket, 1, order / rank, group, of samples the value. Of samples, the number in the
 * order of hot fingerprints (`reliesIn`) is in the place of the rank.
 */
function mapMemberPairs(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  const groupOf = groupOfHot(manifest.params);
  const isSampled = isSample(manifest.params.sketch);
  const end = hotBytes(manifest);
  while (input.next()) {
    const { key, value } = input;
    if (key[0] !== KINDS.keptHot) continue;
    const bucket = key.subarray(KIND, KIND + BUCKET);
    const rank = isSampled ? value.subarray(OF_HOT.order, OF_HOT.order + RANK) : key.subarray(KIND + BUCKET);
    const group = groupOf(key, value);
    const told = value.length > end ? value.subarray(end) : rank;
    out.put(keys.reset().raw(bucket).u8(ANNOUNCED).raw(group).raw(rank).view, told);
    keys.reset().raw(bucket).u8(TAKEN);
    keys.raw(value, isSampled ? OF_HOT.slot : OF_HOT.order, OF_HOT.order + RANK);
    out.put(keys.view, isSampled ? value.subarray(0, end) : values.reset().raw(rank).raw(group).view);
  }
}

/** Writes records of kind `pair`. */
function pairRecords(out: RecordSink) {
  const keys = new FieldWriter();
  return (a: number, b: number): void => {
    out.put(keys.kind(KINDS.pair).u64(a).u64(b).view, PRESENT);
  };
}

/** The first member so far in the order of survivors; without one, in that of ranks. */
class FirstOfGroup {
  /** -1: no member yet. */
  rank = -1;
  group = -1;
  private readonly order = new FieldWriter();

  comesBehind(order: Uint8Array): boolean {
    return this.rank < 0 || compareKeys(order, this.order.view) < 0;
  }

  set(rank: number, group: number, order: Uint8Array): void {
    this.rank = rank;
    this.group = group;
    this.order.reset().raw(order);
  }
}

/**
 * Makes the pairs of the members of a bucket. Its head names the first member in the order of survivors, and the first of another
 * group. Without groups every member is a group of its own.
 *
 * Of samples, members have twice their rank as their number, plus 1 where they rely on frequent fingerprints. Two that do not are
 * no pair. The members that were taken are written, too: they are those of the first round, and `unpaired` asks for them. A bucket of a single group has none.
 */
class KeptMembers {
  private readonly out: RecordSink;
  private readonly isSampled: boolean;
  private readonly isCross: boolean;
  private readonly pairs: MemberPairs;
  private readonly keys = new FieldWriter();
  private readonly values = new FieldWriter();
  private readonly bucket = new FieldWriter();
  private readonly groups = new BucketGroups();
  private first = new FirstOfGroup();
  private other = new FirstOfGroup();
  private made = 0;
  private relying = 0;

  constructor(out: RecordSink, { manifest }: StagePlace) {
    const { params } = manifest;
    this.out = out;
    this.isSampled = isSample(params.sketch);
    this.isCross = hasGroups(params);
    const put = pairRecords(out);
    const most = this.isSampled
      ? leastHotBucket(params.hotBucket)
      : Math.min(hotBucketOfJob(manifest), LEAST_HOT);
    this.pairs = new MemberPairs(most, (a, b) => {
      if (!this.relies(a) && !this.relies(b)) return;
      this.made++;
      put(this.rankOf(a), this.rankOf(b));
    });
  }

  private relies(member: number): boolean {
    return !this.isSampled || member % 2 === 1;
  }

  private rankOf(member: number): number {
    return this.isSampled ? Math.floor(member / 2) : member;
  }

  add({ key, value }: RecordSource): void {
    const { bucket, pairs, keys } = this;
    if (bucket.view.length === 0 || !sharesPrefix(key, bucket.view, BUCKET)) {
      this.end();
      bucket.reset().raw(key, 0, BUCKET);
      pairs.begin();
    }
    if (key[BUCKET] === ANNOUNCED) {
      this.announce(u64At(key, BUCKET + 1 + RANK), u64At(key, BUCKET + 1), value);
      return;
    }
    if (!this.isSampled) {
      pairs.add(u64At(value, 0), u64At(value, RANK));
      return;
    }
    if (this.isCross && pairs.other < 0) return;
    const member = u64At(value, OF_HOT.order);
    pairs.add(member, u64At(value, OF_HOT.group));
    keys.kind(KINDS.took).raw(bucket.view);
    this.out.put(keys.u64(this.rankOf(member)).view, value);
  }

  private announce(member: number, group: number, order: Uint8Array): void {
    const { pairs, groups, first, other } = this;
    const relies = this.relies(member);
    pairs.announce(member, group);
    groups.add(member, group, relies);
    if (relies) this.relying++;
    if (first.comesBehind(order)) {
      if (first.group !== group) [this.first, this.other] = [other, first];
      this.first.set(this.rankOf(member), group, order);
    } else if (first.group !== group && other.comesBehind(order))
      other.set(this.rankOf(member), group, order);
  }

  /** Ends the bucket: writes its head. */
  end(): void {
    const { bucket, keys, values, pairs, groups, first, other, relying } = this;
    if (bucket.view.length === 0) return;
    if (!this.isCross || pairs.other >= 0) {
      const second = other.rank < 0 ? first : other;
      // Of two groups, pairs that are not in question are drawn like others.
      const others = pairs.members - relying;
      const unasked = this.isCross ? (others * (others - 1)) / 2 - groups.unasked : 0;
      values
        .reset()
        .u64(pairs.members)
        .u64(first.rank)
        .u64(this.made + unasked)
        .u64(first.group);
      values.u64(second.rank).u64(second.group).u64(relying);
      if (this.isCross) groups.putRuns(values);
      this.out.put(keys.kind(KINDS.head).raw(bucket.view).view, values.view);
    }
    this.made = this.relying = 0;
    first.rank = other.rank = -1;
    groups.clear();
  }
}

/**
 * The pairs of the kept members of buckets, by the rule for so many members; and the heads, with the first member in the order of
 * survivors.
 */
export const memberPairs: StreamStage = {
  reads: 'records',
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapMemberPairs,
  reduce(input, out, here) {
    const members = new KeptMembers(out, here);
    while (input.next()) members.add(input);
    members.end();
  },
};

/**
 * Compared pairs as new ones: of samples only pairs that pass the rule are compared pairs, so what a round adds is known when the
 * samples were compared.
 */
export const passing: StreamStage = {
  reads: 'records',
  kinds: COMPARED_KINDS,
  shuffles: [],
  prefix: 0,
  map(input, out, { manifest }) {
    const isContained = manifest.params.measure === 'containment';
    const keys = new FieldWriter();
    while (input.next()) {
      const { key, value } = input;
      if (!isCompared(key[0])) continue;
      out.put(
        keys.kind(KINDS.pair).raw(key, KIND, KIND + 2 * RANK).view,
        isContained ? value.subarray(-1) : PRESENT,
      );
    }
  },
  reduce: null,
};

const [PAIRED, NEAR_TO] = [1, 2];
const [KNOWN, MADE] = [0, 1];

/** dropped -> rank, 0; pair, compared -> b, 1, a, and whether it is known; an accepted pair -> a, 2, b. */
function mapFreshPairs(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const pair = new EvidenceReader(manifest.params);
  const gone = goneKind(manifest);
  const keys = new FieldWriter();
  while (input.next()) {
    const { key } = input;
    const kind = key[0];
    if (kind === gone) {
      out.put(keys.reset().raw(key, KIND).u8(DROPPED).view, PRESENT);
      continue;
    }
    if (kind === KINDS.pair || isCompared(kind)) {
      keys
        .reset()
        .raw(key, KIND + RANK, KIND + 2 * RANK)
        .u8(PAIRED)
        .raw(key, KIND, KIND + RANK);
      out.put(keys.u8(kind === KINDS.pair ? MADE : KNOWN).view, kind === KINDS.pair ? input.value : PRESENT);
    }
    if (manifest.hasOrder !== true && pair.read(input) && pair.accepted)
      out.put(keys.reset().u64(pair.a).u8(NEAR_TO).u64(pair.b).view, PRESENT);
  }
}

/** leaning: the document at the end of `key` leans on a kept one. */
function putLeaning(out: RecordSink, keys: FieldWriter, key: Uint8Array, isAtRisk: boolean): void {
  keys.kind(KINDS.leaning).raw(key, RANK + 1);
  out.put(keys.u8(isAtRisk ? 1 : 0).view, PRESENT);
}

function reduceFreshPairs(input: RecordSource, out: RecordSink, { facts }: StagePlace): void {
  const keys = new FieldWriter();
  const document = new Uint8Array(RANK);
  // -1: no document has this rank.
  let [current, other] = [-1, -1];
  let [isDropped, isAtRisk] = [false, false];
  let [made, leaning] = [0, 0];
  while (input.next()) {
    const { key } = input;
    const rank = u64At(key, 0);
    if (rank !== current) {
      [current, other, isDropped, isAtRisk] = [rank, -1, false, false];
      document.set(key.subarray(0, RANK));
    }
    if (key[RANK] === DROPPED) {
      isDropped = true;
    } else if (key[RANK] === PAIRED) {
      const a = u64At(key, RANK + 1);
      const isNew = a !== other && key[2 * RANK + 1] === MADE;
      other = a;
      if (!isNew) continue;
      isAtRisk = true;
      made++;
      keys.kind(KINDS.pair).raw(key, RANK + 1, 2 * RANK + 1);
      out.put(keys.raw(document).view, input.value);
    } else if (!isDropped) {
      if (isAtRisk) leaning++;
      putLeaning(out, keys, key, isAtRisk);
    }
  }
  facts.add('new pairs', made);
  facts.add('leaning', leaning);
}

/**
 * The new pairs of a round, each once; and, for documents near earlier kept documents, whether those are second in a new
 * pair and so at risk. With an order of survivors, `leanings` finds the latter.
 */
export const freshPairs: StreamStage = {
  reads: 'records',
  shuffles: ['document'],
  prefix: RANK,
  map: mapFreshPairs,
  reduce: reduceFreshPairs,
};

function reduceRisks(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const isContained = manifest.params.measure === 'containment';
  const [keys, own] = [new FieldWriter(), new FieldWriter()];
  while (input.next()) {
    const { key, value } = input;
    if (key[RANK] === 0) {
      own.reset().raw(value);
      continue;
    }
    const [order, other] = [own.view.subarray(OF_LEAD.order), value.subarray(OF_LED.order)];
    const isLater = isContained
      ? containsOther(
          ...([f64At(value, OF_LED.aInB), f64At(value, OF_LED.bInA)] as const),
          ...([u32At(value, OF_LED.protected) > 0, u32At(own.view, OF_LEAD.protected) > 0] as const),
        )
      : compareKeys(order, other) > 0;
    // A protected document is never dropped.
    if (!isContained && (isLater ? order : other)[0] === 0) continue;
    keys.kind(KINDS.risk);
    out.put((isLater ? keys.raw(key, 0, RANK) : keys.raw(key, RANK + 1)).view, PRESENT);
  }
}

/** The classes that come second in new pairs, in the order of survivors or, by containment, of sizes, and may be dropped. */
export const risks: StreamStage = {
  reads: 'records',
  kinds: [KINDS.lead, KINDS.led],
  shuffles: ['b'],
  prefix: RANK,
  // The lead of a class comes before its pairs.
  map: withTags(RANK, { [KINDS.lead]: 0, [KINDS.led]: 1 }),
  reduce: reduceRisks,
};

/** gone -> class, 0; risk -> class, 1; a near pair of `step` -> class of `earlier`, 2, class of `later`. */
function mapLeanings(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const keys = new FieldWriter();
  const apart = new Set(manifest.apart?.map(({ firsts: [a, b] }) => `${Math.min(a, b)} ${Math.max(a, b)}`));
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.gone) out.put(keys.reset().raw(key, KIND).u8(DROPPED).view, PRESENT);
    else if (key[0] === KINDS.risk) out.put(keys.reset().raw(key, KIND).u8(PAIRED).view, PRESENT);
    else if (key[0] === KINDS.step && value[0] === PAIR) {
      const { earlier, later } = classesOfStep(value);
      if (compareKeys(earlier, later) === 0) continue;
      if (apart.size > 0) {
        const [a, b] = [u64At(earlier, 0), u64At(later, 0)];
        if (apart.has(`${Math.min(a, b)} ${Math.max(a, b)}`)) continue;
      }
      out.put(keys.reset().raw(earlier).u8(NEAR_TO).raw(later).view, PRESENT);
    }
  }
}

function reduceLeanings(input: RecordSource, out: RecordSink, { facts }: StagePlace): void {
  const keys = new FieldWriter();
  let [current, leaning] = [-1, 0];
  let [isDropped, isAtRisk] = [false, false];
  while (input.next()) {
    const { key } = input;
    const rank = u64At(key, 0);
    if (rank !== current) [current, isDropped, isAtRisk] = [rank, false, false];
    if (key[RANK] === DROPPED) isDropped = true;
    else if (key[RANK] === PAIRED) isAtRisk = true;
    else if (!isDropped) {
      if (isAtRisk) leaning++;
      putLeaning(out, keys, key, isAtRisk);
    }
  }
  facts.add('leaning', leaning);
}

/** For documents near kept documents before them: whether those are at risk. Only with an order of survivors. */
export const leanings: StreamStage = {
  reads: 'records',
  kinds: [KINDS.gone, KINDS.risk, KINDS.step],
  shuffles: ['document'],
  prefix: RANK,
  map: mapLeanings,
  reduce: reduceLeanings,
};

const [SAFE, AT_RISK, OF_BUCKET] = [0, 1, 2];

/** leaning -> rank, 0 or 1; hot -> rank, 2, bucket / its group. */
function mapDependents(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const keys = new FieldWriter();
  const groupOf = groupOfHot(manifest.params);
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.leaning) out.put(key.subarray(KIND), PRESENT);
    if (key[0] === KINDS.hot) out.put(keys.turned(key, BUCKET, OF_BUCKET).view, groupOf(key, value));
  }
}

function reduceDependents(input: RecordSource, out: RecordSink, { facts }: StagePlace): void {
  const keys = new FieldWriter();
  let [current, members] = [-1, 0];
  let [isSafe, isAtRisk] = [false, false];
  while (input.next()) {
    const { key, value } = input;
    const rank = u64At(key, 0);
    if (rank !== current) [current, isSafe, isAtRisk] = [rank, false, false];
    if (key[RANK] === SAFE) isSafe = true;
    else if (key[RANK] === AT_RISK) isAtRisk = true;
    else if (isAtRisk && !isSafe) {
      members++;
      keys.kind(KINDS.dependent).raw(key, RANK + 1);
      out.put(keys.u64(rank).view, value);
    }
  }
  facts.add('dependent members', members);
}

/** The dropped members that lean only on kept documents at risk, by bucket. */
export const dependents: StreamStage = {
  reads: 'records',
  shuffles: ['document'],
  prefix: RANK,
  map: mapDependents,
  reduce: reduceDependents,
};

/** head -> bucket, 0 / first; dependent -> bucket, 1, rank. */
function mapDependentPairs(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    keys.reset().raw(key, KIND, KIND + BUCKET);
    if (key[0] === KINDS.head) out.put(keys.u8(0).view, value.subarray(OF_HEAD.first, OF_HEAD.runs));
    else if (key[0] === KINDS.dependent) out.put(keys.u8(1).raw(key, KIND + BUCKET).view, value);
  }
}

function reduceDependentPairs(input: RecordSource, out: RecordSink, { facts }: StagePlace): void {
  const put = pairRecords(out);
  const bucket = new Uint8Array(BUCKET);
  const head = new FieldWriter();
  let made = 0;
  while (input.next()) {
    const { key, value } = input;
    if (key[BUCKET] === 0) {
      bucket.set(key.subarray(0, BUCKET));
      head.reset().raw(value);
      continue;
    }
    // A bucket without a head has no kept member.
    if (head.view.length === 0 || !sharesPrefix(key, bucket, BUCKET)) continue;
    const rank = u64At(key, BUCKET + 1);
    const first = firstOfOther(head.view, u64At(value, 0));
    if (first < 0) continue;
    put(Math.min(first, rank), Math.max(first, rank));
    made++;
  }
  facts.add('dependent pairs', made);
}

/** The bucket's first kept member of another group than `group`; -1: there is none. `head`: from `first` on. */
function firstOfOther(head: Uint8Array, group: number): number {
  const from = OF_HEAD.first;
  if (u64At(head, OF_HEAD.group - from) !== group) return u64At(head, 0);
  return u64At(head, OF_HEAD.ofOther - from) === group ? -1 : u64At(head, OF_HEAD.other - from);
}

/** Pairs every dependent member with the first kept member of its bucket that is of another group. */
export const dependentPairs: StreamStage = {
  reads: 'records',
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapDependentPairs,
  reduce: reduceDependentPairs,
};
