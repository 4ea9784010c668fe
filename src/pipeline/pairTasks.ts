/**
 * Cutting the pairs of a group into tasks that carry the places of the sets they need, and no others.
 *
 * Floor 4.
 */
import type { Pairs } from '../sketch/pairs.js';

/** Hashes that the pairs of a task have together: some 10 ms of comparing. */
const HASHES_PER_TASK = 1 << 23;

/** Where the set of a document is: set `index[d]` of the block with the name `names[block[d]]`. */
export interface SetPlaces {
  readonly block: Uint32Array;
  readonly index: Uint32Array;
  readonly names: readonly string[];
}

/** The pairs of one task. */
export interface PairTask {
  /** The rows they are. */
  readonly rows: Uint32Array;
  /** `a` and `b` are numbers of sets; set s is set `setIndex[s]` of block `setBlock[s]`, counted in `blocks`. */
  readonly columns: Record<'a' | 'b' | 'setBlock' | 'setIndex', Uint32Array>;
  readonly blocks: readonly string[];
}

/** Numbers things in the order in which they are first seen, from 0; anew after every `clear`. */
class Numbering {
  readonly seen: number[] = [];
  private readonly numberOf: Uint32Array;
  private readonly round: Uint32Array;
  private current = 1;

  /** `count` things. */
  constructor(count: number) {
    this.numberOf = new Uint32Array(count);
    this.round = new Uint32Array(count);
  }

  of(thing: number): number {
    if (this.round[thing] !== this.current) {
      this.round[thing] = this.current;
      this.numberOf[thing] = this.seen.push(thing) - 1;
    }
    return this.numberOf[thing]!;
  }

  clear(): void {
    this.seen.length = 0;
    this.current++;
  }
}

/**
 * Cuts rows into tasks of about as much work, in order; the sets of all of them have a place.
 *
 * @param hashesOf by document: hashes of its set, about
 */
export function* pairTasks(
  pairs: Pairs,
  rows: Uint32Array,
  places: SetPlaces,
  hashesOf: Float64Array,
): Generator<PairTask> {
  const sets = new Numbering(places.block.length);
  const blocks = new Numbering(places.names.length);
  for (let from = 0, to = 0; from < rows.length; from = to) {
    for (let hashes = 0; to < rows.length && hashes < HASHES_PER_TASK; to++) {
      hashes += hashesOf[pairs.a[rows[to]!]!]! + hashesOf[pairs.b[rows[to]!]!]!;
    }
    const a = new Uint32Array(to - from);
    const b = new Uint32Array(to - from);
    for (let i = from; i < to; i++) {
      a[i - from] = sets.of(pairs.a[rows[i]!]!);
      b[i - from] = sets.of(pairs.b[rows[i]!]!);
    }
    const setBlock = new Uint32Array(sets.seen.length);
    const setIndex = new Uint32Array(sets.seen.length);
    for (let s = 0; s < setBlock.length; s++) {
      setBlock[s] = blocks.of(places.block[sets.seen[s]!]!);
      setIndex[s] = places.index[sets.seen[s]!]!;
    }
    yield {
      rows: rows.subarray(from, to),
      columns: { a, b, setBlock, setIndex },
      blocks: blocks.seen.map((block) => places.names[block]!),
    };
    sets.clear();
    blocks.clear();
  }
}
