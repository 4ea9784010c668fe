/**
 * The layouts of (set, element) records on their way from lines to batches of sets.
 *
 * `setRows`, one per split: its records in the order of lines; the names of sets that the collector of its rows had not met in earlier
 * splits, which it numbers in order of appearance; and skipped places.
 *
 *      sets                u32       number of the set of its collector
 *      elements            u32 x 2   hash
 *      weights             f64, u8   contribution (src/text/elements.ts); absent where records have no weight
 *      bytes, offsets      u8, u32   n+1 offsets: the names
 *      hashes              u32 x 2   hash of each name, for the coordinator, which joins the names of all splits
 *      skipFile, ...       as in a document table
 *
 * `setRows`, one per batch of sets: the records of all splits, with the names of its sets.
 *
 *      sets                u32       number of the set in the batch
 *      elements, weights, bytes, offsets as above
 *
 * `elementSets`, one per batch of sets: every element of a set once.
 *
 *      ends                u32       by set: the end of its elements
 *      elements            u32 x 2   hash, distinct within a set
 *      copies              u16       multiplicity in the set, which becomes the labels 1 .. n; absent where it is always 1
 */
import type { NameTable } from '../arrays/hashTable.js';
import type { ErrorCode } from '../errors.js';
import type { Block } from './block.js';

/** Most labelled elements per call. */
export const APPENDED_ROWS = 65536;

/** Number of sets per batch; sets are in the order of their first lines. */
export const SETS_A_BLOCK = 16384;

/** Contributions of rows: ratings are at most 5, and a byte each. */
export type RowWeights = Float64Array | Uint8Array;

/** Names of sets, numbered from 0 in the order in which they are first met; src/arrays/hashTable.ts has the reference. */
export interface SetNames extends Pick<NameTable, 'length' | 'tableBytes' | 'numberOf' | 'columnsFrom'> {
  /** The table in the memory of the kernel. */
  readonly address: number;
  /** Makes room for so many more names, of so many bytes. */
  reserve(names: number, bytes: number): void;
}

/** Records of lines [from, to) of the bytes, a column each; the lists may be longer. */
export interface RowBatch {
  readonly count: number;
  readonly from: number;
  readonly to: number;
  /** Two words each: the hash of the element. */
  readonly elements: Uint32Array;
  readonly values: Float64Array;
  /** Writes the numbers of their sets, which are new in `names` where it has them not; called once. */
  number(names: SetNames, numbers: Uint32Array): void;
}

/** The calls that a reader of (set, element) records makes, one per line. */
export interface RowSink {
  /** Asks whether to open a file. False: the reader must not open it, and the sink has recorded why. Absent: every file is opened. */
  opensFile?(file: number): boolean;
  /**
   * Takes a record: its set and its element are ranges of `bytes`, neither empty, valid during the call only. Returns null, or
   * why the line is skipped.
   *
   * @param value weight or rating
   * @param hashes at `at` the hash of the set, and behind it that of the element (src/text/elements.ts)
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
   * Takes many records at once, none of which it skips; valid during the call only. Absent, or false, and nothing is taken: `row`
   * is to have them.
   */
  many?(bytes: Uint8Array, batch: RowBatch): boolean;
  /** Skips a line or a file; `record` -1: the file, or the rest of the range. */
  skip(file: number, record: number, code: ErrorCode, id: null): void;
}

/**
 * The number of lines that start in a source, and of those that were neither passed on nor skipped: blank
 * lines and the line of field names.
 */
export interface LinesRead {
  readonly lines: number;
  readonly passed: number;
}

export type RowFeed = (sink: RowSink) => LinesRead;

/** Labels the elements of bags (src/text/labels.ts has the formula), of as many as make APPENDED_ROWS labelled ones. */
export interface SetLabels {
  /** Where elements are put, two words each, and how often each is in the set; valid until the kernel is called again. */
  readonly elements: Uint32Array;
  readonly copies: Uint32Array;
  /** The first `count` elements, each with the labels 1 .. n; `rows`: how many these are. Valid until the next call. */
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
