/**
 * Cutting the pairs of a group into tasks that carry the places of the sets they need, and no others.
 *
 * Floor 4.
 */
import type { Pairs } from '../sketch/pairs.js';

/** Hashes that the pairs of a task have together, at the most: some 10 ms of comparing. */
export const HASHES_PER_TASK = 1 << 23;

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
  private numberOf = new Uint32Array(0);
  private round = new Uint32Array(0);
  private current = 1;

  /** The things to come are below `count`. */
  clear(count: number): void {
    this.seen.length = 0;
    this.current++;
    if (count <= this.round.length) return;
    this.numberOf = new Uint32Array(Math.max(count, 2 * this.round.length));
    this.round = new Uint32Array(this.numberOf.length);
  }

  of(thing: number): number {
    if (this.round[thing] !== this.current) {
      this.round[thing] = this.current;
      this.numberOf[thing] = this.seen.push(thing) - 1;
    }
    return this.numberOf[thing]!;
  }
}

/** Cuts again and again, with the same memory. */
export class PairCutter {
  private readonly sets = new Numbering();
  private readonly blocks = new Numbering();

  /**
   * Cuts rows into tasks of about as much work, in order; the sets of all of them have a place while their task is asked
   * for.
   *
   * @param hashesOf hashes of the set of a document, about
   * @param most hashes that the pairs of a task have together; a pair that has more is a task of its own
   */
  *tasks(
    pairs: Pairs,
    rows: Uint32Array,
    places: SetPlaces,
    hashesOf: (document: number) => number,
    most = HASHES_PER_TASK,
  ): Generator<PairTask> {
    for (let from = 0, to = 0; from < rows.length; from = to) {
      for (let hashes = 0; to < rows.length; to++) {
        const more = hashesOf(pairs.a[rows[to]!]!) + hashesOf(pairs.b[rows[to]!]!);
        if (to > from && hashes + more > most) break;
        hashes += more;
      }
      yield this.task(pairs, rows.subarray(from, to), places);
    }
  }

  private task(pairs: Pairs, rows: Uint32Array, places: SetPlaces): PairTask {
    const { sets, blocks } = this;
    sets.clear(places.block.length);
    blocks.clear(places.names.length);
    const a = new Uint32Array(rows.length);
    const b = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      a[i] = sets.of(pairs.a[rows[i]!]!);
      b[i] = sets.of(pairs.b[rows[i]!]!);
    }
    const setBlock = new Uint32Array(sets.seen.length);
    const setIndex = new Uint32Array(sets.seen.length);
    for (let s = 0; s < setBlock.length; s++) {
      setBlock[s] = blocks.of(places.block[sets.seen[s]!]!);
      setIndex[s] = places.index[sets.seen[s]!]!;
    }
    const names = blocks.seen.map((block) => places.names[block]!);
    return { rows, columns: { a, b, setBlock, setIndex }, blocks: names };
  }
}
