/**
 * The 64-bit finalisers that end every hash, written straight into a column of hashes.
 *
 * Floor 0. A function of JavaScript cannot return two halves without an object, so these write where the hash
 * belongs.
 */
import { multiplyHigh64 } from './hashing.js';

/** Golden ratio, xxHash prime and MurmurHash3 constant, low and high halves. */
export const C1_LOW = 0x7f4a7c15;
export const C1_HIGH = 0x9e3779b9 | 0;
export const C2_LOW = 0x27d4eb4f;
export const C2_HIGH = 0xc2b2ae3d | 0;
export const C3_LOW = 0xed558ccd | 0;
export const C3_HIGH = 0xff51afd7 | 0;
const C4_LOW = 0x1a85ec53;
const C4_HIGH = 0xc4ceb9fe | 0;

/**
 * MurmurHash3's fmix64: `h ^= h>>33; h *= C3; h ^= h>>33; h *= C4; h ^= h>>33` with C4 = 0xc4ceb9fe1a85ec53.
 * Writes the hash of (low, high) to `out[at], out[at+1]`.
 */
export function writeFmix64(out: Uint32Array, at: number, low: number, high: number): void {
  low ^= high >>> 1;
  high = multiplyHigh64(low, high, C3_LOW, C3_HIGH);
  low = Math.imul(low, C3_LOW) ^ (high >>> 1);
  high = multiplyHigh64(low, high, C4_LOW, C4_HIGH);
  low = Math.imul(low, C4_LOW) ^ (high >>> 1);
  out[at] = low;
  out[at + 1] = high;
}

/** The lighter finaliser of the cyclic polynomial: `h ^= h>>32; h *= C3; h ^= h>>32`. */
export function writeLightMix(out: Uint32Array, at: number, low: number, high: number): void {
  low ^= high;
  high = multiplyHigh64(low, high, C3_LOW, C3_HIGH);
  out[at] = Math.imul(low, C3_LOW) ^ high;
  out[at + 1] = high;
}
