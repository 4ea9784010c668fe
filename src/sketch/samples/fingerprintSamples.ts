/**
 * The samples of fingerprints that a run compares, behind one interface: MIN_s, or MOD_m that keeps small
 * sets whole (Broder 1997, sections 3 and 4.1).
 *
 * A sample of a union follows from the samples of its parts, in any order and grouping, also where parts
 * share elements: so row chunks can be sampled separately. With option A the occurrences are already
 * labelled.
 */

import { concatenated } from '../../arrays/growable.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortUnique64 } from '../../arrays/sort.js';
import type { MinSampleParams, ModSampleParams, ShingleSampleParams } from '../params.js';
import { isMultiple, multiplesOf, PermutedElements } from './permutedElements.js';

/** The sample of one set. */
export interface Sample {
  /** Sorted and distinct: pairs (low, high). */
  readonly values: Uint32Array;
  /** Whether the values are the whole set. */
  readonly whole: boolean;
  /** Number of values that the sample of a set which is not whole could have: for MIN_s all, for MOD_m those 0 mod m. */
  readonly sampled: number;
}

/** A sample of a part of a set, the input of `mergedSample`. */
export type SamplePart = Pick<Sample, 'values' | 'whole'>;

/** Samples one set after the other. */
export interface SampleBuilder {
  begin(): void;
  /** Adds elements hashes[0 .. 2*count), repetitions allowed; the array is not changed. */
  push(hashes: Uint32Array, count: number): void;
  /** The sample of the elements pushed since `begin`. */
  finish(): Sample;
}

export function createSampleBuilder(params: ShingleSampleParams): SampleBuilder {
  return params.sketch === 'mod-m' ? new ModBuilder(params) : new MinBuilder(params);
}

/** Room for values in MIN_s, as a multiple of s. */
const ROOM = 4;
/** A high word above all others. */
const NO_BOUND = 2 ** 32;

/**
 * MIN_s: the s smallest elements of a set. Values are collected until there are four times s, then sorted, and the s smallest
 * distinct ones stay; from then on only smaller values than the greatest of these are collected. The k-th new element is one of
 * them with probability s/k, so there are few sorts. Fixed size; good for resemblance, not for containment.
 */
class MinBuilder implements SampleBuilder {
  private readonly params: MinSampleParams;
  private readonly elements: PermutedElements;
  /** The values collected: pairs, `count` of them. */
  private readonly collected: Uint32Array;
  private count = 0;
  /** The greatest of s distinct values, which greater ones are not in the sample beside; above all values until there are s. */
  private mostLow = 0;
  private mostHigh = NO_BOUND;

  constructor(params: MinSampleParams) {
    this.params = params;
    this.elements = new PermutedElements(params.seed);
    this.collected = new Uint32Array(2 * ROOM * params.hashes);
  }

  begin(): void {
    this.count = 0;
    this.mostHigh = NO_BOUND;
  }

  push(hashes: Uint32Array, count: number): void {
    const { elements, collected } = this;
    elements.take(hashes, count);
    const { values } = elements;
    let { mostLow, mostHigh } = this;
    for (let i = 0; i < 2 * count; i += 2) {
      const high = values[i + 1]!;
      if (high > mostHigh) continue;
      const low = values[i]!;
      if (high === mostHigh && low >= mostLow) continue;
      collected[2 * this.count] = low;
      collected[2 * this.count + 1] = high;
      if (2 * ++this.count < collected.length) continue;
      this.keepSmallest();
      ({ mostLow, mostHigh } = this);
    }
  }

  finish(): Sample {
    this.keepSmallest();
    return sampleOf(this.collected.slice(0, 2 * this.count), this.mostHigh === NO_BOUND, this.params);
  }

  private keepSmallest(): void {
    const { collected, params } = this;
    this.count = Math.min(params.hashes, sortUnique64(collected, this.count));
    if (this.count < params.hashes) return;
    this.mostLow = collected[2 * this.count - 2]!;
    this.mostHigh = collected[2 * this.count - 1]!;
  }
}

/**
 * MOD_m: the elements of a set that are 0 mod m, or all of a small set. Grows with the set, about one element in m; good for
 * resemblance and for containment. m = 1 keeps the whole set.
 *
 * For small documents Broder has levels L_i. Here there are two levels: sets of fewer than `wholeBelow` elements are
 * kept whole, all others have the one modulus m. So the sample of a short document loses nothing when it is compared
 * with that of a long one, where L_i reduces both to the level of the longer document. The level of a set follows from
 * its distinct elements alone, so the sketch of a union follows from the sketches of its parts: a union is whole where
 * all parts are whole and together small enough.
 */
class ModBuilder implements SampleBuilder {
  private readonly params: ModSampleParams;
  private readonly elements: PermutedElements;
  private kept = new FingerprintTable();
  private spare = new FingerprintTable();
  private whole = true;

  constructor(params: ModSampleParams) {
    this.params = params;
    this.elements = new PermutedElements(params.seed);
    this.begin();
  }

  begin(): void {
    this.kept.clear();
    this.whole = this.params.wholeBelow > 0;
  }

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
      if (this.whole && this.kept.size >= wholeBelow && modulus !== 1) this.thin();
    }
  }

  finish(): Sample {
    const { keys, size } = this.kept;
    const values = keys.slice(0, 2 * size);
    sortUnique64(values, size);
    return sampleOf(values, this.whole, this.params);
  }

  /** Keeps the elements that are 0 mod m: the set is no longer small. */
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

function sampleOf(values: Uint32Array, whole: boolean, params: ShingleSampleParams): Sample {
  const all = params.sketch === 'min-s' || !whole;
  return { values, whole, sampled: (all ? values : multiplesOf(values, params.modulus)).length / 2 };
}

/** The sample of the union of sets, from their samples alone; without parts the sample of the empty set. */
export function mergedSample(parts: readonly SamplePart[], params: ShingleSampleParams): Sample {
  const all = concatenated(parts.map(({ values }) => values));
  const size = sortUnique64(all, all.length / 2);
  if (params.sketch === 'min-s')
    return sampleOf(all.slice(0, 2 * Math.min(size, params.hashes)), size < params.hashes, params);
  const values = all.slice(0, 2 * size);
  const few = size < params.wholeBelow || params.modulus === 1;
  const whole = few && parts.every((part) => part.whole);
  return sampleOf(whole ? values : multiplesOf(values, params.modulus), whole, params);
}
