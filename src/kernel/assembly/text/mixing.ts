/** The 64-bit finalisers and multipliers of the text side (src/arrays/hashing.ts). */

// Constants are written in halves, because a TypeScript number cannot hold a 64-bit literal.
export const C1: u64 = (0x9e3779b9 << 32) | 0x7f4a7c15;
export const C2: u64 = (0xc2b2ae3d << 32) | 0x27d4eb4f;
export const C3: u64 = (0xff51afd7 << 32) | 0xed558ccd;
const C4: u64 = (0xc4ceb9fe << 32) | 0x1a85ec53;

/** MurmurHash3's finaliser. */
export function textFmix64(h: u64): u64 {
  h ^= h >> 33;
  h *= C3;
  h ^= h >> 33;
  h *= C4;
  return h ^ (h >> 33);
}

/** The lighter finaliser of the cyclic polynomial. */
export function lightMix(h: u64): u64 {
  h ^= h >> 32;
  h *= C3;
  return h ^ (h >> 32);
}
