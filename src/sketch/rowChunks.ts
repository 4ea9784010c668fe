/**
 * Which row chunk of the characteristic matrix a shingle hash belongs to.
 *
 * Floor 0. Knows hashing only; never how many workers there are.
 */
import { binOf } from './hashing.js';
import { mixedHigh } from './mixedHigh.js';

// Fixed, and unlike every seed's constants: the partition must not change what is computed, so no seed is
// needed.
const LOW = 0x85ebca77;
const HIGH = 0x27d4eb2f;

/**
 * The row chunk of a shingle hash, 0 <= chunk < rowChunks (1..2^21). A second mix of all 64 bits, because FSS
 * and OPH choose a slot by the top bits of `high`: chunks cut by those bits would leave most slots of every
 * partial signature untouched, and FSS would run extra rounds in each.
 */
export function rowChunkOf(low: number, high: number, rowChunks: number): number {
  return binOf(mixedHigh(low ^ LOW, high ^ HIGH), rowChunks);
}
