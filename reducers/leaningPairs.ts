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
import type { HotMembers, Pairs } from '../src/sketch/pairs.js';
import { sortPairs } from '../src/sketch/radixSort.js';

/**
 * 1 for every document that is dropped and near to earlier kept documents of which every one is at risk.
 *
 * @param kept 1: kept now
 * @param near accepted pairs; the first document of each comes before the other in the drop list
 * @param round pairs about to be compared; the second document of each is at risk of being dropped
 */
export function leaningDocuments(kept: Uint8Array, near: Pairs, round: Pairs): Uint8Array {
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
  for (let d = 0; d < kept.length; d++) if (kept[d] === 1 || safe[d] === 1) leans[d] = 0;
  return leans;
}

/**
 * One band: every leaning document with the first kept document of its hot bucket in id order; at most one
 * pair each, sorted by (a, b) and distinct. A bucket without a kept document gives none.
 *
 * @param kept 1: kept now
 * @param leaning 1: see `leaningDocuments`; none of them is kept
 */
export function leaningPairs(
  { documents, buckets }: HotMembers,
  kept: Uint8Array,
  leaning: Uint8Array,
): Pairs {
  const count = documents.length;
  let names = 0;
  for (let i = 0; i < count; i++) names = Math.max(names, buckets[i]! + 1);
  // By bucket, from 1 on; 0: no kept document.
  const firsts = new Uint32Array(names);
  for (let i = count - 1; i >= 0; i--) {
    if (kept[documents[i]!] === 1) firsts[buckets[i]!] = documents[i]! + 1;
  }
  const a = new Uint32Array(count);
  const b = new Uint32Array(count);
  let made = 0;
  for (let i = 0; i < count; i++) {
    const document = documents[i]!;
    if (leaning[document] === 0 || firsts[buckets[i]!] === 0) continue;
    const first = firsts[buckets[i]!]! - 1;
    a[made] = Math.min(first, document);
    b[made++] = Math.max(first, document);
  }
  return { a, b, count: sortPairs(a, b, made) };
}
