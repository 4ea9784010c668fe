/**
 * The sizes of buckets that decide how their members are paired: small ones are listed, large ones are paired by leaders. `auto` gives
 * the cap between middle and large buckets from the sizes of all bands, so it does not depend on how a run is executed.
 */

/** Most members of a small bucket. Not an option: the result does not show whether a list made a pair. */
export const SMALL_BUCKET = 32;

/** The least cap that `auto` gives. */
const LEAST_CAP = 256;

/** Most pairs of buckets that are not large: a pair costs 10 to 30 ns of one core, so they cost at most a few seconds. */
const MOST_PAIRS = 1.5e8;
/** For few documents fewer, because the pairs of near copies would cost more than reading the documents. */
const MOST_PAIRS_PER_DOCUMENT = 7000;

/** Classes of bucket sizes: class k has buckets of 2^(k-1) + 1 to 2^k members. */
export const SIZE_CLASSES = 33;

/**
 * The largest power of two, at least LEAST_CAP, for which the buckets of at most so many members have at most MOST_PAIRS pairs together,
 * and MOST_PAIRS_PER_DOCUMENT per document; no larger than the largest bucket needs.
 *
 * @param pairs by class, the pairs that count in the buckets of all bands
 */
export function autoCap(pairs: ArrayLike<number>, documents: number): number {
  const most = Math.min(MOST_PAIRS, MOST_PAIRS_PER_DOCUMENT * documents);
  let sum = 0;
  let cap = LEAST_CAP;
  for (let k = 0; k < pairs.length; k++) {
    sum += pairs[k]!;
    if (sum > most) break;
    if (pairs[k]! > 0) cap = Math.max(cap, 2 ** k);
  }
  return cap;
}
