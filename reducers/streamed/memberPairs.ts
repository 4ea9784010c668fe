/**
 * Reduce by bucket in rounds, one kept member after the other: all pairs of a bucket of at most `hotBucket` members, those of
 * reducers/hotPairs.ts of a larger one. Of a bucket of any size `hotBucket` members are held, or 8.
 *
 * What comes first is how many members there are, and which is the first by rank.
 */
import { HOT_PREDECESSORS } from '../hotPairs.js';

/** A member as it is held. */
interface HeldMembers {
  readonly ranks: Float64Array;
  /** What is to be known of them beside. */
  readonly facts: readonly Uint8Array[];
}

function roomFor(members: number, factBytes: number): HeldMembers {
  const bytes = new Uint8Array(members * factBytes);
  return {
    ranks: new Float64Array(members),
    facts: Array.from({ length: members }, (_, i) => bytes.subarray(i * factBytes, (i + 1) * factBytes)),
  };
}

/** Takes pairs: ranks, a < b, and facts that are good during the call. */
type PairTaker = (a: number, b: number, ofA: Uint8Array, ofB: Uint8Array) => void;

export class MemberPairs {
  /** Of the bucket, as far as they were announced. */
  members = 0;
  private readonly hotBucket: number;
  private readonly take: PairTaker;
  private held: HeldMembers;
  private readonly factBytes: number;
  private readonly first: HeldMembers;
  private seen = 0;

  constructor(hotBucket: number, factBytes: number, take: PairTaker) {
    this.hotBucket = hotBucket;
    this.take = take;
    this.factBytes = factBytes;
    this.held = roomFor(HOT_PREDECESSORS, factBytes);
    this.first = roomFor(1, factBytes);
  }

  begin(): void {
    this.members = 0;
    this.seen = 0;
  }

  /** Announces a member, in the order of ranks. */
  announce(rank: number, facts: Uint8Array): void {
    if (this.members++ > 0) return;
    this.first.ranks[0] = rank;
    this.first.facts[0]!.set(facts);
  }

  get firstRank(): number {
    return this.first.ranks[0]!;
  }

  get firstFacts(): Uint8Array {
    return this.first.facts[0]!;
  }

  /** Takes the next member, in the order of (slot, id hash, rank), once all were announced. */
  add(rank: number, facts: Uint8Array): void {
    const { take, members } = this;
    const isHot = members > this.hotBucket;
    const at = this.seen++;
    if (!isHot && members > this.held.ranks.length) this.held = roomFor(2 * members, this.factBytes);
    const { held } = this;
    const { ranks } = held;
    const before = isHot ? HOT_PREDECESSORS : at;
    const { firstRank } = this;
    const isFirst = rank === firstRank;
    if (isHot && !isFirst) take(firstRank, rank, this.firstFacts, facts);
    for (let i = Math.max(0, at - before); i < at; i++) {
      const place = i % ranks.length;
      const other = ranks[place]!;
      // In a hot bucket all pairs with the first member are made by the other ones.
      if (isHot && (isFirst || other === firstRank)) continue;
      if (other < rank) take(other, rank, held.facts[place]!, facts);
      else take(rank, other, facts, held.facts[place]!);
    }
    ranks[at % ranks.length] = rank;
    held.facts[at % ranks.length]!.set(facts);
  }
}
