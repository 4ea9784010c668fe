/**
 * Reduce by pair and range: the scattered hashes of two documents become the sizes of their sets and of what is common to
 * them. Sizes of ranges add up to those of the whole sets.
 *
 * Floor 2. Works on hashes; it never knows documents, files or what a range is.
 */
import type { Kernel } from '../src/kernel/kernel.js';
import { intersectionSize } from '../src/sketch/similarity.js';

/** Distinct hashes of both documents, and how many they have in common. */
export interface SetSizes {
  readonly a: number;
  readonly b: number;
  readonly common: number;
}

/** Pieces of the hashes of both documents in one range, in any order, repetitions among them. */
export function rangedSizes(
  piecesOfA: Iterable<Uint32Array>,
  piecesOfB: Iterable<Uint32Array>,
  kernel: Pick<Kernel, 'setCollector' | 'setComparer'>,
): SetSizes {
  const sets = kernel.setCollector();
  const made = (pieces: Iterable<Uint32Array>): number => {
    for (const piece of pieces) sets.add(piece, piece.length / 2);
    return sets.close();
  };
  sets.clear();
  const a = made(piecesOfA);
  const b = made(piecesOfB);
  return { a, b, common: a === 0 || b === 0 ? 0 : commonOf(sets.sets(), a, a + b, kernel.setComparer()) };
}

/** Hashes [0, a) and [a, end) of a list. */
function commonOf(
  hashes: Uint32Array,
  a: number,
  end: number,
  comparer: ReturnType<Kernel['setComparer']>,
): number {
  comparer.clear(end);
  if (!comparer.place(hashes, 0, a) || !comparer.place(hashes, a, end)) {
    return intersectionSize(hashes, 0, a, hashes, a, end);
  }
  const common = new Uint32Array(1);
  comparer.compare(Uint32Array.of(0), Uint32Array.of(1), 0, 1, common);
  return common[0]!;
}

export function addSizes(one: SetSizes, other: SetSizes): SetSizes {
  return { a: one.a + other.a, b: one.b + other.b, common: one.common + other.common };
}
