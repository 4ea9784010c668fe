/**
 * The rows of `pairs/`: near pairs and pairs of identical documents, merged in the order of (a, b).
 */
import { firstWhere } from '../../arrays/search.js';
import type { Pairs } from '../../blocks/pairs.js';
import { planParts, ROWS_PER_PART } from './tables.js';

/** How many rows a part has, and its first near and identical pair. JSON, so it can be the parameter of a task. */
export interface PairPart {
  readonly part: number;
  readonly rows: number;
  readonly near: number;
  readonly identical: number;
}

export const PAIR_COLUMNS = [
  'a',
  'b',
  'jaccard',
  'agreement',
  'containment_a_in_b',
  'containment_b_in_a',
  'kind',
] as const;

/**
 * The kinds of pairs. `identical` documents have the same bytes, `same-tokens` documents have the same canonical tokens in
 * other bytes.
 */
export const PAIR_KINDS = ['near', 'identical', 'same-tokens'] as const;

/** Whether pair `i` of one list comes before pair `k` of the other; no pair is in both. */
export function comesBefore(one: Pairs, i: number, other: Pairs, k: number): boolean {
  return one.a[i]! < other.a[k]! || (one.a[i] === other.a[k] && one.b[i]! < other.b[k]!);
}

/**
 * Plans the parts of the merged table, so that they can be written independently and in any order: one binary search per boundary.
 * No rows: one empty part.
 */
export function planPairParts(
  near: Pairs,
  identical: Pairs,
  rowsPerPart: number = ROWS_PER_PART,
): PairPart[] {
  return planParts(near.count + identical.count, rowsPerPart).map(({ part, from, to }) => {
    // The smallest number of near pairs such that the next one comes after all identical pairs before row `from`.
    const first = firstWhere(Math.max(0, from - identical.count), Math.min(from, near.count), (i) =>
      comesBefore(identical, from - i - 1, near, i),
    );
    return { part, rows: to - from, near: first, identical: from - first };
  });
}
