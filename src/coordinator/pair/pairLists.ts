/** Sorted lists of pairs in the store, where all threads read them, and cutting them into ranges. */
import { firstWhere } from '../../arrays/search.js';
import { decodeBlock, encodeBlock } from '../../blocks/block.js';
import type { Pairs } from '../../blocks/pairs.js';
import type { Run } from '../context.js';

/** A list sorted by (a, b). */
export interface StoredPairs {
  readonly count: number;
  /** Names of the blocks with its rows, in order. */
  readonly blocks: readonly string[];
}

export function storePairs(run: Run, name: string, { a, b, count }: Pairs): StoredPairs {
  const columns = { a: a.subarray(0, count), b: b.subarray(0, count) };
  run.put(name, encodeBlock('pairs', {}, columns, true), 'counted');
  return { count, blocks: [name] };
}

/** The rows of a block of a list. */
export function storedPairs({ engine }: Run, name: string): Pairs {
  const { a, b } = decodeBlock(engine.store.get(name), 'pairs', name).columns as Record<
    'a' | 'b',
    Uint32Array
  >;
  return { a, b, count: a.length };
}

/** Takes lists out of the store. */
export function forgetPairs(run: Run, lists: readonly StoredPairs[]): void {
  for (const { blocks } of lists) for (const name of blocks) run.engine.store.delete(name);
}

/*
 * Cuts sorted lists of pairs at the same pairs, into ranges of about the same weight.
 */

/** A list to cut, and the weight of each of its rows. */
interface WeighedPairs {
  readonly pairs: Pairs;
  readonly weight: number;
}

export interface PairCut {
  /** The cut is before this pair; null: behind the last pair. */
  readonly at: readonly [a: number, b: number] | null;
  /** By list, the number of rows before the cut. */
  readonly rows: readonly number[];
}

interface Cut extends PairCut {
  /** Weight of the rows before the cut. */
  readonly weight: number;
}

/**
 * The greatest value whose cut has rows of at most weight `target` before it, that cut, and the cut at the next value. `place`:
 * the pair of a value. Each step searches only the rows between the two cuts so far, so all steps together cost little more than
 * one search in each list.
 */
function cutsAround(
  lists: readonly WeighedPairs[],
  from: Cut,
  to: Cut,
  target: number,
  place: (value: number) => readonly [a: number, b: number],
): { value: number; below: Cut; above: Cut } {
  let [low, high] = [0, 2 ** 32];
  let [below, above] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const [a, b] = place(middle);
    const between = cutBetween(lists, below, above, a, b);
    if (between.weight <= target) [low, below] = [middle, between];
    else [high, above] = [middle, between];
  }
  return { value: low, below, above };
}

function cutBetween(lists: readonly WeighedPairs[], below: Cut, above: Cut, a: number, b: number): Cut {
  let weight = 0;
  const rows = lists.map(({ pairs, weight: each }, i) => {
    const cut = firstWhere(below.rows[i]!, above.rows[i]!, (row) => {
      return pairs.a[row]! > a || (pairs.a[row] === a && pairs.b[row]! >= b);
    });
    weight += cut * each;
    return cut;
  });
  return { at: [a, b], rows, weight };
}

/**
 * Ends of the ranges, sorted by (a, b): range r has rows [ends[r - 1].rows[i], ends[r].rows[i]) of list i. At most `parts` ranges,
 * none without weight; empty where the lists are. The pairs of one document are cut only where they weigh more than half of the
 * mean range.
 */
export function pairRanges(lists: readonly WeighedPairs[], parts: number): PairCut[] {
  const total = lists.reduce((sum, { pairs, weight }) => sum + pairs.count * weight, 0);
  const end: Cut = { at: null, rows: lists.map(({ pairs }) => pairs.count), weight: total };
  const ends: Cut[] = [];
  let last: Cut = { at: [0, 0], rows: lists.map(() => 0), weight: 0 };
  for (let part = 1; part < parts; part++) {
    const target = (end.weight * part) / parts;
    if (target < last.weight) continue;
    const { value: a, below, above } = cutsAround(lists, last, end, target, (value) => [value, 0]);
    const coarse = above.weight - below.weight > end.weight / parts / 2;
    const here = coarse ? cutsAround(lists, below, above, target, (b) => [a, b]).below : below;
    if (here.weight <= last.weight) continue;
    last = here;
    ends.push(here);
  }
  if (end.weight > last.weight) ends.push(end);
  return ends;
}
