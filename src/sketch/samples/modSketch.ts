/**
 * MOD_m: the elements of a set that are 0 mod m under a random permutation, or all of a small set.
 *
 * Broder 1997, section 3. Grows with the set, about one element in m; good for resemblance and for
 * containment. m = 1 keeps the whole set.
 *
 * For small documents Broder has levels L_i. Here there are two levels: sets of fewer than `wholeBelow` elements are
 * kept whole, all others have the one modulus m. So the sample of a short document loses nothing when it is compared
 * with that of a long one, where L_i reduces both to the level of the longer document. The level of a set follows from
 * its distinct elements alone, so the sketch of a union follows from the sketches of its parts: a union is whole where
 * all parts are whole and together small enough.
 */

import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortUnique64 } from '../../arrays/sort.js';
import { type ElementParams, PermutedElements } from './permutedElements.js';

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
  /** Whether the values are the whole set, because it has fewer than `wholeBelow` elements. */
  readonly whole: boolean;
}

interface ModParams extends ElementParams, ModulusParams {
  /** 0..2^24. Absent or 0: no set is kept whole. */
  readonly wholeBelow?: number;
}

/** Whether the 64-bit number is 0 mod m, 1 <= m <= 2^32, or m a power of two: in digits of 16 bits, each step exact. */
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

/** Distinct elements of a set, of which fewer and fewer are kept. */
export class KeptElements {
  private kept = new FingerprintTable();
  private spare = new FingerprintTable();

  get size(): number {
    return this.kept.size;
  }

  add(low: number, high: number): void {
    this.kept.add(low, high);
  }

  clear(): void {
    this.kept.clear();
  }

  /** Keeps those that are 0 mod m. */
  thin(modulus: number): void {
    const { kept, spare } = this;
    spare.clear();
    for (let i = 0; i < 2 * kept.size; i += 2) {
      const low = kept.keys[i]!;
      const high = kept.keys[i + 1]!;
      if (isMultiple(low, high, modulus)) spare.add(low, high);
    }
    this.kept = spare;
    this.spare = kept;
  }

  /** A sorted copy, pairs (low, high). */
  sorted(): Uint32Array {
    const { keys, size } = this.kept;
    const values = keys.slice(0, 2 * size);
    sortUnique64(values, size);
    return values;
  }
}

/** Makes the sketches of one set after the other: begin, push any number of times, finish. Memory follows the sketch. */
export class ModSketchBuilder {
  private readonly modulus: number;
  private readonly wholeBelow: number;
  private readonly elements: PermutedElements;
  private readonly kept = new KeptElements();
  private whole = false;

  constructor({ modulus, wholeBelow = 0, seed, bag }: ModParams) {
    checkModulus(modulus);
    this.modulus = modulus;
    this.wholeBelow = wholeBelow;
    this.elements = new PermutedElements({ seed, bag });
    this.begin();
  }

  begin(): void {
    this.elements.begin();
    this.kept.clear();
    this.whole = this.wholeBelow > 0;
  }

  /** Adds elements hashes[0 .. 2*count), repetitions allowed; the array is not changed. */
  push(hashes: Uint32Array, count: number): void {
    const { elements, modulus, wholeBelow } = this;
    elements.take(hashes, count);
    const { values } = elements;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = values[i]!;
      const high = values[i + 1]!;
      if (!this.whole && !isMultiple(low, high, modulus)) continue;
      this.kept.add(low, high);
      if (!this.whole || this.kept.size < wholeBelow || modulus === 1) continue;
      this.kept.thin(modulus);
      this.whole = false;
    }
  }

  /** The sketch of the elements pushed since `begin`. */
  finish(): ModSketch {
    const { modulus, kept, whole } = this;
    return { modulus, values: kept.sorted(), size: kept.size, whole };
  }
}

/** How many of the values are 0 mod m. */
export function multiplesAmong(values: Uint32Array, modulus: number): number {
  let count = 0;
  for (let i = 0; i < values.length; i += 2) if (isMultiple(values[i]!, values[i + 1]!, modulus)) count++;
  return count;
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
