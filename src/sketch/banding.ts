/**
 * The mathematics of banding: a signature cut into bands of rows, and how likely a pair is to share a bucket
 * (Mining of Massive Datasets 3.4).
 *
 * The S-curve assumes independent slots, which `classic` has. For `fss` the number of equal slots varies less, so the real curve is
 * steeper: the recall is at least the computed one above 0.63, and may be slightly lower below (0.051 to 0.058 instead of 0.061).
 *
 * Uses only +, -, * and /, which give the same result on every machine (see probability.ts), because the choice of bands decides
 * output bytes.
 */

import { checkBands, checkNumber, checkObject } from '../errors.js';
import type { BandingParams } from './params.js';

/** A point of an S-curve. */
export interface CurvePoint {
  readonly similarity: number;
  readonly probability: number;
}

/** Bands and rows, and the probability that a pair at the threshold becomes a candidate pair. */
export interface BandingChoice extends BandingParams {
  readonly probability: number;
}

/**
 * The requirements for `chooseBands`. `bands` or `rows` are used unchanged if they are set; the caller checks `bands * rows <=
 * hashes`.
 */
export interface BandingRequirements {
  /** Resemblance, 0..1. */
  readonly threshold: number;
  /** Minimum probability of becoming a candidate at the threshold, 0..1. */
  readonly recall: number;
  readonly hashes: number;
  readonly bands?: number | undefined;
  readonly rows?: number | undefined;
}

/** `base` to the power of a whole number >= 0. */
export function power(base: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent; i++) result *= base;
  return result;
}

/**
 * The S-curve 1 - (1 - s^r)^b: the probability that a pair of resemblance `similarity` (0..1) shares a bucket
 * in at least one of `bands` bands of `rows` rows, if slots agree independently. b = 20, r = 5, s = .8: .9996
 * (figure 3.8).
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function probabilityOfCandidate(similarity: number, bands: number, rows: number): number {
  checkNumber('similarity', similarity, 'share');
  checkBands(bands, rows);
  const allRows = power(similarity, rows);
  // p * (1 + q + q^2 + ...) instead of 1 - q^b: no digits are lost if s^r is tiny.
  let sum = 0;
  for (let band = 0, noneBefore = 1; band < bands; band++, noneBefore *= 1 - allRows) sum += noneBefore;
  return Math.min(1, allRows * sum);
}

/**
 * Bands and rows for a threshold and a recall. By default: the largest `rows` (fewest false candidates) with
 * bands = floor(hashes / rows) that reaches the recall. If rows are set: bands = floor(hashes / rows). If bands are set: the largest
 * `rows` <= hashes / bands that reaches the recall. If no choice reaches it, the choice with the highest probability (one row per
 * band), so callers compare `probability` with the recall. T = .8, N = 128, recall .95: 18 bands of 7 rows, .985.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function chooseBands(requirements: BandingRequirements): BandingChoice {
  checkObject('options of chooseBands', requirements);
  const { threshold, recall, hashes } = requirements;
  checkNumber('threshold', threshold, 'share');
  checkNumber('recall', recall, 'share');
  checkNumber('hashes', hashes, 'count');
  checkBands(requirements.bands ?? 1, requirements.rows ?? 1);
  const bandsFor = (rows: number): number => requirements.bands ?? Math.floor(hashes / rows);
  const choiceOf = (rows: number): BandingChoice => {
    const bands = bandsFor(rows);
    return { bands, rows, probability: probabilityOfCandidate(threshold, bands, rows) };
  };
  if (requirements.rows !== undefined) return choiceOf(requirements.rows);
  for (let rows = Math.floor(hashes / (requirements.bands ?? 1)); rows > 1; rows--) {
    const choice = choiceOf(rows);
    if (choice.probability >= recall) return choice;
  }
  return choiceOf(1);
}

/** The S-curve at 0, 0.05, ..., 1: 21 points. @throws MinHashError OPTION_INVALID for bands or rows outside 1..65536 */
export function sCurve(bands: number, rows: number): CurvePoint[] {
  checkBands(bands, rows);
  const points: CurvePoint[] = [];
  for (let step = 0; step <= 20; step++) {
    const similarity = step / 20;
    points.push({ similarity, probability: probabilityOfCandidate(similarity, bands, rows) });
  }
  return points;
}

/**
 * (1/bands)^(1/rows): about where the S-curve is steepest (it has risen to 1 - 1/e there for many bands). By
 * bisection, not by Math.pow, whose last digit differs between versions of the engine. b = 20, r = 5: .549.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function thresholdOf(bands: number, rows: number): number {
  checkBands(bands, rows);
  return passing(1, (similarity) => bands * power(similarity, rows));
}

/** The similarity at which a rising curve passes `level`, by bisection. */
export function passing(level: number, curve: (similarity: number) => number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (curve(middle) < level) low = middle;
    else high = middle;
  }
  return high;
}
