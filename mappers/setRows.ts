/**
 * Map: lines `set, element` of a split -> (set, element) records, by row chunk.
 *
 *      split        a x    b y    a z    b x                 names  a = 0, b = 1
 *      row chunk 0  (0 x) (1 x)                              an element has one row chunk, so all records of
 *      row chunk 1  (1 y) (0 z)                              (set, element) meet in one Reduce task
 *
 * Minima could be taken here, but counts, labels and repetitions could not: another split may have the same
 * record. So nothing is labelled here, and the row chunk is that of the unlabelled element.
 */

import { ByteColumn, Float64Column, Uint32Column } from '../src/arrays/growable.js';
import { type Block, encodeBlock, newBlock, typedColumns } from '../src/blocks/block.js';
import { SkippedColumns } from '../src/blocks/documents.js';
import type { RowBatch, RowFeed, RowSink, RowWeights, SetNames } from '../src/blocks/sets.js';
import type { ErrorCode } from '../src/errors.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { rowChunkOf } from '../src/sketch/rowChunks.js';
import { contributionOf, hasWeights, NOTHING, type RowRule } from '../src/text/elements.js';

export interface RowParams {
  readonly rule: RowRule;
  /** Least rating that is liked; ignored by rules without it. */
  readonly likedFrom: number;
}

/** Counts of the lines that start in the source, by kind. */
export interface LineCounts {
  readonly lines: number;
  /** Lines that name a set and an element. */
  readonly entries: number;
  /** Lines that only name a set. */
  readonly names: number;
  readonly skipped: number;
  /** Blank lines, and the line of field names. */
  readonly passed: number;
}

interface SetRows {
  /** Kind `setNames`: those that the collector had not met. */
  readonly names: Block;
  /** By row chunk, kind `setRows`, shared; null where no line has an element in it. */
  readonly chunks: readonly (Block | null)[];
  readonly counts: LineCounts;
}

/** A collector is followed by a new one when its names take more bytes than this. */
const MOST_NAME_BYTES = 16 << 20;

/**
 * Collects the rows of one split after the other, in the same memory. Names keep their numbers, so that of a set that several of its
 * splits have the coordinator hears once.
 */
export class RowCollector implements RowSink {
  /** The number of its first split, which names it, and of its last one. */
  readonly first: number;
  private last = -1;
  /** Lines that only name a set; lines skipped. */
  alone = 0;
  skipped = 0;
  readonly sets = new Uint32Column();
  readonly elements = new Uint32Column();
  readonly weights: Float64Column | ByteColumn;
  private readonly names: SetNames;
  /** How many names earlier splits had. */
  private known = 0;
  private skips = new SkippedColumns();
  readonly weighs: boolean;
  private readonly params: RowParams;

  /** @param kernel has one table of names: a collector ends where the next one begins */
  constructor(params: RowParams, first: number, kernel: Pick<Kernel, 'setNames'>) {
    this.params = params;
    this.first = first;
    this.names = kernel.setNames();
    this.weighs = hasWeights(params.rule);
    this.weights = params.rule === 'bag' ? new Float64Column() : new ByteColumn();
  }

  /**
   * Whether it may take this split. It takes splits in their order alone: then a set that is new to it in none of them is met in an
   * earlier one, too, where all are numbered in the order of splits.
   */
  takes(split: number): boolean {
    return split > this.last && this.names.tableBytes <= MOST_NAME_BYTES;
  }

  begin(split: number): void {
    this.last = split;
    this.known = this.names.length;
    this.alone = 0;
    this.skipped = 0;
    for (const column of [this.sets, this.elements, this.weights]) column.truncate(0);
    this.skips = new SkippedColumns();
  }

  row(
    bytes: Uint8Array,
    setFrom: number,
    setTo: number,
    _elementFrom: number,
    _elementTo: number,
    value: number,
    hashes: Uint32Array,
    at: number,
  ): null {
    const number = this.names.numberOf(bytes, setFrom, setTo, hashes[at]!, hashes[at + 1]!);
    const { rule, likedFrom } = this.params;
    const contribution = contributionOf(rule, value, likedFrom);
    if (contribution === NOTHING) {
      this.alone++;
      return null;
    }
    this.sets.push(number);
    this.elements.push(hashes[at + 2]!);
    this.elements.push(hashes[at + 3]!);
    if (this.weighs) this.weights.push(contribution);
    return null;
  }

  many(_bytes: Uint8Array, batch: RowBatch): boolean {
    const { count, elements, values } = batch;
    const before = this.sets.length;
    const numbers = this.sets.extend(count);
    const kept = this.elements.extend(2 * count);
    const weights = this.weighs ? this.weights.extend(count) : null;
    batch.number(this.names, numbers);
    const { rule, likedFrom } = this.params;
    let some = 0;
    for (let i = 0; i < count; i++) {
      const contribution = contributionOf(rule, values[i]!, likedFrom);
      if (contribution === NOTHING) continue;
      numbers[some] = numbers[i]!;
      kept[2 * some] = elements[2 * i]!;
      kept[2 * some + 1] = elements[2 * i + 1]!;
      if (weights !== null) weights[some] = contribution;
      some++;
    }
    this.alone += count - some;
    this.sets.truncate(before + some);
    this.elements.truncate(2 * (before + some));
    if (weights !== null) this.weights.truncate(before + some);
    return true;
  }

  skip(file: number, record: number, code: ErrorCode): void {
    // A file that cannot be read has no lines.
    if (record >= 0) this.skipped++;
    this.skips.push(file, record, code, null);
  }

  namesBlock(): Block {
    return encodeBlock('setNames', {}, { ...this.names.columnsFrom(this.known), ...this.skips.views() });
  }
}

/** The lines of a feed, which are the split of this number, by row chunk, of which there are 1 .. 65536. */
export function setRows(feed: RowFeed, split: number, collector: RowCollector, rowChunks: number): SetRows {
  collector.begin(split);
  const read = feed(collector);
  const { alone, skipped, sets } = collector;
  return {
    names: collector.namesBlock(),
    chunks: scattered(collector, rowChunks),
    counts: { ...read, entries: sets.length, names: alone, skipped },
  };
}

function scattered(
  { sets: { view: sets }, elements: { view: elements }, weights: { view: weights }, weighs }: RowCollector,
  rowChunks: number,
): (Block | null)[] {
  const sizes = new Uint32Array(rowChunks);
  const chunks = new Uint16Array(sets.length);
  chooseChunks(elements, chunks, sizes);
  const blocks = Array.from(sizes, (size) =>
    size === 0 ? null : newBlock('setRows', {}, layout(size, weighs ? weights : null), true),
  );
  const types = { sets: 'u32', elements: 'u32' } as const;
  const columns = blocks.map((block) => (block === null ? NO_COLUMNS : typedColumns(block, types)));
  scatterRows(
    sets,
    elements,
    chunks,
    columns.map((to) => to.sets),
    columns.map((to) => to.elements),
  );
  if (weighs) {
    const to = blocks.map((block) => (block?.columns.weights ?? NO_WEIGHTS) as RowWeights);
    scatterWeights(weights, chunks, to);
  }
  return blocks;
}

const NO_COLUMNS = { sets: new Uint32Array(0), elements: new Uint32Array(0) };
const NO_WEIGHTS = new Float64Array(0);

// A loop a function, which is then compiled once.

/** Writes the row chunk of every element, and counts those of each. */
function chooseChunks(elements: Uint32Array, chunks: Uint16Array, sizes: Uint32Array): void {
  const rowChunks = sizes.length;
  for (let i = 0; i < chunks.length; i++) {
    const chunk = rowChunkOf(elements[2 * i]!, elements[2 * i + 1]!, rowChunks);
    chunks[i] = chunk;
    sizes[chunk]!++;
  }
}

function scatterRows(
  sets: Uint32Array,
  elements: Uint32Array,
  chunks: Uint16Array,
  setsOf: readonly Uint32Array[],
  elementsOf: readonly Uint32Array[],
): void {
  const next = new Uint32Array(setsOf.length);
  for (let i = 0; i < sets.length; i++) {
    const chunk = chunks[i]!;
    const at = next[chunk]!++;
    const to = elementsOf[chunk]!;
    setsOf[chunk]![at] = sets[i]!;
    to[2 * at] = elements[2 * i]!;
    to[2 * at + 1] = elements[2 * i + 1]!;
  }
}

function scatterWeights(weights: RowWeights, chunks: Uint16Array, weightsOf: readonly RowWeights[]): void {
  const next = new Uint32Array(weightsOf.length);
  for (let i = 0; i < weights.length; i++) {
    const chunk = chunks[i]!;
    weightsOf[chunk]![next[chunk]!++] = weights[i]!;
  }
}

function layout(size: number, weights: RowWeights | null) {
  const columns = { sets: ['u32', size], elements: ['u32', 2 * size] } as const;
  if (weights === null) return columns;
  return { ...columns, weights: [weights instanceof Uint8Array ? 'u8' : 'f64', size] } as const;
}
