/**
 * Reduce by row chunk: the records of all splits for one (set, element) -> the element once, with its
 * multiplicity in the set.
 *
 * Works on numbers of sets. Contributions are combined by the rule of the run (src/text/elements.ts),
 * elements are labelled (the labels 1 .. n are stored as the count n until the rows are needed) and made
 * distinct; sets that are equal after labelling get equal content hashes. The result goes to the document batches
 * of the sets, which are numbered in the order of their names.
 *
 * Records are ordered by set through counting, and by hash within a set through a radix sort, so the cost of
 * an element in every set, or of a set with a million elements, is that of its lines.
 */

import { lowerBound } from '../src/arrays/search.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type RowWeights, SETS_A_BLOCK } from '../src/blocks/sets.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { combined, copiesOf, HATED, hasCopies, MOST_COPIES, type RowRule } from '../src/text/elements.js';
import { OccurrenceLabels } from '../src/text/labels.js';

type SetKernel = Pick<Kernel, 'sortUnique' | 'sortByKey64' | 'setKeys'>;

/** Up to so many records of a set are sorted where they stand: a row chunk has few of most sets, and a call takes longer than they do. */
const FEW_RECORDS = 24;

/** One split's entries of the row chunk. */
export interface RowsOfSplit {
  readonly sets: Uint32Array;
  readonly elements: Uint32Array;
  /** Present where the rule has weights. */
  readonly weights?: RowWeights;
  /** Number of the document by number of the set in the split. */
  readonly documents: Uint32Array;
}

interface SetTiles {
  /** By number of the document batch, ascending: kind `setTiles`, shared. */
  readonly blocks: ReadonlyMap<number, Block>;
  /** Kind `setFacts`. */
  readonly facts: Block;
  readonly entries: number;
}

/** All records of the chunk in the order of their documents. */
interface Entries {
  /** By document: where its entries end. */
  readonly ends: Uint32Array;
  readonly elements: Uint32Array;
  readonly weights: RowWeights | null;
}

function byDocument(splits: readonly RowsOfSplit[], documents: number): Entries {
  const ends = new Uint32Array(documents + 1);
  for (const split of splits) count(split, ends);
  addUp(ends);
  const total = ends[documents]!;
  const elements = new Uint32Array(2 * total);
  const given = splits[0]?.weights;
  const Weights = given instanceof Uint8Array ? Uint8Array : Float64Array;
  const weights = given === undefined ? null : new Weights(total);
  for (const split of splits) place(split, ends, elements, weights);
  return { ends, elements, weights };
}

// A loop a function, which is then compiled once.

/** Adds the records of a split to the counts of the documents after theirs. */
function count({ sets, documents }: RowsOfSplit, counts: Uint32Array): void {
  for (let i = 0; i < sets.length; i++) counts[documents[sets[i]!]! + 1]!++;
}

/** Turns counts into where those behind them begin. */
function addUp(counts: Uint32Array): void {
  for (let d = 1; d < counts.length; d++) counts[d]! += counts[d - 1]!;
}

/** Writes the records of a split behind those of the same document; `ends` moves from the begin of a document's records to their end. */
function place(
  { sets, documents, ...split }: RowsOfSplit,
  ends: Uint32Array,
  elements: Uint32Array,
  weights: RowWeights | null,
): void {
  const from = split.elements;
  const weighed = split.weights;
  for (let i = 0; i < sets.length; i++) {
    const at = ends[documents[sets[i]!]!]!++;
    elements[2 * at] = from[2 * i]!;
    elements[2 * at + 1] = from[2 * i + 1]!;
    if (weights !== null) weights[at] = weighed![i]!;
  }
}

/** The reduced sets, one after the other: columns as in the blocks, all document batches in one. */
class TileColumns {
  readonly documents: Uint32Array;
  readonly ends: Uint32Array;
  readonly sizes: Float64Array;
  readonly keys: Uint32Array;
  readonly isCut: Uint8Array;
  readonly copies: Uint16Array | null;
  sets = 0;
  elements = 0;

  constructor(sets: number, elements: number, copies: boolean) {
    this.documents = new Uint32Array(sets);
    this.ends = new Uint32Array(sets);
    this.sizes = new Float64Array(sets);
    this.keys = new Uint32Array(4 * sets);
    this.isCut = new Uint8Array(sets);
    this.copies = copies ? new Uint16Array(elements) : null;
  }
}

/** Sorts few records by their hashes, which are compared as unsigned numbers; equal ones keep their order. */
function sortFew(from: number, to: number, elements: Uint32Array, weights: RowWeights | null): void {
  for (let i = from + 1; i < to; i++) {
    const low = elements[2 * i]!;
    const high = elements[2 * i + 1]!;
    const weight = weights === null ? 0 : weights[i]!;
    let at = i;
    for (; at > from; at--) {
      const before = elements[2 * at - 1]!;
      if (before < high || (before === high && elements[2 * at - 2]! <= low)) break;
      elements[2 * at] = elements[2 * at - 2]!;
      elements[2 * at + 1] = before;
      if (weights !== null) weights[at] = weights[at - 1]!;
    }
    elements[2 * at] = low;
    elements[2 * at + 1] = high;
    if (weights !== null) weights[at] = weight;
  }
}

/** Combines the records of one set at a time; the results overwrite the records that were read. */
class SetReducer {
  private readonly rule: RowRule;
  private readonly kernel: SetKernel;
  private readonly labels: OccurrenceLabels;
  private order = new Uint32Array(1024);

  constructor(rule: RowRule, seed: number, kernel: SetKernel) {
    this.rule = rule;
    this.kernel = kernel;
    this.labels = new OccurrenceLabels(seed);
  }

  reduceAll(documents: number, entries: Entries, out: TileColumns): void {
    for (let d = 0, from = 0; d < documents; d++) {
      const to = entries.ends[d]!;
      if (to > from) this.reduce(d, from, to, entries, out);
      from = to;
    }
  }

  /** Reduces the records [from, to) of one document; adds nothing if no element remains. */
  reduce(document: number, from: number, to: number, entries: Entries, out: TileColumns): void {
    const before = out.elements;
    const size = this.combine(from, this.sorted(from, to, entries), entries, out);
    if (out.elements === before) return;
    out.documents[out.sets] = document;
    out.ends[out.sets] = out.elements;
    out.sizes[out.sets++] = size;
  }

  /** Combines the sorted records [from, to) of one set; returns how many elements it has, copies counted. */
  private combine(from: number, to: number, { elements, weights }: Entries, out: TileColumns): number {
    const { rule } = this;
    let size = 0;
    for (let i = from; i < to; ) {
      const low = elements[2 * i]!;
      const high = elements[2 * i + 1]!;
      let together = weights === null ? 1 : weights[i]!;
      for (i++; i < to && elements[2 * i] === low && elements[2 * i + 1] === high; i++) {
        if (weights !== null) together = combined(rule, together, weights[i]!);
      }
      size += this.enter(low, high, together, elements, out);
    }
    return size;
  }

  /** Sorts the records [from, to) by their hashes, their weights with them; returns where those end that are left to combine. */
  private sorted(from: number, to: number, { elements, weights }: Entries): number {
    const count = to - from;
    if (count <= FEW_RECORDS) {
      sortFew(from, to, elements, weights);
      return to;
    }
    const run = elements.subarray(2 * from, 2 * to);
    if (weights === null) return from + this.kernel.sortUnique(run, count);
    if (this.order.length < count) this.order = new Uint32Array(2 * count);
    const { order } = this;
    for (let i = 0; i < count; i++) order[i] = i;
    this.kernel.sortByKey64(run, order, count);
    const before = weights.slice(from, to);
    for (let i = 0; i < count; i++) weights[from + i] = before[order[i]!]!;
    return to;
  }

  /** Adds an element with the combined contribution of its lines; returns its multiplicity in the set. */
  private enter(
    low: number,
    high: number,
    together: number,
    elements: Uint32Array,
    out: TileColumns,
  ): number {
    let copies = copiesOf(this.rule, together);
    if (copies === 0) return 0;
    if (copies > MOST_COPIES) {
      copies = MOST_COPIES;
      out.isCut[out.sets] = 1;
    }
    const at = out.elements++;
    const label = this.rule === 'liked-hated' && together === 0 ? HATED : 1;
    this.labels.writeLabelled(elements, 2 * at, low, high, label);
    if (out.copies !== null) out.copies[at] = copies;
    return copies;
  }
}

/** The tiles of one row chunk over `documents` sets. */
export function setTiles(
  splits: readonly RowsOfSplit[],
  documents: number,
  rule: RowRule,
  seed: number,
  kernel: SetKernel,
): SetTiles {
  const entries = byDocument(splits, documents);
  const total = entries.elements.length / 2;
  const out = new TileColumns(Math.min(documents, total), total, hasCopies(rule));
  const reducer = new SetReducer(rule, seed, kernel);
  reducer.reduceAll(documents, entries, out);
  kernel.setKeys(seed)(out.keys, out.ends, out.sets, entries.elements, out.copies);
  return { blocks: cut(out, entries.elements), facts: factsOf(out), entries: total };
}

function factsOf({ documents, sizes, keys, isCut, sets }: TileColumns): Block {
  return encodeBlock(
    'setFacts',
    {},
    {
      documents: documents.subarray(0, sets),
      sizes: sizes.subarray(0, sets),
      keys: keys.subarray(0, 4 * sets),
      isCut: isCut.subarray(0, sets),
    },
  );
}

/** `values[from .. to)`, each less by `less`. */
function lessBy(values: Uint32Array, from: number, to: number, less: number): Uint32Array {
  const found = new Uint32Array(to - from);
  for (let i = from; i < to; i++) found[i - from] = values[i]! - less;
  return found;
}

/** Splits the columns by document batch. */
function cut({ documents, ends, copies, sets }: TileColumns, elements: Uint32Array): Map<number, Block> {
  const blocks = new Map<number, Block>();
  for (let from = 0, to = 0, first = 0; from < sets; from = to) {
    const block = Math.floor(documents[from]! / SETS_A_BLOCK);
    to = lowerBound(documents, from, sets, (block + 1) * SETS_A_BLOCK);
    const last = ends[to - 1]!;
    const columns = {
      sets: lessBy(documents, from, to, block * SETS_A_BLOCK),
      ends: lessBy(ends, from, to, first),
      elements: elements.subarray(2 * first, 2 * last),
    };
    const all = copies === null ? columns : { ...columns, copies: copies.subarray(first, last) };
    blocks.set(block, encodeBlock('setTiles', {}, all, true));
    first = last;
  }
  return blocks;
}
