/**
 * Reduce by hot bucket: buckets too large for all pairs are paired linearly, and rounds over what the drop
 * list keeps make up for the pairs never made.
 *
 * Floor 2. Works on document numbers; keys, slots and digests come through `BandSource`, comparison through a
 * callback, so it never knows signatures, texts or where either runs.
 */
import { sortByKey64 } from '../src/sketch/radixSort.js';
import { type BucketPairs, bucketPairs, distinctPairs, type Pairs, withoutKnown } from './candidatePairs.js';
import { leaningDocuments, leaningPairs } from './leaningPairs.js';

/** Predecessors that each member of a hot bucket is paired with. */
export const HOT_PREDECESSORS = 8;

/** Rounds in all, the first one counted. */
export const MOST_ROUNDS = 8;

export interface HotPairs extends Pairs {
  /** Pairs of the bucket that were not made: n(n-1)/2 less `count`; exact below 2^53. */
  readonly skipped: number;
}

/**
 * Pairs of one hot bucket, at most 9 a member: in the order of (slot, digest, number) each member with its 8
 * predecessors, and each with the bucket's first member in id order. Distinct, not sorted.
 *
 * Members whose next slot after the band agrees too are the likeliest to be alike, hence the order by slot;
 * the digest of the id breaks its ties in a way that neighbouring ids cannot influence. The pairs with the
 * first member make a bucket of one page's copies collapse at once.
 *
 * @param members ascending
 * @param slots the signature slot after the band's last, cyclically over N; one a member
 * @param digests the first 8 bytes of SHA-256 of the id as two big-endian uint32; one pair a member
 */
export function hotPairs(members: Uint32Array, slots: Uint32Array, digests: Uint32Array): HotPairs {
  const count = members.length;
  if (count < 2) return { a: new Uint32Array(0), b: new Uint32Array(0), count: 0, skipped: 0 };
  const order = hotOrder(slots, digests, count);
  const first = members[0]!;
  const a = new Uint32Array((HOT_PREDECESSORS + 1) * count);
  const b = new Uint32Array((HOT_PREDECESSORS + 1) * count);
  let made = 0;
  for (let p = 0; p < count; p++) {
    const member = members[order[p]!]!;
    // Every pair with the first member is made here, so below they are left out and nothing comes twice.
    if (member === first) continue;
    a[made] = first;
    b[made++] = member;
    for (let q = Math.max(0, p - HOT_PREDECESSORS); q < p; q++) {
      const other = members[order[q]!]!;
      if (other === first) continue;
      a[made] = Math.min(other, member);
      b[made++] = Math.max(other, member);
    }
  }
  return { a, b, count: made, skipped: (count * (count - 1)) / 2 - made };
}

/**
 * Positions of the members in the order of (slot, digest, number): two stable sorts, the lesser key first.
 */
function hotOrder(slots: Uint32Array, digests: Uint32Array, count: number): Uint32Array {
  const order = new Uint32Array(count);
  const keys = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    order[i] = i;
    keys[2 * i] = digests[2 * i + 1]!;
    keys[2 * i + 1] = digests[2 * i]!;
  }
  sortByKey64(keys, order, count);
  for (let p = 0; p < count; p++) {
    keys[2 * p] = 0;
    keys[2 * p + 1] = slots[order[p]!]!;
  }
  sortByKey64(keys, order, count);
  return order;
}

/** What bucketing asks about documents; every list answers for `documents` in their order. */
export interface BandSource {
  readonly bands: number;
  /** 64-bit bucket keys of a band (0..bands-1), as pairs (low, high). */
  bucketKeys(band: number, documents: Uint32Array): Uint32Array;
  /** The signature slot after the band's last, cyclically over N. */
  slots(band: number, documents: Uint32Array): Uint32Array;
  /** The first 8 bytes of SHA-256 of the id as two big-endian uint32. */
  digests(documents: Uint32Array): Uint32Array;
}

export interface BandPairs {
  /** Pairs of small and of hot buckets; distinct within the band, not sorted. */
  readonly pairs: readonly Pairs[];
  readonly buckets: Omit<BucketPairs, keyof Pairs>;
  /** Pairs not made in hot buckets. */
  readonly skipped: number;
}

/** One band by the whole rule: small buckets all with all, hot ones linearly. `documents` ascends. */
export function bandPairs(
  source: BandSource,
  band: number,
  documents: Uint32Array,
  hotBucket: number,
): BandPairs {
  const { a, b, count, ...buckets } = bucketPairs(source.bucketKeys(band, documents), documents, hotBucket);
  const pairs: Pairs[] = [{ a, b, count }];
  let skipped = 0;
  for (let h = 0; h + 1 < buckets.hotOffsets.length; h++) {
    const members = buckets.hotMembers.subarray(buckets.hotOffsets[h]!, buckets.hotOffsets[h + 1]!);
    const hot = hotPairs(members, source.slots(band, members), source.digests(members));
    pairs.push(hot);
    skipped += hot.skipped;
  }
  return { pairs, buckets, skipped };
}

/** The documents of the first round's hot buckets, ascending and distinct, from the members of every band. */
export function hotDocuments(members: readonly Uint32Array[], documents: number): Uint32Array {
  const hot = new Uint8Array(documents);
  for (const list of members) {
    for (let i = 0; i < list.length; i++) hot[list[i]!] = 1;
  }
  let count = 0;
  for (let d = 0; d < documents; d++) count += hot[d]!;
  const out = new Uint32Array(count);
  for (let d = 0, i = 0; d < documents; d++) {
    if (hot[d] === 1) out[i++] = d;
  }
  return out;
}

/** What is known after a round was compared. */
export interface RoundOutcome {
  /** How many of the round's pairs were accepted. */
  readonly accepted: number;
  /** 1 for every document that the drop list, made anew, keeps. */
  readonly kept: Uint8Array;
  /**
   * Every pair compared so far, of all rounds, sorted by (a, b) and distinct; below the margin counts as
   * compared.
   */
  readonly compared: Pairs;
  /** The accepted ones among `compared`, sorted likewise. */
  readonly near: Pairs;
}

/** Where the rounds stand. */
export interface Rounds {
  readonly source: BandSource;
  readonly hotBucket: number;
  /** Documents of the first round's hot buckets, ascending. */
  readonly hot: Uint32Array;
  /** Rounds done; 1 after the first, which is made by the bands over all documents and not here. */
  readonly rounds: number;
  readonly outcome: RoundOutcome;
}

/**
 * The pairs the next round has to compare, sorted, none of them compared before; null when there is no next
 * round: the last one accepted nothing (so the kept are the same and would be paired the same), no pair is
 * new, or 8 are done. Besides the kept documents, those that lean on kept ones at risk are paired
 * (`leaningPairs`).
 */
export function nextRound(state: Rounds): Pairs | null {
  const { source, hot, hotBucket, outcome } = state;
  if (outcome.accepted === 0 || state.rounds >= MOST_ROUNDS) return null;
  const documents = keptOf(hot, outcome.kept);
  const lists: Pairs[] = [];
  for (let band = 0; band < source.bands; band++) {
    const { pairs } = bandPairs(source, band, documents, hotBucket);
    // What is known goes at once, so that the bands together hold little more than what is new.
    lists.push(withoutKnown(distinctPairs(pairs), outcome.compared));
  }
  const made = distinctPairs(lists);
  if (made.count === 0) return null;
  const leaning = leaningDocuments(hot, outcome.kept, outcome.near, made);
  const asked = new Uint32Array(documents.length + leaning.length);
  asked.set(documents);
  asked.set(leaning, documents.length);
  const more: Pairs[] = [made];
  for (let band = 0; band < source.bands; band++) {
    const pairs = leaningPairs(source.bucketKeys(band, asked), documents, leaning);
    more.push(withoutKnown(distinctPairs([pairs]), outcome.compared));
  }
  return distinctPairs(more);
}

/** The state after the pairs of `nextRound` were compared. */
export function afterRound(state: Rounds, outcome: RoundOutcome): Rounds {
  return { ...state, rounds: state.rounds + 1, outcome };
}

export interface RoundsResult {
  /** Rounds that compared pairs, the first one counted. */
  readonly rounds: number;
  readonly outcome: RoundOutcome;
  /** See `keptUncompared`. */
  readonly keptUncompared: number;
}

/**
 * Runs the rounds after the first, so that the drop list does not depend on pairs never made.
 *
 * Each buckets those documents of the first hot buckets that are kept now (also those that came back) over
 * all bands by the same rule. `compare` gets the new pairs, verifies and adds them, and makes the drop list
 * anew. Without a hot document nothing is compared. What `compare` throws ends the rounds and is passed on.
 */
export async function runRounds(
  first: Rounds,
  compare: (pairs: Pairs) => RoundOutcome | Promise<RoundOutcome>,
): Promise<RoundsResult> {
  let state = first;
  for (let pairs = nextRound(state); pairs !== null; pairs = nextRound(state)) {
    state = afterRound(state, await compare(pairs));
  }
  const { rounds, outcome } = state;
  return { rounds, outcome, keptUncompared: keptUncompared(state) };
}

/**
 * Counts the kept members of hot buckets that share a bucket with another kept one they were never compared
 * with.
 *
 * Looking at all pairs of a bucket would be quadratic. A document that was compared with its whole bucket has
 * one compared pair less than the bucket has documents, so counting compared pairs that share a bucket is
 * enough: linear in documents and pairs for each band.
 */
export function keptUncompared(state: Rounds): number {
  const documents = keptOf(state.hot, state.outcome.kept);
  if (documents.length < 2) return 0;
  const pairs = pairsAmong(state.outcome.compared, documents, state.outcome.kept.length);
  const uncompared = new Uint8Array(documents.length);
  const partners = new Uint32Array(documents.length);
  for (let band = 0; band < state.source.bands; band++) {
    const { bucketOf, sizes } = bucketsOf(state.source.bucketKeys(band, documents), documents.length);
    partners.fill(0);
    for (let i = 0; i < pairs.count; i++) {
      const a = pairs.a[i]!;
      const b = pairs.b[i]!;
      if (bucketOf[a] !== bucketOf[b]) continue;
      partners[a]!++;
      partners[b]!++;
    }
    for (let p = 0; p < documents.length; p++) {
      if (partners[p]! < sizes[bucketOf[p]!]! - 1) uncompared[p] = 1;
    }
  }
  return uncompared.reduce((sum, flag) => sum + flag, 0);
}

/** The documents that are kept, in their order. */
function keptOf(documents: Uint32Array, kept: Uint8Array): Uint32Array {
  return documents.filter((d) => kept[d] === 1);
}

/**
 * The pairs of which both are in `documents`, given by their positions there. `total`: the number of all
 * documents.
 */
function pairsAmong(pairs: Pairs, documents: Uint32Array, total: number): Pairs {
  const positions = new Uint32Array(total);
  // From 1 on, so that 0 means absent.
  for (let p = 0; p < documents.length; p++) positions[documents[p]!] = p + 1;
  const inside = (i: number): boolean => positions[pairs.a[i]!]! > 0 && positions[pairs.b[i]!]! > 0;
  let count = 0;
  for (let i = 0; i < pairs.count; i++) if (inside(i)) count++;
  const a = new Uint32Array(count);
  const b = new Uint32Array(count);
  for (let i = 0, row = 0; i < pairs.count; i++) {
    if (!inside(i)) continue;
    a[row] = positions[pairs.a[i]!]! - 1;
    b[row++] = positions[pairs.b[i]!]! - 1;
  }
  return { a, b, count };
}

/** The bucket of every position, named by its smallest position, and the size of the bucket of that name. */
function bucketsOf(keys: Uint32Array, count: number): { bucketOf: Uint32Array; sizes: Uint32Array } {
  const sorted = keys.slice(0, 2 * count);
  const order = new Uint32Array(count);
  for (let p = 0; p < count; p++) order[p] = p;
  sortByKey64(sorted, order, count);
  const bucketOf = new Uint32Array(count);
  const sizes = new Uint32Array(count);
  let name = 0;
  for (let i = 0; i < count; i++) {
    const fresh = i === 0 || sorted[2 * i] !== sorted[2 * i - 2] || sorted[2 * i + 1] !== sorted[2 * i - 1];
    if (fresh) name = order[i]!;
    bucketOf[order[i]!] = name;
    sizes[name]!++;
  }
  return { bucketOf, sizes };
}
