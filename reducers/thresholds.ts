/**
 * The number of drops at thresholds above that of the run, by the same rule over the pairs that reach them.
 */

import { columnAt, rowsFrom } from '../src/arrays/chosenRows.js';
import { positionsOf } from '../src/arrays/search.js';
import type { Stepwise } from '../src/arrays/stepwise.js';
import type { Pairs } from '../src/blocks/pairs.js';
import type { ResultParams } from '../src/sketch/params.js';
import { type DropList, higherThresholds, keptDocuments, type Precedence } from './dropList.js';
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
  readonly near: NearPairs;
  readonly drop: DropList;
}

/**
 * The number of drops at 0.95, 0.9, ... and at last at the threshold of the run; none where
 * pairs were not verified. Each threshold costs a pass over pairs and documents.
 */
export function* dropsAtThresholds(
  { threshold, verify, exactDuplicates }: Pick<ResultParams, 'threshold' | 'verify' | 'exactDuplicates'>,
  { classes, precedence, near, drop }: DroppedBy,
): Stepwise<Drops[]> {
  if (verify === 'none' || exactDuplicates) return [];
  const own = { threshold, dropped: drop.document.length };
  const higher = higherThresholds(threshold);
  if (higher.length === 0) return [own];
  const found: Drops[] = [];
  for (const step of higher) {
    const kept = yield* keptDocuments(classes, yield* nearFrom(near, step), precedence);
    found.push({ threshold: step, dropped: positionsOf(0, kept).length });
    yield;
  }
  return [...found, own];
}

function* nearFrom({ a, b, count, jaccard }: NearPairs, threshold: number): Stepwise<Pairs> {
  const rows = yield* rowsFrom(jaccard, count, threshold);
  return { count: rows.length, a: yield* columnAt(a, rows), b: yield* columnAt(b, rows) };
}
