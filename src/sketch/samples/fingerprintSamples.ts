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

/**
 * MIN_s: the s smallest elements of a set. They are kept in a heap with the greatest at the root; a hash table keeps an element from
 * being added twice. The k-th new element enters the heap with probability s/k, so the heap changes s log(n/s) times, not n. Fixed
 * size; good for resemblance, not for containment.
 */
class MinBuilder implements SampleBuilder {
  private readonly params: MinSampleParams;
  private readonly elements: PermutedElements;
  /** The values kept, greatest at the root; pairs, `size` of them. */
  private readonly heap: Uint32Array;
  private size = 0;
  private readonly seen = new FingerprintTable();

  constructor(params: MinSampleParams) {
    this.params = params;
    this.elements = new PermutedElements(params.seed);
    this.heap = new Uint32Array(2 * params.hashes);
  }

  begin(): void {
    this.size = 0;
    this.seen.clear();
  }

  push(hashes: Uint32Array, count: number): void {
    const { elements, heap } = this;
    const most = this.params.hashes;
    elements.take(hashes, count);
    const { values } = elements;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = values[i]!;
      const high = values[i + 1]!;
      if (this.size === most) {
        const rootHigh = heap[1]!;
        if (high > rootHigh || (high === rootHigh && low >= heap[0]!)) continue;
      }
      this.keep(low, high);
    }
  }

  finish(): Sample {
    const { params, size } = this;
    const values = this.heap.slice(0, 2 * size);
    sortUnique64(values, size);
    return sampleOf(values, size < params.hashes, params);
  }

  private keep(low: number, high: number): void {
    const { seen, heap } = this;
    const most = this.params.hashes;
    const before = seen.size;
    if (seen.add(low, high) < before) return;
    if (this.size < most) {
      this.rise(this.size++, low, high);
      return;
    }
    this.sink(low, high);
    // A value that left the heap stays above its root, so the table need not remove it at once.
    if (seen.size >= 4 * most) {
      seen.clear();
      for (let i = 0; i < heap.length; i += 2) seen.add(heap[i]!, heap[i + 1]!);
    }
  }

  /** Puts a value at the end, moving its smaller ancestors down. */
  private rise(at: number, low: number, high: number): void {
    const { heap } = this;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const parentHigh = heap[2 * parent + 1]!;
      if (parentHigh > high || (parentHigh === high && heap[2 * parent]! > low)) break;
      heap[2 * at] = heap[2 * parent]!;
      heap[2 * at + 1] = parentHigh;
      at = parent;
    }
    heap[2 * at] = low;
    heap[2 * at + 1] = high;
  }

  /** Replaces the root, moving its greater descendants up. */
  private sink(low: number, high: number): void {
    const { heap, size } = this;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size) {
        const rightHigh = heap[2 * child + 3]!;
        const leftHigh = heap[2 * child + 1]!;
        if (rightHigh > leftHigh || (rightHigh === leftHigh && heap[2 * child + 2]! > heap[2 * child]!))
          child++;
      }
      const childHigh = heap[2 * child + 1]!;
      if (childHigh < high || (childHigh === high && heap[2 * child]! <= low)) break;
      heap[2 * at] = heap[2 * child]!;
      heap[2 * at + 1] = childHigh;
      at = child;
    }
    heap[2 * at] = low;
    heap[2 * at + 1] = high;
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
