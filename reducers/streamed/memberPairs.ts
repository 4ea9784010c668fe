/**
 * Reduce by bucket in rounds, one kept member after the other: all pairs of a bucket of at most `hotBucket` members; of a larger
 * one, the pairs of reducers/hotPairs.ts. Of a bucket of any size, at most `hotBucket` members are held, or 8.
 *
 * All members are announced first: this gives their number, and the first by rank.
 */
import { HOT_PREDECESSORS } from '../hotPairs.js';

/** Called with each pair: ranks, a < b. */
type PairTaker = (a: number, b: number) => void;

export class MemberPairs {
  /** Members of the bucket announced so far. */
  members = 0;
  /** The first announced rank, which is the least. */
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
      // In a hot bucket, the other members make all pairs with the first one.
      if (isHot && (isFirst || other === firstRank)) continue;
      take(Math.min(other, rank), Math.max(other, rank));
    }
    held[at % held.length] = rank;
  }
}
