/**
 * The candidate rule of samples: the least number of fingerprints that a candidate pair shares, and the promise of that rule.
 *
 * Uses +, -, * and / only, as probability.ts does and for its reason: the rule decides output bytes.
 *
 * Let n fingerprints be drawn evenly, without replacement, from a set of which at least the share T is marked: the union
 * of two sets, with the common elements marked (resemblance), or a set, with the elements marked that are in the other set
 * (containment). The number X of marked fingerprints drawn is hypergeometric. `leastShared` is the largest k <= nT for which P(X < k) <= 1 - recall, taken
 * from the binomial distribution: Uhlmann (1966) has the lower tail P(X <= x) of N elements below the binomial one
 * wherever the marked share is at least x/(n-1) N/(N+1) + 1/(N+1), which holds for every x <= nT - 1 and n <= N.
 *
 * MIN_s (theorem 1): n = s, drawn from the union, and each marked draw is in both samples, so two samples that share fewer
 *     than k are below T, but for one pair in 1 / (1 - recall). Two sets whose samples are whole are compared exactly.
 * MOD_m: given n, the samples of the union (or of the contained set) are drawn evenly, and n is known from the sizes. Here
 *     n may be too small to find a pair: `k` is at least 1, and n draws of a share T have none marked with probability
 *     (1-T)^n. Sets of fewer than `wholeBelow` elements are therefore kept whole and compared exactly; for larger sets n is
 *     that small with probability below MARGIN_LOSS. A short set that a set too long to be kept whole contains is found
 *     with the probability `smallProbability` only.
 * SSWF: a document's one fingerprint is its whole set, so two documents share it or nothing, without chance.
 */

import { firstWhere } from '../../arrays/search.js';
import { type Measure, type ResultParams, type SampleParams, sampleParams } from '../params.js';
import {
  binomialAtLeast,
  binomialBelow,
  binomialProbabilities,
  leastAgreement,
  MARGIN_LOSS,
} from '../probability.js';

/**
 * For more draws the rule uses the share of this many: more draws reach it more reliably.
 */
const MOST_DRAWS = 4096;

/** The parameters that decide the rule. */
export interface SampleWish {
  readonly threshold: number;
  readonly recall: number;
  readonly measure: Measure;
}

/** The largest k <= n * threshold, at least 1, with P(Bin(n, threshold) < k) <= 1 - recall. 128, .8, .95: 95. */
export function leastShared(draws: number, { threshold, recall }: Omit<SampleWish, 'measure'>): number {
  if (draws > MOST_DRAWS) {
    const share = leastShared(MOST_DRAWS, { threshold, recall }) / MOST_DRAWS;
    return Math.max(1, Math.floor(draws * share));
  }
  const probabilities = binomialProbabilities(draws, threshold);
  const most = Math.floor(draws * threshold);
  let least = 0;
  let below = probabilities[0]!;
  while (least < most && below <= 1 - recall) below += probabilities[++least]!;
  return Math.max(1, least);
}

/** The least n for which n draws have a marked one with at least the probability recall; null beyond 4,096. .8, .95: 2. */
export function fewestDraws({ threshold, recall }: Omit<SampleWish, 'measure'>): number | null {
  let none = 1 - threshold;
  for (let draws = 1; draws <= MOST_DRAWS; draws++, none *= 1 - threshold)
    if (none <= 1 - recall) return draws;
  return null;
}

/**
 * Least size of a set whose MOD_m has at least `fewestDraws` elements, except with probability MARGIN_LOSS;
 * null where it is above 2^20, too large to be kept whole. m = 8, .8, .95: 89.
 */
export function wholeBelowOf(modulus: number, wish: Omit<SampleWish, 'measure'>): number | null {
  const fewest = fewestDraws(wish);
  if (fewest === null) return null;
  const isEnough = (size: number): boolean => binomialBelow(size, 1 / modulus, fewest) <= MARGIN_LOSS;
  let high = fewest;
  while (!isEnough(high)) {
    high *= 2;
    if (high > 2 ** 20) return null;
  }
  return firstWhere(Math.floor(high / 2) + 1, high, isEnough);
}

/** The sizes of samples that the rule needs. */
export interface SampleSizes {
  /** By document: number of fingerprints in its sample. */
  readonly size: Uint32Array;
  /** By document: number of these that the sample of a set which is not whole could have. */
  readonly sampled: Uint32Array;
  /** By document, 1: its sample is the whole set. */
  readonly whole: Uint8Array;
}

/** The candidate rule of one run; caches its results. */
export class SampleRule {
  private readonly wish: SampleWish;
  private readonly params: SampleParams;
  private readonly known = new Map<number, number>();

  constructor(params: SampleParams, wish: SampleWish) {
    this.params = params;
    this.wish = wish;
  }

  /**
   * Whether documents a and b are a candidate pair when they share this many fingerprints. Monotonic in
   * `shared`.
   */
  passes({ size, sampled, whole }: SampleSizes, a: number, b: number, shared: number): boolean {
    if (whole[a] === 1 && whole[b] === 1) {
      const common = Math.min(shared, size[a]!, size[b]!);
      return this.share(common, size[a]!, size[b]!) >= this.wish.threshold;
    }
    const common = Math.min(shared, sampled[a]!, sampled[b]!);
    return common >= this.least(this.draws(sampled[a]!, sampled[b]!, common));
  }

  /**
   * The fewest fingerprints that document d shares with any candidate partner. The bound holds for resemblance for both
   * documents of a pair, for containment for the one with fewer draws (or elements, where both are whole): `least` never
   * falls with draws, and a union has at least as many draws as the document.
   */
  fewest({ size, sampled, whole }: SampleSizes, d: number): number {
    const draws = this.params.sketch === 'min-s' ? this.params.hashes : sampled[d]!;
    const drawn = this.least(draws);
    if (whole[d] === 0) return drawn;
    const all = size[d]!;
    let least = Math.min(all, Math.ceil(all * this.wish.threshold));
    // As everywhere the division decides: the quotient may reach a threshold that the product misses.
    while (least > 1 && (least - 1) / all >= this.wish.threshold) least--;
    return Math.min(drawn, Math.max(1, least));
  }

  /** The measure of two sets with `common` common elements; NaN for two empty sets. */
  share(common: number, sizeA: number, sizeB: number): number {
    if (this.wish.measure === 'containment') return common / Math.min(sizeA, sizeB);
    return common / (sizeA + sizeB - common);
  }

  /** The number of draws, of which the common fingerprints are the marked ones. */
  private draws(sampledA: number, sampledB: number, common: number): number {
    if (this.params.sketch === 'min-s') return this.params.hashes;
    if (this.wish.measure === 'containment') return Math.min(sampledA, sampledB);
    return sampledA + sampledB - common;
  }

  private least(draws: number): number {
    const known = this.known.get(draws);
    if (known !== undefined) return known;
    const least = leastShared(draws, this.wish);
    this.known.set(draws, least);
    return least;
  }
}

/** The rule by which samples of fingerprints make candidates. Probabilities have six decimals. */
export interface SampleRuleFacts {
  /** Number of fingerprints for which the S-curve is given: s for MIN_s, 100 for MOD_m. */
  readonly fingerprints: number;
  /** The least number of them that a candidate pair shares. */
  readonly least_shared: number;
  /** For MOD_m: sets with fewer distinct shingles are kept whole; else null. */
  readonly whole_below: number | null;
  /**
   * For containment: the probability that a document of `shingles` distinct shingles becomes a candidate with one that is
   * not kept whole and contains the share at the threshold of it (`at_threshold`), or all of it (`wholly`).
   */
  readonly small: readonly {
    readonly shingles: number;
    readonly at_threshold: number;
    readonly wholly: number;
  }[];
}

/** The parameters of the rule of a run; null where signatures are compared. */
export function sampleWishOf(
  params: Pick<ResultParams, 'sketch' | 'threshold' | 'measure' | 'recall'>,
): { params: SampleParams; wish: SampleWish } | null {
  const samples = sampleParams(params);
  if (samples === null) return null;
  const { threshold, measure } = params;
  // Only `sswf` has no recall: documents share their one fingerprint or not.
  return { params: samples, wish: { threshold, measure, recall: params.recall ?? 1 } };
}

/**
 * The prefilter cutoff before exact verification, as a share: candidates with a lower estimate are not
 * verified. For MIN_s the cutoff of `leastAgreement`, whose binomial tail bounds the hypergeometric tail here
 * too: fewer than 1 in 10,000 pairs at T are lost. None (0) for MOD_m, where the candidate rule is already the
 * same count with a wider margin, for containment, and for SSWF, whose estimate is 0 or 1.
 */
export function sampleMargin(params: SampleParams, { threshold, measure }: SampleWish): number {
  if (params.sketch !== 'min-s' || measure === 'containment') return 0;
  return leastAgreement(threshold, params.hashes) / params.hashes;
}

/**
 * The number of draws for which the expected recall is reported: s for MIN_s, 100 for MOD_m, 1 for SSWF.
 */
export function reportedDraws(params: SampleParams): number {
  if (params.sketch === 'sswf') return 1;
  return params.sketch === 'min-s' ? params.hashes : 100;
}

/**
 * The probability that a pair of this similarity becomes a candidate, given this many draws: a lower bound
 * from the threshold up.
 */
export function sharedProbability(similarity: number, draws: number, wish: SampleWish): number {
  return binomialAtLeast(draws, similarity, leastShared(draws, wish));
}

/**
 * The probability that a set of `size` elements, of which the share `contained` is in a set that is not kept
 * whole, becomes a candidate with it: P(N = n), N ~ Bin(size, 1/m), times P(Bin(n, contained) >= k). m = 8,
 * all of 24 elements: .959.
 */
export function smallProbability(size: number, contained: number, modulus: number, wish: SampleWish): number {
  const drawn = binomialProbabilities(size, 1 / modulus);
  let sum = 0;
  for (let n = 1; n <= size; n++) sum += drawn[n]! * sharedProbability(contained, n, wish);
  return Math.min(1, sum);
}
