/**
 * MIN_s: the s smallest elements of a set under a random permutation, of all or of those 0 mod m.
 *
 * Broder 1997, sections 3 and 4.1. The smallest elements are kept in a heap with the greatest at the root; a
 * hash table keeps an element from being added twice (option B; labelled elements never repeat). The k-th new
 * element enters the heap with probability s/k, so the heap changes s log(n/s) times, not n.
 * Fixed size; good for resemblance, not for containment.
 */

import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortUnique64 } from '../../arrays/sort.js';
import { checkModulus, isMultiple, type ModulusParams } from './modSketch.js';
import { type ElementParams, PermutedElements } from './permutedElements.js';

/** MIN_s of a set (modulus 1), or MIN_s(MOD_m) of it. */
export interface MinSketch {
  /** s >= 1. */
  readonly most: number;
  /** m >= 1. */
  readonly modulus: number;
  /** Permuted elements, sorted and distinct: pairs (low, high). */
  readonly values: Uint32Array;
  /** Values in the sketch, 0..s. Below s the sketch has every element (that is 0 mod m) of the set. */
  readonly size: number;
}

interface MinParams extends ElementParams, ModulusParams {
  /** s, 1..2^24. */
  readonly most: number;
}

/** Makes the sketches of one set after the other: begin, push any number of times, finish. */
export class MinSketchBuilder {
  private readonly params: MinParams;
  private readonly elements: PermutedElements;
  /** The values kept, greatest at the root; pairs, `size` of them. */
  private readonly heap: Uint32Array;
  private size = 0;
  private readonly seen: FingerprintTable | undefined;

  constructor(params: MinParams) {
    if (!Number.isInteger(params.most) || params.most < 1 || params.most > 2 ** 24) {
      throw new RangeError(`sample size ${params.most}: expected an integer from 1 to 2^24`);
    }
    checkModulus(params.modulus);
    this.params = params;
    this.elements = new PermutedElements(params);
    this.heap = new Uint32Array(2 * params.most);
    this.seen = params.bag ? undefined : new FingerprintTable();
  }

  begin(): void {
    this.elements.begin();
    this.size = 0;
    this.seen?.clear();
  }

  /** Adds elements hashes[0 .. 2*count), repetitions allowed; the array is not changed. */
  push(hashes: Uint32Array, count: number): void {
    const { elements, heap, params } = this;
    elements.take(hashes, count);
    const { values } = elements;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = values[i]!;
      const high = values[i + 1]!;
      if (this.size === params.most) {
        const rootHigh = heap[1]!;
        if (high > rootHigh || (high === rootHigh && low >= heap[0]!)) continue;
      }
      if (isMultiple(low, high, params.modulus)) this.keep(low, high);
    }
  }

  /** The sketch of the elements pushed since `begin`. */
  finish(): MinSketch {
    const values = this.heap.slice(0, 2 * this.size);
    const size = sortUnique64(values, this.size);
    const { most, modulus } = this.params;
    return { most, modulus, values: values.subarray(0, 2 * size), size };
  }

  private keep(low: number, high: number): void {
    const { seen, heap, params } = this;
    if (seen !== undefined) {
      const before = seen.size;
      if (seen.add(low, high) < before) return;
    }
    if (this.size < params.most) {
      this.rise(this.size++, low, high);
      return;
    }
    this.sink(low, high);
    // A value that left the heap stays above its root, so the table need not remove it at once.
    if (seen !== undefined && seen.size >= 4 * params.most) {
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
