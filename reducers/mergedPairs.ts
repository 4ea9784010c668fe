/**
 * Two sorted lists of pairs become one, column by column.
 *
 * Floor 2. Works on columns and positions; it never knows what they say about a pair.
 */
import type { Pairs } from '../src/sketch/pairs.js';

export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Which stretches of two lists follow one another in their union. */
export interface Stretches {
  /** The union of two columns of these lists, of one type. */
  merge<T extends Column>(earlier: T, later: T): T;
  /** The rows of the union that ascending rows of one of the lists become. */
  places(rows: Uint32Array, of: 'earlier' | 'later'): Uint32Array;
}

/** Rows up to which a stretch is copied row by row: a view costs more. */
const SHORT = 24;

/**
 * Merges lists sorted by (a, b) that have no pair in common. Stretches are found by doubling steps, so a few
 * pairs among many cost their number times a logarithm, besides the copies.
 */
export function mergeStretches(earlier: Pairs, later: Pairs): Stretches {
  // Ends in both lists: rows of the earlier one up to ends[2i], then of the later one up to ends[2i + 1].
  const ends = new Uint32Array(2 * (Math.min(earlier.count, later.count) + 1));
  let length = 0;
  for (let e = 0, l = 0; e < earlier.count || l < later.count; ) {
    e = l === later.count ? earlier.count : firstNotBefore(earlier, e, later.a[l]!, later.b[l]!);
    l = e === earlier.count ? later.count : firstNotBefore(later, l, earlier.a[e]!, earlier.b[e]!);
    ends[length++] = e;
    ends[length++] = l;
  }
  return {
    merge: (one, other) => {
      const Type = one.constructor as new (length: number) => typeof one;
      const merged = new Type(earlier.count + later.count);
      for (let i = 0, e = 0, l = 0; i < length; i += 2) {
        copyRows(one, e, ends[i]!, merged, e + l);
        e = ends[i]!;
        copyRows(other, l, ends[i + 1]!, merged, e + l);
        l = ends[i + 1]!;
      }
      return merged;
    },
    places: (rows, of) => {
      const places = new Uint32Array(rows.length);
      const side = of === 'earlier' ? 0 : 1;
      // Before rows of the earlier list come those of the later one up to the last stretch, and so on by turns.
      for (let i = 0, row = 0; i < length && row < rows.length; i += 2) {
        const before = side === 1 ? ends[i]! : i === 0 ? 0 : ends[i - 1]!;
        for (; row < rows.length && rows[row]! < ends[i + side]!; row++) places[row] = rows[row]! + before;
      }
      return places;
    },
  };
}

function copyRows(column: Column, from: number, to: number, merged: Column, row: number): void {
  if (to - from > SHORT) merged.set(column.subarray(from, to) as never, row);
  else for (let i = from; i < to; i++) merged[row++] = column[i]!;
}

/** The first row from `from` on that is not before (a, b); the count where there is none. */
export function firstNotBefore(pairs: Pairs, from: number, a: number, b: number): number {
  const before = (row: number): boolean => pairs.a[row]! < a || (pairs.a[row] === a && pairs.b[row]! < b);
  let step = 1;
  let low = from;
  while (low + step <= pairs.count && before(low + step - 1)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(pairs.count, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The union of two lists sorted by (a, b) that have no pair in common. */
export function mergePairs(earlier: Pairs, later: Pairs): Pairs {
  if (later.count === 0) return earlier;
  if (earlier.count === 0) return later;
  const { merge } = mergeStretches(earlier, later);
  return {
    a: merge(earlier.a, later.a),
    b: merge(earlier.b, later.b),
    count: earlier.count + later.count,
  };
}
