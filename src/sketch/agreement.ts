/**
 * Agreement: the share of equal slots of two signatures, what it says about the resemblance, and how surely.
 *
 * Floor 0. The number of equal slots is taken as Bin(N, J). For `classic` it is that; for `fss` it spreads
 * less (slots are filled without replacement), so margin and bounds are kept or better, and the share right at the
 * threshold, about one half, is a little off (at 0.9 of 128 slots 0.457 for 0.481). For `oph` it spreads more on sets of
 * few elements, and every bound is the worst over sets of all sizes (ophLaw.ts).
 */
import { binomialAtLeast, binomialBelow, binomialProbabilities } from './binomial.js';
import { OphMeans } from './ophLaw.js';
import type { SketchName } from './params.js';

/**
 * The probability with which the margin of `leastAgreement` may lose a pair whose resemblance is the
 * threshold and that has an equal slot (one without is no candidate of any bands, so there is nothing to lose).
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
  // The product can round to either side of a whole number: the rule that accepts pairs has the last word. Rounded up it is
  // that number, which is accepted or one too few.
  let least = Math.floor(threshold * hashes);
  while (!signatureAccepts(least, hashes, threshold)) least++;
  return least;
}

/** 1 for the numbers of equal slots 0..hashes from `from` on and below `to`, 0 for the others. */
function slotsWithin(hashes: number, from: number, to = hashes + 1): Float64Array {
  return new Float64Array(hashes + 1).fill(1, from, to);
}

/**
 * P(agreement >= threshold) of a pair whose resemblance is the threshold (0..1): about one half; for `oph` the least
 * over all sizes. Times the S-curve it is the recall at the threshold where only signatures are compared (for
 * dependent slots at least that: both rise with the equal slots).
 */
export function agreementShare(threshold: number, hashes: number, sketch: SketchName = 'fss'): number {
  const least = leastAccepted(threshold, hashes);
  if (sketch === 'oph') return new OphMeans(hashes, slotsWithin(hashes, least)).least(threshold);
  return binomialAtLeast(hashes, threshold, least);
}

/**
 * The margin before exact verification: a candidate with fewer equal slots than this is not looked at again.
 * The largest count, 0..hashes, for which a pair at the threshold stays below it with probability <
 * MARGIN_LOSS; pairs above the threshold are lost more seldom still. T = 0.8, N = 128, fss: 84, oph: 78.
 */
export function leastAgreement(threshold: number, hashes: number, sketch: SketchName): number {
  const probabilities = binomialProbabilities(hashes, threshold);
  let least = 0;
  let below = probabilities[0]!;
  while (least < hashes && below < MARGIN_LOSS) {
    least++;
    below += probabilities[least]!;
  }
  return sketch === 'oph' ? leastOfOph(threshold, hashes, least) : least;
}

/** The answer that was last sought: a run asks several times. */
let lastOfOph = { threshold: Number.NaN, hashes: 0, least: 0 };

/** Where candidates of `oph` may be dropped: at most where those of independent slots may. */
function leastOfOph(threshold: number, hashes: number, most: number): number {
  if (lastOfOph.threshold === threshold && lastOfOph.hashes === hashes) return lastOfOph.least;
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const lost = slotsWithin(hashes, 1, middle).map((value) => -value);
    if (-new OphMeans(hashes, lost).least(threshold) < MARGIN_LOSS) low = middle;
    else high = middle - 1;
  }
  lastOfOph = { threshold, hashes, least: low };
  return low;
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
 * to .863. For `oph` it holds for sets of every size, and is wider: sets of eight elements of which one differs
 * have equal signatures in 3 of 100 cases.
 */
export function agreementInterval(
  count: number,
  hashes: number,
  confidence: number,
  sketch: SketchName = 'fss',
): ResemblanceBounds {
  const outside = (1 - confidence) / 2;
  if (sketch === 'oph') {
    // Equal and unequal slots change places when the resemblance does with what it lacks of 1.
    const lower = 1 - upperOfOph(hashes - count, hashes, outside);
    return { lower, upper: upperOfOph(count, hashes, outside) };
  }
  return {
    lower: count === 0 ? 0 : whereItPasses(outside, (p) => binomialAtLeast(hashes, p, count)),
    upper: upperOf(count, hashes, outside),
  };
}

/** The greatest resemblance with which `count` equal slots or fewer have a probability of `outside`. */
function upperOf(count: number, hashes: number, outside: number): number {
  return count === hashes ? 1 : whereItPasses(1 - outside, (p) => 1 - binomialBelow(hashes, p, count + 1));
}

function upperOfOph(count: number, hashes: number, outside: number): number {
  if (count === hashes) return 1;
  const means = new OphMeans(hashes, slotsWithin(hashes, count + 1));
  return means.mostBelow(1 - outside, upperOf(count, hashes, outside));
}
