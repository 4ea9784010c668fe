/** Union-find over document numbers, in one Uint32Array: member -> parent, roots point to themselves. */
import { numbersBelow } from './growable.js';

/** `count` sets of one member each, numbered 0..count-1. */
export function disjointSets(count: number): Uint32Array {
  return numbersBelow(count);
}

/**
 * The smallest member of the set of `member`. Halves the path (Tarjan and van Leeuwen 1984), so m operations take O(m log n)
 * although sets are united by number and not by size.
 */
export function rootOf(sets: Uint32Array, member: number): number {
  let parent = sets[member]!;
  while (parent !== member) {
    const grandparent = sets[parent]!;
    sets[member] = grandparent;
    member = grandparent;
    parent = sets[member]!;
  }
  return member;
}

/**
 * Unites the sets of two members; false if they were in the same set. The smaller root remains the root, so a root is the first
 * document of its set, independent of the order of unions.
 */
export function unite(sets: Uint32Array, a: number, b: number): boolean {
  const rootA = rootOf(sets, a);
  const rootB = rootOf(sets, b);
  if (rootA === rootB) return false;
  if (rootA < rootB) sets[rootB] = rootA;
  else sets[rootA] = rootB;
  return true;
}
