/**
 * What pairs take in the coordinator's tables, from their agreement to the result files.
 *
 * Floor 4. Bytes only: who makes a table takes them from TableMemory.
 */

/** A member of a hot bucket: document and bucket of all, of those kept, and of the pairs of those that lean. */
export const HOT_MEMBER_BYTES = 24;

/** A candidate pair: two documents, agreement, accepted or not. */
export const PAIR_BYTES = 11;

/** Exact evidence about a pair, with the row it is about. */
export const EVIDENCE_BYTES = 28;

/** A pair that gets its evidence, until it has it: its columns once more. */
export const LOOKED_AT_BYTES = 11;

/** A pair while lists become one: the widest column of both and of their union. */
export const MERGED_BYTES = 8;

/** An accepted pair in the drop lists of the rounds. */
export const NEAR_BYTES = 8;

/** An accepted pair with its resemblance, for clusters and the drop list. */
export const RESEMBLANCE_BYTES = 16;

/** An accepted pair with all its evidence, for the result files, and its row. */
export const WRITTEN_BYTES = 38;

/** What is still to be taken for accepted pairs that have their evidence. */
export function aheadOfAccepted(accepted: number): number {
  return accepted * (RESEMBLANCE_BYTES + WRITTEN_BYTES);
}

/** What is still to be taken for candidate pairs that can be accepted, at most; in exact mode they get evidence. */
export function aheadOfLikely(likely: number, exact: boolean): number {
  const evidence = exact ? EVIDENCE_BYTES + LOOKED_AT_BYTES : 0;
  // The lists of two rounds and the one that they become.
  return likely * (evidence + 2 * NEAR_BYTES) + aheadOfAccepted(likely);
}
