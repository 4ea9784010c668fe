/**
 * Reduce by hot bucket: pairs the members of buckets that are too large for all pairs, in linear time.
 *
 * Works on document numbers, slots and hashes. `runRounds` makes up for the pairs that are skipped.
 */

import {
  areOfOneGroup,
  type Groups,
  groupsOfRows,
  rowsByKey,
  sameGroupCounts,
} from '../src/arrays/groupCounts.js';
import { numbersBelow, Uint32Column } from '../src/arrays/growable.js';
import { positionsOf } from '../src/arrays/search.js';
import { sortByKey64, sortPairs } from '../src/arrays/sort.js';
import { atOnce, eachRange, type Stepwise } from '../src/arrays/stepwise.js';
import type { HotMembers, Pairs } from '../src/blocks/pairs.js';
import { bucketSizesOf, countOfBuckets, membersOfBands } from './largeBuckets.js';
import { HOT_PREDECESSORS, MemberPairs } from './memberPairs.js';

export interface HotPairs extends Pairs {
  /**
   * Pairs of the buckets that were skipped: all pairs of two groups less `count`; exact below 2^53. A slice behind the first one has
   * only the latter.
   */
  readonly skipped: number;
}

/** The members whose pairs with earlier ones are made: those at positions [from, to) of the order. */
export interface HotSlice {
  readonly from: number;
  readonly to: number;
}

/** Which pairs of members are made, where it is not all that hot buckets have. */
interface AskedPairs {
  /** Of a bucket of at most so many members all pairs are made. */
  readonly hotBucket: number;
  /** By document, 1: it relies on frequent fingerprints. Two documents that do not are never a pair; null: any two may be. */
  readonly relies: Uint8Array | null;
}

const ANY_PAIR: AskedPairs = { hotBucket: 0, relies: null };

/**
 * Pairs of the hot buckets of one band, at most 9 a member: in the order of (slot, id hash, number) each
 * member with its 8 nearest predecessors of other groups, and with the bucket's first member by place of another group than its
 * own. Not sorted; those of a bucket are distinct. Linear, whatever the groups.
 *
 * Members whose next slot after the band also matches are most likely similar, hence the order by slot; the
 * hash of the id breaks ties independently of neighbouring ids. The pairs with the first member let a
 * bucket of copies of one page collapse in one round.
 *
 * @param slots the signature slot after the band's last, cyclically over N; one a member
 * @param idHashes the 64-bit hashes of the ids, low half first; one pair a member
 * @param groups null: every document is a group of its own
 * @param slice a part of the order; slices have no pair in common, together have all pairs, and their `skipped` add up
 */
export function hotPairs(
  hot: HotMembers,
  slots: Uint32Array,
  idHashes: Uint32Array,
  groups: Groups | null = null,
  sort: typeof sortByKey64 = sortByKey64,
  { from, to }: HotSlice = { from: 0, to: hot.documents.length },
  { hotBucket, relies }: AskedPairs = ANY_PAIR,
): HotPairs {
  const { documents, buckets } = hot;
  const count = documents.length;
  const order = hotOrder(buckets, slots, idHashes, sort);
  const of = groupsOfMembers(hot, groups);
  const most = (HOT_PREDECESSORS + 1) * (to - from);
  const [a, b] = [new Uint32Column(most), new Uint32Column(most)];
  let isInSlice = false;
  const pairs = new MemberPairs(hotBucket, (x, y) => {
    if (!isInSlice || (relies !== null && relies[x] === 0 && relies[y] === 0)) return;
    a.push(x);
    b.push(y);
  });
  // A member's predecessors may be of any earlier slice.
  let start = from;
  while (start > 0 && from < to && buckets[order[start - 1]!] === buckets[order[from]!]) start--;
  for (let p = start, end = start; p < to; p++) {
    if (p === end) {
      pairs.begin();
      for (; end < count && buckets[order[end]!] === buckets[order[p]!]; end++)
        pairs.announce(documents[order[end]!]!, of[order[end]!]!);
    }
    isInSlice = p >= from;
    pairs.add(documents[order[p]!]!, of[order[p]!]!);
  }
  const all = from === 0 && to > 0 ? pairsOfBuckets(hot, groups, relies) : 0;
  return { a: a.view, b: b.view, count: a.length, skipped: all - a.length };
}

/** By row: the group of its document, which without groups is a group of its own. */
function groupsOfMembers({ documents }: HotMembers, groups: Groups | null): Uint32Array {
  return groups === null ? documents : documents.map((document) => groups.of[document]!);
}

/** The number of pairs of members of one bucket that are of two groups and, where `relies` is given, not both without it. */
function pairsOfBuckets(members: HotMembers, groups: Groups | null, relies: Uint8Array | null): number {
  const { buckets, documents } = members;
  const sizes = bucketSizesOf(members);
  const own = groups === null ? null : sameGroupCounts(buckets, groupsOfMembers(members, groups));
  let all = 0;
  for (let row = 0; row < buckets.length; row++) all += sizes[buckets[row]!]! - (own?.[row] ?? 1);
  if (relies === null) return all / 2;
  const others = Uint32Array.from(documents.keys()).filter((row) => relies[documents[row]!] === 0);
  return all / 2 - pairsOfBuckets(membersAt(members, others), groups, null);
}

/** Rows in the order of (bucket, slot, id hash, number): two stable sorts, the less significant key first. */
function hotOrder(
  buckets: Uint32Array,
  slots: Uint32Array,
  idHashes: Uint32Array,
  sort: typeof sortByKey64,
): Uint32Array {
  const count = buckets.length;
  const order = numbersBelow(count);
  const keys = idHashes.slice();
  sort(keys, order, count);
  for (let p = 0; p < count; p++) {
    keys[2 * p] = slots[order[p]!]!;
    keys[2 * p + 1] = buckets[order[p]!]!;
  }
  sort(keys, order, count);
  return order;
}

/** The documents of the hot buckets of all bands, ascending and distinct; `documents`: how many documents there are. */
export function hotDocuments(bands: readonly HotMembers[], documents: number): Uint32Array {
  const hot = new Uint8Array(documents);
  for (const { documents: members } of bands) for (let i = 0; i < members.length; i++) hot[members[i]!] = 1;
  return positionsOf(1, hot);
}

export function keptMembers(members: HotMembers, kept: Uint8Array): HotMembers {
  const { documents } = members;
  const rows = new Uint32Array(documents.length);
  let count = 0;
  for (let i = 0; i < documents.length; i++) if (kept[documents[i]!] === 1) rows[count++] = i;
  return membersAt(members, rows.subarray(0, count));
}

/** Some rows, in the given order. */
function membersAt({ documents, buckets, next }: HotMembers, rows: Uint32Array): HotMembers {
  const at = (column: Uint32Array): Uint32Array => rows.map((row) => column[row]!);
  return { documents: at(documents), buckets: at(buckets), ...(next && { next: at(next) }) };
}

/**
 * 1 for every dependent document: a dropped document all of whose earlier kept near-duplicates are at risk, that is, may be
 * dropped by the pairs about to be compared.
 *
 * A round drops kept documents that turn out to be near-duplicates. Documents whose only kept near-duplicates
 * are dropped return, are kept, and are dropped a round later, while others return in their place; on 20,000
 * near copies of one page that took more than 8 rounds. Comparing the dependent documents in the same
 * round, each with the first kept document of its bucket, gives them another kept near-duplicate before they return.
 *
 * @param kept 1: kept now
 * @param near accepted pairs; the first document of each precedes the other in the order of survivors
 * @param round pairs about to be compared; the second document of each is at risk
 */
export function dependentDocuments(kept: Uint8Array, near: Pairs, round: Pairs): Uint8Array {
  const atRisk = new Uint8Array(kept.length);
  for (let i = 0; i < round.count; i++) atRisk[round.b[i]!] = 1;
  const dependent = new Uint8Array(kept.length);
  const safe = new Uint8Array(kept.length);
  for (let i = 0; i < near.count; i++) {
    const a = near.a[i]!;
    if (kept[a] === 0) continue;
    if (atRisk[a] === 1) dependent[near.b[i]!] = 1;
    else safe[near.b[i]!] = 1;
  }
  for (let d = 0; d < kept.length; d++) if (kept[d] === 1 || safe[d] === 1) dependent[d] = 0;
  return dependent;
}

/**
 * One band: pairs every dependent document with the first kept document of its hot bucket in the order of survivors that is not
 * of its group; no pair of this bucket can drop that one. At most one pair each, sorted by (a, b) and distinct. A bucket without
 * a kept document gives none.
 *
 * @param kept 1: kept now
 * @param dependent 1: see `dependentDocuments`; a dependent document is never kept
 * @param ranks by document: its place in the order of survivors; null: its number
 */
export function dependentPairs(
  { documents, buckets }: HotMembers,
  kept: Uint8Array,
  dependent: Uint8Array,
  ranks: Uint32Array | null = null,
  groups: Groups | null = null,
): Pairs {
  const count = documents.length;
  const names = countOfBuckets(buckets);
  // By bucket, the first kept document plus 1; 0: none. `seconds`: the first of another group than that.
  const firsts = new Uint32Array(names);
  const seconds = new Uint32Array(groups === null ? 0 : names);
  for (let i = count - 1; i >= 0; i--) {
    const document = documents[i]!;
    if (kept[document] === 0) continue;
    const bucket = buckets[i]!;
    const first = firsts[bucket]!;
    const goesBefore = (other: number): boolean =>
      other === 0 || ranks === null || ranks[document]! < ranks[other - 1]!;
    const isOfFirst = first === 0 || areOfOneGroup(groups, document, first - 1);
    if (goesBefore(first)) {
      if (groups !== null && !isOfFirst) seconds[bucket] = first;
      firsts[bucket] = document + 1;
    } else if (groups !== null && !isOfFirst && goesBefore(seconds[bucket]!)) seconds[bucket] = document + 1;
  }
  const a = new Uint32Array(count);
  const b = new Uint32Array(count);
  let made = 0;
  for (let i = 0; i < count; i++) {
    const document = documents[i]!;
    let first = firsts[buckets[i]!]!;
    if (dependent[document] === 0 || first === 0) continue;
    if (groups !== null && groups.of[first - 1] === groups.of[document]) first = seconds[buckets[i]!]!;
    if (first-- === 0) continue;
    a[made] = Math.min(first, document);
    b[made++] = Math.max(first, document);
  }
  return { a, b, count: sortPairs(a, b, made) };
}

function* eachDependentPairs(
  hot: readonly HotMembers[],
  kept: Uint8Array,
  dependent: Uint8Array,
  ranks: Uint32Array | null,
  groups: Groups | null | undefined,
): Stepwise<Pairs[]> {
  const lists: Pairs[] = [];
  for (const members of hot) {
    lists.push(dependentPairs(members, kept, dependent, ranks, groups));
    yield;
  }
  return lists;
}

/** Highest number of rounds, the first one included. */
export const MOST_ROUNDS = 8;

/** The state after a round was compared. */
export interface RoundOutcome {
  /** How many of the round's pairs were accepted. */
  readonly accepted: number;
  /** By class, named by its first member, 1: the updated drop list keeps a member of it; 0 for withdrawn documents. */
  readonly kept: Uint8Array;
  /** The accepted pairs of all rounds; `a` is the document that replaces `b` where `a` is kept. */
  readonly near: Pairs;
}

type Soon<T> = T | Promise<T>;

/** The steps of a round that the caller provides. `P`: pairs with their evidence. */
export interface RoundSteps<P extends Pairs> {
  /** The members of the first round's hot buckets, by band. */
  hot(): readonly HotMembers[];
  /**
   * The pairs of members, by band, by the rule for the size of their buckets: sorted, distinct over all bands, none compared
   * before.
   */
  pair(members: readonly HotMembers[]): Soon<P>;
  /** The union of the lists: sorted, distinct, none in `made` and none compared before. */
  fresh(lists: readonly Pairs[], made: P): Soon<P>;
  /** The pairs of a round, with the document that may be dropped second; absent: the later document is second. */
  atRisk?(made: P): Pairs;
  /** By document: its place in the order of survivors; null or absent: its number. */
  ranks?(): Uint32Array | null;
  /** Only documents of two groups are paired; absent or null: all are. */
  readonly groups?: Groups | null;
  /** Compares the pairs of a round, two lists without a common pair, and updates the drop list. */
  compare(made: P, more: P | null): Soon<RoundOutcome>;
  /** Runs the steps that make the pairs of one band after the other; absent: at once. */
  through?<T>(steps: Stepwise<T>): Soon<T>;
}

interface RoundsResult {
  /** Rounds that compared pairs, the first one included. */
  readonly rounds: number;
  readonly outcome: RoundOutcome;
}

/**
 * Runs the rounds after the first, whose outcome is given, so that the drop list does not depend on skipped pairs. Each round
 * pairs the members of hot buckets that are kept now (including those that returned), and the dependent documents
 * (`dependentPairs`). The rounds end when one accepted no pair (so the same documents are kept, and the next round would pair
 * them in the same way), when no pair is new, or after 8 rounds. An error of a step ends the rounds and is thrown.
 *
 * Buckets that were small in the first round were paired all with all: only buckets that were hot can have pairs left.
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
    const dependent = dependentDocuments(kept, near, steps.atRisk?.(made) ?? made);
    const ranks = steps.ranks?.() ?? null;
    const making = eachDependentPairs(hot, kept, dependent, ranks, steps.groups);
    const lists = await (steps.through?.(making) ?? atOnce(making));
    const more = lists.some((list) => list.count > 0) ? await steps.fresh(lists, made) : null;
    outcome = await steps.compare(made, more);
    rounds++;
  }
  return { rounds, outcome };
}

/** The hot buckets of each document: those of document d are `buckets[offsets[d] .. offsets[d + 1])`. */
interface Memberships {
  readonly offsets: Uint32Array;
  /** Numbered over all bands, ascending for each document. */
  readonly buckets: Uint32Array;
  /** Kept members, by bucket. */
  readonly sizes: Uint32Array;
}

function membershipsOf(hot: readonly HotMembers[], kept: Uint8Array): Memberships {
  const members = membersOfBands(hot);
  const sizes = new Uint32Array(members.buckets);
  const { starts, rows } = rowsByKey(kept.length, (give) =>
    members.each((document, bucket) => {
      if (kept[document] === 1) give(document, bucket);
    }),
  );
  for (let i = 0; i < rows.length; i++) sizes[rows[i]!]!++;
  return { offsets: starts, buckets: rows, sizes };
}

/**
 * Whether a kept member of a hot bucket was not compared with all it is a pair with there.
 *
 * @param partners the kept members of the bucket that it was compared with
 * @param members all kept members of the bucket
 * @param own those of its own group, itself among them: 1 without groups
 */
const lacksPartner = (partners: number, members: number, own: number): boolean => partners < members - own;

/**
 * Counts the kept members of hot buckets that share such a bucket with another kept document (of another group) with which they
 * were never compared. `compared`: every pair of all rounds, in lists without a common pair; a pair below the prefilter cutoff
 * counts as compared.
 *
 * Enumerating all pairs of a bucket would be quadratic. A document that was compared with its whole bucket has one compared pair
 * less than the bucket has documents, so counting compared pairs that share a bucket is enough: linear in pairs and in shared
 * buckets.
 */
export function* keptUncompared(
  hot: readonly HotMembers[],
  kept: Uint8Array,
  compared: readonly Pairs[],
  groups: Groups | null = null,
): Stepwise<number> {
  if (hot.length === 0) return 0;
  const memberships = membershipsOf(hot, kept);
  yield;
  const { offsets, buckets, sizes } = memberships;
  const own = groups === null ? null : sameGroupCounts(buckets, groupsOfRows(offsets, groups));
  const partners = new Uint32Array(buckets.length);
  for (const pairs of compared) yield* countPartners(pairs, memberships, partners);
  let uncompared = 0;
  for (let d = 0; d < kept.length; d++) {
    let left = 0;
    for (let i = offsets[d]!; i < offsets[d + 1]!; i++) {
      if (lacksPartner(partners[i]!, sizes[buckets[i]!]!, own?.[i] ?? 1)) left = 1;
    }
    uncompared += left;
  }
  return uncompared;
}

/** Counts each pair for both documents in every bucket they share. */
function countPartners(
  pairs: Pairs,
  { offsets, buckets }: Memberships,
  partners: Uint32Array,
): Stepwise<void> {
  return eachRange(pairs.count, (from, to) => {
    for (let row = from; row < to; row++) {
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
  });
}
