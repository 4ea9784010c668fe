/** Which shard of the rows of the characteristic matrix a shingle hash belongs to (`--shards`). */
import { binOf, multiplyHigh64 } from '../arrays/hashing.js';

// Fixed, and different from the constants of every seed: the partition never changes the result, so it needs no seed.
const LOW = 0x876a9a99;
const HIGH = 0x9e6c63d0;

/**
 * The shard of a shingle hash, 0 <= shard < shards, by the top bits of a product: they follow from all 64 bits. FSS chooses a slot by
 * the top bits of `high`, so shards by those bits would leave most slots of every partial signature untouched.
 */
export function shardOf(low: number, high: number, shards: number): number {
  return binOf(multiplyHigh64(low, high, LOW, HIGH), shards);
}
