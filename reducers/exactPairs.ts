/**
 * Reduce by pair: pairs of shingle sets become their exact resemblance and containments.
 *
 * Floor 2. Works on sets of shingle hashes that lie in blocks, by number of the set; it never knows documents, texts
 * or ids, nor which kernel compares.
 */
import type { SetComparer } from '../src/kernel/kernel.js';
import type { Pairs } from '../src/sketch/pairs.js';
import type { Measure } from '../src/sketch/params.js';
import { containmentOf, intersectionSize, measuredBy, resemblanceOf } from '../src/sketch/similarity.js';
import type { ExactEvidence } from './verifiedPairs.js';

/**
 * Sets of one block: set s is the sorted distinct 64-bit hashes [offsets[s], offsets[s + 1]), counted in
 * hashes.
 */
export interface ShingleSetBlock {
  readonly hashes: Uint32Array;
  readonly offsets: Float64Array | Uint32Array;
}

/** The sets that pairs are made of: set s is set `setIndex[s]` of block `setBlock[s]`. */
export interface ShingleSets {
  readonly blocks: readonly ShingleSetBlock[];
  readonly setBlock: Uint32Array;
  readonly setIndex: Uint32Array;
}

/** Evidence pair by pair. */
export interface PairEvidence extends ExactEvidence {
  /** 1 where the measure is at least the threshold. */
  readonly accepted: Uint8Array;
}

const NOWHERE = 0xffffffff;

/**
 * The resemblance and containments of every pair; `a` and `b` of a pair are numbers of sets.
 *
 * No pair is ruled out by the sizes of its sets, because its resemblance is reported whether accepted or not.
 * `resemblance >= threshold` is decided by the division itself, so 11 of 20 reach 0.55; where containment is the measure,
 * that of the smaller set is.
 */
export function exactPairs(
  pairs: Pairs,
  sets: ShingleSets,
  threshold: number,
  comparer: SetComparer,
  measure: Measure = 'resemblance',
): PairEvidence {
  const { count } = pairs;
  const sizes = Uint32Array.from(sets.setBlock, (_, set) => toOf(sets, set) - fromOf(sets, set));
  const common = commonSizes(pairs, sets, sizes, comparer);
  const jaccard = new Float64Array(count);
  const containmentAB = new Float64Array(count);
  const containmentBA = new Float64Array(count);
  const accepted = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const sizeA = sizes[pairs.a[i]!]!;
    const sizeB = sizes[pairs.b[i]!]!;
    const resemblance = resemblanceOf(common[i]!, sizeA, sizeB);
    jaccard[i] = resemblance;
    containmentAB[i] = containmentOf(common[i]!, sizeA);
    containmentBA[i] = containmentOf(common[i]!, sizeB);
    const measured = measuredBy(measure, resemblance, containmentAB[i]!, containmentBA[i]!);
    accepted[i] = measured >= threshold ? 1 : 0;
  }
  return { jaccard, containmentAB, containmentBA, accepted };
}

function fromOf({ blocks, setBlock, setIndex }: ShingleSets, set: number): number {
  return blocks[setBlock[set]!]!.offsets[setIndex[set]!]!;
}

function toOf({ blocks, setBlock, setIndex }: ShingleSets, set: number): number {
  return blocks[setBlock[set]!]!.offsets[setIndex[set]! + 1]!;
}

/**
 * Common elements of both sets of every pair. Each set is handed to the comparer once; where not all of them
 * have room there, pairs are compared as soon as it is full, and it is filled anew.
 */
function commonSizes(
  pairs: Pairs,
  sets: ShingleSets,
  sizes: Uint32Array,
  comparer: SetComparer,
): Uint32Array {
  const { a, b, count } = pairs;
  const common = new Uint32Array(count);
  const placeOfA = new Uint32Array(count);
  const placeOfB = new Uint32Array(count);
  const places = new Uint32Array(sizes.length).fill(NOWHERE);
  let hashes = 0;
  for (let set = 0; set < sizes.length; set++) hashes += sizes[set]!;
  let next = 0;
  let from = 0;
  comparer.clear(hashes);
  const placed = (set: number): boolean => {
    if (places[set] !== NOWHERE) return true;
    const { hashes: list } = sets.blocks[sets.setBlock[set]!]!;
    if (!comparer.place(list, fromOf(sets, set), toOf(sets, set))) return false;
    places[set] = next++;
    return true;
  };
  const empty = (to: number): void => {
    comparer.compare(placeOfA, placeOfB, from, to, common);
    comparer.clear(hashes);
    places.fill(NOWHERE);
    next = 0;
    from = to;
  };
  for (let i = 0; i < count; i++) {
    const x = a[i]!;
    const y = b[i]!;
    if (!placed(x) || !placed(y)) {
      empty(i);
      if (!placed(x) || !placed(y)) {
        common[i] = commonOf(sets, x, y);
        empty(i);
        from = i + 1;
        continue;
      }
    }
    placeOfA[i] = places[x]!;
    placeOfB[i] = places[y]!;
  }
  empty(count);
  return common;
}

/** For two sets that are too large for the comparer even alone. */
function commonOf(sets: ShingleSets, x: number, y: number): number {
  const listOf = (set: number): Uint32Array => sets.blocks[sets.setBlock[set]!]!.hashes;
  const [fromX, toX, fromY, toY] = [fromOf(sets, x), toOf(sets, x), fromOf(sets, y), toOf(sets, y)];
  return intersectionSize(listOf(x), fromX, toX, listOf(y), fromY, toY);
}
