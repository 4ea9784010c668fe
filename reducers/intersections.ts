/**
 * Reduce by pair: two shingle sets -> the number of their common elements, and the sizes of both.
 *
 * Hashes are numbered when they are first seen, and sets are compared as bit sets of these numbers. This is fast if pairs that share a
 * set are adjacent, and if texts share passages.
 */
import { sortUnique64 } from '../src/arrays/sort.js';
import type { Pairs } from '../src/blocks/pairs.js';
import type { SetComparer } from '../src/kernel/kernel.js';
import { intersectionSize } from '../src/sketch/similarity.js';

/** Set s has the `counts[s]` 64-bit hashes from hash `from[s]` on of list `list[s]`, in any order, with repetitions. */
export interface ShingleSets {
  readonly lists: readonly Uint32Array[];
  readonly list: Uint32Array;
  readonly from: Float64Array;
  readonly counts: Uint32Array;
}

export interface CommonSizes {
  /** By pair: common elements. */
  readonly common: Uint32Array;
  /** By set, for sets that are in a pair: distinct elements. */
  readonly sizes: Uint32Array;
}

/** The value for a pair that is not compared, because its signatures agree in too few slots. */
export const NOT_COMPARED = 0xffffffff;

const NOWHERE = 0xffffffff;

/** Places sets in a comparer, each at most once between two clearings. */
class PlacedSets {
  readonly sizes: Uint32Array;
  private readonly sets: ShingleSets;
  private readonly comparer: SetComparer;
  /** By set: its number in the comparer, from 1, counted over all clearings; 0: never placed. */
  private readonly places: Uint32Array;
  private next = 1;
  /** The first number since the last clearing. */
  private first = 1;

  constructor(sets: ShingleSets, comparer: SetComparer) {
    this.sets = sets;
    this.comparer = comparer;
    this.sizes = new Uint32Array(sets.list.length);
    this.places = new Uint32Array(sets.list.length);
    comparer.clear();
  }

  /** The number of a set in the comparer; NOWHERE if there is no room. */
  of(set: number): number {
    const place = this.places[set]!;
    if (place >= this.first) return place - this.first;
    const { lists, list, from, counts } = this.sets;
    const size = this.comparer.place(lists[list[set]!]!, from[set]!, from[set]! + counts[set]!);
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

/**
 * The common elements of the two sets of every pair; `a` and `b` are numbers of sets. If the comparer is full, or is large and no
 * later pair needs its sets, the pairs so far are compared, and it is cleared.
 */
export function commonSizes({ a, b, count }: Pairs, sets: ShingleSets, comparer: SetComparer): CommonSizes {
  const common = new Uint32Array(count);
  const [placeOfA, placeOfB] = [new Uint32Array(count), new Uint32Array(count)];
  const placed = new PlacedSets(sets, comparer);
  const lastUse = new Uint32Array(sets.list.length);
  for (let i = 0; i < count; i++) {
    lastUse[a[i]!] = i;
    lastUse[b[i]!] = i;
  }
  let needed = 0;
  let from = 0;
  const empty = (to: number): void => {
    comparer.compare(placeOfA, placeOfB, from, to, common);
    placed.clear();
    from = to;
  };
  for (let i = 0; i < count; i++) {
    const [x, y] = [a[i]!, b[i]!];
    if (needed < i && comparer.isLarge) empty(i);
    needed = Math.max(needed, lastUse[x]!, lastUse[y]!);
    for (let attempt = 0; ; attempt++) {
      placeOfA[i] = placed.of(x);
      placeOfB[i] = placed.of(y);
      if (placeOfA[i] !== NOWHERE && placeOfB[i] !== NOWHERE) break;
      empty(i);
      if (attempt === 0) continue;
      common[i] = commonOfLists(sets, x, y, placed.sizes);
      from = i + 1;
      break;
    }
  }
  empty(count);
  return { common, sizes: placed.sizes };
}

/** Common elements of two sets that do not fit into an empty comparer; also writes their sizes. */
function commonOfLists(
  { lists, list, from, counts }: ShingleSets,
  x: number,
  y: number,
  sizes: Uint32Array,
): number {
  const [first, second] = [x, y].map((set) => {
    const sorted = lists[list[set]!]!.slice(2 * from[set]!, 2 * (from[set]! + counts[set]!));
    sizes[set] = sortUnique64(sorted, sorted.length / 2);
    return sorted;
  });
  return intersectionSize(first!, 0, sizes[x]!, second!, 0, sizes[y]!);
}
