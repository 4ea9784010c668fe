/**
 * MOD_m that keeps small sets whole: all elements of a set of fewer than `wholeBelow`, of other sets those 0
 * mod m.
 *
 * Broder 1997, section 3, has MOD_m and, for small documents, levels L_i. Here there are two levels, because
 * one modulus for all large sets keeps the samples of a short document inside a long one, where L_i reduces
 * both to the level of the longer one. The level of a set follows from its distinct elements alone, so the
 * sketch of a union follows from the sketches of its parts: a union is whole where all parts are whole and
 * together small enough.
 */

import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortUniqueHashes } from '../../arrays/sort.js';
import { checkModulus, isMultiple, type ModulusParams } from './modSketch.js';
import { PermutedElements } from './permutedElements.js';

interface ThinnedParams extends ModulusParams {
  readonly seed: number;
  /** 1..2^24. */
  readonly wholeBelow: number;
}

interface ThinnedSketch {
  /** Permuted elements, sorted and distinct: pairs (low, high). */
  readonly values: Uint32Array;
  readonly size: number;
  /** The values are the whole set. */
  readonly whole: boolean;
}

/** One set after the other: begin, push any number of times, finish. Memory follows the sketch. */
export class ThinnedSketchBuilder {
  private readonly params: ThinnedParams;
  private readonly elements: PermutedElements;
  private kept = new FingerprintTable();
  private spare = new FingerprintTable();
  private whole = true;

  constructor(params: ThinnedParams) {
    checkModulus(params.modulus);
    this.params = params;
    this.elements = new PermutedElements({ seed: params.seed, bag: false });
  }

  /** Starts a new set. */
  begin(): void {
    this.elements.begin();
    this.kept.clear();
    this.whole = true;
  }

  /** Adds elements hashes[0 .. 2*count), repetitions allowed; the array is not changed. */
  push(hashes: Uint32Array, count: number): void {
    const { elements } = this;
    const { modulus, wholeBelow } = this.params;
    elements.take(hashes, count);
    const { values } = elements;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = values[i]!;
      const high = values[i + 1]!;
      if (!this.whole && !isMultiple(low, high, modulus)) continue;
      this.kept.add(low, high);
      if (this.whole && this.kept.size >= wholeBelow && modulus > 1) this.thin();
    }
  }

  /** The sketch of what was pushed since `begin`. */
  finish(): ThinnedSketch {
    const { keys, size } = this.kept;
    const values = keys.slice(0, 2 * size);
    sortUniqueHashes(values, size);
    return { values, size, whole: this.whole };
  }

  private thin(): void {
    const { kept, spare } = this;
    spare.clear();
    for (let i = 0; i < 2 * kept.size; i += 2) {
      const low = kept.keys[i]!;
      const high = kept.keys[i + 1]!;
      if (isMultiple(low, high, this.params.modulus)) spare.add(low, high);
    }
    this.kept = spare;
    this.spare = kept;
    this.whole = false;
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
