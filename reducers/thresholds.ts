/**
 * The number of drops at thresholds above that of the run, by the same rule over the pairs that reach them.
 */

import { columnAt, rowsFrom } from '../src/arrays/chosenRows.js';
import { positionsOf } from '../src/arrays/search.js';
import type { Stepwise } from '../src/arrays/stepwise.js';
import type { Pairs } from '../src/blocks/pairs.js';
import type { ResultParams } from '../src/sketch/params.js';
import {
  type ContainedPairs,
  containedDropList,
  type DropList,
  higherThresholds,
  keptDocuments,
  type Precedence,
} from './dropList.js';
import type { IdentityClasses } from './identityClasses.js';
import type { NearPairs } from './verifiedPairs.js';

/** How many documents a threshold would drop. */
interface Drops {
  readonly threshold: number;
  readonly dropped: number;
}

interface DroppedBy {
  readonly classes: IdentityClasses;
  readonly precedence: Precedence;
  /** Accepted pairs with their values of the measure. */
  readonly pairs: NearPairs | ContainedPairs;
  readonly drop: DropList;
}

/**
 * The number of drops at 0.95, 0.9, ... and at last at the threshold of the run; none where
 * pairs were not verified. Each threshold costs a pass over pairs and documents.
 */
export function* dropsAtThresholds(
  { threshold, verify, exactDuplicates }: Pick<ResultParams, 'threshold' | 'verify' | 'exactDuplicates'>,
  { classes, precedence, pairs, drop }: DroppedBy,
): Stepwise<Drops[]> {
  if (verify === 'none' || exactDuplicates) return [];
  const own = { threshold, dropped: drop.document.length };
  const higher = higherThresholds(threshold);
  if (higher.length === 0) return [own];
  const droppedFrom =
    'contained' in pairs ? containedDrops(classes, pairs, precedence) : drops(classes, pairs, precedence);
  const found: Drops[] = [];
  for (const step of higher) {
    found.push({ threshold: step, dropped: yield* droppedFrom(step) });
    yield;
  }
  return [...found, own];
}

function containedDrops(
  classes: IdentityClasses,
  pairs: ContainedPairs,
  precedence: Precedence,
): (threshold: number) => Stepwise<number> {
  return function* (threshold) {
    const reached = yield* containedFrom(pairs, threshold);
    return (yield* containedDropList(classes, reached, precedence)).document.length;
  };
}

function drops(
  classes: IdentityClasses,
  near: NearPairs,
  precedence: Precedence,
): (threshold: number) => Stepwise<number> {
  return function* (threshold) {
    const kept = yield* keptDocuments(classes, yield* nearFrom(near, threshold), precedence);
    return positionsOf(0, kept).length;
  };
}

function* nearFrom({ a, b, count, jaccard }: NearPairs, threshold: number): Stepwise<Pairs> {
  const rows = yield* rowsFrom(jaccard, count, threshold);
  return { count: rows.length, a: yield* columnAt(a, rows), b: yield* columnAt(b, rows) };
}

function* containedFrom(
  { container, contained, equal, containment, count }: ContainedPairs,
  threshold: number,
): Stepwise<ContainedPairs> {
  const rows = yield* rowsFrom(containment, count, threshold);
  return {
    count: rows.length,
    container: yield* columnAt(container, rows),
    contained: yield* columnAt(contained, rows),
    equal: yield* columnAt(equal, rows),
    containment: yield* columnAt(containment, rows),
  };
}
