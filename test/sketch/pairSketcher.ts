/** Finished signatures of random pairs of sets with a known resemblance, for statistical tests. */
import type { Sketcher } from '../../src/sketch/signature.js';
import { randomWords } from '../data/randomHashes.js';

export interface PairSketcher {
  /** The next pair; the arrays are used again by the next call. */
  next(): readonly [Uint32Array, Uint32Array];
}

/**
 * Pairs of sets whose union has `union` random elements, `shared` of them in both sets and the others
 * alternately in one: resemblance shared / union. What is shared is sketched once and continued twice.
 */
export function pairSketcher(sketcher: Sketcher, union: number, shared: number, seed: number): PairSketcher {
  const next = randomWords(seed);
  const common = Math.round(shared);
  const onlyA = Math.floor((union - common) / 2);
  const hashes = new Uint32Array(2 * union);
  const a = new Uint32Array(sketcher.stride);
  const b = new Uint32Array(sketcher.stride);
  return {
    next: () => {
      for (let i = 0; i < hashes.length; i++) hashes[i] = next();
      sketcher.clear(a);
      sketcher.update(a, hashes, common);
      b.set(a);
      sketcher.update(a, hashes.subarray(2 * common), onlyA);
      sketcher.update(b, hashes.subarray(2 * (common + onlyA)), union - common - onlyA);
      return [a, b];
    },
  };
}
