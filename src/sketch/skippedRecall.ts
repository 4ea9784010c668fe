/**
 * What skipping pairs of hot buckets costs: the share of the near pairs that were found, from a sample of the skipped ones.
 *
 * Floor 0. Two steps of sampling. D pairs are drawn evenly from W (pair, bucket): one that shares m buckets and is missing
 * counts 1/m, so W/D times the sum L1 of these is how many are missing, without bias (Hansen and Hurwitz 1943). Of those
 * missing some are verified: the share of their weight that is near, times L1, is how many near pairs are missing. Both
 * variances are those of means; bounds are at 1.96 standard errors, and the upper one has the 3/D of W on top that no draw of
 * D can rule out.
 */

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
  let [weight, weights, nearWeight, found] = [0, 0, 0, 0];
  for (let i = 0; i < verified.length; i++) {
    const one = times[verified[i]!]! / shared[verified[i]!]!;
    weight += one;
    weights += one ** 2;
    nearWeight += near[i]! * one;
    found += near[i]!;
  }
  const share = weight === 0 ? 0 : nearWeight / weight;
  const value = share * missing;
  const isVerified = verified.length === times.length;
  const doubt = isVerified || weight === 0 ? 0 : (missing ** 2 * share * (1 - share) * weights) / weight ** 2;
  const error = 1.96 * Math.sqrt(share ** 2 * Math.max(0, spread) + doubt);
  const unseen = isAll ? 0 : (3 * population) / drawn;
  return {
    value,
    lower: Math.max(found, value - error),
    upper: value + error + unseen * (times.length === 0 ? 1 : Math.max(share, 3 / (verified.length + 3))),
  };
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
