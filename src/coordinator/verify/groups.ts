/**
 * The order in which pairs are verified, so that a task needs the shingle sets of few documents.
 *
 * The memory for it depends on the rows and their documents, not on the size of the corpus, except for one number a document while
 * they are numbered.
 */
import { type RowsByKey, rowsByKey } from '../../arrays/groupCounts.js';
import { concatenated, Uint32Column } from '../../arrays/growable.js';
import { newArray } from '../../arrays/ownPages.js';
import { eachRange, type Stepwise } from '../../arrays/stepwise.js';
import type { Pairs } from '../../blocks/pairs.js';

/** Rows of a list of pairs that are verified together, and the documents in them, each once. */
export interface PairGroup {
  readonly rows: Uint32Array;
  readonly documents: Uint32Array;
}

/** Bytes of the set of a document. */
type BytesOf = (document: number) => number;

/** The documents of some rows, ascending, each once. */
export function* documentsOf({ a, b }: Pairs, rows: Uint32Array): Stepwise<Uint32Array> {
  let last = -1;
  yield* eachRange(rows.length, (from, to) => {
    for (let i = from; i < to; i++) last = Math.max(last, a[rows[i]!]!, b[rows[i]!]!);
  });
  const isIn = new Uint8Array(last + 1);
  yield* eachRange(rows.length, (from, to) => {
    for (let i = from; i < to; i++) {
      isIn[a[rows[i]!]!] = 1;
      isIn[b[rows[i]!]!] = 1;
    }
  });
  let count = 0;
  for (let d = 0; d <= last; d++) count += isIn[d]!;
  const documents = new Uint32Array(count);
  for (let d = 0, next = 0; d <= last; d++) if (isIn[d] === 1) documents[next++] = d;
  return documents;
}

const UNSEEN = 0xffffffff;

interface Walk {
  /** By document: its position in the walk. */
  readonly met: Uint32Array;
  /** By connected component: how many documents the walk had visited when it was done. */
  readonly ends: readonly number[];
}

/** A step: a document can have thousands of neighbours. */
const MET_A_STEP = 1 << 12;

/**
 * Visits the documents of each connected component depth first, components by least document: documents that are alike are
 * visited together, even inside a large component.
 *
 * @param neighbours by document
 */
function* walk({ starts, rows: neighbours }: RowsByKey): Stepwise<Walk> {
  const count = starts.length - 1;
  const met = new Uint32Array(count).fill(UNSEEN);
  const ends: number[] = [];
  const path = new Uint32Array(count);
  const next = starts.slice();
  let seen = 0;
  for (let root = 0; root < count; root++) {
    if (met[root] !== UNSEEN) continue;
    met[root] = seen++;
    path[0] = root;
    for (let depth = 1; depth > 0; ) {
      const document = path[depth - 1]!;
      const end = starts[document + 1]!;
      let at = next[document]!;
      while (at < end && met[neighbours[at]!] !== UNSEEN) at++;
      next[document] = at;
      if (at === end) {
        depth--;
        continue;
      }
      path[depth++] = neighbours[at]!;
      met[neighbours[at]!] = seen++;
      if (seen % MET_A_STEP === 0) yield;
    }
    ends.push(seen);
  }
  return { met, ends };
}

/** Rows in groups of whole components, and the rows of the components that are too large for one, component after component. */
interface ComponentGroups {
  readonly groups: readonly PairGroup[];
  readonly rest: Uint32Array;
}

/** Bytes of sets: of the components gathered in a group, and of one that is a group of its own. */
export interface GroupBounds {
  readonly gathered: number;
  /** At least `gathered`. */
  readonly alone: number;
}

/** Components that follow one another in the walk: those of the documents from `from` to `to` in its order. */
interface Stretch {
  readonly from: number;
  to: number;
  /** Of their sets. */
  bytes: number;
  readonly isLarge: boolean;
}

/**
 * Gathers components into groups, so that every document is in one group. A component beyond the bounds stays in `rest`; a
 * document of infinite size keeps its component there. Rows are in the order in which the walk has met both of their documents.
 */
export function* componentGroups(
  pairs: Pairs,
  rows: Uint32Array,
  bytesOf: BytesOf,
  { gathered, alone }: GroupBounds,
): Stepwise<ComponentGroups> {
  const documents = yield* documentsOf(pairs, rows);
  const numbers = new Uint32Array((documents.at(-1) ?? -1) + 1);
  for (let i = 0; i < documents.length; i++) numbers[documents[i]!] = i;
  const a = newArray(Uint32Array, rows.length);
  const b = newArray(Uint32Array, rows.length);
  for (let i = 0; i < rows.length; i++) {
    a[i] = numbers[pairs.a[rows[i]!]!]!;
    b[i] = numbers[pairs.b[rows[i]!]!]!;
  }
  yield;
  const neighbours = rowsByKey(documents.length, (give) => {
    for (let i = 0; i < rows.length; i++) {
      give(a[i]!, b[i]!);
      give(b[i]!, a[i]!);
    }
  });
  yield;
  const { met, ends } = yield* walk(neighbours);
  const walked = new Uint32Array(documents.length);
  for (let i = 0; i < documents.length; i++) walked[met[i]!] = documents[i]!;
  const ordered = rowsByKey(documents.length, (give) => {
    for (let i = 0; i < rows.length; i++) give(Math.max(met[a[i]!]!, met[b[i]!]!), rows[i]!);
  });
  yield;
  const stretches: Stretch[] = [];
  for (let component = 0, from = 0; component < ends.length; component++) {
    const to = ends[component]!;
    let bytes = 0;
    for (let i = from; i < to; i++) bytes += bytesOf(walked[i]!);
    const isLarge = bytes > alone;
    const last = stretches.at(-1);
    const fits = isLarge || (last !== undefined && last.bytes + bytes <= gathered);
    if (last?.isLarge === isLarge && fits) {
      last.to = to;
      last.bytes += bytes;
    } else stretches.push({ from, to, bytes, isLarge });
    from = to;
  }
  const rowsOf = ({ from, to }: Stretch): Uint32Array =>
    ordered.rows.subarray(ordered.starts[from]!, ordered.starts[to]!);
  const groups = stretches
    .filter(({ isLarge }) => !isLarge)
    .map((stretch) => ({ rows: rowsOf(stretch), documents: walked.subarray(stretch.from, stretch.to) }));
  const large = stretches.filter(({ isLarge }) => isLarge).map(rowsOf);
  return { groups, rest: large.length === 1 ? large[0]! : concatenated(large) };
}

/*
 * Cuts the pairs of a group into tasks; a task has the places of the sets that it needs, and no others.
 */

/** Most hashes in the sets of a task: as many as a comparer reads at a time, some 20 ms. */
export const HASHES_PER_TASK = 1 << 22;
/** The cost of comparing a pair, in hashes that are read. */
const PAIR_IN_HASHES = 16;

/** Where the set of a document is: set `index[d]` of the block with the name `names[block[d]]`. */
export interface SetPlaces {
  readonly block: Uint32Array;
  readonly index: Uint32Array;
  readonly names: readonly string[];
}

export interface PairTask {
  /** The rows of these pairs in the list. */
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

  /** The numbers to come are below `count`. */
  clear(count: number): void {
    this.seen.length = 0;
    this.current++;
    if (count <= this.round.length) return;
    this.numberOf = new Uint32Array(Math.max(count, 2 * this.round.length));
    this.round = new Uint32Array(this.numberOf.length);
  }

  has(thing: number): boolean {
    return this.round[thing] === this.current;
  }

  of(thing: number): number {
    if (!this.has(thing)) {
      this.round[thing] = this.current;
      this.numberOf[thing] = this.seen.push(thing) - 1;
    }
    return this.numberOf[thing]!;
  }
}

/** Cuts lists of pairs one after the other in the same memory. */
export class PairCutter {
  private readonly sets = new Numbering();
  private readonly blocks = new Numbering();
  private readonly a = new Uint32Column();
  private readonly b = new Uint32Column();

  /**
   * Cuts rows into tasks of about equal work, in order; the sets of a task need a place only while that task is
   * made.
   *
   * @param hashesOf hashes of the set of a document, about
   * @param most hashes of the sets of a task, each counted once, and what its pairs cost; a pair that has more is a task of its
   *     own
   */
  *tasks(
    pairs: Pairs,
    rows: Uint32Array,
    places: SetPlaces,
    hashesOf: (document: number) => number,
    most = HASHES_PER_TASK,
  ): Generator<PairTask> {
    const { sets, a, b } = this;
    const added = (document: number): number => (sets.has(document) ? 0 : hashesOf(document));
    for (let from = 0, to = 0; from < rows.length; from = to) {
      sets.clear(places.block.length);
      a.truncate(0);
      b.truncate(0);
      for (let hashes = 0; to < rows.length; to++) {
        const [x, y] = [pairs.a[rows[to]!]!, pairs.b[rows[to]!]!];
        hashes += added(x) + added(y) + PAIR_IN_HASHES;
        if (to > from && hashes > most) break;
        a.push(sets.of(x));
        b.push(sets.of(y));
      }
      yield this.task(rows.subarray(from, to), places);
    }
  }

  /** The sets of the rows are numbered. */
  private task(rows: Uint32Array, places: SetPlaces): PairTask {
    const { sets, blocks, a, b } = this;
    blocks.clear(places.names.length);
    const documents = Uint32Array.from(sets.seen);
    const setBlock = documents.map((document) => blocks.of(places.block[document]!));
    const setIndex = documents.map((document) => places.index[document]!);
    const names = blocks.seen.map((block) => places.names[block]!);
    const columns = { a: a.view.slice(), b: b.view.slice(), setBlock, setIndex };
    return { rows, columns, blocks: names };
  }
}
