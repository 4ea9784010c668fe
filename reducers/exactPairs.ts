/**
 * Reduce by pair: pairs of shingle sets become their exact resemblance and containments.
 * Sets are hashes of shingles in blocks, by number.
 */

import { sortUnique64 } from '../src/arrays/sort.js';
import { type Block, typedColumns } from '../src/blocks/block.js';
import type { Pairs } from '../src/blocks/pairs.js';
import type { SetComparer } from '../src/kernel/kernel.js';
import { containmentOf, intersectionSize, resemblanceOf } from '../src/sketch/similarity.js';
import type { ExactEvidence } from './verifiedPairs.js';

/**
 * Sets of one block: set s is the 64-bit hashes [offsets[s], offsets[s + 1]), counted in hashes, in any order, with repetitions.
 */
export interface ShingleSetBlock {
  readonly hashes: Uint32Array;
  readonly offsets: Float64Array | Uint32Array;
}

/** The sets of the pairs: set s is set `setIndex[s]` of block `setBlock[s]`. */
export interface ShingleSets {
  readonly blocks: readonly ShingleSetBlock[];
  readonly setBlock: Uint32Array;
  readonly setIndex: Uint32Array;
}

export interface PairEvidence extends ExactEvidence {
  /** 1 where the resemblance is at least the threshold. */
  readonly accepted: Uint8Array;
}

export function evidenceOf(block: Block): PairEvidence {
  return typedColumns(block, { jaccard: 'f64', containmentAB: 'f64', containmentBA: 'f64', accepted: 'u8' });
}

const NOWHERE = 0xffffffff;

/**
 * The resemblance and containments of every pair; `a` and `b` of a pair are numbers of sets.
 *
 * No pair is ruled out by the sizes of its sets, because its resemblance is reported whether accepted or not. The division itself
 * decides `resemblance >= threshold`, so 11 of 20 reach 0.55.
 */
export function exactPairs(
  pairs: Pairs,
  sets: ShingleSets,
  threshold: number,
  comparer: SetComparer,
): PairEvidence {
  return evidenceOfSizes(pairs, commonSizes(pairs, sets, comparer), threshold);
}

/** The evidence of pairs, from the sizes of their sets and of what they have in common. */
function evidenceOfSizes(
  { a, b, count }: Pairs,
  { common, sizes }: CommonSizes,
  threshold: number,
): PairEvidence {
  const jaccard = new Float64Array(count);
  const containmentAB = new Float64Array(count);
  const containmentBA = new Float64Array(count);
  const accepted = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const sizeA = sizes[a[i]!]!;
    const sizeB = sizes[b[i]!]!;
    const resemblance = resemblanceOf(common[i]!, sizeA, sizeB);
    jaccard[i] = resemblance;
    containmentAB[i] = containmentOf(common[i]!, sizeA);
    containmentBA[i] = containmentOf(common[i]!, sizeB);
    accepted[i] = resemblance >= threshold ? 1 : 0;
  }
  return { jaccard, containmentAB, containmentBA, accepted };
}

function fromOf({ blocks, setBlock, setIndex }: ShingleSets, set: number): number {
  return blocks[setBlock[set]!]!.offsets[setIndex[set]!]!;
}

function toOf({ blocks, setBlock, setIndex }: ShingleSets, set: number): number {
  return blocks[setBlock[set]!]!.offsets[setIndex[set]! + 1]!;
}

export interface CommonSizes {
  /** By pair: common elements. */
  readonly common: Uint32Array;
  /** By set, for sets that are in a pair: distinct elements. */
  readonly sizes: Uint32Array;
}

/** Places sets in a comparer, each at most once between two clearings. */
class PlacedSets {
  readonly sizes: Uint32Array;
  private readonly sets: ShingleSets;
  private readonly comparer: SetComparer;
  /** By set: its place, from 1, counted over all fillings; 0: never placed. */
  private readonly places: Uint32Array;
  private next = 1;
  /** The first place of this filling. */
  private first = 1;

  constructor(sets: ShingleSets, comparer: SetComparer) {
    this.sets = sets;
    this.comparer = comparer;
    this.sizes = new Uint32Array(sets.setBlock.length);
    this.places = new Uint32Array(sets.setBlock.length);
    comparer.clear();
  }

  /** The place of a set; NOWHERE where there is no room. */
  of(set: number): number {
    const place = this.places[set]!;
    if (place >= this.first) return place - this.first;
    const { hashes } = this.sets.blocks[this.sets.setBlock[set]!]!;
    const size = this.comparer.place(hashes, fromOf(this.sets, set), toOf(this.sets, set));
    if (size < 0) return NOWHERE;
    this.sizes[set] = size;
    this.places[set] = this.next;
    return this.next++ - this.first;
  }

  clear(): void {
    this.comparer.clear();
    this.first = this.next;
  }
}

function lastUses({ a, b, count }: Pairs, sets: number): Uint32Array {
  const last = new Uint32Array(sets);
  for (let i = 0; i < count; i++) {
    last[a[i]!] = i;
    last[b[i]!] = i;
  }
  return last;
}

/**
 * Common elements of the two sets of every pair. Sets are placed in the comparer in the order of pairs; where there is no room,
 * or the comparer is large and no later pair needs a set in it, the pairs so far are compared, and the comparer is filled anew.
 * So pairs that share sets should stand together.
 */
function commonSizes({ a, b, count }: Pairs, sets: ShingleSets, comparer: SetComparer): CommonSizes {
  const common = new Uint32Array(count);
  const placeOfA = new Uint32Array(count);
  const placeOfB = new Uint32Array(count);
  const placed = new PlacedSets(sets, comparer);
  const last = lastUses({ a, b, count }, sets.setBlock.length);
  let needed = 0;
  let from = 0;
  const empty = (to: number): void => {
    comparer.compare(placeOfA, placeOfB, from, to, common);
    placed.clear();
    from = to;
  };
  for (let i = 0; i < count; i++) {
    const x = a[i]!;
    const y = b[i]!;
    if (needed < i && comparer.isLarge) empty(i);
    needed = Math.max(needed, last[x]!, last[y]!);
    for (let attempt = 0; ; attempt++) {
      placeOfA[i] = placed.of(x);
      placeOfB[i] = placed.of(y);
      if (placeOfA[i] !== NOWHERE && placeOfB[i] !== NOWHERE) break;
      empty(i);
      if (attempt === 0) continue;
      common[i] = commonOf(sets, x, y, placed.sizes);
      from = i + 1;
      break;
    }
  }
  empty(count);
  return { common, sizes: placed.sizes };
}

/** Common elements of two sets that are together too large even for an empty comparer; also writes their sizes. */
function commonOf(sets: ShingleSets, x: number, y: number, sizes: Uint32Array): number {
  const [first, second] = [x, y].map((set) => {
    const { hashes } = sets.blocks[sets.setBlock[set]!]!;
    const list = hashes.slice(2 * fromOf(sets, set), 2 * toOf(sets, set));
    sizes[set] = sortUnique64(list, list.length / 2);
    return list;
  });
  return intersectionSize(first!, 0, sizes[x]!, second!, 0, sizes[y]!);
}
