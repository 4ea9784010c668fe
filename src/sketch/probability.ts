/**
 * The binomial and hypergeometric distributions of sketches: equal slots, candidates, estimates, collisions, and their bounds.
 *
 * Uses only +, -, * and /, which unlike logarithm and power give the same bits on every machine: values that are computed here (a
 * prefilter cutoff, a choice of bands) decide output bytes.
 */

import { firstWhere } from '../arrays/search.js';
import { checkNumber } from '../errors.js';

/**
 * P(X = k) for k = 0..n, X ~ Bin(n, p), n >= 0, 0 <= p <= 1. Built outwards from the mode by ratios of
 * neighbours and divided by the sum: no factorial, no overflow; far tails become 0 only below 1e-300 of the mode.
 */
export function binomialProbabilities(n: number, p: number): Float64Array {
  const probabilities = new Float64Array(n + 1);
  if (p >= 1) {
    probabilities[n] = 1;
    return probabilities;
  }
  const mode = Math.min(n, Math.floor((n + 1) * p));
  const odds = p / (1 - p);
  probabilities[mode] = 1;
  for (let k = mode; k < n; k++) probabilities[k + 1] = ((probabilities[k]! * (n - k)) / (k + 1)) * odds;
  // odds is 0 only if the mode is 0, and then this loop does not run.
  for (let k = mode; k > 0; k--) probabilities[k - 1] = (probabilities[k]! * k) / (n - k + 1) / odds;
  let sum = 0;
  for (let k = 0; k <= n; k++) sum += probabilities[k]!;
  for (let k = 0; k <= n; k++) probabilities[k] = probabilities[k]! / sum;
  return probabilities;
}

/**
 * P(X >= k), X ~ Bin(n, p); summed from the far end, so small tails keep their digits. P(Bin(100, .8) >= 90)
 * = .0057.
 */
export function binomialAtLeast(n: number, p: number, k: number): number {
  if (k <= 0) return 1;
  const probabilities = binomialProbabilities(n, p);
  let sum = 0;
  for (let i = n; i >= k; i--) sum += probabilities[i]!;
  return Math.min(1, sum);
}

/** P(X < k), X ~ Bin(n, p); summed from the far end. */
export function binomialBelow(n: number, p: number, k: number): number {
  if (k > n) return 1;
  const probabilities = binomialProbabilities(n, p);
  let sum = 0;
  for (let i = 0; i < k; i++) sum += probabilities[i]!;
  return Math.min(1, sum);
}

/**
 * For every number c = 0..hashes of matching slots, the probability that `bands` bands of `rows` rows (bands
 * x rows <= hashes) contain a band of matching slots only, if all positions of the c slots are equally
 * likely: one minus the fraction of placements with a differing slot in every band. The equal slots of the pairs of a sample then
 * give the number of candidate pairs for any bands and rows, with less variance than counting the buckets of one seed.
 *
 * These placements are counted by the coefficients of ((1 + x)^r - x^r)^b (1 + x)^(n - br), all positive, so
 * no digits cancel; each factor (1 + x) is halved to keep them in range. The mean over c ~ Bin(n, s) is the
 * S-curve at s.
 */
export function candidateShares(hashes: number, bands: number, rows: number): Float64Array {
  const all = coefficients(hashes, 0, 1);
  const without = coefficients(hashes, bands, rows);
  const shares = new Float64Array(hashes + 1);
  for (let c = rows; c <= hashes; c++) shares[c] = Math.min(1, Math.max(0, 1 - without[c]! / all[c]!));
  return shares;
}

/** The coefficients of ((1 + x)^rows - x^rows)^bands (1 + x)^(hashes - bands rows) / 2^hashes, multiplied factor by factor. */
function coefficients(hashes: number, bands: number, rows: number): Float64Array {
  const pairUp = Float64Array.of(0.5, 0.5);
  let band: Float64Array = Float64Array.of(1);
  for (let row = 0; row < rows; row++) band = product(band, pairUp);
  band[rows] = 0;
  let result: Float64Array = Float64Array.of(1);
  for (let i = 0; i < bands; i++) result = product(result, band);
  for (let slot = bands * rows; slot < hashes; slot++) result = product(result, pairUp);
  return result;
}

function product(a: Float64Array, b: Float64Array): Float64Array {
  const result = new Float64Array(a.length + b.length - 1);
  for (let i = 0; i < a.length; i++) {
    if (a[i] === 0) continue;
    for (let j = 0; j < b.length; j++) result[i + j] = result[i + j]! + a[i]! * b[j]!;
  }
  return result;
}

/** An estimate with the bounds of its 95 % interval: lower <= value <= upper. */
export interface Estimate {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * The probability with which the prefilter cutoff of `leastAgreement` may lose a pair whose resemblance is
 * the threshold and that has a matching slot (a pair without a matching slot is never a candidate pair).
 */
export const MARGIN_LOSS = 1e-4;

/**
 * The number of equal slots of two signatures of `hashes` slots at these offsets of `a` and `b`. Not in the kernel, because copying
 * two signatures takes longer than comparing them.
 *
 * This file assumes that the number is distributed as Bin(N, J). That is true for `classic`. For `fss` it varies less, so the
 * prefilter cutoff and the bounds hold, and the probability at the threshold differs a little (0.457 instead of 0.481 at J = 0.9,
 * N = 128).
 */
export function agreementOf(
  a: Uint32Array,
  aOffset: number,
  b: Uint32Array,
  bOffset: number,
  hashes: number,
): number {
  let equal = 0;
  for (let slot = 0; slot < hashes; slot++) {
    // Only 0 has 32 leading zeros. Without a branch, which near-duplicates make unpredictable, this takes a quarter of the time.
    equal = (equal + (Math.clz32(a[aOffset + slot]! ^ b[bOffset + slot]!) >>> 5)) | 0;
  }
  return equal;
}

/** Whether a pair with `count` equal slots of `hashes` is accepted if only signatures are compared. */
export function signatureAccepts(count: number, hashes: number, threshold: number): boolean {
  return count / hashes >= threshold;
}

/** The smallest count of equal slots, 0..hashes, for which `signatureAccepts` is true. T = 0.8, N = 128: 103. */
export function leastAccepted(threshold: number, hashes: number): number {
  // The product can be rounded to either side of an integer, so `signatureAccepts` decides.
  let least = Math.floor(threshold * hashes);
  while (!signatureAccepts(least, hashes, threshold)) least++;
  return least;
}

/**
 * P(signature similarity >= threshold) of a pair whose resemblance is the threshold (0..1): about one half;
 * times the S-curve it is the recall at the threshold if only signatures are compared.
 */
export function agreementShare(threshold: number, hashes: number): number {
  return binomialAtLeast(hashes, threshold, leastAccepted(threshold, hashes));
}

/**
 * The prefilter cutoff before exact verification: a candidate with fewer matching slots is not verified. The
 * largest count, 0..hashes, that a pair at the threshold misses with probability < MARGIN_LOSS; pairs above the threshold are lost
 * less often. T = 0.8, N = 128: 84.
 *
 * @param loss replaces MARGIN_LOSS
 */
export function leastAgreement(threshold: number, hashes: number, loss = MARGIN_LOSS): number {
  const probabilities = binomialProbabilities(hashes, threshold);
  let least = 0;
  let below = probabilities[0]!;
  while (least < hashes && below < loss) {
    least++;
    below += probabilities[least]!;
  }
  return least;
}

/** Bounds of a resemblance, 0 <= lower <= upper <= 1. */
interface ResemblanceBounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The p in [0, 1] at which `rising` (0 at 0, 1 at 1, monotonic) passes `level`, exact except for the last few bits.
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
 * `count` of `hashes` matching slots: the exact interval of Clopper and Pearson (1934). 102 of 128 at 0.95:
 * .717 to .863.
 */
export function agreementInterval(count: number, hashes: number, confidence: number): ResemblanceBounds {
  const outside = (1 - confidence) / 2;
  return {
    lower: count === 0 ? 0 : whereItPasses(outside, (p) => binomialAtLeast(hashes, p, count)),
    upper: count === hashes ? 1 : whereItPasses(1 - outside, (p) => 1 - binomialBelow(hashes, p, count + 1)),
  };
}

/**
 * P(X = k) for k = 0..drawn: X marked ones among `drawn` elements, drawn without replacement from
 * `population` of which `marked` are marked; 0 <= drawn, marked <= population. Built outwards from the mode
 * by ratios of neighbours and divided by the sum: no factorial, no overflow; far tails become 0 only below 1e-300 of the mode.
 */
export function hypergeometricProbabilities(population: number, marked: number, drawn: number): Float64Array {
  const probabilities = new Float64Array(drawn + 1);
  const least = Math.max(0, drawn + marked - population);
  const most = Math.min(drawn, marked);
  const peak = Math.floor(((drawn + 1) * (marked + 1)) / (population + 2));
  const mode = Math.min(most, Math.max(least, peak));
  // Unmarked elements that remain when no drawn element is marked; may be negative.
  const spare = population - marked - drawn;
  probabilities[mode] = 1;
  for (let k = mode; k < most; k++) {
    probabilities[k + 1] = (probabilities[k]! * ((marked - k) / (k + 1)) * (drawn - k)) / (spare + k + 1);
  }
  for (let k = mode; k > least; k--) {
    probabilities[k - 1] = (probabilities[k]! * (k / (marked - k + 1)) * (spare + k)) / (drawn - k + 1);
  }
  let sum = 0;
  for (let k = least; k <= most; k++) sum += probabilities[k]!;
  for (let k = least; k <= most; k++) probabilities[k] = probabilities[k]! / sum;
  return probabilities;
}

/** Sum of values [from, to), smallest first. `rising`: the values are ascending. */
function sumOf(values: Float64Array, from: number, to: number, rising: boolean): number {
  let sum = 0;
  if (rising) for (let k = from; k < to; k++) sum += values[k]!;
  else for (let k = to - 1; k >= from; k--) sum += values[k]!;
  return Math.min(1, sum);
}

/** P(X >= k) for the distribution of hypergeometricProbabilities. */
export function hypergeometricAtLeast(population: number, marked: number, drawn: number, k: number): number {
  if (k <= 0) return 1;
  return sumOf(hypergeometricProbabilities(population, marked, drawn), k, drawn + 1, false);
}

/** P(X <= k) for the distribution of hypergeometricProbabilities. */
export function hypergeometricAtMost(population: number, marked: number, drawn: number, k: number): number {
  if (k >= drawn) return 1;
  return sumOf(hypergeometricProbabilities(population, marked, drawn), 0, k + 1, true);
}

/** Smallest and greatest number of marked elements that a sample does not rule out. */
interface MarkedBounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Bounds for the marked elements of a population with `found` marked ones in a sample of `drawn`. They hold with
 * probability >= `confidence` (0..1), the exact interval (Clopper and Pearson's for a finite set). A sample
 * of the whole population gives `found` twice; an empty sample gives 0 and the population.
 */
export function markedInterval(
  found: number,
  drawn: number,
  population: number,
  confidence: number,
): MarkedBounds {
  const outside = (1 - confidence) / 2;
  const least = found;
  const most = population - drawn + found;
  // P(X >= found) rises with the number of marked elements, P(X <= found) falls.
  const lower = firstWhere(least, most, (marked) => {
    return hypergeometricAtLeast(population, marked, drawn, found) > outside;
  });
  const beyond = firstWhere(least, most + 1, (marked) => {
    return hypergeometricAtMost(population, marked, drawn, found) <= outside;
  });
  return { lower, upper: beyond - 1 };
}

/**
 * Rounding errors in limits such as s * (r + epsilon): a limit within 1e-9 of an integer counts as that integer.
 */
const SLACK = 1e-9;

/** Sum of probabilities k = 0..s with |k/s - r| <= epsilon; NaN if s is 0. */
function sumWithin(probabilities: Float64Array, resemblance: number, epsilon: number): number {
  const samples = probabilities.length - 1;
  if (samples === 0) return Number.NaN;
  const from = Math.max(0, Math.ceil(samples * (resemblance - epsilon) - SLACK));
  const to = Math.min(samples, Math.floor(samples * (resemblance + epsilon) + SLACK));
  let sum = 0;
  for (let k = from; k <= to; k++) sum += probabilities[k]!;
  return Math.min(1, sum);
}

/**
 * p(s, r, epsilon) of Broder 1997, section 4.2: the probability that the share of common elements among
 * `samples` is within `epsilon` of the resemblance (both ends included). The common elements in a sample of a
 * union are hypergeometric; here the sample is small compared with the union, so the binomial law is used: the sum
 * of s!/(k!(s-k)!) r^k (1-r)^(s-k) over s(r-epsilon) <= k <= s(r+epsilon). p(100, .5, .1) = .9648.
 */
export function withinProbability(samples: number, resemblance: number, epsilon: number): number {
  return sumWithin(binomialProbabilities(samples, resemblance), resemblance, epsilon);
}

/**
 * Expected number of pairs of different items among `items` that get one id, under an even random function to `bits` bits:
 * n (n-1) / 2^(b+1). It also bounds the probability that there is any such pair. 10^6 items and 64 bits: 2.7e-8;
 * 10^9: 0.027; 10^9 and 128 bits: 1.5e-21.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function expectedCollisions(items: number, bits: number): number {
  checkNumber('items', items, 'count or 0');
  checkNumber('bits', bits, 'count');
  return (items * Math.max(0, items - 1)) / 2 ** (bits + 1);
}

/**
 * sqrt(r (1-r) / s) for a resemblance r (0..1) estimated from s >= 1 slots. r = .8, s = 128: .0354.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function standardError(slots: number, resemblance: number): number {
  checkNumber('slots', slots, 'count');
  checkNumber('resemblance', resemblance, 'share');
  return Math.sqrt((resemblance * (1 - resemblance)) / slots);
}
