/**
 * The first comparison of all candidates and the rounds over hot buckets after it, on the engine.
 *
 * Every round adds a list of verified pairs; they are merged once, at the end. So what a round costs follows from what
 * is new in it, but for passing by what is known.
 *
 * Floor 4.
 */
import { keptDocuments } from '../../reducers/dropList.js';
import { hotDocuments } from '../../reducers/hotBuckets.js';
import { keptUncompared, type RoundOutcome, runRounds } from '../../reducers/hotRounds.js';
import { mergePairs } from '../../reducers/mergedPairs.js';
import {
  acceptedPairs,
  countAccepted,
  mergeVerified,
  type VerifiedPairs,
} from '../../reducers/verifiedPairs.js';
import type { AgreeingPairs, HotMembers, Pairs } from '../sketch/pairs.js';
import type { BandPairing, Bucketing } from './candidates.js';
import type { PairComparer } from './comparing.js';
import { aheadOfAccepted, MERGED_BYTES, NEAR_BYTES } from './pairMemory.js';
import type { PairPlan } from './pairPlan.js';
import type { Run } from './run.js';
import { forgetPairs, type StoredPairs, storePairs } from './storedPairs.js';
import type { Verifier } from './verification.js';
import { inheritedMembers } from './withdrawal.js';

export interface ComparedRounds {
  /** Every candidate pair of all rounds, sorted by (a, b). */
  readonly verified: VerifiedPairs;
  readonly rounds: number;
  readonly keptUncompared: number;
}

/** Compares the pairs of `bucketing`, and then round after round what is left of its hot buckets. */
export async function compareInRounds(
  run: Run,
  plan: PairPlan,
  pairing: BandPairing,
  comparer: PairComparer,
  verifier: Verifier,
  bucketing: Bucketing,
): Promise<ComparedRounds> {
  const rounds = new Rounds(run, plan, pairing, comparer, verifier, bucketing.hot);
  const all = await comparer.compare(bucketing.lists, []);
  forgetPairs(run, bucketing.lists);
  const first = await rounds.compare(all, null);
  const result = await runRounds(first, rounds);
  const verified = rounds.merged();
  run.progress(verified.count, verified.count, 'pairs');
  return {
    verified,
    rounds: result.rounds,
    keptUncompared: keptUncompared(rounds.hot(), result.outcome.kept, [verified]),
  };
}

const NO_PAIRS: Pairs = { a: new Uint32Array(0), b: new Uint32Array(0), count: 0 };

/** The steps of rounds, and what they found so far. */
class Rounds {
  private readonly run: Run;
  private readonly plan: PairPlan;
  private readonly pairing: BandPairing;
  private readonly comparer: PairComparer;
  private readonly verifier: Verifier;
  private members: readonly HotMembers[];
  /** Withdrawals that `members`, `lists` and `near` know of. */
  private withdrawals = 0;
  /** The pairs of each round, no pair in two. */
  private lists: VerifiedPairs[] = [];
  /** The same in the store, as far as a later round has to know them. */
  private stored: StoredPairs[] = [];
  private near: Pairs = NO_PAIRS;
  private names = 0;

  constructor(
    run: Run,
    plan: PairPlan,
    pairing: BandPairing,
    comparer: PairComparer,
    verifier: Verifier,
    members: readonly HotMembers[],
  ) {
    this.run = run;
    this.plan = plan;
    this.pairing = pairing;
    this.comparer = comparer;
    this.verifier = verifier;
    this.members = members;
  }

  hot(): readonly HotMembers[] {
    return this.members;
  }

  async pair(members: readonly HotMembers[]): Promise<AgreeingPairs> {
    const { lists } = await this.pairing.pairMembers(members);
    const found = await this.comparer.compare(lists, this.stored);
    forgetPairs(this.run, lists);
    return found;
  }

  async fresh(lists: readonly Pairs[], made: AgreeingPairs): Promise<AgreeingPairs> {
    const asked: StoredPairs[] = [];
    for (const list of lists) asked.push(await this.store(list));
    const known = await this.store(made);
    const found = await this.comparer.compare(asked, [...this.stored, known]);
    forgetPairs(this.run, [...asked, known]);
    return found;
  }

  async compare(made: AgreeingPairs, more: AgreeingPairs | null): Promise<RoundOutcome> {
    const { verifier } = this;
    const found = await verifier.verify(more === null ? made : this.united(plain(made), plain(more)));
    if (verifier.withdrawals > this.withdrawals) await this.inherit();
    this.lists.push(found);
    if (this.members.length > 0) this.stored.push(await this.store(found));
    const near = this.addNear(found);
    const kept = keptDocuments(verifier.classes, this.near);
    return { accepted: near, kept, near: this.near };
  }

  /** Adds the accepted pairs of a list to those of all rounds; returns how many they are. */
  private addNear(found: VerifiedPairs): number {
    const { tables } = this.run;
    const count = countAccepted(found);
    const merging = NEAR_BYTES * (this.near.count === 0 ? 0 : this.near.count + count);
    const what = `${this.near.count + count} accepted pairs`;
    tables.take(what, NEAR_BYTES * count + merging, () => aheadOfAccepted(count));
    this.near = mergePairs(this.near, acceptedPairs(found));
    tables.give(merging);
    return count;
  }

  /** The pairs of all rounds as one list. */
  merged(): VerifiedPairs {
    forgetPairs(this.run, this.stored);
    this.run.tables.give(NEAR_BYTES * this.near.count);
    const lists = this.lists;
    this.lists = [];
    // The shortest two first, so that long ones are copied seldom.
    while (lists.length > 1) {
      lists.sort((x, y) => y.count - x.count);
      const [one, other] = lists.splice(-2) as [VerifiedPairs, VerifiedPairs];
      lists.push(this.united(one, other));
    }
    return lists[0]!;
  }

  /** Puts heirs in the places of documents that were withdrawn since the last round. */
  private async inherit(): Promise<void> {
    const { verifier } = this;
    this.lists = this.lists.map((list) => verifier.current(list));
    forgetPairs(this.run, this.stored);
    this.stored = [];
    if (this.members.length > 0) for (const list of this.lists) this.stored.push(await this.store(list));
    this.run.tables.give(NEAR_BYTES * this.near.count);
    this.near = NO_PAIRS;
    for (const list of this.lists) this.addNear(list);
    this.members = this.members.map((members) => inheritedMembers(members, verifier.heir!));
    if (this.members.length > 0) {
      this.pairing.putDigests(hotDocuments(this.members, verifier.withdrawn.length));
    }
    this.withdrawals = verifier.withdrawals;
  }

  /** Two lists as one; they are given up for it. */
  private united(one: VerifiedPairs, other: VerifiedPairs): VerifiedPairs {
    if (one.count === 0) return other;
    if (other.count === 0) return one;
    const { tables } = this.run;
    const count = one.count + other.count;
    const bytes = MERGED_BYTES * count;
    tables.take(`${count} candidate pairs of two rounds`, bytes, () => aheadOfAccepted(this.near.count));
    const united = mergeVerified(one, other);
    tables.give(bytes);
    return united;
  }

  private store(pairs: Pairs): Promise<StoredPairs> {
    return storePairs(this.run, `known/${this.names++}`, pairs, this.plan.segmentRows);
  }
}

const plain = (pairs: AgreeingPairs): VerifiedPairs => ({ ...pairs, exact: null });
