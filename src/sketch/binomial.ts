/**
 * The binomial distribution: how many of n independent slots agree.
 *
 * Floor 0. Uses +, -, * and / only. These are exact to the last bit on every machine, which logarithm and
 * power are not; what follows from a tail (a margin, a choice of bands) decides output bytes.
 */

/**
 * P(X = k) for k = 0..n, X ~ Bin(n, p), n >= 0, 0 <= p <= 1. Built outwards from the mode by ratios of
 * neighbours and divided by the sum: no factorial, no overflow; far tails go to zero only below 1e-300 of the
 * mode.
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
  // odds is 0 only where the mode is 0, and then this loop does not run.
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
