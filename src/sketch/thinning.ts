/**
 * Which elements of a set go into its sketch, where not all do: a sample of them (Broder 1997, section 4.1, "0 mod m"), and
 * none that is in too many documents (section 4 of Broder, Glassman, Manasse and Zweig 1997).
 *
 * Floor 0. A property of single elements, never of documents: so equal sets have equal sketches, any partition of a set
 * gives the same one, and the resemblance of thinned sets is that of the sets without what was left out of both.
 */
import { seededConstants } from './hashing.js';
import { mixedHigh } from './mixedHigh.js';
import { TokenSet } from './tokenSet.js';

export interface ThinningParams {
  /** N, 1..65536: of all elements those whose second mix is 0 mod N are kept. 1 keeps all. */
  readonly sample: number;
  /** Of the sample. */
  readonly seed: number;
  /** Distinct elements that are never kept, pairs (low, high), sorted or not. */
  readonly eliminated: Uint32Array;
}

export interface Thinning {
  /**
   * Moves what is kept of the first `count` elements to the front, in its order, and returns how many that are. The list
   * is written over.
   */
  keep(elements: Uint32Array, count: number): number;
}

/**
 * What the sample mixes an element with, (low, high). The mix is that of the row chunks with another constant, so it is
 * independent of them and of the bits that choose a sketch's bin: else a sketch would have bins without a single element.
 */
export function sampleConstant(seed: number): Uint32Array {
  return seededConstants(seed, 'sample', 1);
}

/** The plain thinning, which every faster one is compared with, bit for bit. */
export function createThinning({ sample, seed, eliminated }: ThinningParams): Thinning {
  const [constantLow, constantHigh] = sampleConstant(seed) as unknown as [number, number];
  const set = new TokenSet(eliminated, eliminated.length / 2);
  const isKept = (low: number, high: number): boolean =>
    (mixedHigh(low ^ constantLow, high ^ constantHigh) >>> 0) % sample === 0 && !set.has(low | 0, high | 0);
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
