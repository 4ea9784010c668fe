/**
 * Reduce near pairs to components, for documents with sparse numbers: union-find in one task, about 40 bytes a document with a
 * near pair, and up to 80 while tables grow.
 */

import { rootOf, unite } from '../../src/arrays/disjointSets.js';
import { grown } from '../../src/arrays/growable.js';
import { FingerprintTable } from '../../src/arrays/hashTable.js';
import { MinHashError } from '../../src/errors.js';

/** Most documents with near pairs in one task: 2 GB. */
export const MOST_NODES = 50_000_000;

const HIGH = 2 ** 32;

/** The components of pairs of numbers below 2^53. */
export class SparseComponents {
  /** Numbers -> places from 0, in the order in which pairs name them. */
  private readonly table = new FingerprintTable();
  /** By place: disjoint sets. */
  private sets = new Uint32Array(1024);
  private readonly most: number;
  /** The first number of the last pair: pairs mostly come grouped by it. */
  private last = -1;
  private lastPlace = 0;

  constructor(most: number = MOST_NODES) {
    this.most = most;
  }

  /** How many numbers are in a pair. */
  get size(): number {
    return this.table.size;
  }

  /** False: both were in one component. @throws MinHashError TASK_MEMORY */
  unite(a: number, b: number): boolean {
    if (a !== this.last) {
      this.lastPlace = this.placeOf(a);
      this.last = a;
    }
    const place = this.placeOf(b);
    return unite(this.sets, this.lastPlace, place);
  }

  /** Every number that is in a pair, ascending, with the least number of its component. */
  eachLabel(take: (number: number, root: number) => void): void {
    const { keys, size } = this.table;
    const numbers = new Float64Array(size);
    for (let i = 0; i < size; i++) numbers[i] = keys[2 * i + 1]! * HIGH + keys[2 * i]!;
    numbers.sort();
    const leasts = new Float64Array(size).fill(-1);
    for (const number of numbers) {
      const set = rootOf(this.sets, this.table.numberOf(number >>> 0, Math.floor(number / HIGH)));
      // Numbers ascend, so the first number of a set is its least.
      if (leasts[set] === -1) leasts[set] = number;
      take(number, leasts[set]!);
    }
  }

  private placeOf(number: number): number {
    const { table } = this;
    const before = table.size;
    const place = table.add(number >>> 0, Math.floor(number / HIGH));
    if (table.size === before) return place;
    if (table.size > this.most) {
      const detail = `more than ${this.most} documents have a near pair, which is too many for one task`;
      throw new MinHashError({ code: 'TASK_MEMORY', detail });
    }
    this.sets = grown(this.sets, place + 1);
    this.sets[place] = place;
    return place;
  }
}
