/**
 * Cuts sorted lists of pairs at the same pairs into ranges of about the same weight, a range a task.
 *
 * Floor 4. Works on columns; it never knows what a range is for.
 */
import { firstNotBefore } from '../../reducers/mergedPairs.js';
import type { Pairs } from '../sketch/pairs.js';

/** Lists that are cut, each with what a row of it weighs. */
export interface WeighedPairs {
  readonly pairs: Pairs;
  readonly weight: number;
}

/** Rows of every list before a place. */
type Cut = readonly number[];

/** Weight of the rows before (a, b), where they end in each list. */
function cutAt(lists: readonly WeighedPairs[], a: number, b: number): { cut: Cut; weight: number } {
  let weight = 0;
  const cut = lists.map((list) => {
    const rows = firstNotBefore(list.pairs, 0, a, b);
    weight += rows * list.weight;
    return rows;
  });
  return { cut, weight };
}

/** The least value from 0 on that `reached` holds for, if it does for 2^32 - 1 and goes on to. */
function least(reached: (value: number) => boolean): number {
  let low = 0;
  let high = 2 ** 32 - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (reached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Ends of the ranges in each list, sorted by (a, b): range r has rows [ends[r - 1][i], ends[r][i]) of list i.
 * At most `parts` ranges, none without weight; the pairs of one document are cut only where they alone weigh
 * more than a range should.
 */
export function pairRanges(lists: readonly WeighedPairs[], parts: number): readonly Cut[] {
  const end = lists.map(({ pairs }) => pairs.count);
  const total = lists.reduce((sum, { pairs, weight }) => sum + pairs.count * weight, 0);
  const ends: Cut[] = [];
  let last = 0;
  for (let part = 1; part < parts; part++) {
    const target = (total * part) / parts;
    const a = least((value) => cutAt(lists, value + 1, 0).weight >= target);
    let here = cutAt(lists, a, 0);
    if (target - here.weight > total / parts / 2) {
      here = cutAt(
        lists,
        a,
        least((value) => cutAt(lists, a, value).weight >= target),
      );
    }
    if (here.weight <= last || here.weight >= total) continue;
    last = here.weight;
    ends.push(here.cut);
  }
  if (total > 0) ends.push(end);
  return ends;
}
