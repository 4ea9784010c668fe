import { seededConstants } from '../../src/arrays/hashing.js';
import type { BandingParams } from '../../src/sketch/params.js';
import { bigOf } from '../data/randomHashes.js';

const MASK = (1n << 64n) - 1n;

/** The bucket keys of a signature as they are defined, in whole numbers: that of band b goes to `out[2b], out[2b+1]` (low, high). */
export function bandKeys(
  signature: Uint32Array,
  { bands, rows }: BandingParams,
  seed: number,
  out: Uint32Array,
): void {
  const start = bigOf(seededConstants(seed, 'band', 1), 0);
  for (let band = 0; band < bands; band++) {
    let h = (start + BigInt(band + 1) * 0x9e3779b97f4a7c15n) & MASK;
    for (const slot of signature.subarray(band * rows, (band + 1) * rows)) {
      h = ((h ^ BigInt(slot)) * 0xc2b2ae3d27d4eb4fn) & MASK;
      h ^= h >> 32n;
    }
    h = (h * 0xff51afd7ed558ccdn) & MASK;
    h ^= h >> 29n;
    out[2 * band] = Number(h & 0xffffffffn);
    out[2 * band + 1] = Number(h >> 32n);
  }
}
