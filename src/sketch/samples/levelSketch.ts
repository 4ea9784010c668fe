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

import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortUnique64 } from '../../arrays/sort.js';
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

/** Whether the 64-bit number is 0 mod 2^level, level 0..63. */
function isAtLevel(low: number, high: number, level: number): boolean {
  // A shift count is taken modulo 32: 1 << 32 would be 1.
  if (level < 32) return (low & ((1 << level) - 1)) === 0;
  return low === 0 && (high & ((1 << (level - 32)) - 1)) === 0;
}

/** Makes the sketches of one set after the other: begin, push any number of times, finish. Memory follows the sketch. */
export class LevelSketchBuilder {
  private readonly unit: number;
  private readonly elements: PermutedElements;
  private kept = new FingerprintTable();
  private spare = new FingerprintTable();
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
    this.raise(levelOf(this.count, this.unit));
    for (let i = 0; i < 2 * count; i += 2) {
      if (isAtLevel(values[i]!, values[i + 1]!, this.level)) this.kept.add(values[i]!, values[i + 1]!);
    }
  }

  /** The sketch of the elements pushed since `begin`. */
  finish(): LevelSketch {
    const { keys, size } = this.kept;
    const values = keys.slice(0, 2 * size);
    sortUnique64(values, size);
    return { unit: this.unit, level: this.level, elements: this.count, values, size };
  }

  private raise(level: number): void {
    if (level === this.level) return;
    const { kept, spare } = this;
    spare.clear();
    for (let i = 0; i < 2 * kept.size; i += 2) {
      if (isAtLevel(kept.keys[i]!, kept.keys[i + 1]!, level)) spare.add(kept.keys[i]!, kept.keys[i + 1]!);
    }
    this.kept = spare;
    this.spare = kept;
    this.level = level;
  }
}

/** The same set at a coarser level; the sketch itself where it has that level. RangeError for a finer one. */
export function coarserSketch(sketch: LevelSketch, level: number): LevelSketch {
  if (level === sketch.level) return sketch;
  if (!Number.isInteger(level) || level < sketch.level || level > 63) {
    throw new RangeError(`level ${level}: expected an integer from ${sketch.level} to 63`);
  }
  const { values } = sketch;
  const kept = new Uint32Array(values.length);
  let size = 0;
  for (let i = 0; i < values.length; i += 2) {
    if (!isAtLevel(values[i]!, values[i + 1]!, level)) continue;
    kept[size++] = values[i]!;
    kept[size++] = values[i + 1]!;
  }
  return { ...sketch, level, values: kept.slice(0, size), size: size / 2 };
}
