/**
 * In which order pairs are verified, so that the shingle sets of few documents are needed at a time.
 *
 * Floor 4. Works on document numbers and sizes of sets; never knows where sets come from.
 */

import { disjointSets, rootOf, unite } from '../sketch/disjointSets.js';
import type { Pairs } from '../sketch/pairs.js';

/** Rows of a list of pairs that are verified together, and the documents in them, each once. */
export interface PairGroup {
  readonly rows: Uint32Array;
  readonly documents: Uint32Array;
}

/** Rows by connected component, components by least document, rows of one in their own order. */
interface ComponentOrder {
  readonly rows: Uint32Array;
  /** By document, where it is the least of its component, else 0: rows of the component, and bytes of its sets. */
  readonly sizes: Uint32Array;
  readonly bytes: Float64Array;
}

function componentOrder(pairs: Pairs, rows: Uint32Array, bytesOf: Float64Array): ComponentOrder {
  const { a, b } = pairs;
  const documents = bytesOf.length;
  const sets = disjointSets(documents);
  const isIn = new Uint8Array(documents);
  for (let i = 0; i < rows.length; i++) {
    const first = a[rows[i]!]!;
    const second = b[rows[i]!]!;
    unite(sets, first, second);
    isIn[first] = 1;
    isIn[second] = 1;
  }
  const sizes = new Uint32Array(documents);
  for (let i = 0; i < rows.length; i++) sizes[rootOf(sets, a[rows[i]!]!)]!++;
  const places = new Uint32Array(documents);
  const bytes = new Float64Array(documents);
  for (let d = 0, place = 0; d < documents; d++) {
    places[d] = place;
    place += sizes[d]!;
    if (isIn[d] === 1) bytes[rootOf(sets, d)]! += bytesOf[d]!;
  }
  const order = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) order[places[rootOf(sets, a[rows[i]!]!)]!++] = rows[i]!;
  return { rows: order, sizes, bytes };
}

/** The documents of the rows taken since the last close, each once, and what their sets take together. */
class Gathering {
  bytes = 0;
  private count = 0;
  private readonly list: Uint32Array;
  /** By document: number of the last gathering it was in, from 1. */
  private readonly last: Uint32Array;
  private number = 1;
  private readonly pairs: Pairs;
  private readonly bytesOf: Float64Array;

  constructor(pairs: Pairs, bytesOf: Float64Array) {
    this.pairs = pairs;
    this.bytesOf = bytesOf;
    this.list = new Uint32Array(bytesOf.length);
    this.last = new Uint32Array(bytesOf.length);
  }

  /** Bytes that the documents of a row would add. */
  added(row: number): number {
    const a = this.pairs.a[row]!;
    const b = this.pairs.b[row]!;
    const bytesOfA = this.last[a] === this.number ? 0 : this.bytesOf[a]!;
    return bytesOfA + (this.last[b] === this.number ? 0 : this.bytesOf[b]!);
  }

  take(row: number): void {
    this.enter(this.pairs.a[row]!);
    this.enter(this.pairs.b[row]!);
  }

  close(): Uint32Array {
    const documents = this.list.slice(0, this.count);
    this.bytes = 0;
    this.count = 0;
    this.number++;
    return documents;
  }

  private enter(document: number): void {
    if (this.last[document] === this.number) return;
    this.last[document] = this.number;
    this.list[this.count++] = document;
    this.bytes += this.bytesOf[document]!;
  }
}

/** Rows in groups of whole components, and the rows of the components that are too large for one. */
export interface ComponentGroups {
  readonly groups: readonly PairGroup[];
  readonly rest: Uint32Array;
}

/**
 * Gathers components into groups whose documents' sets take at most `bound` bytes together, so that every document is
 * in one group. A component that is larger stays in `rest`; a document of infinite size keeps its component there.
 */
export function componentGroups(
  pairs: Pairs,
  rows: Uint32Array,
  bytesOf: Float64Array,
  bound: number,
): ComponentGroups {
  const order = componentOrder(pairs, rows, bytesOf);
  const gathering = new Gathering(pairs, bytesOf);
  const groups: PairGroup[] = [];
  const rest = new Uint32Array(rows.length);
  const taken = new Uint32Array(rows.length);
  let left = 0;
  let from = 0;
  let to = 0;
  const close = (): void => {
    if (to > from) groups.push({ rows: taken.subarray(from, to), documents: gathering.close() });
    from = to;
  };
  for (let d = 0, next = 0; d < bytesOf.length; d++) {
    const end = next + order.sizes[d]!;
    if (next === end) continue;
    if (order.bytes[d]! > bound) {
      while (next < end) rest[left++] = order.rows[next++]!;
      continue;
    }
    if (gathering.bytes + order.bytes[d]! > bound) close();
    for (; next < end; next++) {
      gathering.take(order.rows[next]!);
      taken[to++] = order.rows[next]!;
    }
  }
  close();
  return { groups, rest: rest.subarray(0, left) };
}

/**
 * Cuts rows into groups whose documents' sets take at most `bound` bytes together; a pair that needs more is a group of
 * its own. Connected components stay together where they are not larger than the bound, so that only documents of larger
 * ones are in several groups, and neighbours in a group share documents.
 *
 * @param bytesOf by document of the corpus: size of its set
 */
export function* pairGroups(
  pairs: Pairs,
  rows: Uint32Array,
  bytesOf: Float64Array,
  bound: number,
): Generator<PairGroup> {
  if (rows.length === 0) return;
  const order = componentOrder(pairs, rows, bytesOf);
  const group = new Gathering(pairs, bytesOf);
  let from = 0;
  let next = 0;
  const close = (): PairGroup => {
    const closed = { rows: order.rows.subarray(from, next), documents: group.close() };
    from = next;
    return closed;
  };
  for (let d = 0; d < bytesOf.length; d++) {
    const end = next + order.sizes[d]!;
    const isLarge = order.bytes[d]! > bound;
    if (next > from && next < end && group.bytes + order.bytes[d]! > bound) yield close();
    for (; next < end; next++) {
      if (isLarge && next > from && group.bytes + group.added(order.rows[next]!) > bound) yield close();
      group.take(order.rows[next]!);
    }
  }
  if (next > from) yield close();
}
