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

/**
 * Writes signatures of `stride` 32-bit slots as rows from `row` on of `slots` and `keys`: their slots, mixed to 16 bits, and their keys as
 * `writeBandKeys` does.
 */
export function writeSignatures(
  wide: Uint32Array,
  stride: number,
  banding: BandingParams,
  slots: Uint16Array,
  keys: Uint32Array,
  row: number,
): void {
  writeNarrowSlots(wide, slots, row * stride);
  writeBandKeys(slots, stride, banding, keys, row, row + wide.length / stride);
}

/**
 * Writes the keys of all bands of rows [from, to) of `stride` slots, band after band: with n rows in `slots`, band b of row i is
 * `keys[b * n + i]`.
 */
export function writeBandKeys(
  slots: Uint16Array,
  stride: number,
  { bands, rows }: BandingParams,
  keys: Uint32Array,
  from = 0,
  to = slots.length / stride,
): void {
  const count = slots.length / stride;
  for (let band = 0; band < bands; band++) {
    for (let row = from; row < to; row++) {
      const at = row * stride + band * rows;
      let key = Math.imul(band + 1, 0x9e3779b1);
      for (let slot = at; slot < at + rows; slot++) {
        key = Math.imul(key ^ slots[slot]!, 0x85ebca6b);
        key ^= key >>> 15;
      }
      key = Math.imul(key, 0xc2b2ae35);
      keys[band * count + row] = key ^ (key >>> 16);
    }
  }
}
