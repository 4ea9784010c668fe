/**
 * All pairs of sets with a Jaccard similarity of at least T, exactly: a prefix join (Bayardo, Ma and Srikant, Scaling
 * up all pairs similarity search, 2007; Chaudhuri, Ganti and Kaushik, A primitive operator for similarity joins,
 * 2006). It uses no code of the product except the hashes of shingles.
 *
 * Elements are ordered from rare to frequent. If two sets overlap in at least T of the larger one, they share one of
 * the first |A| - ceil(T |A|) + 1 elements of each. Sets that share one of these are compared in full.
 */

interface RankedSets {
  /** Elements as ranks, ascending from the rarest. */
  readonly sets: readonly Uint32Array[];
  /** Lower ranks are of elements that occur in one set only. */
  readonly shared: number;
  readonly elements: number;
}

/** `sets`: 64-bit hashes, ascending and distinct. */
function rankedSets(sets: readonly Uint32Array[]): RankedSets {
  const lists = sets.map((set) => new BigUint64Array(set.slice().buffer));
  const all = new BigUint64Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  all.sort();
  const ends: number[] = [];
  for (let i = 1; i <= all.length; i++) if (i === all.length || all[i] !== all[i - 1]) ends.push(i);
  const values = BigUint64Array.from(ends, (end) => all[end - 1]!);
  const times = Uint32Array.from(ends, (end, i) => end - (ends[i - 1] ?? 0));
  const byTimes = Uint32Array.from(ends, (_, i) => i).sort((x, y) => times[x]! - times[y]! || x - y);
  const ranks = new Uint32Array(ends.length);
  for (let rank = 0; rank < byTimes.length; rank++) ranks[byTimes[rank]!] = rank;
  const ranked = lists.map((list) =>
    Uint32Array.from(list, (value) => ranks[placeOf(values, value)]!).sort(),
  );
  const shared = byTimes.findIndex((place) => times[place]! > 1);
  return { sets: ranked, shared: shared < 0 ? byTimes.length : shared, elements: byTimes.length };
}

function placeOf(values: BigUint64Array, value: bigint): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of common elements; -1 as soon as `least` cannot be reached. */
function overlapOf(a: Uint32Array, b: Uint32Array, least: number): number {
  let common = 0;
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (common + Math.min(a.length - i, b.length - j) < least) return -1;
    const [x, y] = [a[i]!, b[j]!];
    if (x === y) common++;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  return common;
}

/**
 * Calls `tell` once for every pair with a similarity of at least `threshold` (above 0), in no order. Empty sets are in
 * no pair.
 *
 * @param sets 64-bit hashes as two words each, ascending and distinct
 */
export function exactJoin(
  sets: readonly Uint32Array[],
  threshold: number,
  tell: (a: number, b: number, resemblance: number) => void,
): void {
  const { sets: ranked, shared, elements } = rankedSets(sets);
  const order = ranked.map((_, i) => i).sort((x, y) => ranked[x]!.length - ranked[y]!.length || x - y);
  const holders: (number[] | undefined)[] = Array.from({ length: elements - shared });
  const seen = new Int32Array(sets.length).fill(-1);
  for (const document of order) {
    const set = ranked[document]!;
    // Rounding must not leave out an element.
    const prefix = Math.min(set.length, set.length - Math.ceil(threshold * set.length - 1e-9) + 1);
    for (let i = 0; i < prefix; i++) {
      if (set[i]! < shared) continue;
      const listed = holders[set[i]! - shared];
      if (listed === undefined) {
        holders[set[i]! - shared] = [document];
        continue;
      }
      for (const other of listed) {
        if (seen[other] === document) continue;
        seen[other] = document;
        const its = ranked[other]!;
        if (its.length < threshold * set.length - 1e-9) continue;
        const both = set.length + its.length;
        const common = overlapOf(set, its, Math.floor((threshold / (1 + threshold)) * both - 1e-9));
        if (common >= 0 && common / (both - common) >= threshold)
          tell(other, document, common / (both - common));
      }
      listed.push(document);
    }
  }
}
