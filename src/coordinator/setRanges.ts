/**
 * Divides the pairs to verify into ranges whose sets fit in a task. Pairs of a connected component follow one another,
 * so that nearly every set is in one range only, and is read and numbered once.
 */
import { disjointSets, rootOf, unite } from '../arrays/disjointSets.js';
import { rowsByKey } from '../arrays/rowsByKey.js';
import { sortByKey64 } from '../arrays/sort.js';

/** Pairs of sets, by number. */
export interface SetPairs {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
}

/** Bytes of the sets of a range. */
export interface RangeBounds {
  /** From this size on, a range ends at the end of a component. */
  readonly usual: number;
  /** A range ends before it exceeds this, unless it is a single pair. */
  readonly most: number;
}

/**
 * A range ends after this many pairs, so that several tasks compare a large component. Numbering a set takes as long as 200 comparisons,
 * so fewer pairs, whose tasks have more sets in common, would cost more.
 */
const PAIRS = 1 << 20;

/**
 * @param counts by set: the number of its hashes, 8 bytes each
 * @returns rows of pairs, each in one range
 */
export function* setRanges(
  pairs: SetPairs,
  counts: Uint32Array,
  { usual, most }: RangeBounds,
): Generator<Uint32Array> {
  const { a, b } = pairs;
  const roots = componentsOf(pairs, counts.length);
  const rows = componentOrder(pairs, roots, counts, most);
  // By set: the last range that contains it, from 1.
  const rangeOf = new Uint32Array(counts.length);
  let range = 1;
  let from = 0;
  let bytes = 0;
  for (let i = 0; i < rows.length; i++) {
    const [x, y] = [a[rows[i]!]!, b[rows[i]!]!];
    const more = 8 * ((rangeOf[x] === range ? 0 : counts[x]!) + (rangeOf[y] === range ? 0 : counts[y]!));
    const isNew = i === 0 || roots[a[rows[i - 1]!]!] !== roots[x];
    if (i > from && (bytes + more > most || i - from >= PAIRS || (isNew && bytes >= usual))) {
      yield rows.subarray(from, i);
      from = i;
      bytes = 8 * (counts[x]! + counts[y]!);
      range++;
    } else bytes += more;
    rangeOf[x] = range;
    rangeOf[y] = range;
  }
  if (from < rows.length) yield rows.subarray(from);
}

/** By set: the smallest set number in its component. */
function componentsOf({ a, b }: SetPairs, sets: number): Uint32Array {
  const roots = disjointSets(sets);
  for (let i = 0; i < a.length; i++) unite(roots, a[i]!, b[i]!);
  for (let set = 0; set < sets; set++) roots[set] = rootOf(roots, set);
  return roots;
}

/**
 * The rows of pairs, component after component. A component that does not fit in a range is cut into groups of sets of
 * half a range. Its pairs are sorted by pairs of groups, so that a range needs the sets of two groups only.
 */
function componentOrder(
  { a, b }: SetPairs,
  roots: Uint32Array,
  counts: Uint32Array,
  most: number,
): Uint32Array {
  const { starts, rows } = rowsByKey(counts.length, (give) => {
    for (let i = 0; i < a.length; i++) give(roots[a[i]!]!, i);
  });
  const bytes = new Float64Array(counts.length);
  const tileOf = new Uint32Array(counts.length);
  for (let set = 0; set < counts.length; set++) {
    const root = roots[set]!;
    tileOf[set] = Math.floor((2 * bytes[root]!) / most);
    bytes[root]! += 8 * counts[set]!;
  }
  for (let root = 0; root < counts.length; root++) {
    if (bytes[root]! <= most) continue;
    const componentRows = rows.subarray(starts[root]!, starts[root + 1]!);
    const keys = new Uint32Array(2 * componentRows.length);
    for (let i = 0; i < componentRows.length; i++) {
      const [x, y] = [tileOf[a[componentRows[i]!]!]!, tileOf[b[componentRows[i]!]!]!];
      keys[2 * i] = Math.max(x, y);
      keys[2 * i + 1] = Math.min(x, y);
    }
    sortByKey64(keys, componentRows, componentRows.length);
  }
  return rows;
}
