/**
 * One permutation hashing (Li, Owen, Zhang 2012) with optimal densification (Shrivastava 2017).
 *
 * The hash's high half chooses the slot, its low half is the value; a slot is the least value that fell into
 * it, so raw signatures merge exactly. Slots that stay empty are filled once, after the last merge: filled
 * earlier, a borrowed value would win against true ones of other parts, and the merge would be wrong.
 *
 * Knows hashing and signature only.
 */
import { binOf, seededConstants } from '../arrays/hashing.js';
import { EMPTY_SLOT, type Sketcher, sketcherOf } from './signature.js';

/** MurmurHash3's 32-bit finaliser: a permutation of the int32. */
function finalise32(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}

/** The slot that empty slot `slot` tries at `attempt` (0, 1, ...), the same for every document. */
function donorOf(donors: Uint32Array, slot: number, attempt: number, slots: number): number {
  // An odd stride and a permutation: over all attempts every uint32 appears, so every slot is tried some
  // time.
  const state = (donors[2 * slot + 1]! + Math.imul(attempt, donors[2 * slot]!)) | 0;
  return binOf(finalise32(state), slots);
}

/** Fills every empty slot with the value of the first slot it tries that was not empty before. */
function densify(signature: Uint32Array, slots: number, donors: Uint32Array): void {
  const raw = signature.slice(0, slots);
  let filled = 0;
  let last = 0;
  for (let slot = 0; slot < slots; slot++) {
    if (raw[slot] === EMPTY_SLOT) continue;
    filled++;
    last = raw[slot]!;
  }
  if (filled === 0) return;
  if (filled === 1) {
    // All attempts end there; found by trying, one element at 1024 slots would take a million.
    signature.fill(last, 0, slots);
    return;
  }
  for (let slot = 0; slot < slots; slot++) {
    for (let attempt = 0; signature[slot] === EMPTY_SLOT; attempt++) {
      signature[slot] = raw[donorOf(donors, slot, attempt, slots)]!;
    }
  }
}

/**
 * The OPH sketcher of `slots` slots (16..1024). Update takes O(count), finish O(slots^2 / filled slots). A
 * value 0xffffffff is stored as 0xfffffffe, so that an empty slot can be told from a full one.
 */
export function createOphSketcher(slots: number, seed: number): Sketcher {
  // A slot's stride (low half, odd) and start (high half).
  const donors = seededConstants(seed, 'oph', slots, true);
  return sketcherOf(slots, {
    update: (signature, hashes, count) => {
      for (let i = 0; i < 2 * count; i += 2) {
        const slot = binOf(hashes[i + 1]!, slots);
        const value = Math.min(hashes[i]!, 0xfffffffe);
        if (value < signature[slot]!) signature[slot] = value;
      }
    },
    finish: (signature) => densify(signature, slots, donors),
  });
}
