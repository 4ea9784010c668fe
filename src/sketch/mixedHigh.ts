/**
 * The high half of MurmurHash3's 64-bit finaliser: 32 well-mixed bits that depend on all 64 bits of a hash.
 *
 * Floor 0. Knows hashing only; never what the bits are used for.
 */
import { multiplyHigh64 } from './hashing.js';

/**
 * High half of fmix64 of the hash (low, high), as an int32; mixedHigh(0, 0) = 0. The final xor-shift by 33 of
 * fmix64 changes the low half only, so the high half is ready after the second product.
 */
export function mixedHigh(low: number, high: number): number {
  low ^= high >>> 1;
  // 0xff51afd7ed558ccd
  const firstHigh = multiplyHigh64(low, high, 0xed558ccd, 0xff51afd7);
  const firstLow = Math.imul(low, 0xed558ccd) ^ (firstHigh >>> 1);
  // 0xc4ceb9fe1a85ec53
  return multiplyHigh64(firstLow, firstHigh, 0x1a85ec53, 0xc4ceb9fe);
}
