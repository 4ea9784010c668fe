/**
 * A collection of sets that do not resemble one another. Sets are added one by one, and the first of several similar
 * ones is kept.
 */

import { FingerprintTable } from '../../arrays/hashTable.js';
import { intersectionSize, resemblanceOf } from '../../sketch/similarity.js';

/**
 * Two sets with similarity `threshold` or more share an element among the first |A| - ceil(threshold |A|) + 1 of both,
 * in any common order (the prefix filter of Chaudhuri, Ganti, Kaushik 2006). Elements are hashes in ascending order, so
 * unrelated sets rarely share one there, and a set is compared only with sets that do.
 */
export class DistinctSets {
  private readonly threshold: number;
  private readonly sets: Uint32Array[] = [];
  /** First elements of the kept sets, and the sets that have each. */
  private readonly firsts = new FingerprintTable();
  private readonly owners: number[][] = [];

  /** @param threshold above 0, at most 1 */
  constructor(threshold: number) {
    this.threshold = threshold;
  }

  /**
   * Adds a set (hashes as pairs, sorted, distinct). Returns false if it resembles a kept one. An empty set resembles no
   * other.
   */
  add(set: Uint32Array): boolean {
    const prefix = this.prefixOf(set.length / 2);
    const met = new Set<number>();
    for (let i = 0; i < 2 * prefix; i += 2) {
      const first = this.firsts.numberOf(set[i]!, set[i + 1]!);
      if (first < 0) continue;
      for (const owner of this.owners[first]!) met.add(owner);
    }
    for (const owner of met) if (this.resembles(this.sets[owner]!, set)) return false;
    for (let i = 0; i < 2 * prefix; i += 2) {
      const first = this.firsts.add(set[i]!, set[i + 1]!);
      this.owners[first] ??= [];
      this.owners[first].push(this.sets.length);
    }
    this.sets.push(set);
    return true;
  }

  /** One more than the bound, because its product is rounded. */
  private prefixOf(size: number): number {
    return Math.min(size, size - Math.ceil(this.threshold * size) + 2);
  }

  private resembles(kept: Uint32Array, set: Uint32Array): boolean {
    const [a, b] = [kept.length / 2, set.length / 2];
    // Sizes alone exclude many pairs.
    if (Math.min(a, b) < this.threshold * Math.max(a, b) - 1) return false;
    return resemblanceOf(intersectionSize(kept, 0, a, set, 0, b), a, b) >= this.threshold;
  }
}
