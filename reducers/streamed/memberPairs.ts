/**
 * Reduce by bucket in rounds, one kept member after the other: all pairs of a bucket of at most `hotBucket` members, those of
 * reducers/hotPairs.ts of a larger one. Of a bucket of any size `hotBucket` members are held, or 8.
 *
 * What comes first is how many members there are, and which is the first by rank.
 */
import { HOT_PREDECESSORS } from '../hotPairs.js';

/** Takes pairs: ranks, a < b. */
type PairTaker = (a: number, b: number) => void;

export class MemberPairs {
  /** Of the bucket, as far as they were announced. */
  members = 0;
  /** The rank of the first of them. */
  firstRank = -1;
  private readonly hotBucket: number;
  private readonly take: PairTaker;
  private held = new Float64Array(HOT_PREDECESSORS);
  private seen = 0;

  constructor(hotBucket: number, take: PairTaker) {
    this.hotBucket = hotBucket;
    this.take = take;
  }

  begin(): void {
    this.members = 0;
    this.seen = 0;
  }

  /** Announces a member, in the order of ranks. */
  announce(rank: number): void {
    if (this.members++ === 0) this.firstRank = rank;
  }

  /** Takes the next member, in the order of (slot, id hash, rank), once all were announced. */
  add(rank: number): void {
    const { take, members, firstRank } = this;
    const isHot = members > this.hotBucket;
    const at = this.seen++;
    if (!isHot && members > this.held.length) this.held = new Float64Array(2 * members);
    const { held } = this;
    const before = isHot ? HOT_PREDECESSORS : at;
    const isFirst = rank === firstRank;
    if (isHot && !isFirst) take(firstRank, rank);
    for (let i = Math.max(0, at - before); i < at; i++) {
      const other = held[i % held.length]!;
      // In a hot bucket all pairs with the first member are made by the other ones.
      if (isHot && (isFirst || other === firstRank)) continue;
      take(Math.min(other, rank), Math.max(other, rank));
    }
    held[at % held.length] = rank;
  }
}
