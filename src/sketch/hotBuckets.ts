/** The size above which a bucket of the filter is compared with some of its members only. */

/** With `auto`, no bucket of up to this many documents. */
const LEAST_HOT = 256;

export function leastHotBucket(hotBucket: number | 'auto'): number {
  return hotBucket === 'auto' ? LEAST_HOT : hotBucket;
}
