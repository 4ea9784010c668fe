/**
 * The length of a signature: the error of an estimate and its probability, by number of slots.
 *
 * Slots are assumed to be independent. For `classic` they are; for `fss` estimates spread less, so all results hold or
 * are better.
 */

import { checkNumber } from '../../errors.js';
import { standardError, withinProbability } from '../../sketch/probability.js';

/** The precision of a number of slots at one resemblance. */
export interface SampleSize {
  readonly slots: number;
  /** Standard deviation of the estimate. */
  readonly standardError: number;
  /** Probability that the estimate is within the given error. */
  readonly within: number;
}

/** The longest signature. */
const MOST_SLOTS = 1024;
const USUAL_SLOTS: readonly number[] = [16, 32, 64, 100, 128, 200, 256, 512, 1024];

/**
 * Broder's p(s, r, epsilon): the probability that an estimate from `slots` >= 1 slots lies within [r - error, r + error]
 * (both inclusive), the exact sum of the binomial distribution (Broder 1997, section 4.2). p(100, .5, .05) = .7287.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function probabilityWithin(slots: number, resemblance: number, error: number): number {
  checkNumber('slots', slots, 'slots');
  checkNumber('resemblance', resemblance, 'share');
  checkNumber('error', error, 'size');
  return withinProbability(slots, resemblance, error);
}

/**
 * The least number of slots, at most 1024, from which on every signature keeps the error (> 0) with the
 * confidence (in (0, 1)); null if 1024 do not. "From which on", because p(s, r, epsilon) is not monotonic in
 * s: the number of counts within the error is an integer.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function leastSlots(resemblance: number, error: number, confidence: number): number | null {
  checkNumber('confidence', confidence, 'share');
  let slots = MOST_SLOTS;
  while (slots > 0) {
    if (probabilityWithin(slots, resemblance, error) < confidence) break;
    slots--;
  }
  return slots === MOST_SLOTS ? null : slots + 1;
}

/** The table of usual signature lengths including `hashes`, ascending. */
export function sampleSizes(hashes: number, resemblance: number, error: number): SampleSize[] {
  return [...new Set([...USUAL_SLOTS, hashes])]
    .sort((a, b) => a - b)
    .map((slots) => ({
      slots,
      standardError: standardError(slots, resemblance),
      within: probabilityWithin(slots, resemblance, error),
    }));
}
