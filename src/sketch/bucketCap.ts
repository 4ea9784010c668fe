/**
 * The bucket sizes that decide how members are paired: all pairs of small buckets are listed, members of large ones are paired with
 * leaders. `auto` computes the cap between middle and large buckets from the buckets of all bands, so threads do not change it.
 */

/** Maximum number of members of a small bucket. Not an option, because it does not change the result. */
export const SMALL_BUCKET = 32;

/** The smallest cap of `auto`. */
const LEAST_CAP = 256;

/** Maximum number of pairs in buckets that are not large. A pair takes 10 to 30 ns of one core, all of them a few seconds. */
const MOST_PAIRS = 1.5e8;
/** The same per document, so that comparing takes no longer than reading in small corpora. */
const MOST_PAIRS_PER_DOCUMENT = 7000;

/** Classes of bucket sizes: class k has buckets of 2^(k-1) + 1 to 2^k members. */
export const SIZE_CLASSES = 33;

/**
 * The largest power of two, at least LEAST_CAP, for which all buckets up to this size have at most MOST_PAIRS pairs together, and
 * MOST_PAIRS_PER_DOCUMENT per document; not larger than the largest bucket needs.
 *
 * @param pairs by size class, the pairs that count in the buckets of all bands
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
