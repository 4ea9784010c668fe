/**
 * Signatures as they are kept: rows of 16-bit slots, and the 32-bit keys of their bands. The reference that the kernel equals.
 *
 * Equal 32-bit slots stay equal, and unequal ones agree once in 65,536. A key only brings documents together: whether they agree in a
 * band is read from their slots.
 */
import type { BandingParams } from './params.js';

/** The slot of 32 bits mixed to 16: not its low bits, of which the minima of large sets have few. */
export function narrowSlot(slot: number): number {
  return Math.imul(slot, 0x9e3779b1) >>> 16;
}

/**
 * Writes the first `hashes` slots of rows that are `stride` slots apart, mixed to 16 bits, to `slots` from row `first` on, where rows
 * are `hashes` apart.
 */
export function writeNarrowRows(
  wide: Uint32Array,
  stride: number,
  hashes: number,
  slots: Uint16Array,
  first: number,
): void {
  for (let from = 0, to = first * hashes; from < wide.length; from += stride)
    for (let slot = from, end = from + hashes; slot < end; slot++) slots[to++] = narrowSlot(wide[slot]!);
}

/** Writes the keys of all bands of rows of `hashes` slots, band after band: band b of row i is `keys[b * rows + i]`. */
export function writeBandKeys(
  slots: Uint16Array,
  hashes: number,
  { bands, rows }: BandingParams,
  keys: Uint32Array,
): void {
  const count = slots.length / hashes;
  for (let band = 0, out = 0; band < bands; band++) {
    for (let at = band * rows; out < (band + 1) * count; at += hashes) {
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
