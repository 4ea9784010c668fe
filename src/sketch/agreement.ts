/**
 * Agreement: the share of equal slots of two signatures, what it says about the resemblance, and how surely.
 *
 * Floor 0. The number of equal slots is taken as Bin(N, J). For `classic` it is that; for `fss` it spreads
 * less (slots are filled without replacement), so every bound here is kept or better; `oph` spreads more on
 * sets of n elements, n well below N: about n^2 / 2N pairs of elements meet in a bin, each hides one element,
 * and all borrowed slots repeat it, which adds up to J(1-J) / 2N to the variance (n / (n-1) times that,
 * which shows below ten elements). For `oph`, N counts as N / 1.5.
 */
import { binomialAtLeast, binomialBelow, binomialProbabilities } from './binomial.js';
import type { SketchName } from './params.js';

/** How many independent slots the slots of a sketch are worth, at worst. */
function worthOf(hashes: number, sketch: SketchName): number {
  return sketch === 'oph' ? Math.floor(hashes / 1.5) : hashes;
}

/**
 * The probability with which the margin of `leastAgreement` may lose a pair whose resemblance is the
 * threshold.
 */
export const MARGIN_LOSS = 1e-4;

/** Equal slots of two signatures of `hashes` slots that start at the given offsets (slots) of `a` and `b`. */
export function agreementOf(
  a: Uint32Array,
  aOffset: number,
  b: Uint32Array,
  bOffset: number,
  hashes: number,
): number {
  let equal = 0;
  for (let slot = 0; slot < hashes; slot++) {
    if (a[aOffset + slot] === b[bOffset + slot]) equal++;
  }
  return equal;
}

/** Whether `count` equal slots of `hashes` make an accepted pair where only signatures are compared. */
export function signatureAccepts(count: number, hashes: number, threshold: number): boolean {
  return count / hashes >= threshold;
}

/** The least count of equal slots, 0..hashes, that `signatureAccepts`. T = 0.8, N = 128: 103. */
export function leastAccepted(threshold: number, hashes: number): number {
  // The product can round to either side of a whole number: the rule that accepts pairs has the last word.
  let least = Math.max(0, Math.floor(threshold * hashes) - 1);
  while (!signatureAccepts(least, hashes, threshold)) least++;
  return least;
}

/**
 * P(agreement >= threshold) of a pair whose resemblance is the threshold (0..1): about one half. Times the
 * S-curve it is the recall at the threshold where only signatures are compared.
 */
export function agreementShare(threshold: number, hashes: number): number {
  return binomialAtLeast(hashes, threshold, leastAccepted(threshold, hashes));
}

/**
 * The margin before exact verification: a candidate with fewer equal slots than this is not looked at again.
 * The largest count, 0..hashes, for which a pair at the threshold stays below it with probability <
 * MARGIN_LOSS; pairs above the threshold are lost more seldom still. T = 0.8, N = 128, fss: 84.
 */
export function leastAgreement(threshold: number, hashes: number, sketch: SketchName): number {
  const worth = worthOf(hashes, sketch);
  const probabilities = binomialProbabilities(worth, threshold);
  let least = 0;
  let below = probabilities[0]!;
  while (least < worth && below < MARGIN_LOSS) {
    least++;
    below += probabilities[least]!;
  }
  return Math.floor((least * hashes) / worth);
}

/** Bounds of a resemblance, 0 <= lower <= upper <= 1. */
export interface ResemblanceBounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The p in [0, 1] at which `rising` (0 at 0, 1 at 1, never falling) passes `level`, to the last bit but a
 * few.
 */
function whereItPasses(level: number, rising: (p: number) => number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (rising(middle) < level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Bounds that contain the resemblance with probability >= `confidence` (0 < confidence < 1, as 0.95), given
 * `count` of `hashes` equal slots: the exact interval of Clopper and Pearson (1934). 102 of 128 at 0.95: .717
 * to .863. For `oph` both sides widen as the head of this file says.
 */
export function agreementInterval(
  count: number,
  hashes: number,
  confidence: number,
  sketch: SketchName = 'fss',
): ResemblanceBounds {
  const worth = worthOf(hashes, sketch);
  const fewest = Math.floor((count * worth) / hashes);
  const most = Math.ceil((count * worth) / hashes);
  const outside = (1 - confidence) / 2;
  return {
    lower: fewest === 0 ? 0 : whereItPasses(outside, (p) => binomialAtLeast(worth, p, fewest)),
    upper: most === worth ? 1 : whereItPasses(1 - outside, (p) => 1 - binomialBelow(worth, p, most + 1)),
  };
}
