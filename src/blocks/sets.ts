/**
 * The layouts of (set, element) records, from lines to batches of sets.
 *
 * `setRows`, one per split: its records in the order of lines; the names of sets that are new to the collector of its rows, which
 * numbers them in order of appearance; and skipped lines.
 *
 *      sets                u32       number of the set of its collector
 *      elements            u32 x 2   hash
 *      weights             f64, u8   contribution (src/text/elements.ts); absent if records have no weight
 *      bytes, offsets      u8, u32   n+1 offsets: the names
 *      hashes              u32 x 2   hash of each name, for the coordinator, which merges the names of all splits
 *      skipFile, ...       as in a document table
 *
 * `setRows`, one per batch of sets: the records of all splits, with the names of its sets.
 *
 *      sets                u32       number of the set in the batch
 *      elements, weights, bytes, offsets as above
 *
 * `elementSets`, one per batch of sets: the distinct elements of each set.
 *
 *      ends                u32       by set: the end of its elements
 *      elements            u32 x 2   hash, distinct within a set
 *      copies              u16       multiplicity in the set, which becomes the labels 1 .. n; absent if it is always 1
 */
import type { NameTable } from '../arrays/hashTable.js';
import type { ErrorCode } from '../errors.js';
import type { Block } from './block.js';

/** Maximum number of labelled elements per call. */
export const APPENDED_ROWS = 65536;

/** Number of sets per batch; sets are in the order of their first lines. */
export const SETS_PER_BATCH = 16384;

/** Contributions of rows; ratings, which are at most 5, take one byte each. */
export type RowWeights = Float64Array | Uint8Array;

/** Names of sets, numbered from 0 in order of appearance; src/arrays/hashTable.ts has the reference. */
export interface SetNames extends Pick<NameTable, 'length' | 'tableBytes' | 'numberOf' | 'columnsFrom'> {
  /** The table in the memory of the kernel. */
  readonly address: number;
  /** Makes room for further names, by their number and bytes. */
  reserve(names: number, bytes: number): void;
}

/** Records of lines as columns, which may be longer than needed. */
export interface RowBatch {
  readonly count: number;
  readonly from: number;
  readonly to: number;
  /** Two words each: the hash of the element. */
  readonly elements: Uint32Array;
  readonly values: Float64Array;
  /** Writes the numbers of their sets, and adds new sets to `names`; called once. */
  number(names: SetNames, numbers: Uint32Array): void;
}

/** The calls that a reader of (set, element) records makes, one per line. */
export interface RowSink {
  /** Whether to open a file; if not, the sink has recorded why. Absent: every file is opened. */
  opensFile?(file: number): boolean;
  /**
   * Receives a record: its set and its element are non-empty ranges of `bytes`, valid during the call. Returns null, or why the line
   * is skipped.
   *
   * @param value weight or rating
   * @param hashes from `at` on the hash of the set, then that of the element (src/text/elements.ts)
   */
  row(
    bytes: Uint8Array,
    setFrom: number,
    setTo: number,
    elementFrom: number,
    elementTo: number,
    value: number,
    hashes: Uint32Array,
    at: number,
  ): ErrorCode | null;
  /**
   * Receives many records at once, none of which is skipped; valid during the call. If absent or false, the reader passes them to
   * `row`.
   */
  many?(bytes: Uint8Array, batch: RowBatch): boolean;
  /** Skips a line or a file; `record` -1: the file, or the rest of the range. */
  skip(file: number, record: number, code: ErrorCode, id: null): void;
}

/**
 * The number of lines that start in a source, and how many of them are blank or the header.
 */
export interface LinesRead {
  readonly lines: number;
  readonly passed: number;
}

export type RowFeed = (sink: RowSink) => LinesRead;

/** Labels elements of bags (src/text/labels.ts has the formula), at most APPENDED_ROWS labelled ones per call. */
export interface SetLabels {
  /** The input: elements, two words each, and how often each is in the set; valid until the kernel is called again. */
  readonly elements: Uint32Array;
  readonly copies: Uint32Array;
  /** The first `count` elements, each with the labels 1 .. n, `rows` in total. Valid until the next call. */
  label(count: number, rows: number): Uint32Array;
}

/** The labelled elements of the sets of a batch. */
export class LabelledSets {
  private readonly ends: Uint32Array;
  private readonly elements: Uint32Array;
  private readonly copies: Uint16Array | undefined;
  private readonly labels: SetLabels;

  /** @param sets a block of kind `elementSets` */
  constructor({ columns }: Block, labels: SetLabels) {
    this.ends = columns.ends as Uint32Array;
    this.elements = columns.elements as Uint32Array;
    this.copies = columns.copies as Uint16Array | undefined;
    this.labels = labels;
  }

  /** Passes the labelled elements of a set to `give`, at most APPENDED_ROWS per call; returns their number. */
  rowsOf(set: number, give: (hashes: Uint32Array, count: number) => void): number {
    const { ends, elements, copies, labels } = this;
    const [first, end] = [set === 0 ? 0 : ends[set - 1]!, ends[set]!];
    if (copies === undefined) {
      for (let from = first; from < end; from += APPENDED_ROWS) {
        const to = Math.min(end, from + APPENDED_ROWS);
        give(elements.subarray(2 * from, 2 * to), to - from);
      }
      return end - first;
    }
    let [count, rows, all] = [0, 0, 0];
    for (let i = first; i < end; i++) {
      const times = copies[i]!;
      if (rows + times > APPENDED_ROWS) {
        give(labels.label(count, rows), rows);
        [count, rows] = [0, 0];
      }
      labels.elements[2 * count] = elements[2 * i]!;
      labels.elements[2 * count + 1] = elements[2 * i + 1]!;
      labels.copies[count++] = times;
      rows += times;
      all += times;
    }
    if (count > 0) give(labels.label(count, rows), rows);
    return all;
  }
}
