/**
 * Reduce by pair: pairs of shingle sets become their exact resemblance and containments.
 * Sets are hashes of shingles in blocks, by number.
 */

import { Float64Column, Uint32Column } from '../src/arrays/growable.js';
import { type Block, encodeBlock, typedColumns } from '../src/blocks/block.js';
import type { Pairs } from '../src/blocks/pairs.js';
import type { Kernel, SetComparer } from '../src/kernel/kernel.js';
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

/** The evidence in the columns of a block. */
export function evidenceOf(block: Block): PairEvidence {
  return typedColumns(block, { jaccard: 'f64', containmentAB: 'f64', containmentBA: 'f64', accepted: 'u8' });
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

/*
 * Reduce by group: sets of documents, from many blocks, become a block for each group of pairs that needs them; a set that
 * several groups need is copied to each.
 */

/** Row by row: set `index` of block `block` goes to group `group`. Rows of one block stand together. */
interface SetCopies {
  readonly block: Uint32Array;
  readonly index: Uint32Array;
  readonly group: Uint32Array;
}

/** Sets one behind the other. */
class Sets {
  readonly hashes = new Uint32Column();
  readonly offsets = new Float64Column();

  constructor() {
    this.offsets.push(0);
  }

  add({ hashes, offsets }: ShingleSetBlock, index: number): void {
    this.hashes.append(hashes.subarray(2 * offsets[index]!, 2 * offsets[index + 1]!));
    this.offsets.push(this.hashes.length / 2);
  }
}

/** Sets of a group in the order of its rows: kind `shingleSets`, shared. `blockOf` is asked once a stretch of rows. */
export function groupedSets(
  { block, index, group }: SetCopies,
  blockOf: (block: number) => ShingleSetBlock,
): Map<number, Block> {
  const groups = new Map<number, Sets>();
  for (let i = 0; i < block.length; ) {
    const number = block[i]!;
    const source = blockOf(number);
    for (; i < block.length && block[i] === number; i++) {
      let sets = groups.get(group[i]!);
      if (sets === undefined) {
        sets = new Sets();
        groups.set(group[i]!, sets);
      }
      sets.add(source, index[i]!);
    }
  }
  const blocks = new Map<number, Block>();
  for (const [number, { hashes, offsets }] of groups) {
    const columns = { hashes: hashes.view, offsets: offsets.view };
    blocks.set(number, encodeBlock('shingleSets', {}, columns, true));
    groups.delete(number);
  }
  return blocks;
}

/*
 * Reduce by pair and range: the scattered hashes of two documents become the sizes of their sets and of what is common to
 * them. Sizes of ranges add up to those of the whole sets.
 */

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
  return {
    a,
    b,
    common: a === 0 || b === 0 ? 0 : commonInRange(sets.sets(), a, a + b, kernel.setComparer()),
  };
}

/** Hashes [0, a) and [a, end) of a list. */
function commonInRange(
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
