/**
 * The elements of a set under a random permutation, of which every sketch of Broder 1997 is a sample.
 *
 * The permutation of the 64-bit numbers is fmix64(a * x + b) with a odd and b from the seed: each step is invertible, so distinct
 * elements stay distinct. Theorem 1 allows "an arbitrary injection" of elements to numbers, so hashes of any width up to 64 bits are
 * valid input. Rabin fingerprints need the permutation, because they are linear and samples of them would not be random.
 */
import { carryOf, finalise64, multiplyHigh64, writeFmix64 } from '../../arrays/hashing.js';
import { sortUnique64 } from '../../arrays/sort.js';

class PermutedElements {
  /** The last batch, permuted: pairs (low, high). Valid until the next `take`. */
  values = new Uint32Array(0);

  private readonly multiplierLow: number;
  private readonly multiplierHigh: number;
  private readonly addendLow: number;
  private readonly addendHigh: number;

  constructor(seed: number) {
    const start = finalise64(BigInt(seed) + 0xd1342543de82ef95n);
    const multiplier = finalise64(start + 0x9e3779b97f4a7c15n) | 1n;
    const addend = finalise64(start + 2n * 0x9e3779b97f4a7c15n);
    this.multiplierLow = Number(multiplier & 0xffffffffn) | 0;
    this.multiplierHigh = Number(multiplier >> 32n) | 0;
    this.addendLow = Number(addend & 0xffffffffn) | 0;
    this.addendHigh = Number(addend >> 32n) | 0;
  }

  /** Permutes hashes[0 .. 2*count) into `values`; the input is not changed. */
  take(hashes: Uint32Array, count: number): void {
    if (this.values.length < 2 * count) this.values = new Uint32Array(2 * count);
    const { values, multiplierLow, multiplierHigh, addendLow, addendHigh } = this;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = hashes[i]!;
      const product = Math.imul(low, multiplierLow);
      const sum = (product + addendLow) | 0;
      const high = multiplyHigh64(low, hashes[i + 1]!, multiplierLow, multiplierHigh);
      writeFmix64(values, i, sum, (high + addendHigh + carryOf(sum, product)) | 0);
    }
  }
}

/** All elements of a set, permuted, sorted and distinct: pairs (low, high). */
export function permutedSet(hashes: Uint32Array, seed: number): Uint32Array {
  const count = hashes.length / 2;
  const elements = new PermutedElements(seed);
  elements.take(hashes, count);
  return elements.values.subarray(0, 2 * sortUnique64(elements.values, count));
}

/** Whether the 64-bit number is 0 mod m, 1 <= m <= 2^32, or m a power of two: in digits of 16 bits, each step exact. */
export function isMultiple(low: number, high: number, modulus: number): boolean {
  // Divisibility by the power of two in m depends only on the low bits, which rules out most numbers. 2^32 as an int32 is 0, which
  // gives a mask of all bits.
  if ((low & ((modulus & -modulus) - 1)) !== 0) return false;
  if ((modulus & (modulus - 1)) === 0 && modulus < 2 ** 32) return true;
  let rest = (high >>> 0) % modulus;
  rest = (rest * 65536 + (low >>> 16)) % modulus;
  return (rest * 65536 + (low & 0xffff)) % modulus === 0;
}

/** The values that are 0 mod m, in their order, as a new column. */
export function multiplesOf(values: Uint32Array, modulus: number): Uint32Array {
  const kept = new Uint32Array(values.length);
  let at = 0;
  for (let i = 0; i < values.length; i += 2) {
    if (!isMultiple(values[i]!, values[i + 1]!, modulus)) continue;
    kept[at++] = values[i]!;
    kept[at++] = values[i + 1]!;
  }
  return kept.slice(0, at);
}
