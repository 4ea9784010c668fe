/**
 * What skipping pairs of hot buckets costs: the share of the near pairs that were found, from a sample of the skipped ones.
 *
 * Floor 0. Two steps of sampling. D pairs are drawn evenly from W (pair, bucket): one that shares m buckets and is missing
 * counts 1/m, so W/D times the sum L1 of these is how many are missing, without bias (Hansen and Hurwitz 1943). Of those
 * missing some are verified: the share of their weight that is near, times L1, is how many near pairs are missing. Both
 * variances are those of means. Near ones are few, so bounds are the score bounds of the count that would be as uncertain: a
 * Poisson count k, between k + z*z/2 -+ z sqrt(k + z*z/4), which does not take what was not seen for nothing.
 */

/** The normal deviate of bounds for 95 of 100. */
const Z = 1.96;

export interface SkippedSample {
  /** W and D; equal: all pairs were looked at. */
  readonly population: number;
  readonly drawn: number;
  /** Of the pairs drawn that were missing, how often each was drawn, and how many buckets it shares. */
  readonly times: Uint32Array;
  readonly shared: Uint32Array;
  /** Rows of these that were verified, and for each 1 where it is near. */
  readonly verified: Uint32Array;
  readonly near: Uint8Array;
}

export interface Estimate {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/** How many near pairs were missing, with bounds for 95 of 100 samples. */
export function missingPairs({ population, drawn, times, shared, verified, near }: SkippedSample): Estimate {
  let [sum, squares] = [0, 0];
  for (let i = 0; i < times.length; i++) {
    sum += times[i]! / shared[i]!;
    squares += times[i]! / shared[i]! ** 2;
  }
  const isAll = population <= drawn;
  const missing = drawn === 0 ? 0 : (population / drawn) * sum;
  const spread = isAll ? 0 : (population ** 2 / drawn) * (squares / drawn - (sum / drawn) ** 2);
  let [weight, nearWeight, found] = [0, 0, 0];
  for (let i = 0; i < verified.length; i++) {
    const one = times[verified[i]!]! / shared[verified[i]!]!;
    weight += one;
    nearWeight += near[i]! * one;
    found += near[i]!;
  }
  const share = weight === 0 ? 0 : nearWeight / weight;
  let [weights, residues] = [0, 0];
  for (let i = 0; i < verified.length; i++) {
    const one = (times[verified[i]!]! / shared[verified[i]!]!) ** 2;
    weights += one;
    residues += one * (near[i]! - share) ** 2;
  }
  const value = share * missing;
  const isKnown = isAll && verified.length === times.length;
  // Also where all that were drawn are verified: which of those missing were drawn is chance.
  const doubt = isKnown || weight === 0 ? 0 : (missing / weight) ** 2 * residues;
  if (value === 0) {
    const chance = times.length === 0 ? (isAll ? 0 : population / drawn) : isKnown ? 0 : missing;
    const seen = times.length === 0 || weights === 0 ? 0 : weight ** 2 / weights;
    return {
      value,
      lower: 0,
      upper: times.length === 0 ? Z * Z * chance : (chance * Z * Z) / (seen + Z * Z),
    };
  }
  const variance = share ** 2 * Math.max(0, spread) + doubt;
  if (variance === 0) return { value, lower: value, upper: value };
  const count = value ** 2 / variance;
  const half = Z * Math.sqrt(count + (Z * Z) / 4);
  const middle = count + (Z * Z) / 2;
  const unit = value / count;
  return { value, lower: Math.max(found, unit * (middle - half)), upper: unit * (middle + half) };
}

/**
 * The share of near pairs that were found: `before` the sample was looked at, and in the end. `surely`: of pairs that are not
 * skipped, the share that is found, and the least that is promised.
 */
export function foundShare(
  before: number,
  inTheEnd: number,
  missing: Estimate,
  surely: { readonly share: number; readonly least: number },
): Estimate {
  const of = (more: number): number => {
    const all = Math.max(inTheEnd, before + more);
    return all === 0 ? 1 : inTheEnd / all;
  };
  return {
    value: of(missing.value) * surely.share,
    lower: Math.min(of(missing.upper) * surely.least, of(missing.value) * surely.share),
    upper: of(missing.lower),
  };
}
