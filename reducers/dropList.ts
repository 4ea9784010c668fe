/**
 * Reduces accepted pairs to the drop list: which documents can be dropped, each with the kept document that replaces it.
 *
 * Documents are processed in keep order, which is the order of their numbers. A document without an accepted pair with an earlier kept
 * document is kept; any other is dropped for the earlier kept document that it resembles most (ties: the smaller number). So every
 * dropped document has a kept near-duplicate, and no accepted pair remains among the kept. Reference documents are never dropped.
 */

import { Float64Column, Uint32Column } from '../src/arrays/growable.js';
import { rowsByKey } from '../src/arrays/rowsByKey.js';
import type { GroupPairs, PairRules } from './groupPairs.js';

/** Dropped documents, ascending; in row i, `kept[i]` replaces `document[i]`. */
export interface DropList {
  readonly document: Uint32Array;
  readonly kept: Uint32Array;
  readonly jaccard: Float64Array;
}

const NONE = 0xffffffff;

/**
 * The drop list. Members of a duplicate group have the near pairs of their first member, and are pairs of similarity 1. Linear.
 *
 * @param near accepted pairs; if empty, only members of duplicate groups are dropped
 */
export function dropList({ groups, references, onlyAgainst }: PairRules, near: GroupPairs): DropList {
  const { firstOf, offsets, members } = groups;
  const documents = firstOf.length;
  const { a, b, jaccard, count } = near;
  const hasSeveral = new Uint8Array(documents);
  for (let group = 0; group + 1 < offsets.length; group++) hasSeveral[members[offsets[group]!]!] = 1;
  // A later document can replace members of an earlier group only if they come after it.
  const earlier = rowsByKey(documents, (give) => {
    for (let i = 0; i < count; i++) if (hasSeveral[a[i]!] === 1) give(b[i]!, i);
  });
  // By first member of a group: the most similar kept document so far.
  const best = new Uint32Array(documents).fill(NONE);
  const bestOf = new Float64Array(documents);
  const offer = (group: number, document: number, similarity: number): void => {
    // Documents come in keep order, so the earlier of two equally similar ones is here already.
    if (best[group] !== NONE && similarity <= bestOf[group]!) return;
    best[group] = document;
    bestOf[group] = similarity;
  };
  const [dropped, kept, similarities] = [new Uint32Column(), new Uint32Column(), new Float64Column()];
  for (let document = 0, row = 0; document < documents; document++) {
    const group = firstOf[document]!;
    if (document >= references && best[group] !== NONE) {
      dropped.push(document);
      kept.push(best[group]!);
      similarities.push(bestOf[group]!);
      continue;
    }
    if (document !== group || (onlyAgainst && document >= references)) continue;
    if (hasSeveral[group] === 1) offer(group, document, 1);
    while (row < count && a[row]! < document) row++;
    for (; row < count && a[row] === document; row++) offer(b[row]!, document, jaccard[row]!);
    for (let i = earlier.starts[document]!; i < earlier.starts[document + 1]!; i++)
      offer(a[earlier.rows[i]!]!, document, jaccard[earlier.rows[i]!]!);
  }
  return { document: dropped.view, kept: kept.view, jaccard: similarities.view };
}

/** The number of dropped documents at a threshold. */
export interface DropsAtThreshold {
  readonly threshold: number;
  readonly dropped: number;
}

/** Thresholds are multiples of 1/20. */
const STEPS = 20;

/**
 * The number of dropped documents at 0.95, 0.9, ... above the threshold of the run, and finally at that threshold. Each threshold
 * takes a pass over pairs and documents.
 */
export function dropsAtThresholds(
  rules: PairRules,
  near: GroupPairs,
  threshold: number,
  dropped: number,
): DropsAtThreshold[] {
  const steps = Array.from({ length: STEPS - 1 }, (_, i) => (STEPS - 1 - i) / STEPS);
  return [
    ...steps
      .filter((step) => step > threshold)
      .map((step) => ({ threshold: step, dropped: droppedAt(rules, near, step) })),
    { threshold, dropped },
  ];
}

/** The number of documents that `dropList` drops. */
function droppedAt({ groups, references, onlyAgainst }: PairRules, near: GroupPairs, least: number): number {
  const { firstOf, offsets, members } = groups;
  const { a, b, jaccard, count } = near;
  // By first member. Rows are in keep order, so `a` is decided when its first row comes.
  const isDropped = new Uint8Array(firstOf.length);
  let dropped = 0;
  for (let i = 0; i < count; i++) {
    const [one, other] = [a[i]!, b[i]!];
    if (jaccard[i]! < least || isDropped[one] === 1 || other < references) continue;
    if (isDropped[other] === 1 || (onlyAgainst && one >= references)) continue;
    isDropped[other] = 1;
    dropped++;
  }
  for (let group = 0; group + 1 < offsets.length; group++) {
    const first = members[offsets[group]!]!;
    if (onlyAgainst && first >= references && isDropped[first] === 0) continue;
    for (let i = offsets[group]! + 1; i < offsets[group + 1]!; i++) if (members[i]! >= references) dropped++;
  }
  return dropped;
}
