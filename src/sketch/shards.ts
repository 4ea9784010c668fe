/** Which shard of the rows of the characteristic matrix a shingle hash belongs to (`--shards`). */
import { binOf, multiplyHigh64 } from '../arrays/hashing.js';

// Fixed, because the partition never changes the result, and different from the constants of every seed.
const LOW = 0x876a9a99;
const HIGH = 0x9e6c63d0;

/**
 * The shard of a shingle hash, 0 <= shard < shards, by the top bits of a product, which depend on all 64 bits. FSS selects a slot by
 * the top bits of `high`: with shards by those bits, a partial signature would have values in few slots only.
 */
export function shardOf(low: number, high: number, shards: number): number {
  return binOf(multiplyHigh64(low, high, LOW, HIGH), shards);
}
