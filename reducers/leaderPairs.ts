/**
 * Reduce by large bucket: pairs each member with the most similar leaders of its bucket. Time is linear in the members, because a bucket
 * has at most MOST_LEADERS leaders.
 *
 * Members are processed in keep order, so a leader is kept before its followers. The kernel does the same for many members per call
 * (src/kernel/assembly/pairs/compare.ts); tests compare both.
 */

import type { CountedPairs } from '../src/blocks/signatures.js';

/** Maximum number of leaders of a bucket. */
export const MOST_LEADERS = 64;
/** Maximum number of leaders that a member is paired with. */
export const MOST_FOLLOWED = 8;

/** When a pair is kept, and when a member needs no leader of its own. Agreements are numbers of equal slots. */
export interface LeaderRule extends CountedPairs {
  /** Minimum agreement of a pair that is kept. */
  readonly cutoff: number;
  /** Minimum agreement at the threshold: a member that reaches it with a leader does not become a leader. */
  readonly near: number;
}

/** The pair of a member with one of its leaders. */
export interface LeaderPair {
  readonly leader: number;
  readonly agreement: number;
}

export interface LeaderList<Signature> {
  /**
   * The pairs of the next member with leaders: at most MOST_FOLLOWED at the cutoff or above, highest agreement first (ties: the smaller
   * leader). Members must ascend.
   */
  follow(member: number, signature: Signature): LeaderPair[];
  /** Members that reached `near` with no leader when the list was full. */
  readonly unmatched: number;
}

/**
 * The leaders of one large bucket, empty at first. For each member in ascending order:
 *
 * 1. Its agreement with every leader so far is computed.
 * 2. Leaders at or above `cutoff` whose pair with it counts are its candidates; it is paired with the best MOST_FOLLOWED of them.
 * 3. If it reaches `near` with no leader (whether or not the pair counts), it becomes a leader. With MOST_LEADERS leaders it is counted
 *    as `unmatched` instead. With `onlyAgainst` only reference documents become leaders, because other leaders would have no pairs.
 */
export function leaderList<Signature>(
  rule: LeaderRule,
  agreementOf: (leader: Signature, member: Signature) => number,
): LeaderList<Signature> {
  const { references, onlyAgainst, cutoff, near } = rule;
  const leaders: { readonly leader: number; readonly signature: Signature }[] = [];
  let unmatched = 0;
  return {
    follow(member, signature) {
      const compared = leaders.map(({ leader, signature: other }) => ({
        leader,
        agreement: agreementOf(other, signature),
      }));
      const mayLead = !onlyAgainst || member < references;
      if (compared.every(({ agreement }) => agreement < near)) {
        if (leaders.length === MOST_LEADERS) unmatched++;
        else if (mayLead) leaders.push({ leader: member, signature });
      }
      if (member < references) return [];
      return compared
        .filter(({ agreement }) => agreement >= cutoff)
        .sort((x, y) => y.agreement - x.agreement || x.leader - y.leader)
        .slice(0, MOST_FOLLOWED);
    },
    get unmatched() {
      return unmatched;
    },
  };
}
