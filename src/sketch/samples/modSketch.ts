/**
 * MOD_m: the elements of a set that are 0 mod m under a random permutation.
 *
 * Broder 1997, section 3. Grows with the set, about one element in m; good for resemblance and for
 * containment. m = 1 keeps the whole set.
 */

import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortUniqueHashes } from '../../arrays/sort.js';
import { type ElementParams, PermutedElements } from './permutedElements.js';
import { unionOf } from './sortedFingerprints.js';

export interface ModulusParams {
  /** m, 1..2^32. */
  readonly modulus: number;
}

/** MOD_m of a set. */
export interface ModSketch {
  readonly modulus: number;
  /** Permuted elements, sorted and distinct: pairs (low, high). */
  readonly values: Uint32Array;
  readonly size: number;
}

interface ModParams extends ElementParams, ModulusParams {}

/** Whether the 64-bit number is 0 mod m, 1 <= m <= 2^32: in digits of 16 bits, each step below 2^48. */
export function isMultiple(low: number, high: number, modulus: number): boolean {
  // The power of two in m depends on the low bits alone, which rules out most numbers; 2^32 as an int32 is 0,
  // whose mask is all bits.
  if ((low & ((modulus & -modulus) - 1)) !== 0) return false;
  if ((modulus & (modulus - 1)) === 0 && modulus < 2 ** 32) return true;
  let rest = (high >>> 0) % modulus;
  rest = (rest * 65536 + (low >>> 16)) % modulus;
  return (rest * 65536 + (low & 0xffff)) % modulus === 0;
}

/** RangeError unless m is an integer from 1 to 2^32. */
export function checkModulus(modulus: number): void {
  if (!Number.isInteger(modulus) || modulus < 1 || modulus > 2 ** 32) {
    throw new RangeError(`modulus ${modulus}: expected an integer from 1 to 2^32`);
  }
}

/** One set after the other: begin, push any number of times, finish. */
export class ModSketchBuilder {
  private readonly params: ModParams;
  private readonly elements: PermutedElements;
  private readonly kept = new FingerprintTable();

  constructor(params: ModParams) {
    checkModulus(params.modulus);
    this.params = params;
    this.elements = new PermutedElements(params);
  }

  /** Starts a new set. */
  begin(): void {
    this.elements.begin();
    this.kept.clear();
  }

  /** Adds elements hashes[0 .. 2*count), repetitions allowed; the array is not changed. */
  push(hashes: Uint32Array, count: number): void {
    const { elements, kept, params } = this;
    elements.take(hashes, count);
    const { values } = elements;
    for (let i = 0; i < 2 * count; i += 2) {
      if (isMultiple(values[i]!, values[i + 1]!, params.modulus)) kept.add(values[i]!, values[i + 1]!);
    }
  }

  /** The sketch of what was pushed since `begin`. */
  finish(): ModSketch {
    const { keys, size } = this.kept;
    const values = keys.slice(0, 2 * size);
    sortUniqueHashes(values, size);
    return { modulus: this.params.modulus, values, size };
  }
}

/**
 * The sketch of the union of two sets, from their sketches alone; exact, in any order and grouping. For
 * option A the sets must be parts that share no shingle. RangeError where the moduli differ.
 */
export function mergeModSketches(a: ModSketch, b: ModSketch): ModSketch {
  if (a.modulus !== b.modulus) {
    throw new RangeError(`sketches of m = ${a.modulus} and m = ${b.modulus}: expected equal ones`);
  }
  const values = unionOf(a.values, b.values, Number.POSITIVE_INFINITY);
  return { modulus: a.modulus, values, size: values.length / 2 };
}
