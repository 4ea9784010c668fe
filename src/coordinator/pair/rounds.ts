/**
 * The first comparison of all candidate pairs, and after it the rounds over hot buckets.
 *
 * Every round adds a list of verified pairs; the lists are merged once, at the end. So the cost of a round follows from its new
 * pairs; pairs of earlier rounds are only skipped.
 */

import type { DrawnPairs } from '../../../reducers/drawnPairs.js';
import { classRanks, groundsOf, keptDocuments, type Precedence } from '../../../reducers/dropList.js';
import { keptUncompared, type RoundOutcome, type RoundSteps, runRounds } from '../../../reducers/hotPairs.js';
import { flagsOfClasses } from '../../../reducers/identityClasses.js';
import {
  acceptedPairs,
  countAccepted,
  mergePairs,
  mergeVerified,
  type VerifiedPairs,
} from '../../../reducers/verifiedPairs.js';
import type { Groups } from '../../arrays/groupCounts.js';
import { newArray } from '../../arrays/ownPages.js';
import { eachRange, type Stepwise } from '../../arrays/stepwise.js';
import { NAMES } from '../../blocks/names.js';
import type { AgreeingPairs, HotMembers, Pairs } from '../../blocks/pairs.js';
import { leastNear } from '../../sketch/family.js';
import type { Estimate } from '../../sketch/probability.js';
import { aheadOfAccepted, MERGED_BYTES, NEAR_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { Verifier } from '../verify/verify.js';
import { aheadOfAgreements, type PairComparer } from './agreements.js';
import { forgetPairs, type StoredPairs, storePairs } from './pairLists.js';
import {
  aheadOfSample,
  drawnOf,
  type IdHashes,
  nearCount,
  nearFlags,
  recallEstimate,
  type SkippedPairs,
  skippedPairs,
} from './skippedSample.js';

interface ComparedRounds {
  /** Every candidate pair of all rounds, sorted by (a, b). */
  readonly verified: VerifiedPairs;
  readonly rounds: number;
  readonly keptUncompared: number;
  /** Whether some pairs of hot buckets were not compared; false also where the sample of skipped pairs has all of them. */
  readonly skipsPairs: boolean;
  /** Estimated share of near pairs that the run found; null: skipped pairs took nothing from it, or no estimate is possible. */
  readonly recall: Estimate | null;
}

/** Pairs members of hot buckets, or of hot fingerprints. */
export interface HotPairing {
  /** The pairs of kept members, by band or group. */
  pairMembers(members: readonly HotMembers[]): Promise<{ readonly lists: readonly StoredPairs[] }>;
}

/** Which identity classes the drop list keeps, and how the pairs of a round are turned for it. */
export interface KeptRule {
  /** By document, 1: it relies on frequent fingerprints. Only pairs with such a document are in question; null: all pairs are. */
  readonly relies: Uint8Array | null;
  /**
   * `near`: accepted pairs, a < b; `lists`: all pairs so far with their evidence. Returns the kept classes, and the near pairs with
   * the document first that may be kept for the other.
   */
  kept(
    near: Pairs,
    lists: readonly VerifiedPairs[],
  ): Stepwise<{ readonly kept: Uint8Array; readonly near: Pairs }>;
  /** The pairs of a round with the document second that may be dropped; without pairs that cannot drop a document. */
  atRisk(made: Pairs): Pairs;
  /** By first member of a class: the rank of the class in the order of survivors; null: the order of ids. */
  ranks(): Uint32Array | null;
  /** How many kept members were not compared with all that could drop them. `compared`: pairs of two members, of all rounds. */
  uncompared(hot: readonly HotMembers[], kept: Uint8Array, compared: Pairs): Stepwise<number>;
}

/** The rule for resemblance: the drop list decides documents in the order of survivors. */
export function keptInOrder(verifier: Verifier, precedence: Precedence): KeptRule {
  const { isProtected } = precedence;
  const ranks = (): Uint32Array | null => classRanks(verifier.classes, precedence);
  return {
    relies: null,
    *kept(near) {
      const kept = yield* keptDocuments(verifier.classes, near, precedence);
      yield;
      const grounds = groundsOf(verifier.classes, near, precedence).near;
      return { kept: flagsOfClasses(verifier.classes, kept), near: inOrder(grounds, ranks(), null) };
    },
    atRisk: (made) => {
      return inOrder(made, ranks(), isProtected && flagsOfClasses(verifier.classes, isProtected));
    },
    ranks,
    uncompared: (hot, kept, compared) => keptUncompared(hot, kept, [compared], verifier.groups),
  };
}

/** The pairs turned so that the class of smaller rank is first; without pairs whose second class is flagged in `without`. */
function inOrder(pairs: Pairs, ranks: Uint32Array | null, without: Uint8Array | null): Pairs {
  if (ranks === null && without === null) return pairs;
  const { a, b, count } = pairs;
  const turned = { a: new Uint32Array(count), b: new Uint32Array(count), count: 0 };
  for (let i = 0; i < count; i++) {
    const [x, y] = [a[i]!, b[i]!];
    const isTurned = ranks !== null && ranks[x]! > ranks[y]!;
    if (without?.[isTurned ? x : y] === 1) continue;
    turned.a[turned.count] = isTurned ? y : x;
    turned.b[turned.count++] = isTurned ? x : y;
  }
  return turned;
}

/** How the pairs of a run are made, compared and verified. */
export interface Comparing {
  readonly pairing: HotPairing;
  readonly comparer: PairComparer;
  readonly verifier: Verifier;
  readonly rule: KeptRule;
  readonly idHashes: IdHashes;
}

/**
 * Verifies the first pairs (`made` and `more`, two lists without a common pair), then a sample of the pairs that hot buckets
 * skipped, then round after round the pairs of those members of hot buckets that are still kept. `drawn`: the sample, where the
 * caller has drawn it.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export async function compareInRounds(
  run: Run,
  how: Comparing,
  hot: readonly HotMembers[],
  made: AgreeingPairs,
  more: AgreeingPairs | null,
  drawn: DrawnPairs | null = null,
): Promise<ComparedRounds> {
  const { rule } = how;
  const rounds = new Rounds(run, how, hot);
  let first = await rounds.compare(made, more);
  const before = hot.length > 0 ? nearCount(rounds.last, run) : 0;
  let skipped: SkippedPairs | null = null;
  let near: Uint8Array = new Uint8Array(0);
  if (hot.length > 0) {
    const { comparer, idHashes, verifier } = how;
    const draw = () => drawnOf(run, hot, verifier.withdrawn.length, rule.relies, verifier.groups);
    const sample = drawn ?? (await run.turns.through(draw()));
    skipped = await skippedPairs(run, comparer, idHashes, sample, rounds.known);
    if (skipped.pairs.count > 0) {
      const second = await rounds.compare(skipped.pairs, null);
      near = nearFlags(rounds.last, run);
      first = { ...second, accepted: first.accepted + second.accepted };
    }
  }
  const result = await runRounds(first, rounds);
  const verified = await rounds.merged();
  run.progress(verified.count, verified.count, 'pairs');
  const skipsPairs = skipped !== null && !skipped.isAll;
  let uncompared = 0;
  if (skipsPairs) {
    const compared = await run.turns.through(pairsOfMembers(verified, rounds.isMember));
    uncompared = await run.turns.through(rule.uncompared(hot, result.outcome.kept, compared));
  }
  return {
    verified,
    rounds: result.rounds,
    keptUncompared: uncompared,
    skipsPairs,
    // A withdrawn document has changed the rows of the sample, so no estimate is possible.
    recall:
      skipped === null || near.length !== skipped.chosen.length
        ? null
        : recallEstimate(run, skipped, before, near, verified),
  };
}

const NO_PAIRS: Pairs = { a: new Uint32Array(0), b: new Uint32Array(0), count: 0 };

class Rounds implements RoundSteps<AgreeingPairs> {
  private readonly run: Run;
  private readonly how: Comparing;
  private readonly members: readonly HotMembers[];
  /** By document, 1: it is a member of a hot bucket. */
  readonly isMember: Uint8Array;
  /** Number of withdrawals that `lists` and `near` already reflect. */
  private withdrawals = 0;
  /** The pairs of each round, no pair in two. */
  private lists: VerifiedPairs[] = [];
  /** The pairs of each round that a later round must not make again, in the store: those of two members. */
  readonly known: StoredPairs[] = [];
  private near: Pairs = NO_PAIRS;
  private names = 0;

  constructor(run: Run, how: Comparing, members: readonly HotMembers[]) {
    this.run = run;
    this.how = how;
    this.members = members;
    this.isMember = memberFlags(members, how.verifier.withdrawn.length);
  }

  /** The pairs of the last round. */
  get last(): VerifiedPairs {
    return this.lists.at(-1)!;
  }

  atRisk(made: AgreeingPairs): Pairs {
    return this.how.rule.atRisk(made);
  }

  ranks(): Uint32Array | null {
    return this.how.rule.ranks();
  }

  get groups(): Groups | null {
    return this.how.verifier.groups;
  }

  hot(): readonly HotMembers[] {
    return this.members;
  }

  through<T>(steps: Stepwise<T>): Promise<T> {
    return this.run.turns.through(steps);
  }

  async pair(members: readonly HotMembers[]): Promise<AgreeingPairs> {
    const { lists } = await this.how.pairing.pairMembers(members);
    const found = await this.how.comparer.compare(lists, this.known);
    forgetPairs(this.run, lists);
    return found;
  }

  async fresh(lists: readonly Pairs[], made: AgreeingPairs): Promise<AgreeingPairs> {
    const asked = lists.map((list) => this.store(list));
    const known = this.store(made);
    const found = await this.how.comparer.compare(asked, [...this.known, known]);
    forgetPairs(this.run, [...asked, known]);
    return found;
  }

  async compare(made: AgreeingPairs, more: AgreeingPairs | null): Promise<RoundOutcome> {
    const { verifier, rule } = this.how;
    const found = await verifier.verify(more === null ? made : await this.unverified(made, more));
    if (verifier.withdrawals > this.withdrawals) await this.withdraw();
    this.lists.push(found);
    if (this.members.length > 0) await this.storeMembers(found);
    const accepted = await this.addNear(found);
    const outcome = await this.run.turns.through(rule.kept(this.near, this.lists));
    // A withdrawn document is not paired again.
    const { withdrawn } = verifier;
    for (let d = withdrawn.indexOf(1); d >= 0; d = withdrawn.indexOf(1, d + 1)) outcome.kept[d] = 0;
    return { accepted, ...outcome };
  }

  /** Adds the accepted pairs of a list to those of all rounds; returns the number of accepted pairs in the list. */
  private async addNear(found: VerifiedPairs): Promise<number> {
    const { tables, turns } = this.run;
    const count = countAccepted(found);
    const merging = NEAR_BYTES * (this.near.count === 0 ? 0 : this.near.count + count);
    const what = `${this.near.count + count} accepted pairs`;
    tables.take(what, NEAR_BYTES * count + merging, () => aheadOfAccepted(count));
    const accepted = await turns.through(acceptedPairs(found));
    this.near = await turns.through(mergePairs(this.near, accepted));
    tables.give(merging);
    return count;
  }

  async merged(): Promise<VerifiedPairs> {
    forgetPairs(this.run, this.known);
    this.run.tables.give(NEAR_BYTES * this.near.count);
    const lists = this.lists;
    this.lists = [];
    // The two shortest lists are merged first, so that long lists are copied seldom.
    while (lists.length > 1) {
      lists.sort((x, y) => y.count - x.count);
      const [one, other] = lists.splice(-2) as [VerifiedPairs, VerifiedPairs];
      lists.push(await this.united(one, other));
    }
    return lists[0]!;
  }

  /** Removes the pairs of documents that were withdrawn since the last round. */
  private async withdraw(): Promise<void> {
    const { verifier } = this.how;
    this.lists = this.lists.map((list) => verifier.current(list));
    this.run.tables.give(NEAR_BYTES * this.near.count);
    this.near = NO_PAIRS;
    for (const list of this.lists) await this.addNear(list);
    this.withdrawals = verifier.withdrawals;
  }

  private async storeMembers(list: Pairs): Promise<void> {
    this.known.push(this.store(await this.run.turns.through(pairsOfMembers(list, this.isMember))));
  }

  /** Merges two lists of candidate pairs before verification, when any of them may still be accepted. */
  private unverified(made: AgreeingPairs, more: AgreeingPairs): Promise<VerifiedPairs> {
    const { run } = this;
    const sample = this.members.length === 0 ? 0 : aheadOfSample(run);
    return this.united(plain(made), plain(more), () => {
      const agreements = [made, more].map(({ agreement, count }) => agreement.subarray(0, count));
      // The estimate contains the bytes of merging, which `united` takes itself.
      const merged = MERGED_BYTES * (made.count + more.count);
      return aheadOfAgreements(run, agreements, leastNear(run.params)) - merged + sample;
    });
  }

  /** Merges two lists and gives them up. `ahead`: bytes that will be taken after it. */
  private async united(
    one: VerifiedPairs,
    other: VerifiedPairs,
    ahead = () => aheadOfAccepted(this.near.count),
  ): Promise<VerifiedPairs> {
    if (one.count === 0) return other;
    if (other.count === 0) return one;
    const { tables } = this.run;
    const count = one.count + other.count;
    const bytes = MERGED_BYTES * count;
    tables.take(`${count} candidate pairs of two lists`, bytes, ahead);
    const united = await this.run.turns.through(mergeVerified(one, other));
    tables.give(bytes);
    return united;
  }

  private store(pairs: Pairs): StoredPairs {
    return storePairs(this.run, NAMES.known(this.names++), pairs);
  }
}

/** By document, 1: it is a member of a bucket. Empty where there are no buckets. */
export function memberFlags(members: readonly HotMembers[], documents: number): Uint8Array {
  const flags = new Uint8Array(members.length === 0 ? 0 : documents);
  for (const band of members) for (let i = 0; i < band.documents.length; i++) flags[band.documents[i]!] = 1;
  return flags;
}

const plain = (pairs: AgreeingPairs): VerifiedPairs => ({ ...pairs, exact: null });

/** The pairs of a list that have two members. */
export function* pairsOfMembers({ a, b, count }: Pairs, isMember: Uint8Array): Stepwise<Pairs> {
  let some = 0;
  yield* eachRange(count, (from, to) => {
    for (let i = from; i < to; i++) some += isMember[a[i]!]! & isMember[b[i]!]!;
  });
  const found = { a: newArray(Uint32Array, some), b: newArray(Uint32Array, some), count: some };
  let row = 0;
  yield* eachRange(count, (from, to) => {
    for (let i = from; i < to; i++) {
      if ((isMember[a[i]!]! & isMember[b[i]!]!) === 0) continue;
      found.a[row] = a[i]!;
      found.b[row++] = b[i]!;
    }
  });
  return found;
}
