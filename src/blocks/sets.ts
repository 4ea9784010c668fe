/**
 * The layouts of (set, element) records on their way from lines to document batches.
 *
 * `setNames`, one per split: the names of sets that the collector of its rows had not met in earlier splits, which it numbers in
 * order of appearance, and skipped places.
 *
 *      bytes, offsets      u8, u32   n+1 offsets: the names
 *      hashes              u32 x 2   hash of each name, for the task that joins the names of all splits
 *      skipFile, ...       as in a document table
 *
 * `setRows`, one per split and row chunk: the records, in any order. The unlabelled element decides the row chunk.
 *
 *      sets                u32       number of the set of its collector
 *      elements            u32 x 2   hash
 *      weights             f64, u8   contribution (src/text/elements.ts); absent where records have no weight
 *
 * `setTiles`, one per row chunk and document batch: the records of all splits, every element of a set once.
 *
 *      sets                u32       column within the block, ascending
 *      ends                u32       end of its elements
 *      elements            u32 x 2   hash, distinct within a set
 *      copies              u16       multiplicity in the set, which becomes the labels 1 .. n; absent where it is always 1
 *
 * `setFacts`, one per row chunk: its contribution to each set that has an element in it.
 *
 *      documents           u32       ascending
 *      sizes               f64       elements, with multiplicity
 *      keys                u32 x 4   part of the content hash
 *      isCut               u8        1: the multiplicity of an element exceeded 65,535
 */
import type { NameTable } from '../arrays/hashTable.js';
import type { ErrorCode } from '../errors.js';
import { APPENDED_ROWS } from '../sketch/rowChunks.js';
import type { Block } from './block.js';

/** Number of sets per document batch; sets are in the order of their names. */
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

interface TilePart {
  readonly sets: Uint32Array;
  readonly ends: Uint32Array;
  readonly elements: Uint32Array;
  readonly copies: Uint16Array | undefined;
}

/**
 * The labelled elements of the sets of one document batch, collected from its tiles. Columns must be requested
 * in ascending order, each at most once.
 */
export class TiledSets {
  private readonly parts: readonly TilePart[];
  /** By part: the current position. */
  private readonly next: Uint32Array;
  private readonly labels: SetLabels;
  private readonly hasCopies: boolean;
  /** Elements that wait for their labels, and how many rows these make. */
  private count = 0;
  private rows = 0;

  /** @param tiles blocks `setTiles` of one document batch, of different row chunks */
  constructor(tiles: readonly Block[], labels: SetLabels) {
    this.parts = tiles.map(({ columns }) => columns as unknown as TilePart);
    this.next = new Uint32Array(tiles.length);
    this.labels = labels;
    this.hasCopies = this.parts.some(({ copies }) => copies !== undefined);
  }

  /**
   * Passes the labelled elements of a column to `give`, at most APPENDED_ROWS per call; returns their number.
   */
  rowsOf(column: number, give: (hashes: Uint32Array, count: number) => void): number {
    const { parts, next } = this;
    let rows = 0;
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]!;
      let at = next[p]!;
      while (at < part.sets.length && part.sets[at]! < column) at++;
      next[p] = at;
      if (part.sets[at] === column)
        rows += this.take(part, at === 0 ? 0 : part.ends[at - 1]!, part.ends[at]!, give);
    }
    if (this.count > 0) this.flush(give);
    return rows;
  }

  private take(
    { elements: from, copies: times }: TilePart,
    first: number,
    end: number,
    give: (hashes: Uint32Array, count: number) => void,
  ): number {
    let { elements, copies } = this.labels;
    let { count, rows } = this;
    let taken = 0;
    for (let i = first; i < end; i++) {
      const n = times === undefined ? 1 : times[i]!;
      if (rows + n > APPENDED_ROWS) {
        this.count = count;
        this.rows = rows;
        this.flush(give);
        ({ elements, copies } = this.labels);
        count = 0;
        rows = 0;
      }
      elements[2 * count] = from[2 * i]!;
      elements[2 * count + 1] = from[2 * i + 1]!;
      copies[count++] = n;
      rows += n;
      taken += n;
    }
    this.count = count;
    this.rows = rows;
    return taken;
  }

  private flush(give: (hashes: Uint32Array, count: number) => void): void {
    const { labels, count, rows } = this;
    this.count = 0;
    this.rows = 0;
    give(this.hasCopies ? labels.label(count, rows) : labels.elements, rows);
  }
}
