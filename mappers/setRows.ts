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
import { NameTable } from '../src/arrays/hashTable.js';
import { type Block, encodeBlock, newBlock, typedColumns } from '../src/blocks/block.js';
import type { RowFeed, RowSink } from '../src/blocks/sets.js';
import { type ErrorCode, SKIP_CODES } from '../src/errors.js';
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
  /** Kind `setNames`. */
  readonly names: Block;
  /** By row chunk, kind `setRows`, shared; null where no line has an element in it. */
  readonly chunks: readonly (Block | null)[];
  readonly counts: LineCounts;
}

class RowCollector implements RowSink {
  /** Lines that only name a set; lines skipped. */
  alone = 0;
  skipped = 0;
  readonly sets = new Uint32Column();
  readonly elements = new Uint32Column();
  readonly weights = new Float64Column();
  private readonly names = new NameTable();
  private readonly skipFile = new Uint32Column();
  private readonly skipRecord = new Float64Column();
  private readonly skipCode = new ByteColumn();
  private readonly params: RowParams;
  private readonly weighs: boolean;
  /** The number of the set of the last row, and its hash; -1: no number. */
  private last = 0;
  private lastLow = -1;
  private lastHigh = -1;

  constructor(params: RowParams) {
    this.params = params;
    this.weighs = hasWeights(params.rule);
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
    const { params } = this;
    const low = hashes[at]!;
    const high = hashes[at + 1]!;
    // Lines of one set often follow one another.
    if (low !== this.lastLow || high !== this.lastHigh || !this.names.is(this.last, bytes, setFrom, setTo)) {
      this.last = this.names.numberOf(bytes, setFrom, setTo, low, high);
      this.lastLow = low;
      this.lastHigh = high;
    }
    const contribution = contributionOf(params.rule, value, params.likedFrom);
    if (contribution === NOTHING) {
      this.alone++;
      return null;
    }
    this.sets.push(this.last);
    this.elements.push(hashes[at + 2]!);
    this.elements.push(hashes[at + 3]!);
    if (this.weighs) this.weights.push(contribution);
    return null;
  }

  skip(file: number, record: number, code: ErrorCode): void {
    // A file that cannot be read has no lines.
    if (record >= 0) this.skipped++;
    this.skipFile.push(file);
    this.skipRecord.push(record);
    this.skipCode.push(SKIP_CODES.indexOf(code));
  }

  namesBlock(): Block {
    return encodeBlock(
      'setNames',
      {},
      {
        ...this.names.columns,
        skipFile: this.skipFile.view,
        skipRecord: this.skipRecord.view,
        skipCode: this.skipCode.view,
        skipIdOffsets: new Uint32Array(this.skipCode.length + 1),
        skipIdBytes: new Uint8Array(0),
      },
    );
  }
}

/** The lines of a feed by row chunk, of which there are 1 .. 65536. */
export function setRows(feed: RowFeed, params: RowParams, rowChunks: number): SetRows {
  const collector = new RowCollector(params);
  const read = feed(collector);
  const { alone, skipped, sets } = collector;
  return {
    names: collector.namesBlock(),
    chunks: scattered(collector, rowChunks, hasWeights(params.rule)),
    counts: { ...read, entries: sets.length, names: alone, skipped },
  };
}

function scattered(from: RowCollector, rowChunks: number, weighs: boolean): (Block | null)[] {
  const sets = from.sets.view;
  const elements = from.elements.view;
  const weights = from.weights.view;
  const chunkOf = new Uint16Array(sets.length);
  const sizes = new Uint32Array(rowChunks);
  for (let i = 0; i < sets.length; i++) {
    const chunk = rowChunkOf(elements[2 * i]!, elements[2 * i + 1]!, rowChunks);
    chunkOf[i] = chunk;
    sizes[chunk]!++;
  }
  const blocks = Array.from(sizes, (size) =>
    size === 0 ? null : newBlock('setRows', {}, layout(size, weighs), true),
  );
  const types = { sets: 'u32', elements: 'u32' } as const;
  const columns = blocks.map((block) => block && typedColumns(block, types));
  const weightsOf = blocks.map((block) => block?.columns.weights);
  sizes.fill(0);
  for (let i = 0; i < sets.length; i++) {
    const chunk = chunkOf[i]!;
    const to = columns[chunk]!;
    const at = sizes[chunk]!++;
    to.sets[at] = sets[i]!;
    to.elements[2 * at] = elements[2 * i]!;
    to.elements[2 * at + 1] = elements[2 * i + 1]!;
    if (weighs) weightsOf[chunk]![at] = weights[i]!;
  }
  return blocks;
}

function layout(size: number, weighs: boolean) {
  const columns = { sets: ['u32', size], elements: ['u32', 2 * size] } as const;
  return weighs ? ({ ...columns, weights: ['f64', size] } as const) : columns;
}
