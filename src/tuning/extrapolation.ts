/**
 * From a sample to all: numbers with bounds.
 *
 * Floor 4. Pure.
 */
import type { PairSum } from './pairCounts.js';

/** An estimate with bounds that hold in about 95 of 100 samples; all >= 0. */
export interface Extrapolation {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/** The normal distribution is this many standard deviations from its mean in 5 of 100 cases. */
const NORMAL = 1.96;

/**
 * Of which size a group of documents alike has to be on average in the sample (a Poisson number) to leave two or more
 * there in 95 of 100 samples, so that a pair of it is seen: (1 + m) e^-m = .05.
 */
const SEEN_GROUP = 4.744;

/** Units that were drawn from all, with their documents and sizes. */
export interface DrawnUnits {
  readonly units: number;
  readonly documentsIn: readonly number[];
  readonly sizes: readonly number[];
  /** Size of all units together. */
  readonly allSizes: number;
}

/**
 * Documents in all units: the ratio of documents to size of the drawn ones, times the size of all, with the variance of
 * the ratio estimator (Cochran, Sampling Techniques, 6.4).
 */
export function documentsOf({ units, documentsIn, sizes, allSizes }: DrawnUnits): Extrapolation {
  const drawn = documentsIn.length;
  const found = documentsIn.reduce((sum, count) => sum + count, 0);
  if (drawn === units) return { value: found, lower: found, upper: found };
  const size = sizes.reduce((sum, each) => sum + each, 0);
  const ratio = size > 0 ? found / size : 0;
  const squares = documentsIn.reduce((sum, count, i) => sum + (count - ratio * sizes[i]!) ** 2, 0);
  // With one unit drawn nothing is known of the spread: the number may be off by itself.
  const variance = drawn > 1 ? squares / (drawn - 1) : found * found;
  const error = units * Math.sqrt((variance / Math.max(1, drawn)) * (1 - drawn / units));
  const value = Math.max(found, ratio * allSizes);
  return { value, lower: Math.max(found, value - NORMAL * error), upper: value + NORMAL * error };
}

/**
 * Pairs among `documents` documents, from a sum over the pairs of a sample of `sampled`.
 *
 * The bounds are score bounds as for a Poisson number with the variance of the jackknife, so that seeing nothing does
 * not say that there is nothing (3.8 sampled pairs are the upper bound then). What is not known of the number of
 * documents counts twice, since pairs go with its square. A sample of everything has no uncertainty. Fewer than two
 * sampled documents say nothing: 0 to all pairs.
 */
export function pairsOf(
  { sum, variance }: PairSum,
  sampled: number,
  documents: Extrapolation,
): Extrapolation {
  const pairs = (n: number): number => (n * (n - 1)) / 2;
  const all = Math.max(0, pairs(documents.value));
  if (sampled < 2) return { value: 0, lower: 0, upper: all };
  const scale = Math.max(1, all / pairs(sampled));
  const open = Math.max(0, 1 - sampled / Math.max(sampled, documents.value));
  const ofDocuments = (documents.upper - documents.lower) / (2 * NORMAL) / Math.max(1, documents.value);
  const spread = open * variance + (2 * sum * ofDocuments) ** 2;
  const centre = sum + (open * NORMAL * NORMAL) / 2;
  const reach = NORMAL * Math.sqrt(spread + (open * NORMAL) ** 2 / 4);
  return {
    value: scale * sum,
    // What was seen is there.
    lower: Math.max(sum, scale * (centre - reach)),
    upper: Math.max(sum, Math.min(all, scale * (centre + reach))),
  };
}

/** The size of a group of documents alike of which the sample shows a pair in 95 of 100 cases; at most all. */
export function seenGroup(sampled: number, documents: number): number {
  if (sampled >= documents) return 2;
  return Math.min(documents, Math.ceil((SEEN_GROUP * documents) / Math.max(1, sampled)));
}
