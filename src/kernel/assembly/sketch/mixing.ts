/** Mixers and the choice of a bin; the same numbers as src/arrays/hashing.ts. */

// Constants are written by halves, as in the references: a linter reads a 64-bit number as a JavaScript one.
const FIRST: u64 = ((<u64>0xff51afd7) << 32) | 0xed558ccd;
const SECOND: u64 = ((<u64>0xc4ceb9fe) << 32) | 0x1a85ec53;

/** High half of MurmurHash3's fmix64: its last xor-shift changes the low half only and is left out. */
export function mixedHigh(hash: u64): u32 {
  hash ^= hash >> 33;
  hash *= FIRST;
  hash ^= hash >> 33;
  hash *= SECOND;
  return <u32>(hash >> 32);
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
