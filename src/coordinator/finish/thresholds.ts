/**
 * What the drop list would drop at thresholds above that of the run, by the same rule over the pairs that reach them.
 */

import {
  type ContainedPairs,
  containedDropList,
  type DropList,
  higherThresholds,
  keptDocuments,
  type Precedence,
} from '../../../reducers/dropList.js';
import type { IdentityClasses } from '../../../reducers/identityClasses.js';
import type { NearPairs } from '../../../reducers/verifiedPairs.js';
import type { Stepwise } from '../../arrays/stepwise.js';
import type { DropsAtThreshold } from '../../output/wording/reportedNumbers.js';
import type { ResultParams } from '../../sketch/params.js';

/** What a drop list was made of. */
interface DroppedBy {
  readonly classes: IdentityClasses;
  readonly precedence: Precedence;
  /** Accepted pairs with what they have of the measure. */
  readonly pairs: NearPairs | ContainedPairs;
  readonly drop: DropList;
}

/**
 * The documents that would be dropped at 0.95, 0.9, ... and at last those that are at the threshold of the run; none where
 * pairs were not verified. Each threshold costs a pass over pairs and documents.
 */
export function* dropsAtThresholds(
  { threshold, verify, exactDuplicates }: Pick<ResultParams, 'threshold' | 'verify' | 'exactDuplicates'>,
  { classes, precedence, pairs, drop }: DroppedBy,
): Stepwise<DropsAtThreshold[]> {
  if (verify === 'none' || exactDuplicates) return [];
  const own = { threshold, dropped: drop.document.length };
  const higher = higherThresholds(threshold);
  if (higher.length === 0) return [own];
  const droppedFrom =
    'contained' in pairs ? containedDrops(classes, pairs, precedence) : drops(classes, pairs, precedence);
  const found: DropsAtThreshold[] = [];
  for (const step of higher) {
    found.push({ threshold: step, dropped: droppedFrom(step) });
    yield;
  }
  return [...found, own];
}

function containedDrops(
  classes: IdentityClasses,
  pairs: ContainedPairs,
  precedence: Precedence,
): (threshold: number) => number {
  return (threshold) =>
    containedDropList(classes, containedFrom(pairs, threshold), precedence).document.length;
}

function drops(
  classes: IdentityClasses,
  near: NearPairs,
  precedence: Precedence,
): (threshold: number) => number {
  return (threshold) => {
    const kept = keptDocuments(classes, nearFrom(near, threshold), precedence);
    let dropped = 0;
    for (let d = 0; d < kept.length; d++) dropped += 1 - kept[d]!;
    return dropped;
  };
}

/** The first `count` rows with a value of at least `least`, ascending. */
function rowsFrom(values: Float64Array, count: number, least: number): Uint32Array {
  const rows = new Uint32Array(count);
  let some = 0;
  for (let i = 0; i < count; i++) if (values[i]! >= least) rows[some++] = i;
  return rows.subarray(0, some);
}

/** The pairs that reach a threshold. */
function nearFrom(
  { a, b, count, jaccard }: NearPairs,
  threshold: number,
): Parameters<typeof keptDocuments>[1] {
  const rows = rowsFrom(jaccard, count, threshold);
  return { count: rows.length, a: rows.map((row) => a[row]!), b: rows.map((row) => b[row]!) };
}

function containedFrom(
  { container, contained, equal, containment, count }: ContainedPairs,
  threshold: number,
): ContainedPairs {
  const rows = rowsFrom(containment, count, threshold);
  return {
    count: rows.length,
    container: rows.map((row) => container[row]!),
    contained: rows.map((row) => contained[row]!),
    equal: Uint8Array.from(rows, (row) => equal[row]!),
    containment: Float64Array.from(rows, (row) => containment[row]!),
  };
}
