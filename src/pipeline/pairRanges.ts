/**
 * Cuts sorted lists of pairs at the same pairs into ranges of about the same weight, a range a task.
 *
 * Floor 4. Works on columns; it never knows what a range is for.
 */
import type { Pairs } from '../sketch/pairs.js';

/** Lists that are cut, each with what a row of it weighs. */
export interface WeighedPairs {
  readonly pairs: Pairs;
  readonly weight: number;
}

/** A place between pairs: before the pair `at`; null: behind the last one. */
export interface PairCut {
  readonly at: readonly [a: number, b: number] | null;
  /** Rows of every list before it. */
  readonly rows: readonly number[];
}

interface Cut extends PairCut {
  /** Of the rows before it. */
  readonly weight: number;
}

/**
 * The cut at the greatest value whose rows before it weigh at most `target`, and the cut at the next value.
 * Between two cuts that are known only the rows between them are looked at, so all steps together cost little
 * more than one search in each list.
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
    let [low, high] = [below.rows[i]!, above.rows[i]!];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const before = pairs.a[middle]! < a || (pairs.a[middle] === a && pairs.b[middle]! < b);
      if (before) low = middle + 1;
      else high = middle;
    }
    weight += low * each;
    return low;
  });
  return { at: [a, b], rows, weight };
}

/**
 * Ends of the ranges, sorted by (a, b): range r has rows [ends[r - 1].rows[i], ends[r].rows[i]) of list i. At most `parts` ranges, none without weight; the pairs of one document are cut only where they weigh more
 * than half of what a range should.
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
