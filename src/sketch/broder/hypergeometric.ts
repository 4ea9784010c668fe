/**
 * The hypergeometric distribution: how many marked elements a sample of a finite set holds.
 *
 * Floor 0. Uses +, -, * and / only, so its numbers are the same to the last bit on every machine; logarithms
 * are not. Knows no sketches.
 */

/**
 * P(X = k) for k = 0..drawn: X marked ones among `drawn` elements, drawn without replacement from
 * `population` of which `marked` are marked; 0 <= drawn, marked <= population. Built outwards from the mode
 * by ratios of neighbours and divided by the sum: no factorial, no overflow, whatever the sizes; far tails go
 * to zero only below 1e-300 of the mode.
 */
export function hypergeometricProbabilities(population: number, marked: number, drawn: number): Float64Array {
  const probabilities = new Float64Array(drawn + 1);
  const least = Math.max(0, drawn + marked - population);
  const most = Math.min(drawn, marked);
  const peak = Math.floor(((drawn + 1) * (marked + 1)) / (population + 2));
  const mode = Math.min(most, Math.max(least, peak));
  // Unmarked elements that are left when none of the drawn is marked; may be negative.
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

/** Sum of values [from, to), small ends first: `rising` says that the values grow with their number. */
function sumOf(values: Float64Array, from: number, to: number, rising: boolean): number {
  let sum = 0;
  if (rising) for (let k = from; k < to; k++) sum += values[k]!;
  else for (let k = to - 1; k >= from; k--) sum += values[k]!;
  return Math.min(1, sum);
}

/** P(X >= k) for the distribution above. */
export function hypergeometricAtLeast(population: number, marked: number, drawn: number, k: number): number {
  if (k <= 0) return 1;
  return sumOf(hypergeometricProbabilities(population, marked, drawn), k, drawn + 1, false);
}

/** P(X <= k) for the distribution above. */
export function hypergeometricAtMost(population: number, marked: number, drawn: number, k: number): number {
  if (k >= drawn) return 1;
  return sumOf(hypergeometricProbabilities(population, marked, drawn), 0, k + 1, true);
}

/** Least and greatest number of marked elements that a sample does not rule out. */
export interface MarkedBounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The marked elements of a population, given `found` of them in a sample of `drawn`: bounds that hold with
 * probability >= `confidence` (0..1), the exact interval (Clopper and Pearson's for a finite set). A sample
 * of all gives `found` twice; one of none gives 0 and the population.
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
  // P(X >= found) rises with the number marked, P(X <= found) falls.
  const lower = firstWhere(least, most, (marked) => {
    return hypergeometricAtLeast(population, marked, drawn, found) > outside;
  });
  const beyond = firstWhere(least, most + 1, (marked) => {
    return hypergeometricAtMost(population, marked, drawn, found) <= outside;
  });
  return { lower, upper: beyond - 1 };
}

/** The least integer in [from, to) for which a condition holds that holds from there on; `to` where none. */
function firstWhere(from: number, to: number, holds: (n: number) => boolean): number {
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
