/**
 * The order in which pairs are verified, so that a task needs the shingle sets of few documents.
 *
 * The memory for it depends on the rows and their documents, not on the size of the corpus, except for one number a document while
 * they are numbered.
 */
import { Uint32Column } from '../../arrays/growable.js';
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

/** Some rows of a list of pairs, over their documents alone, which are numbered from 0, ascending. */
interface Graph {
  readonly rows: Uint32Array;
  /** Row by row. */
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly documents: Uint32Array;
  readonly bytes: Float64Array;
}

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

function* graphOf(pairs: Pairs, rows: Uint32Array, bytesOf: BytesOf): Stepwise<Graph> {
  const documents = yield* documentsOf(pairs, rows);
  const numbers = new Uint32Array(documents.length === 0 ? 0 : documents[documents.length - 1]! + 1);
  for (let i = 0; i < documents.length; i++) numbers[documents[i]!] = i;
  const a = newArray(Uint32Array, rows.length);
  const b = newArray(Uint32Array, rows.length);
  yield* eachRange(rows.length, (from, to) => {
    for (let i = from; i < to; i++) {
      a[i] = numbers[pairs.a[rows[i]!]!]!;
      b[i] = numbers[pairs.b[rows[i]!]!]!;
    }
  });
  const bytes = new Float64Array(documents.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = bytesOf(documents[i]!);
  return { rows, a, b, documents, bytes };
}

/** The edges of each document: document d has the neighbours [starts[d], starts[d + 1]). */
interface Neighbours {
  readonly starts: Uint32Array;
  readonly neighbours: Uint32Array;
}

function* neighboursOf({ a, b, documents }: Graph): Stepwise<Neighbours> {
  const starts = new Uint32Array(documents.length + 2);
  // Two entries ahead, because filling in moves every start to the next.
  yield* eachRange(a.length, (from, to) => {
    for (let i = from; i < to; i++) {
      starts[a[i]! + 2]!++;
      starts[b[i]! + 2]!++;
    }
  });
  for (let d = 2; d < starts.length; d++) starts[d]! += starts[d - 1]!;
  const neighbours = newArray(Uint32Array, 2 * a.length);
  yield* eachRange(a.length, (from, to) => {
    for (let i = from; i < to; i++) {
      neighbours[starts[a[i]! + 1]!++] = b[i]!;
      neighbours[starts[b[i]! + 1]!++] = a[i]!;
    }
  });
  return { starts, neighbours };
}

const UNSEEN = 0xffffffff;

interface Walk {
  /** By document: its position in the walk. */
  readonly met: Uint32Array;
  /** By connected component: how many documents the walk had visited when it was done. */
  readonly ends: Uint32Array;
}

/** A step: a document can have thousands of neighbours. */
const MET_A_STEP = 1 << 12;

/**
 * Visits the documents of each connected component depth first, components by least document: documents that are alike are
 * visited together, even inside a large component.
 */
function* walk(graph: Graph): Stepwise<Walk> {
  const { starts, neighbours } = yield* neighboursOf(graph);
  const count = graph.documents.length;
  const met = new Uint32Array(count).fill(UNSEEN);
  const ends = new Uint32Array(count);
  const path = new Uint32Array(count);
  const next = starts.slice(0, count);
  let seen = 0;
  let components = 0;
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
    ends[components++] = seen;
  }
  return { met, ends: ends.subarray(0, components) };
}

/** Rows by connected component, and within it by the position of the later document in the walk. */
interface ComponentOrder {
  readonly order: Uint32Array;
  /** By component: where its rows end in the order. */
  readonly ends: Uint32Array;
  /** By component: bytes of the sets of its documents. */
  readonly bytes: Float64Array;
}

function* componentOrder(graph: Graph): Stepwise<ComponentOrder> {
  const { a, b, bytes } = graph;
  const { met, ends } = yield* walk(graph);
  const later = newArray(Uint32Array, a.length);
  const places = new Uint32Array(met.length + 1);
  yield* eachRange(a.length, (from, to) => {
    for (let i = from; i < to; i++) {
      later[i] = Math.max(met[a[i]!]!, met[b[i]!]!);
      places[later[i]! + 1]!++;
    }
  });
  for (let d = 0; d < met.length; d++) places[d + 1]! += places[d]!;
  const bytesMet = new Float64Array(met.length);
  for (let d = 0; d < met.length; d++) bytesMet[met[d]!] = bytes[d]!;
  const sums = new Float64Array(ends.length);
  for (let component = 0, d = 0; component < ends.length; component++) {
    for (; d < ends[component]!; d++) sums[component]! += bytesMet[d]!;
  }
  const rowEnds = ends.map((end) => places[end]!);
  const order = newArray(Uint32Array, a.length);
  yield* eachRange(a.length, (from, to) => {
    for (let i = from; i < to; i++) order[places[later[i]!]!++] = i;
  });
  return { order, ends: rowEnds, bytes: sums };
}

interface Components extends ComponentOrder {
  readonly graph: Graph;
}

function* componentsOf(pairs: Pairs, rows: Uint32Array, bytesOf: BytesOf): Stepwise<Components> {
  const graph = yield* graphOf(pairs, rows, bytesOf);
  return { graph, ...(yield* componentOrder(graph)) };
}

/** The rows taken since the last close, their documents, each once, and what their sets take together. */
class Gathering {
  bytes = 0;
  /** Rows in the order taken, over all gatherings. */
  private readonly taken: Uint32Array;
  private from = 0;
  private to = 0;
  private readonly documents: Uint32Array;
  private count = 0;
  /** By document: number of the last gathering it was in, from 1. */
  private readonly last: Uint32Array;
  private number = 1;
  private readonly graph: Graph;

  constructor(graph: Graph) {
    this.graph = graph;
    this.taken = newArray(Uint32Array, graph.rows.length);
    this.documents = new Uint32Array(graph.documents.length);
    this.last = new Uint32Array(graph.documents.length);
  }

  get isEmpty(): boolean {
    return this.to === this.from;
  }

  take(row: number): void {
    this.enter(this.graph.a[row]!);
    this.enter(this.graph.b[row]!);
    this.taken[this.to++] = this.graph.rows[row]!;
  }

  close(): PairGroup {
    const group = {
      rows: this.taken.subarray(this.from, this.to),
      documents: this.documents.slice(0, this.count),
    };
    this.from = this.to;
    this.bytes = 0;
    this.count = 0;
    this.number++;
    return group;
  }

  private enter(document: number): void {
    if (this.last[document] === this.number) return;
    this.last[document] = this.number;
    this.documents[this.count++] = this.graph.documents[document]!;
    this.bytes += this.graph.bytes[document]!;
  }
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

/**
 * Gathers components into groups, so that every document is in one group. A component beyond the bounds stays in `rest`; a
 * document of infinite size keeps its component there.
 */
export function* componentGroups(
  pairs: Pairs,
  rows: Uint32Array,
  bytesOf: BytesOf,
  { gathered, alone }: GroupBounds,
): Stepwise<ComponentGroups> {
  const { graph, order, ends, bytes } = yield* componentsOf(pairs, rows, bytesOf);
  const gathering = new Gathering(graph);
  const groups: PairGroup[] = [];
  const rest = newArray(Uint32Array, rows.length);
  let left = 0;
  for (let component = 0, next = 0; component < ends.length; component++) {
    const end = ends[component]!;
    if (bytes[component]! > alone) {
      while (next < end) rest[left++] = rows[order[next++]!]!;
      continue;
    }
    if (gathering.bytes + bytes[component]! > gathered && !gathering.isEmpty) {
      groups.push(gathering.close());
      yield;
    }
    while (next < end) gathering.take(order[next++]!);
  }
  if (!gathering.isEmpty) groups.push(gathering.close());
  return { groups, rest: rest.subarray(0, left) };
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
  /** By number of a set: whose it is. */
  readonly documents: Uint32Array;
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
    return { rows, documents, columns, blocks: names };
  }
}
