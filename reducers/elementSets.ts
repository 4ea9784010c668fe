/**
 * Reduce by set: all records of a set, in any order -> its distinct elements with their multiplicity.
 *
 * Contributions are combined by the rule of the run (src/text/elements.ts), elements are labelled (the labels 1 .. n are stored as the
 * count n until the shingles are needed) and made distinct; sets that are equal after labelling get equal content keys.
 *
 * Records are ordered by set with a counting sort, and by hash within a set with a radix sort, so time is linear in the records.
 */

import { type Block, encodeBlock } from '../src/blocks/block.js';
import type { RowWeights } from '../src/blocks/sets.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { combined, copiesOf, HATED, hasCopies, MOST_COPIES, type RowRule } from '../src/text/elements.js';
import { OccurrenceLabels } from '../src/text/labels.js';

type SetKernel = Pick<Kernel, 'sortUnique' | 'sortByKey64' | 'setKeys'>;

/** Up to this many records are sorted here, which is faster than a call of the kernel. */
const FEW_RECORDS = 24;

/** Records in any order. */
export interface SetRecords {
  /** Numbers of their sets. */
  readonly sets: Uint32Array;
  readonly elements: Uint32Array;
  /** Present if the rule has weights. */
  readonly weights?: RowWeights;
}

interface ElementSets {
  /** Kind `elementSets` (src/blocks/sets.ts), shared. */
  readonly block: Block;
  /** By set: number of elements including copies. */
  readonly sizes: Float64Array;
  /** By set: its content key, four words. */
  readonly keys: Uint32Array;
  /** By set, 1 if the multiplicity of an element was cut to MOST_COPIES. */
  readonly isCut: Uint8Array;
}

/** All records in the order of their sets. */
interface Entries {
  /** By set: where its entries end. */
  readonly ends: Uint32Array;
  readonly elements: Uint32Array;
  readonly weights: RowWeights | null;
}

function bySet({ sets, ...records }: SetRecords, count: number): Entries {
  const ends = new Uint32Array(count + 1);
  for (let i = 0; i < sets.length; i++) ends[sets[i]! + 1]!++;
  for (let set = 1; set <= count; set++) ends[set]! += ends[set - 1]!;
  const elements = new Uint32Array(2 * sets.length);
  const weights = records.weights?.slice() ?? null;
  // `ends` moves from where the records of a set begin to where they end.
  for (let i = 0; i < sets.length; i++) {
    const at = ends[sets[i]!]!++;
    elements[2 * at] = records.elements[2 * i]!;
    elements[2 * at + 1] = records.elements[2 * i + 1]!;
    if (weights !== null) weights[at] = records.weights![i]!;
  }
  return { ends, elements, weights };
}

/** The reduced sets, one after the other. */
class SetColumns {
  readonly ends: Uint32Array;
  readonly sizes: Float64Array;
  readonly isCut: Uint8Array;
  readonly copies: Uint16Array | null;
  elements = 0;

  constructor(sets: number, elements: number, copies: boolean) {
    this.ends = new Uint32Array(sets);
    this.sizes = new Float64Array(sets);
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

/** Combines the records of one set at a time; results overwrite the records. */
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

  reduceAll(entries: Entries, out: SetColumns): void {
    for (let set = 0, from = 0; set < out.ends.length; set++) {
      const to = entries.ends[set]!;
      if (to > from) out.sizes[set] = this.combine(set, from, this.sorted(from, to, entries), entries, out);
      out.ends[set] = out.elements;
      from = to;
    }
  }

  /** Combines the sorted records [from, to) of one set; returns its number of elements including copies. */
  private combine(
    set: number,
    from: number,
    to: number,
    { elements, weights }: Entries,
    out: SetColumns,
  ): number {
    const { rule } = this;
    let size = 0;
    for (let i = from; i < to; ) {
      const low = elements[2 * i]!;
      const high = elements[2 * i + 1]!;
      let together = weights === null ? 1 : weights[i]!;
      for (i++; i < to && elements[2 * i] === low && elements[2 * i + 1] === high; i++) {
        if (weights !== null) together = combined(rule, together, weights[i]!);
      }
      size += this.enter(set, low, high, together, elements, out);
    }
    return size;
  }

  /** Sorts the records [from, to) and their weights by hash; returns where the records that are left to combine end. */
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
    set: number,
    low: number,
    high: number,
    together: number,
    elements: Uint32Array,
    out: SetColumns,
  ): number {
    let copies = copiesOf(this.rule, together);
    if (copies === 0) return 0;
    if (copies > MOST_COPIES) {
      copies = MOST_COPIES;
      out.isCut[set] = 1;
    }
    const at = out.elements++;
    const label = this.rule === 'liked-hated' && together === 0 ? HATED : 1;
    this.labels.writeLabelled(elements, 2 * at, low, high, label);
    if (out.copies !== null) out.copies[at] = copies;
    return copies;
  }
}

/** The sets 0 to `count` - 1 of all their records. */
export function elementSets(
  records: SetRecords,
  count: number,
  rule: RowRule,
  seed: number,
  kernel: SetKernel,
): ElementSets {
  const entries = bySet(records, count);
  const out = new SetColumns(count, records.sets.length, hasCopies(rule));
  new SetReducer(rule, seed, kernel).reduceAll(entries, out);
  const { ends, sizes, isCut } = out;
  const keys = new Uint32Array(4 * count);
  kernel.setKeys(seed)(keys, ends, count, entries.elements, out.copies);
  const elements = entries.elements.subarray(0, 2 * out.elements);
  const copies = out.copies === null ? {} : { copies: out.copies.subarray(0, out.elements) };
  return { block: encodeBlock('elementSets', {}, { ends, elements, ...copies }, true), sizes, keys, isCut };
}
