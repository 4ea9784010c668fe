/**
 * Map: lines `set, element` of a split -> (set, element) records. Names of sets become numbers. Records are not combined or labelled
 * here, because other splits may have records of the same set and element.
 */

import { ByteColumn, Float64Column, Uint32Column } from '../src/arrays/growable.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { SkippedColumns } from '../src/blocks/documents.js';
import type { RowBatch, RowFeed, RowSink, SetNames } from '../src/blocks/sets.js';
import type { ErrorCode } from '../src/errors.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { contributionOf, hasWeights, NOTHING, type RowRule } from '../src/text/elements.js';

export interface RowParams {
  readonly rule: RowRule;
  /** The lowest rating that is liked; ignored by other rules. */
  readonly likedFrom: number;
}

/** Counts of the lines that start in the source, by kind. */
export interface LineCounts {
  readonly lines: number;
  /** Lines with a set and an element. */
  readonly entries: number;
  /** Lines with a set only. */
  readonly names: number;
  readonly skipped: number;
  /** Blank lines and the header. */
  readonly passed: number;
}

interface SetRows {
  /** Kind `setRows` (src/blocks/sets.ts), shared. */
  readonly rows: Block;
  readonly counts: LineCounts;
}

/** A new collector is created when the names take more bytes than this. */
const MOST_NAME_BYTES = 16 << 20;

/**
 * Collects the rows of one split after the other, in the same memory. Names keep their numbers, so the coordinator receives each name
 * once, even if several splits have it.
 */
export class RowCollector implements RowSink {
  /** The number of its first split, which identifies the collector, and of its last split. */
  readonly first: number;
  private last = -1;
  /** Lines with a set only; skipped lines. */
  alone = 0;
  skipped = 0;
  readonly sets = new Uint32Column();
  readonly elements = new Uint32Column();
  readonly weights: Float64Column | ByteColumn;
  private readonly names: SetNames;
  /** Number of names from earlier splits. */
  private known = 0;
  private skips = new SkippedColumns();
  readonly weighs: boolean;
  private readonly params: RowParams;

  /** @param kernel has one table of names, so only one collector is in use */
  constructor(params: RowParams, first: number, kernel: Pick<Kernel, 'setNames'>) {
    this.params = params;
    this.first = first;
    this.names = kernel.setNames();
    this.weighs = hasWeights(params.rule);
    this.weights = params.rule === 'bag' ? new Float64Column() : new ByteColumn();
  }

  /**
   * Whether the collector may take this split. It takes splits in ascending order only, so that numbering all sets in the order of
   * splits meets the first occurrence of a set where the collector did.
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

  block(): Block {
    const { sets, elements, weights } = this;
    const records = {
      sets: sets.view,
      elements: elements.view,
      ...(this.weighs && { weights: weights.view }),
    };
    const names = this.names.columnsFrom(this.known);
    return encodeBlock('setRows', {}, { ...names, ...this.skips.views(), ...records }, true);
  }
}

/** The records of a feed, which reads the split with this number. */
export function setRows(feed: RowFeed, split: number, collector: RowCollector): SetRows {
  collector.begin(split);
  const read = feed(collector);
  const { alone, skipped, sets } = collector;
  return { rows: collector.block(), counts: { ...read, entries: sets.length, names: alone, skipped } };
}
