/**
 * Signature to bucket keys: the 64-bit hash of each band's rows.
 *
 * Floor 0. Knows hashing only; never which documents share a bucket.
 */
import { carryOf, multiplyHigh64, seededConstants } from './hashing.js';
import type { BandingParams } from './params.js';

// 0x9E3779B97F4A7C15 a band, 0xC2B2AE3D27D4EB4F a row, 0xff51afd7ed558ccd at the end.
const BAND_LOW = 0x7f4a7c15;
const BAND_HIGH = 0x9e3779b9;
const ROW_LOW = 0x27d4eb4f;
const ROW_HIGH = 0xc2b2ae3d;
const END_LOW = 0xed558ccd;
const END_HIGH = 0xff51afd7;

/**
 * The start value of the last seed asked for: a run has one seed and a call a document, and BigInt set-up is
 * slow.
 */
let start = { seed: Number.NaN, low: 0, high: 0 };

function startOf(seed: number): typeof start {
  if (start.seed !== seed) {
    const [low, high] = seededConstants(seed, 'band', 1);
    start = { seed, low: low!, high: high! };
  }
  return start;
}

/**
 * Writes the 64-bit bucket key of band b to `out[2b], out[2b+1]` (low, high). Band b is the slots [b * rows,
 * (b + 1) * rows); its number is mixed in, so equal rows in two bands are two buckets. Documents that differ
 * in a row share a key with probability about 2^-64. The empty signature has keys like any other: leave it
 * out of banding (Mining of Massive Datasets 3.4.1).
 */
export function bandKeys(
  signature: Uint32Array,
  banding: BandingParams,
  seed: number,
  out: Uint32Array,
): void {
  const { bands, rows } = banding;
  let { low: bandLow, high: bandHigh } = startOf(seed);
  let slot = 0;
  for (let band = 0; band < bands; band++) {
    bandLow = (bandLow + BAND_LOW) | 0;
    bandHigh = (bandHigh + BAND_HIGH + carryOf(bandLow, BAND_LOW)) | 0;
    let low = bandLow;
    let high = bandHigh;
    for (const end = slot + rows; slot < end; slot++) {
      low ^= signature[slot]!;
      high = multiplyHigh64(low, high, ROW_LOW, ROW_HIGH);
      low = Math.imul(low, ROW_LOW) ^ high;
    }
    high = multiplyHigh64(low, high, END_LOW, END_HIGH);
    low = Math.imul(low, END_LOW);
    // h ^= h >> 29
    out[2 * band] = low ^ ((low >>> 29) | (high << 3));
    out[2 * band + 1] = high ^ (high >>> 29);
  }
}

/**
 * The bucket keys of the signatures of a column block, which begin every `stride` slots of `slots`: the key of band b
 * of column c goes to `out[2 * (b * columns + c)]` and the next.
 */
export function bandColumns(
  slots: Uint32Array,
  stride: number,
  banding: BandingParams,
  seed: number,
  out: Uint32Array,
): void {
  const columns = slots.length / stride;
  const one = new Uint32Array(2 * banding.bands);
  for (let column = 0; column < columns; column++) {
    bandKeys(slots.subarray(column * stride, (column + 1) * stride), banding, seed, one);
    for (let band = 0; band < banding.bands; band++) {
      const at = 2 * (band * columns + column);
      out[at] = one[2 * band]!;
      out[at + 1] = one[2 * band + 1]!;
    }
  }
}
