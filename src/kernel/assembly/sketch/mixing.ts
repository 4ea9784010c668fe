/** Mixers and the choice of a bin; the same numbers as src/arrays/hashing.ts. */
import { textFmix64 } from '../text/mixing';

/** High half of MurmurHash3's fmix64. */
export function mixedHigh(hash: u64): u32 {
  return <u32>(textFmix64(hash) >> 32);
}

/** floor(high * bins / 2^32) */
export function binOf(high: u64, bins: u64): u32 {
  return <u32>((high * bins) >> 32);
}

/**
 * Lowers a slot without a branch: for small sets a value is the new minimum as often as not, and a
 * mispredicted branch costs more than a store that changes nothing.
 */
export function lowerSlot(signature: usize, slot: u32, value: u32): void {
  const at = signature + ((<usize>slot) << 2);
  store<u32>(at, min<u32>(load<u32>(at), value));
}
