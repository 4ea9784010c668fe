/**
 * The rows of `pairs/`: near pairs and pairs of identical documents, merged in the order of (a, b).
 */
import type { Pairs } from '../../blocks/pairs.js';

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
