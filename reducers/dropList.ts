/**
 * Reduces accepted pairs to the drop list: which documents can be dropped, each with the kept document that replaces it.
 *
 * Documents are processed in keep order, which is the order of their numbers. A document without an accepted pair with an earlier kept
 * document is kept; any other is dropped for the earlier kept document that it resembles most (ties: the smaller number). So every
 * dropped document has a kept near-duplicate, and no accepted pair remains among the kept. Reference documents are never dropped.
 */

import { Float64Column, Uint32Column } from '../src/arrays/growable.js';
import { rowsByKey } from '../src/arrays/rowsByKey.js';
import type { PairRules, VerifiedPairs } from './groupPairs.js';

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
 * @param verified near pairs decide; without any, only members of duplicate groups are dropped
 */
export function dropList({ groups, references, onlyAgainst }: PairRules, verified: VerifiedPairs): DropList {
  const { firstOf, offsets, members } = groups;
  const documents = firstOf.length;
  const hasSeveral = new Uint8Array(documents);
  for (let group = 0; group + 1 < offsets.length; group++) hasSeveral[members[offsets[group]!]!] = 1;
  // A later document can replace members of an earlier group only if they come after it.
  const [groupOf, laterOf, similarityOf] = [new Uint32Column(), new Uint32Column(), new Float64Column()];
  if (offsets.length > 1) {
    for (const { a, b, count, ...pairs } of verified.parts())
      for (let i = 0; i < count; i++) {
        if (hasSeveral[a[i]!] === 0 || !pairs.isNear(i)) continue;
        groupOf.push(a[i]!);
        laterOf.push(b[i]!);
        similarityOf.push(pairs.similarityOf(i));
      }
  }
  const earlier = rowsByKey(documents, (give) => laterOf.view.forEach(give));
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
  /** The documents before this one are decided; the last of them replaces its near documents or not. */
  let next = 0;
  let isOffered = false;
  const decideBefore = (end: number): void => {
    for (; next < end; next++) {
      const group = firstOf[next]!;
      isOffered = false;
      if (next >= references && best[group] !== NONE) {
        dropped.push(next);
        kept.push(best[group]!);
        similarities.push(bestOf[group]!);
        continue;
      }
      if (next !== group || (onlyAgainst && next >= references)) continue;
      isOffered = true;
      if (hasSeveral[group] === 1) offer(group, next, 1);
      for (let i = earlier.starts[next]!; i < earlier.starts[next + 1]!; i++)
        offer(groupOf.view[earlier.rows[i]!]!, next, similarityOf.view[earlier.rows[i]!]!);
    }
  };
  for (const { a, b, count, ...pairs } of verified.parts())
    for (let i = 0; i < count; i++) {
      decideBefore(a[i]! + 1);
      if (isOffered && pairs.isNear(i)) offer(b[i]!, a[i]!, pairs.similarityOf(i));
    }
  decideBefore(documents);
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
 * The number of dropped documents at 0.95, 0.9, ... above the threshold of the run, and finally at that threshold. Takes one pass
 * over the pairs.
 */
export function dropsAtThresholds(
  { groups, references, onlyAgainst }: PairRules,
  verified: VerifiedPairs,
  threshold: number,
  dropped: number,
): DropsAtThreshold[] {
  const { firstOf, offsets, members } = groups;
  const steps = Array.from({ length: STEPS - 1 }, (_, i) => (STEPS - 1 - i) / STEPS).filter(
    (step) => step > threshold,
  );
  const counts = steps.map(() => 0);
  // By first member: a bit per step at which it is dropped. Pairs are in keep order, so `a` is decided when its first pair comes.
  const droppedAt = new Uint32Array(firstOf.length);
  for (const { a, b, count, ...pairs } of verified.parts())
    for (let i = 0; i < count; i++) {
      const [one, other] = [a[i]!, b[i]!];
      if (!pairs.isNear(i) || other < references || (onlyAgainst && one >= references)) continue;
      const similarity = pairs.similarityOf(i);
      for (let step = steps.length - 1; step >= 0 && similarity >= steps[step]!; step--) {
        if ((((droppedAt[one]! | droppedAt[other]!) >>> step) & 1) === 1) continue;
        droppedAt[other]! |= 1 << step;
        counts[step]!++;
      }
    }
  for (let group = 0; group + 1 < offsets.length; group++) {
    const first = members[offsets[group]!]!;
    let others = 0;
    for (let i = offsets[group]! + 1; i < offsets[group + 1]!; i++) if (members[i]! >= references) others++;
    for (let step = 0; step < steps.length; step++) {
      const isDropped = ((droppedAt[first]! >>> step) & 1) === 1;
      if (!onlyAgainst || first < references || isDropped) counts[step]! += others;
    }
  }
  return [...steps.map((step, i) => ({ threshold: step, dropped: counts[i]! })), { threshold, dropped }];
}
