/**
 * Stages of a round over hot buckets: the new pairs of kept members, and the pairs of documents that lean on members at risk.
 * A dropped document leans on the kept documents that it is near; a kept one is at risk where a new pair may drop it.
 *
 * A task holds 256 members of a bucket, 8 bytes each; all else streams.
 */

import { containsOther } from '../../../../reducers/dropList.js';
import { MemberPairs } from '../../../../reducers/streamed/memberPairs.js';
import { LEAST_HOT, leastHotBucket } from '../../../sketch/hotBuckets.js';
import { isSample } from '../../../sketch/params.js';
import { groupOfHot, hasGroups } from '../../stream/crossing.js';
import { COMPARED_KINDS, EVIDENCE_KINDS, EvidenceReader, isCompared } from '../../stream/evidence.js';
import {
  BUCKET,
  HOT_KINDS,
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
  type RecordSource,
  type StageSink,
  u32At,
  u64At,
} from '../../stream/records.js';
import {
  joined,
  MAP_ONLY,
  mapOf,
  type StagePlace,
  type StreamStage,
  tagged,
  withoutKind,
} from '../../stream/stage.js';
import { hotBucketOfJob } from '../../stream/taskManifest.js';
import { BucketGroups } from '../bucketStages.js';
import { classesOfStep, PAIR } from '../droppingStages.js';
import { withdrawnIn } from '../withdrawnStages.js';

/** The kind of record that says that a class is dropped: without an order of survivors, its first member is dropped. */
const goneKind = ({ hasOrder }: StagePlace['manifest']): number =>
  hasOrder === true ? KINDS.gone : KINDS.dropped;
const GONE_KINDS = [KINDS.gone, KINDS.dropped];

/** Tags after the rank, in this order. */
const [DROPPED, LEAD, MEMBER] = [0, 1, 2];
/** Bytes of the value of `hot` without the key in the order of survivors. */
const hotBytes = ({ params }: StagePlace['manifest']): number =>
  isSample(params.sketch)
    ? OF_HOT_SAMPLE.bytes
    : hasGroups(params)
      ? OF_HOT.group + RANK
      : OF_HOT.order + RANK;

/** Marks the members of hot buckets that are kept. Of evidence among its inputs, counts the accepted and the near pairs. */
export const keptMembers: StreamStage = {
  kinds: [...GONE_KINDS, KINDS.lead, ...HOT_KINDS, ...EVIDENCE_KINDS],
  shuffles: ['document'],
  prefix: RANK,
  /** dropped -> rank, 0; lead -> rank, 1 / its order; hot, keptHot -> rank, 2, bucket / unchanged. */
  map(input, out, here) {
    const { manifest, facts } = here;
    const { params } = manifest;
    const isWithdrawn = withdrawnIn(here);
    const pair = new EvidenceReader(params);
    const gone = goneKind(manifest);
    const hot = hotBytes(manifest);
    while (input.next()) {
      const { key, value } = input;
      if (key[0] === gone) {
        out.key.tagged(key, RANK, DROPPED);
        out.write();
      } else if (key[0] === KINDS.lead) {
        out.key.tagged(key, RANK, LEAD);
        out.write(value.subarray(OF_LEAD.order));
      } else if (HOT_KINDS.includes(key[0]!)) {
        out.key.turned(key, BUCKET, MEMBER);
        out.write(value.subarray(0, hot));
        const rank = key.subarray(KIND + BUCKET);
        // A document that is withdrawn is not paired again.
        if (!isWithdrawn(rank)) continue;
        out.key.raw(rank).u8(DROPPED);
        out.write();
      } else if (pair.read(input)) {
        if (pair.accepted) facts.add('accepted', 1);
        if (pair.isNear) facts.add('near', 1);
      }
    }
  },
  reduce(input, out) {
    const order = new FieldWriter();
    while (input.group()) {
      let kind: number = KINDS.keptHot;
      order.reset();
      while (input.each()) {
        const { key, value } = input;
        if (key[RANK] === DROPPED) kind = KINDS.hot;
        else if (key[RANK] === LEAD) order.raw(value);
        else {
          out.key
            .kind(kind)
            .raw(key, RANK + 1)
            .raw(input.shared);
          out.value.raw(value).raw(order.view);
          out.write();
        }
      }
    }
  },
};

const [ANNOUNCED, TAKEN] = [0, 1];

/**
 * keptHot -> bucket, 0, group, rank / its order; and bucket, 1, order / rank, group, of samples the value. Of samples, the number in the
 * order of hot fingerprints (`reliesIn`) is in the place of the rank.
 */
function mapMemberPairs(input: RecordSource, out: StageSink, { manifest }: StagePlace): void {
  const groupOf = groupOfHot(manifest.params);
  const isSampled = isSample(manifest.params.sketch);
  const end = hotBytes(manifest);
  while (input.next()) {
    const { key, value } = input;
    const rank = isSampled ? value.subarray(OF_HOT.order, OF_HOT.order + RANK) : key.subarray(KIND + BUCKET);
    const group = groupOf(key, value);
    out.key
      .raw(key, KIND, KIND + BUCKET)
      .u8(ANNOUNCED)
      .raw(group)
      .raw(rank);
    out.write(value.length > end ? value.subarray(end) : rank);
    out.key.raw(key, KIND, KIND + BUCKET).u8(TAKEN);
    out.key.raw(value, isSampled ? OF_HOT.slot : OF_HOT.order, OF_HOT.order + RANK);
    if (isSampled) out.value.raw(value, 0, end);
    else out.value.raw(rank).raw(group);
    out.write();
  }
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
 * The pairs of the kept members of buckets, by the rule for so many members; and the heads, with the first member in the order of
 * survivors, and the first of another group. Without groups every member is a group of its own.
 *
 * Of samples, members have twice their rank as their number, plus 1 where they rely on frequent fingerprints. Two that do not are
 * no pair. The members that were taken are written, too: they are those of the first round, and `unpaired` asks for them. A bucket of a single group has none.
 */
export const memberPairs: StreamStage = {
  kinds: [KINDS.keptHot],
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  map: mapMemberPairs,
  reduce(input, out, { manifest }) {
    const { params } = manifest;
    const isSampled = isSample(params.sketch);
    const isCross = hasGroups(params);
    const relies = (member: number): boolean => !isSampled || member % 2 === 1;
    const rankOf = (member: number): number => (isSampled ? Math.floor(member / 2) : member);
    const most = isSampled ? leastHotBucket(params.hotBucket) : Math.min(hotBucketOfJob(manifest), LEAST_HOT);
    const groups = new BucketGroups();
    let [made, relying] = [0, 0];
    const pairs = new MemberPairs(most, (a, b) => {
      if (!relies(a) && !relies(b)) return;
      made++;
      writePair(out, rankOf(a), rankOf(b));
    });
    while (input.group()) {
      pairs.begin();
      groups.clear();
      [made, relying] = [0, 0];
      let [first, other] = [new FirstOfGroup(), new FirstOfGroup()];
      while (input.each()) {
        const { key, value } = input;
        if (key[BUCKET] === ANNOUNCED) {
          const [group, member] = [u64At(key, BUCKET + 1), u64At(key, BUCKET + 1 + RANK)];
          pairs.announce(member, group);
          groups.add(member, group, relies(member));
          if (relies(member)) relying++;
          if (first.comesBehind(value)) {
            if (first.group !== group) [first, other] = [other, first];
            first.set(rankOf(member), group, value);
          } else if (first.group !== group && other.comesBehind(value))
            other.set(rankOf(member), group, value);
        } else if (!isSampled) pairs.add(u64At(value, 0), u64At(value, RANK));
        else if (!isCross || pairs.other >= 0) {
          const member = u64At(value, OF_HOT.order);
          pairs.add(member, u64At(value, OF_HOT.group));
          out.key.kind(KINDS.took).raw(input.shared).u64(rankOf(member));
          out.write(value);
        }
      }
      if (isCross && pairs.other < 0) continue;
      const second = other.rank < 0 ? first : other;
      // Of two groups, pairs that are not in question are drawn like others.
      const others = pairs.members - relying;
      const unasked = isCross ? (others * (others - 1)) / 2 - groups.unasked : 0;
      out.key.kind(KINDS.head).raw(input.shared);
      out.value
        .u64(pairs.members)
        .u64(first.rank)
        .u64(made + unasked)
        .u64(first.group);
      out.value.u64(second.rank).u64(second.group).u64(relying);
      if (isCross) groups.putRuns(out.value);
      out.write();
    }
  },
};

function writePair(out: StageSink, a: number, b: number): void {
  out.key.kind(KINDS.pair).u64(a).u64(b);
  out.write();
}

/**
 * Compared pairs as new ones: of samples only pairs that pass the rule are compared pairs, so what a round adds is known when the
 * samples were compared.
 */
export const passing: StreamStage = {
  ...mapOf({ [KINDS.compared]: passedOn, [KINDS.unverified]: passedOn }),
  ...MAP_ONLY,
};

function passedOn({ key, value }: RecordSource, out: StageSink, { manifest }: StagePlace): void {
  out.key.kind(KINDS.pair).raw(key, KIND, KIND + 2 * RANK);
  out.write(manifest.params.measure === 'containment' ? value.subarray(-1) : PRESENT);
}

const [PAIRED, NEAR_TO] = [1, 2];
const [KNOWN, MADE] = [0, 1];

/** leaning: the document at the end of `key` leans on a kept one. */
function writeLeaning(out: StageSink, key: Uint8Array, isAtRisk: boolean, facts: StagePlace['facts']): void {
  if (isAtRisk) facts.add('leaning', 1);
  out.key
    .kind(KINDS.leaning)
    .raw(key, RANK + 1)
    .u8(isAtRisk ? 1 : 0);
  out.write();
}

/**
 * The new pairs of a round, each once; and, for documents near earlier kept documents, whether those are second in a new
 * pair and so at risk. With an order of survivors, `leanings` finds the latter.
 */
export const freshPairs: StreamStage = {
  kinds: [...GONE_KINDS, KINDS.pair, ...COMPARED_KINDS, KINDS.evidence],
  shuffles: ['document'],
  prefix: RANK,
  /** dropped -> rank, 0; pair, compared -> b, 1, a, and whether it is known; an accepted pair -> a, 2, b. */
  map(input, out, { manifest }) {
    const pair = new EvidenceReader(manifest.params);
    const gone = goneKind(manifest);
    while (input.next()) {
      const { key, value } = input;
      const kind = key[0];
      if (kind === gone) {
        out.key.tagged(key, RANK, DROPPED);
        out.write();
        continue;
      }
      if (kind === KINDS.pair || isCompared(kind)) {
        out.key
          .raw(key, KIND + RANK, KIND + 2 * RANK)
          .u8(PAIRED)
          .raw(key, KIND, KIND + RANK)
          .u8(kind === KINDS.pair ? MADE : KNOWN);
        out.write(kind === KINDS.pair ? value : PRESENT);
      }
      if (manifest.hasOrder === true || !pair.read(input) || !pair.accepted) continue;
      out.key.u64(pair.a).u8(NEAR_TO).u64(pair.b);
      out.write();
    }
  },
  reduce(input, out, { facts }) {
    while (input.group()) {
      let [isDropped, isAtRisk, other] = [false, false, -1];
      while (input.each()) {
        const { key, value } = input;
        if (key[RANK] === DROPPED) isDropped = true;
        else if (key[RANK] === PAIRED) {
          const a = u64At(key, RANK + 1);
          const isNew = a !== other && key[2 * RANK + 1] === MADE;
          other = a;
          if (!isNew) continue;
          isAtRisk = true;
          facts.add('new pairs', 1);
          out.key
            .kind(KINDS.pair)
            .raw(key, RANK + 1, 2 * RANK + 1)
            .raw(input.shared);
          out.write(value);
        } else if (!isDropped) writeLeaning(out, key, isAtRisk, facts);
      }
    }
  },
};

/** The classes that come second in new pairs, in the order of survivors or, by containment, of sizes, and may be dropped. */
export const risks: StreamStage = {
  // The lead of a class comes before its pairs.
  ...mapOf({ [KINDS.lead]: tagged(RANK, 0), [KINDS.led]: tagged(RANK, 1) }),
  shuffles: ['b'],
  prefix: RANK,
  reduce: joined(RANK, (own, { key, value, shared }, out, { manifest }) => {
    const isContained = manifest.params.measure === 'containment';
    const [order, other] = [own.subarray(OF_LEAD.order), value.subarray(OF_LED.order)];
    const isLater = isContained
      ? containsOther(
          ...([f64At(value, OF_LED.aInB), f64At(value, OF_LED.bInA)] as const),
          ...([u32At(value, OF_LED.protected) > 0, u32At(own, OF_LEAD.protected) > 0] as const),
        )
      : compareKeys(order, other) > 0;
    // A protected document is never dropped.
    if (!isContained && (isLater ? order : other)[0] === 0) return;
    out.key.kind(KINDS.risk).raw(isLater ? shared : key.subarray(RANK + 1));
    out.write();
  }),
};

/** For documents near kept documents before them: whether those are at risk. Only with an order of survivors. */
export const leanings: StreamStage = {
  kinds: [KINDS.gone, KINDS.risk, KINDS.step],
  shuffles: ['document'],
  prefix: RANK,
  /** gone -> class, 0; risk -> class, 1; a near pair of `step` -> class of `earlier`, 2, class of `later`. */
  map(input, out, { manifest }) {
    const nameOf = (a: number, b: number): string => `${Math.min(a, b)} ${Math.max(a, b)}`;
    const apart = new Set(manifest.apart?.map(({ firsts: [a, b] }) => nameOf(a, b)));
    while (input.next()) {
      const { key, value } = input;
      if (key[0] === KINDS.gone) out.key.tagged(key, RANK, DROPPED);
      else if (key[0] === KINDS.risk) out.key.tagged(key, RANK, PAIRED);
      else {
        if (value[0] !== PAIR) continue;
        const { earlier, later } = classesOfStep(value);
        if (compareKeys(earlier, later) === 0) continue;
        if (apart.size > 0 && apart.has(nameOf(u64At(earlier, 0), u64At(later, 0)))) continue;
        out.key.raw(earlier).u8(NEAR_TO).raw(later);
      }
      out.write();
    }
  },
  reduce(input, out, { facts }) {
    while (input.group()) {
      let [isDropped, isAtRisk] = [false, false];
      while (input.each()) {
        const { key } = input;
        if (key[RANK] === DROPPED) isDropped = true;
        else if (key[RANK] === PAIRED) isAtRisk = true;
        else if (!isDropped) writeLeaning(out, key, isAtRisk, facts);
      }
    }
  },
};

const [SAFE, AT_RISK, OF_BUCKET] = [0, 1, 2];

/** The dropped members that lean only on kept documents at risk, by bucket. */
export const dependents: StreamStage = {
  ...mapOf({
    // Its tag is SAFE or AT_RISK.
    [KINDS.leaning]: withoutKind,
    [KINDS.hot]({ key, value }, out, { manifest }) {
      out.key.turned(key, BUCKET, OF_BUCKET);
      out.write(groupOfHot(manifest.params)(key, value));
    },
  }),
  shuffles: ['document'],
  prefix: RANK,
  reduce(input, out, { facts }) {
    while (input.group()) {
      let [isSafe, isAtRisk] = [false, false];
      while (input.each()) {
        const { key, value } = input;
        if (key[RANK] === SAFE) isSafe = true;
        else if (key[RANK] === AT_RISK) isAtRisk = true;
        else if (isAtRisk && !isSafe) {
          facts.add('dependent members', 1);
          out.key
            .kind(KINDS.dependent)
            .raw(key, RANK + 1)
            .raw(input.shared);
          out.write(value);
        }
      }
    }
  },
};

/** Pairs every dependent member with the first kept member of its bucket that is of another group. */
export const dependentPairs: StreamStage = {
  ...mapOf({
    [KINDS.head]({ key, value }, out) {
      out.key.tagged(key, BUCKET, 0);
      out.write(value.subarray(OF_HEAD.first, OF_HEAD.runs));
    },
    [KINDS.dependent]: tagged(BUCKET, 1),
  }),
  shuffles: ['band', 'bucket'],
  prefix: BUCKET,
  reduce: joined(BUCKET, (head, { key, value }, out, { facts }) => {
    // A bucket without a head has no kept member.
    const first = head.length === 0 ? -1 : firstOfOther(head, u64At(value, 0));
    if (first < 0) return;
    const rank = u64At(key, BUCKET + 1);
    writePair(out, Math.min(first, rank), Math.max(first, rank));
    facts.add('dependent pairs', 1);
  }),
};

/** The bucket's first kept member of another group than `group`; -1: there is none. `head`: from `first` on. */
function firstOfOther(head: Uint8Array, group: number): number {
  const from = OF_HEAD.first;
  if (u64At(head, OF_HEAD.group - from) !== group) return u64At(head, 0);
  return u64At(head, OF_HEAD.ofOther - from) === group ? -1 : u64At(head, OF_HEAD.other - from);
}
