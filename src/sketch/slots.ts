/**
 * Signatures in storage: rows of 16-bit slots, and the 32-bit keys of their bands. The reference of the kernel.
 *
 * Equal 32-bit slots stay equal, and different ones become equal once in 65,536. Documents with equal keys are compared by their
 * slots, which show whether the band really agrees.
 */
import type { BandingParams } from './params.js';

/** A 32-bit slot, mixed to 16 bits. */
export function narrowSlot(slot: number): number {
  return Math.imul(slot, 0x9e3779b1) >>> 16;
}

/** Writes 32-bit slots, mixed to 16 bits, to `slots` from position `at` on; padding slots are equal in all rows. */
export function writeNarrowSlots(wide: Uint32Array, slots: Uint16Array, at: number): void {
  for (let i = 0; i < wide.length; i++) slots[at + i] = narrowSlot(wide[i]!);
}

/** Writes the keys of all bands of rows of `stride` slots, band after band: band b of row i is `keys[b * rows + i]`. */
export function writeBandKeys(
  slots: Uint16Array,
  stride: number,
  { bands, rows }: BandingParams,
  keys: Uint32Array,
): void {
  const count = slots.length / stride;
  for (let band = 0, out = 0; band < bands; band++) {
    for (let at = band * rows; out < (band + 1) * count; at += stride) {
      let key = Math.imul(band + 1, 0x9e3779b1);
      for (let slot = at; slot < at + rows; slot++) {
        key = Math.imul(key ^ slots[slot]!, 0x85ebca6b);
        key ^= key >>> 15;
      }
      key = Math.imul(key, 0xc2b2ae35);
      keys[out++] = key ^ (key >>> 16);
    }
  }
}
