/**
 * Reduce by hot bucket, one member after the other: the pairs of reducers/hotPairs.ts for a bucket of any size, holding 9
 * members.
 *
 * Members come in the order of (slot, id hash, rank). Which member is the first by rank is known only at the end: a second pass
 * makes its pairs with the members that are not near it in this order, which `isLeftToFirst` finds.
 */
import { HOT_PREDECESSORS } from '../hotPairs.js';

/** Held members: the current one and its predecessors. */
export const HELD_MEMBERS = HOT_PREDECESSORS + 1;

/** Whether the second pass makes the pair of the first member and another, by their places in the order. */
export function isLeftToFirst(orderOfFirst: number, order: number): boolean {
  return Math.abs(order - orderOfFirst) > HOT_PREDECESSORS;
}

export class StreamedBucket {
  /** Members so far. */
  members = 0;
  /** The least rank so far, and its place in the order. */
  first = Number.POSITIVE_INFINITY;
  orderOfFirst = 0;
  /** Ranks by place in the order, modulo HELD_MEMBERS. */
  private readonly ranks = new Float64Array(HELD_MEMBERS);

  clear(): void {
    this.members = 0;
    this.first = Number.POSITIVE_INFINITY;
  }

  /**
   * Adds the next member, and makes its pairs with its predecessors: `pair` gets places in the order, that of the smaller rank
   * first. Ranks are distinct. Returns the member's place.
   */
  add(rank: number, pair: (a: number, b: number) => void): number {
    const order = this.members++;
    for (let before = Math.max(0, order - HOT_PREDECESSORS); before < order; before++) {
      if (this.ranks[before % HELD_MEMBERS]! < rank) pair(before, order);
      else pair(order, before);
    }
    this.ranks[order % HELD_MEMBERS] = rank;
    if (rank < this.first) {
      this.first = rank;
      this.orderOfFirst = order;
    }
    return order;
  }

  /** Distinct pairs of both passes, for the members so far. */
  get made(): number {
    const { members, orderOfFirst } = this;
    if (members === 0) return 0;
    const short = Math.min(members, HELD_MEMBERS);
    const withPredecessors = (short * (short - 1)) / 2 + HOT_PREDECESSORS * (members - short);
    const nearFirst =
      Math.min(HOT_PREDECESSORS, orderOfFirst) + Math.min(HOT_PREDECESSORS, members - 1 - orderOfFirst);
    return withPredecessors + members - 1 - nearFirst;
  }

  /** Pairs of the bucket that neither pass makes; exact below 2^53. */
  get skipped(): number {
    return (this.members * (this.members - 1)) / 2 - this.made;
  }
}
