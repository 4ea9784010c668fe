/** Thinning, plainly: the oracle that the kernel equals. */
import { mixedHigh } from '../../src/arrays/hashing.js';
import { FingerprintTable } from '../../src/arrays/hashTable.js';
import { sampleConstant, type Thinning, type ThinningParams } from '../../src/sketch/thinning.js';

export function createThinning({ sample, seed, eliminated }: ThinningParams): Thinning {
  const constant = sampleConstant(seed);
  const constantLow = constant[0]!;
  const constantHigh = constant[1]!;
  const set = FingerprintTable.of(eliminated);
  const isKept = (low: number, high: number): boolean =>
    (mixedHigh(low ^ constantLow, high ^ constantHigh) >>> 0) % sample === 0 && !set.has(low, high);
  return {
    keep(elements, count) {
      let kept = 0;
      for (let i = 0; i < 2 * count; i += 2) {
        const low = elements[i]!;
        const high = elements[i + 1]!;
        if (!isKept(low, high)) continue;
        elements[kept++] = low;
        elements[kept++] = high;
      }
      return kept / 2;
    },
  };
}
