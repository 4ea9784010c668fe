/**
 * Reduce by bucket, one member after the other: the pairs of two groups as in reducers/hotPairs.ts, for a bucket of any size.
 * Without groups every member is a group of its own, which gives the pairs of reducers/hotPairs.ts. Of a bucket of at most `hotBucket` members all are held; of a larger one, only those that may be one of the 8 nearest
 * predecessors of another group: at most 16, and as many again until the next look through them.
 *
 * All members are announced first: this gives their number, the first by rank, and the first of another group than that.
 */

/** Number of predecessors with which each member of a hot bucket is paired. */
export const HOT_PREDECESSORS = 8;

/** Members that are held before they are looked through. */
const MOST_HELD = 4 * HOT_PREDECESSORS;

const NONE = -1;

export class MemberPairs {
  /** Members of the bucket announced so far. */
  members = 0;
  /** Pairs made, of all buckets. */
  made = 0;
  /** Ranks of the first member and of the first of another group; NONE for `other` where all are of one group. */
  first = NONE;
  other = NONE;
  ofFirst = NONE;
  private readonly hotBucket: number;
  private readonly take: (a: number, b: number) => void;
  /** Held members, the last added at the end. */
  private ranks: number[] = [];
  private groups: number[] = [];

  /** @param take called with each pair: ranks, a < b */
  constructor(hotBucket: number, take: (a: number, b: number) => void) {
    this.hotBucket = hotBucket;
    this.take = take;
  }

  begin(): void {
    this.members = 0;
    this.first = this.ofFirst = this.other = NONE;
    this.ranks = [];
    this.groups = [];
  }

  /** Announces a member, in any order: the first of all by rank is found, and the first of another group. */
  announce(rank: number, group: number): void {
    const { first, ofFirst, other } = this;
    if (this.members++ === 0 || rank < first) {
      if (group !== ofFirst) this.other = first;
      this.first = rank;
      this.ofFirst = group;
    } else if (group !== ofFirst && (other === NONE || rank < other)) this.other = rank;
  }

  /** Takes the next member, in the order of (slot, id hash, rank), once all were announced. */
  add(rank: number, group: number): void {
    if (this.other === NONE) return;
    if (this.members <= this.hotBucket) {
      for (let i = 0; i < this.ranks.length; i++)
        if (this.groups[i] !== group) this.pair(this.ranks[i]!, rank);
    } else if (rank !== this.first) this.near(rank, group);
    this.ranks.push(rank);
    this.groups.push(group);
    if (this.members > this.hotBucket && this.ranks.length > MOST_HELD) this.forget();
  }

  /** The first member makes no pairs: all pairs with it are made by the others. */
  private near(rank: number, group: number): void {
    const { first, other, ofFirst, ranks, groups } = this;
    this.pair(group === ofFirst ? other : first, rank);
    for (let i = ranks.length - 1, left = HOT_PREDECESSORS; i >= 0 && left > 0; i--) {
      if (groups[i] === group) continue;
      left--;
      const one = ranks[i]!;
      // The pair was made with the bucket's first two already.
      const isMade =
        one === first || (one === other && group === ofFirst) || (rank === other && groups[i] === ofFirst);
      if (!isMade) this.pair(one, rank);
    }
  }

  /** Drops members with 8 later ones of other groups, whatever group the next member has (but that of the dropped one). */
  private forget(): void {
    const counts = new Map<number, number>();
    const [ranks, groups]: [number[], number[]] = [[], []];
    let later = 0;
    // The group with the most later members, their number, and the most of any other group.
    let [top, most, second] = [NONE, 0, 0];
    for (let i = this.ranks.length - 1; i >= 0; i--) {
      const group = this.groups[i]!;
      if (later - (group === top ? second : most) >= HOT_PREDECESSORS) continue;
      ranks.push(this.ranks[i]!);
      groups.push(group);
      later++;
      const count = (counts.get(group) ?? 0) + 1;
      counts.set(group, count);
      if (group === top) most = count;
      else if (count > most) [top, most, second] = [group, count, most];
      else second = Math.max(second, count);
    }
    this.ranks = ranks.reverse();
    this.groups = groups.reverse();
  }

  private pair(one: number, other: number): void {
    this.made++;
    this.take(Math.min(one, other), Math.max(one, other));
  }
}
