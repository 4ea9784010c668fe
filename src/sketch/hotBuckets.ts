/** The cap of large buckets in `filter`: larger buckets are compared with some of their members only. */

/** The smallest cap of `auto`. */
const LEAST_HOT = 256;

export function leastHotBucket(hotBucket: number | 'auto'): number {
  return hotBucket === 'auto' ? LEAST_HOT : hotBucket;
}
