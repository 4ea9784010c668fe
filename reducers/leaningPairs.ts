/**
 * Reduce by bucket, between the rounds over hot buckets: pairs for the documents that the next round may bring
 * back.
 *
 * A round drops kept documents that turn out to be alike. What leaned on them alone comes back, is kept, and
 * is dropped a round later, while others come back in its place; on 20,000 near copies of one page that took
 * more than 8 rounds. Comparing the leaning documents in the same round, each with the first kept document of
 * its bucket, gives them another document to lean on before they come back.
 *
 * Floor 2. Works on document numbers; it never knows signatures, texts or how a pair was verified.
 */
import { sortByKey64 } from '../src/sketch/radixSort.js';
import type { Pairs } from './candidatePairs.js';

/**
 * The documents of `hot` that are dropped and near to earlier kept documents of which every one is at risk.
 *
 * @param hot ascending; also the result
 * @param kept 1: kept now
 * @param near accepted pairs, a < b
 * @param round pairs about to be compared; the later document of each is at risk of being dropped
 */
export function leaningDocuments(hot: Uint32Array, kept: Uint8Array, near: Pairs, round: Pairs): Uint32Array {
  const atRisk = new Uint8Array(kept.length);
  for (let i = 0; i < round.count; i++) atRisk[round.b[i]!] = 1;
  const leans = new Uint8Array(kept.length);
  const safe = new Uint8Array(kept.length);
  for (let i = 0; i < near.count; i++) {
    const a = near.a[i]!;
    if (kept[a] === 0) continue;
    if (atRisk[a] === 1) leans[near.b[i]!] = 1;
    else safe[near.b[i]!] = 1;
  }
  return hot.filter((d) => kept[d] === 0 && leans[d] === 1 && safe[d] === 0);
}

/**
 * One band: every document of `leaning` with the first kept document of its bucket in id order; at most one
 * pair each, distinct, not sorted. A bucket without a kept document gives none.
 *
 * @param keys 64-bit bucket keys (low, high), first those of `documents`, then those of `leaning`
 * @param documents kept, ascending
 */
export function leaningPairs(keys: Uint32Array, documents: Uint32Array, leaning: Uint32Array): Pairs {
  const count = documents.length + leaning.length;
  const sortedKeys = keys.slice(0, 2 * count);
  const order = new Uint32Array(count);
  for (let p = 0; p < count; p++) order[p] = p;
  // Stable, so the kept documents of a bucket come before those that lean, the first in id order ahead.
  sortByKey64(sortedKeys, order, count);
  const a = new Uint32Array(leaning.length);
  const b = new Uint32Array(leaning.length);
  let made = 0;
  let head = 0;
  for (let p = 0; p < count; p++) {
    const fresh =
      sortedKeys[2 * p] !== sortedKeys[2 * head] || sortedKeys[2 * p + 1] !== sortedKeys[2 * head + 1];
    if (fresh) head = p;
    if (order[p]! < documents.length || order[head]! >= documents.length) continue;
    const first = documents[order[head]!]!;
    const document = leaning[order[p]! - documents.length]!;
    a[made] = Math.min(first, document);
    b[made++] = Math.max(first, document);
  }
  return { a, b, count: made };
}
