/**
 * The textbook scheme: N minhash functions, one per slot (Broder 1997; Mining of Massive Datasets 3.3.5).
 *
 * Function k of a 64-bit hash (low, high) is `high + a_k * low mod 2^32` with an odd, seeded a_k: each slot
 * has its own hash function derived from one well-mixed 64-bit hash (Kirsch and Mitzenmacher 2006). Its
 * minima behave like those of independent functions. On raw integers they would not, so inputs must be mixed.
 */
import { seededConstants } from '../../arrays/hashing.js';
import { type Sketcher, sketcherOf } from '../signature.js';

/** Hashes per pass over the slots: 16 KB, so that all passes after the first read from the L1 cache. */
const BATCH = 2048;

/** Adding 2^31 turns unsigned order into signed order, in which JavaScript compares without leaving int32. */
const FLIP = 0x80000000 | 0;

/** Lowers slots k..k+3 by the hashes [from, to): four at a time, so that a hash is loaded once for four functions. */
function lowerFour(
  signature: Uint32Array,
  k: number,
  multipliers: Int32Array,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  const a0 = multipliers[k]!;
  const a1 = multipliers[k + 1]!;
  const a2 = multipliers[k + 2]!;
  const a3 = multipliers[k + 3]!;
  let m0 = signature[k]! ^ FLIP;
  let m1 = signature[k + 1]! ^ FLIP;
  let m2 = signature[k + 2]! ^ FLIP;
  let m3 = signature[k + 3]! ^ FLIP;
  for (let i = 2 * from; i < 2 * to; i += 2) {
    const low = hashes[i]! | 0;
    const high = hashes[i + 1]! ^ FLIP;
    const v0 = (high + Math.imul(a0, low)) | 0;
    const v1 = (high + Math.imul(a1, low)) | 0;
    const v2 = (high + Math.imul(a2, low)) | 0;
    const v3 = (high + Math.imul(a3, low)) | 0;
    if (v0 < m0) m0 = v0;
    if (v1 < m1) m1 = v1;
    if (v2 < m2) m2 = v2;
    if (v3 < m3) m3 = v3;
  }
  signature[k] = m0 ^ FLIP;
  signature[k + 1] = m1 ^ FLIP;
  signature[k + 2] = m2 ^ FLIP;
  signature[k + 3] = m3 ^ FLIP;
}

/** Lowers slot k: one of up to three slots outside a group of four. */
function lowerOne(
  signature: Uint32Array,
  k: number,
  multiplier: number,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  let least = signature[k]! ^ FLIP;
  for (let i = 2 * from; i < 2 * to; i += 2) {
    const value = ((hashes[i + 1]! ^ FLIP) + Math.imul(multiplier, hashes[i]!)) | 0;
    if (value < least) least = value;
  }
  signature[k] = least ^ FLIP;
}

/**
 * The classic sketcher of `slots` slots (16..1024). Time O(count * slots). 0xffffffff can be a true minimum
 * of a slot; a whole signature of a non-empty set equals the empty one with probability 2^-32 per slot.
 */
export function createClassicSketcher(slots: number, seed: number): Sketcher {
  const constants = seededConstants(seed, 'classic', slots, true);
  const multipliers = new Int32Array(slots);
  for (let k = 0; k < slots; k++) multipliers[k] = constants[2 * k]!;
  const grouped = slots - (slots % 4);
  return sketcherOf(slots, (signature, hashes, count) => {
    for (let from = 0; from < count; from += BATCH) {
      const to = Math.min(from + BATCH, count);
      for (let k = 0; k < grouped; k += 4) lowerFour(signature, k, multipliers, hashes, from, to);
      for (let k = grouped; k < slots; k++) lowerOne(signature, k, multipliers[k]!, hashes, from, to);
    }
  });
}
