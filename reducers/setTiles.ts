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

import { sortByKey64 } from '../src/arrays/sort.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { SETS_A_BLOCK } from '../src/blocks/sets.js';
import type { Kernel, SetKey } from '../src/kernel/kernel.js';
import { combined, copiesOf, HATED, hasCopies, MOST_COPIES, type RowRule } from '../src/text/elements.js';
import { OccurrenceLabels } from '../src/text/labels.js';

type SetKernel = Pick<Kernel, 'sortUnique' | 'sortByKey64' | 'setKey'>;

/** One split's entries of the row chunk. */
export interface RowsOfSplit {
  readonly sets: Uint32Array;
  readonly elements: Uint32Array;
  /** Present where the rule has weights. */
  readonly weights?: Float64Array;
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
  readonly weights: Float64Array | null;
}

function byDocument(splits: readonly RowsOfSplit[], documents: number, weighs: boolean): Entries {
  const ends = new Uint32Array(documents + 1);
  for (const split of splits) {
    for (let i = 0; i < split.sets.length; i++) ends[split.documents[split.sets[i]!]! + 1]!++;
  }
  for (let d = 0; d < documents; d++) ends[d + 1]! += ends[d]!;
  const total = ends[documents]!;
  const elements = new Uint32Array(2 * total);
  const weights = weighs ? new Float64Array(total) : null;
  for (const split of splits) {
    const { sets, documents: documentOf } = split;
    for (let i = 0; i < sets.length; i++) {
      // Moves the begin of a document's records to their end.
      const at = ends[documentOf[sets[i]!]!]!++;
      elements[2 * at] = split.elements[2 * i]!;
      elements[2 * at + 1] = split.elements[2 * i + 1]!;
      if (weights !== null) weights[at] = split.weights![i]!;
    }
  }
  return { ends, elements, weights };
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

/** Combines the records of one set at a time; the results overwrite the records that were read. */
class SetReducer {
  private readonly rule: RowRule;
  private readonly kernel: SetKernel;
  private readonly key: SetKey;
  private readonly labels: OccurrenceLabels;
  private order = new Uint32Array(1024);
  private sortedWeights = new Float64Array(1024);

  constructor(rule: RowRule, seed: number, kernel: SetKernel) {
    this.rule = rule;
    this.kernel = kernel;
    this.key = kernel.setKey(seed);
    this.labels = new OccurrenceLabels(seed);
  }

  /** Reduces the records [from, to) of one document; adds nothing if no element remains. */
  reduce(document: number, from: number, to: number, { elements, weights }: Entries, out: TileColumns): void {
    const run = elements.subarray(2 * from, 2 * to);
    const before = out.elements;
    const size =
      weights === null
        ? this.distinct(run, from, elements, out)
        : this.weighed(run, weights.subarray(from, to), elements, out);
    if (out.elements === before) return;
    this.key(out.keys, 4 * out.sets, elements, before, out.elements, out.copies);
    out.documents[out.sets] = document;
    out.ends[out.sets] = out.elements;
    out.sizes[out.sets++] = size;
  }

  private distinct(run: Uint32Array, from: number, elements: Uint32Array, out: TileColumns): number {
    const distinct = this.kernel.sortUnique(run, run.length / 2);
    elements.copyWithin(2 * out.elements, 2 * from, 2 * (from + distinct));
    out.elements += distinct;
    return distinct;
  }

  private weighed(run: Uint32Array, weights: Float64Array, elements: Uint32Array, out: TileColumns): number {
    const sorted = this.sorted(run, weights);
    let size = 0;
    for (let i = 0; i < weights.length; ) {
      const low = run[2 * i]!;
      const high = run[2 * i + 1]!;
      let together = sorted[i]!;
      for (i++; i < weights.length && run[2 * i] === low && run[2 * i + 1] === high; i++) {
        together = combined(this.rule, together, sorted[i]!);
      }
      size += this.enter(low, high, together, elements, out);
    }
    return size;
  }

  /** Sorts the run by its hashes, and returns the weights in that order. */
  private sorted(run: Uint32Array, weights: Float64Array): Float64Array {
    const count = weights.length;
    if (this.order.length < count) {
      this.order = new Uint32Array(2 * count);
      this.sortedWeights = new Float64Array(2 * count);
    }
    const { order, sortedWeights } = this;
    for (let i = 0; i < count; i++) order[i] = i;
    (this.kernel.sortByKey64 ?? sortByKey64)(run, order, count);
    for (let i = 0; i < count; i++) sortedWeights[i] = weights[order[i]!]!;
    return sortedWeights;
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
  const entries = byDocument(splits, documents, splits[0]?.weights !== undefined);
  const total = entries.elements.length / 2;
  const out = new TileColumns(Math.min(documents, total), total, hasCopies(rule));
  const reducer = new SetReducer(rule, seed, kernel);
  for (let d = 0, from = 0; d < documents; d++) {
    const to = entries.ends[d]!;
    if (to > from) reducer.reduce(d, from, to, entries, out);
    from = to;
  }
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

/** Splits the columns by document batch. */
function cut({ documents, ends, copies, sets }: TileColumns, elements: Uint32Array): Map<number, Block> {
  const blocks = new Map<number, Block>();
  for (let from = 0, to = 0, first = 0; from < sets; from = to) {
    const block = Math.floor(documents[from]! / SETS_A_BLOCK);
    while (to < sets && Math.floor(documents[to]! / SETS_A_BLOCK) === block) to++;
    const last = ends[to - 1]!;
    const start = first;
    const columns = {
      sets: documents.subarray(from, to).map((document) => document - block * SETS_A_BLOCK),
      ends: ends.subarray(from, to).map((end) => end - start),
      elements: elements.subarray(2 * first, 2 * last),
    };
    const all = copies === null ? columns : { ...columns, copies: copies.subarray(first, last) };
    blocks.set(block, encodeBlock('setTiles', {}, all, true));
    first = last;
  }
  return blocks;
}
