/**
 * L_i: the elements of a set that are 0 mod 2^i, where i grows with the document so that the number of kept elements
 * hardly depends on its size.
 *
 * Broder 1997, section 3: a document of n elements, unit * 2^i <= n < unit * 2^(i+1), keeps L_i =
 * MOD_(2^i). Of n distinct elements `unit` to 2 * `unit` are expected to stay; of fewer than `unit` all stay.
 * (The paper has unit = 100 and expects 50 to 100: by its own definition it is 100 to 200; unit = 50 gives
 * 50 to 100.) The level follows from the size of the document alone, never from the elements that happened to stay: that
 * keeps the estimates unbiased. L_(i+1) are the elements of L_i that are 0 mod 2^(i+1).
 */

import { isMultiple, KeptElements, multiplesOf } from './modSketch.js';
import { type ElementParams, PermutedElements } from './permutedElements.js';

interface LevelParams extends ElementParams {
  /** 1..2^24. */
  readonly unit: number;
}

/** L_i of a set. */
export interface LevelSketch {
  readonly unit: number;
  /** i, 0..52: the modulus is 2^i. */
  readonly level: number;
  /** n: elements pushed, repeated ones too; the level follows from it. */
  readonly elements: number;
  /** Permuted elements, sorted and distinct: pairs (low, high). */
  readonly values: Uint32Array;
  readonly size: number;
}

/** The level i of a document of n elements: the greatest with unit * 2^i <= n, 0 below the unit. 250: 1. */
export function levelOf(elements: number, unit: number): number {
  let level = 0;
  while (unit * 2 ** (level + 1) <= elements) level++;
  return level;
}

/** Makes the sketches of one set after the other: begin, push any number of times, finish. Memory follows the sketch. */
export class LevelSketchBuilder {
  private readonly unit: number;
  private readonly elements: PermutedElements;
  private readonly kept = new KeptElements();
  private level = 0;
  private count = 0;

  constructor(params: LevelParams) {
    if (!Number.isInteger(params.unit) || params.unit < 1 || params.unit > 2 ** 24) {
      throw new RangeError(`unit ${params.unit}: expected an integer from 1 to 2^24`);
    }
    this.unit = params.unit;
    this.elements = new PermutedElements(params);
  }

  begin(): void {
    this.elements.begin();
    this.kept.clear();
    this.level = 0;
    this.count = 0;
  }

  /**
   * Adds elements hashes[0 .. 2*count); the array is not changed. Repetitions count towards the size of the
   * document: push distinct elements where a needlessly coarse level would hurt.
   */
  push(hashes: Uint32Array, count: number): void {
    const { elements } = this;
    elements.take(hashes, count);
    const { values } = elements;
    this.count += count;
    const level = levelOf(this.count, this.unit);
    if (level > this.level) this.kept.thin(2 ** level);
    this.level = level;
    for (let i = 0; i < 2 * count; i += 2) {
      if (isMultiple(values[i]!, values[i + 1]!, 2 ** level)) this.kept.add(values[i]!, values[i + 1]!);
    }
  }

  /** The sketch of the elements pushed since `begin`. */
  finish(): LevelSketch {
    const { unit, level, count, kept } = this;
    return { unit, level, elements: count, values: kept.sorted(), size: kept.size };
  }
}

/** The same set at a coarser level; the sketch itself where it has that level. RangeError for a finer one. */
export function coarserSketch(sketch: LevelSketch, level: number): LevelSketch {
  if (level === sketch.level) return sketch;
  if (!Number.isInteger(level) || level < sketch.level || level > 63) {
    throw new RangeError(`level ${level}: expected an integer from ${sketch.level} to 63`);
  }
  const values = multiplesOf(sketch.values, 2 ** level);
  return { ...sketch, level, values, size: values.length / 2 };
}
