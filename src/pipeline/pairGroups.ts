/**
 * In which order pairs are verified, so that the shingle sets of few documents are needed at a time.
 *
 * Floor 4. Works on document numbers and sizes of sets; never knows where sets come from.
 */
import type { Pairs } from '../../reducers/candidatePairs.js';
import { disjointSets, rootOf, unite } from '../sketch/disjointSets.js';

/** Rows of a list of pairs that are verified together, and the documents in them, each once. */
export interface PairGroup {
  readonly rows: Uint32Array;
  readonly documents: Uint32Array;
}

/** Rows by connected component, components by least document, rows of one in their own order. */
interface ComponentOrder {
  readonly rows: Uint32Array;
  /** By document: rows of the component of which it is the least, else 0. */
  readonly sizes: Uint32Array;
}

function componentOrder(pairs: Pairs, rows: Uint32Array, documents: number): ComponentOrder {
  const { a, b } = pairs;
  const sets = disjointSets(documents);
  for (let i = 0; i < rows.length; i++) unite(sets, a[rows[i]!]!, b[rows[i]!]!);
  const sizes = new Uint32Array(documents);
  for (let i = 0; i < rows.length; i++) sizes[rootOf(sets, a[rows[i]!]!)]!++;
  const places = new Uint32Array(documents);
  for (let d = 0, place = 0; d < documents; place += sizes[d++]!) places[d] = place;
  const order = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) order[places[rootOf(sets, a[rows[i]!]!)]!++] = rows[i]!;
  return { rows: order, sizes };
}

/** The documents of some rows, each once, and how much their sets take together. */
class Gathering {
  bytes = 0;
  private count = 0;
  private list: Uint32Array;
  /** By document: number of the last gathering it was in, from 1. */
  private readonly last: Uint32Array;
  private number = 1;
  private readonly pairs: Pairs;
  private readonly bytesOf: (document: number) => number;

  constructor(pairs: Pairs, documents: number, bytesOf: (document: number) => number) {
    this.pairs = pairs;
    this.bytesOf = bytesOf;
    this.list = new Uint32Array(documents);
    this.last = new Uint32Array(documents);
  }

  clear(): void {
    this.bytes = 0;
    this.count = 0;
    this.number++;
  }

  /** Bytes that the documents of a row would add. */
  added(row: number): number {
    return this.addedBy(this.pairs.a[row]!) + this.addedBy(this.pairs.b[row]!);
  }

  take(row: number): void {
    this.enter(this.pairs.a[row]!);
    this.enter(this.pairs.b[row]!);
  }

  documents(): Uint32Array {
    return this.list.slice(0, this.count);
  }

  private addedBy(document: number): number {
    return this.last[document] === this.number ? 0 : this.bytesOf(document);
  }

  private enter(document: number): void {
    if (this.last[document] === this.number) return;
    this.last[document] = this.number;
    this.list[this.count++] = document;
    this.bytes += this.bytesOf(document);
  }
}

/**
 * Cuts rows into groups whose documents' sets take at most `bound` bytes together; a pair that needs more is a group of
 * its own. Connected components stay together where they are not larger than the bound, so that only documents of larger
 * ones are in several groups, and neighbours in a group share documents.
 *
 * @param documents documents of the corpus
 * @param bytesOf size of the set of a document
 */
export function* pairGroups(
  pairs: Pairs,
  rows: Uint32Array,
  documents: number,
  bytesOf: (document: number) => number,
  bound: number,
): Generator<PairGroup> {
  if (rows.length === 0) return;
  const order = componentOrder(pairs, rows, documents);
  const group = new Gathering(pairs, documents, bytesOf);
  const component = new Gathering(pairs, documents, bytesOf);
  let from = 0;
  let next = 0;
  const close = (): PairGroup => {
    const closed = { rows: order.rows.subarray(from, next), documents: group.documents() };
    from = next;
    group.clear();
    return closed;
  };
  for (let d = 0; d < documents; d++) {
    const end = next + order.sizes[d]!;
    component.clear();
    for (let i = next; i < end; i++) component.take(order.rows[i]!);
    if (next > from && group.bytes + component.bytes > bound) yield close();
    for (; next < end; next++) {
      if (next > from && group.bytes + group.added(order.rows[next]!) > bound) yield close();
      group.take(order.rows[next]!);
    }
  }
  if (next > from) yield close();
}
