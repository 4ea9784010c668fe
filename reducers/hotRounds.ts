/**
 * Rounds over the hot buckets, so that the drop list does not depend on pairs never made.
 *
 * Floor 2. Works on document numbers; pairing and comparison are steps it is given, so it never knows
 * signatures, texts or where either runs. A bucket that was small at first was paired all with all then: only
 * the buckets that were hot can have pairs left.
 */
import type { HotMembers, Pairs } from '../src/sketch/pairs.js';
import { keptMembers } from './hotBuckets.js';
import { leaningDocuments, leaningPairs } from './leaningPairs.js';

/** Rounds in all, the first one counted. */
export const MOST_ROUNDS = 8;

/** What is known after a round was compared. */
export interface RoundOutcome {
  /** How many of the round's pairs were accepted. */
  readonly accepted: number;
  /** 1 for every document that the drop list, made anew, keeps. Of those withdrawn it says nothing: nobody asks. */
  readonly kept: Uint8Array;
  /** The accepted pairs of all rounds, each with the document first that stands for the other where it is kept. */
  readonly near: Pairs;
}

type Soon<T> = T | Promise<T>;

/** What a round needs done elsewhere. `P`: pairs with what is known of them. */
export interface RoundSteps<P extends Pairs> {
  /** The members of the first round's hot buckets, by band; those withdrawn replaced by their heirs. */
  hot(): readonly HotMembers[];
  /**
   * The pairs of members, by band, by the rule for the size of their buckets: sorted, distinct over bands, none
   * compared before.
   */
  pair(members: readonly HotMembers[]): Soon<P>;
  /** The union of the lists: sorted, distinct, none in `made` and none compared before. */
  fresh(lists: readonly Pairs[], made: P): Soon<P>;
  /** The pairs of a round with the document that may be dropped second; absent: that is the later one in id order. */
  atRisk?(made: P): Pairs;
  /** Compares the pairs of a round, two lists without a common pair, and makes the drop list anew. */
  compare(made: P, more: P | null): Soon<RoundOutcome>;
}

export interface RoundsResult {
  /** Rounds that compared pairs, the first one counted. */
  readonly rounds: number;
  readonly outcome: RoundOutcome;
}

/**
 * Runs the rounds after the first, whose outcome is given. Each pairs those members of the hot buckets that
 * are kept now (also those that came back), and the documents that lean only on kept ones at risk
 * (`leaningPairs`). They end when a round accepted nothing (so the kept are the same and would be paired the
 * same), no pair is new, or 8 are done. What a step throws ends them and is passed on.
 */
export async function runRounds<P extends Pairs>(
  first: RoundOutcome,
  steps: RoundSteps<P>,
): Promise<RoundsResult> {
  let outcome = first;
  let rounds = 1;
  while (outcome.accepted > 0 && rounds < MOST_ROUNDS && steps.hot().length > 0) {
    const { kept, near } = outcome;
    const hot = steps.hot();
    const made = await steps.pair(hot.map((members) => keptMembers(members, kept)));
    if (made.count === 0) break;
    const leaning = leaningDocuments(kept, near, steps.atRisk?.(made) ?? made);
    const lists = hot.map((members) => leaningPairs(members, kept, leaning));
    const more = lists.some((list) => list.count > 0) ? await steps.fresh(lists, made) : null;
    outcome = await steps.compare(made, more);
    rounds++;
  }
  return { rounds, outcome };
}

/** Hot buckets that documents are in: those of document d are `buckets[offsets[d] .. offsets[d + 1])`. */
interface Memberships {
  readonly offsets: Uint32Array;
  /** Numbered over all bands, ascending for each document. */
  readonly buckets: Uint32Array;
  /** Kept members, by bucket. */
  readonly sizes: Uint32Array;
}

/** The memberships of kept documents. */
function membershipsOf(hot: readonly HotMembers[], kept: Uint8Array): Memberships {
  const offsets = new Uint32Array(kept.length + 1);
  let bucketCount = 0;
  const bases = hot.map(({ documents, buckets }) => {
    const base = bucketCount;
    for (let i = 0; i < documents.length; i++) {
      if (kept[documents[i]!] === 1) offsets[documents[i]! + 1]!++;
      if (base + buckets[i]! >= bucketCount) bucketCount = base + buckets[i]! + 1;
    }
    return base;
  });
  for (let d = 0; d < kept.length; d++) offsets[d + 1] = offsets[d + 1]! + offsets[d]!;
  const buckets = new Uint32Array(offsets[kept.length]!);
  const sizes = new Uint32Array(bucketCount);
  const next = offsets.slice(0, kept.length);
  hot.forEach((members, band) => {
    for (let i = 0; i < members.documents.length; i++) {
      const document = members.documents[i]!;
      if (kept[document] === 0) continue;
      const bucket = bases[band]! + members.buckets[i]!;
      buckets[next[document]!++] = bucket;
      sizes[bucket]!++;
    }
  });
  return { offsets, buckets, sizes };
}

/**
 * Counts the kept members of hot buckets that share one with another kept document they were never compared
 * with. `compared`: every pair of all rounds, in lists without a common pair; below the margin counts as
 * compared.
 *
 * Looking at all pairs of a bucket would be quadratic. A document that was compared with its whole bucket has
 * one compared pair less than the bucket has documents, so counting compared pairs that share a bucket is
 * enough: linear in pairs and in the buckets they share.
 */
export function keptUncompared(
  hot: readonly HotMembers[],
  kept: Uint8Array,
  compared: readonly Pairs[],
): number {
  if (hot.length === 0) return 0;
  const memberships = membershipsOf(hot, kept);
  const { offsets, buckets, sizes } = memberships;
  const partners = new Uint32Array(buckets.length);
  for (const pairs of compared) countPartners(pairs, memberships, partners);
  let uncompared = 0;
  for (let d = 0; d < kept.length; d++) {
    let left = 0;
    for (let i = offsets[d]!; i < offsets[d + 1]!; i++) {
      if (partners[i]! < sizes[buckets[i]!]! - 1) left = 1;
    }
    uncompared += left;
  }
  return uncompared;
}

/** Counts each pair for both documents at every bucket they share. */
function countPartners(pairs: Pairs, { offsets, buckets }: Memberships, partners: Uint32Array): void {
  for (let row = 0; row < pairs.count; row++) {
    const a = pairs.a[row]!;
    const b = pairs.b[row]!;
    let i = offsets[a]!;
    let j = offsets[b]!;
    const iEnd = offsets[a + 1]!;
    const jEnd = offsets[b + 1]!;
    while (i < iEnd && j < jEnd) {
      const difference = buckets[i]! - buckets[j]!;
      if (difference === 0) {
        partners[i]!++;
        partners[j]!++;
      }
      if (difference <= 0) i++;
      if (difference >= 0) j++;
    }
  }
}
