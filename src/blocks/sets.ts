/**
 * The layouts of the characteristic matrix in row form, on its way from lines `set, element` to column blocks.
 *
 * `setNames`, one a split: the names of the sets met in it, numbered in the order met, and what was skipped.
 *
 *      bytes, offsets      u8, u32   n+1 offsets: the names
 *      hashes              u32 x 2   of each name, for who joins the names of all splits
 *      skipFile, ...       as in a document table
 *
 * `setRows`, one a split and row chunk: what the lines say, in any order. The row chunk is that of the unlabelled element.
 *
 *      sets                u32       number of the set in the split
 *      elements            u32 x 2   hash
 *      weights             f64       contribution (src/text/elements.ts); absent where lines only say that they are there
 *
 * `setTiles`, one a row chunk and column block: what all splits say together, every element of a set once.
 *
 *      sets                u32       column within the block, ascending
 *      ends                u32       where its elements end
 *      elements            u32 x 2   hash, distinct within a set
 *      copies              u16       how often each is in the set, that is its labels 1 .. n; absent where always once
 *
 * `setFacts`, one a row chunk: what it adds to each set that has an element in it.
 *
 *      documents           u32       ascending
 *      sizes               f64       elements, copies counted
 *      keys                u32 x 4   part of the content key
 *      isCut               u8        1: an element was in the set more than 65,535 times
 */
import type { ErrorCode } from '../errors.js';
import { APPENDED_ROWS } from '../sketch/rowChunks.js';
import { OccurrenceLabels } from '../text/labels.js';
import type { Block } from './block.js';

/** Sets of a column block, in the order of their names. */
export const SETS_A_BLOCK = 16384;

/** What a reader of lines calls, a call a line. */
export interface RowSink {
  /** A file is about to be opened. False: it is not to be, and the sink has noted why. Absent: every file is. */
  opensFile?(file: number): boolean;
  /**
   * A line: its set and its element are `bytes[from .. to)`, none empty, and valid during the call only. Returns null, or
   * why the line is to be skipped.
   *
   * @param value weight or rating
   */
  row(
    bytes: Uint8Array,
    setFrom: number,
    setTo: number,
    elementFrom: number,
    elementTo: number,
    value: number,
  ): ErrorCode | null;
  /** A line or a file is skipped; `record` -1: the file, or the rest of the range. */
  skip(file: number, record: number, code: ErrorCode, id: null): void;
}

/** Lines that start in a source, and those of them that were neither given nor skipped: blank, or naming the fields. */
export interface LinesRead {
  readonly lines: number;
  readonly passed: number;
}

/** Reads lines into a sink. */
export type RowFeed = (sink: RowSink) => LinesRead;

interface TilePart {
  readonly sets: Uint32Array;
  readonly ends: Uint32Array;
  readonly elements: Uint32Array;
  readonly copies: Uint16Array | undefined;
}

/**
 * The labelled elements of the sets of one column block, gathered from its tiles. Columns are asked for in ascending
 * order, each at most once.
 */
export class TiledSets {
  private readonly parts: readonly TilePart[];
  /** By part: where the walk is. */
  private readonly next: Uint32Array;
  private readonly labels: OccurrenceLabels;
  private readonly gathered = new Uint32Array(2 * APPENDED_ROWS);
  private count = 0;

  /** @param tiles blocks `setTiles` of one column block, of different row chunks */
  constructor(tiles: readonly Block[], seed: number) {
    this.parts = tiles.map(({ columns }) => columns as unknown as TilePart);
    this.next = new Uint32Array(tiles.length);
    this.labels = new OccurrenceLabels(seed);
  }

  /** Gives the labelled elements of a column in pieces of at most APPENDED_ROWS; returns how many there are. */
  rowsOf(column: number, give: (hashes: Uint32Array, count: number) => void): number {
    const { parts, next } = this;
    let rows = 0;
    this.count = 0;
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]!;
      let at = next[p]!;
      while (at < part.sets.length && part.sets[at]! < column) at++;
      next[p] = at;
      if (part.sets[at] === column)
        rows += this.take(part, at === 0 ? 0 : part.ends[at - 1]!, part.ends[at]!, give);
    }
    if (this.count > 0) give(this.gathered, this.count);
    return rows;
  }

  private take(
    { elements, copies }: TilePart,
    from: number,
    to: number,
    give: (hashes: Uint32Array, count: number) => void,
  ): number {
    const { gathered, labels } = this;
    let rows = 0;
    for (let i = from; i < to; i++) {
      const low = elements[2 * i]!;
      const high = elements[2 * i + 1]!;
      const n = copies === undefined ? 1 : copies[i]!;
      rows += n;
      for (let label = 1; label <= n; label++) {
        labels.writeLabelled(gathered, 2 * this.count, low, high, label);
        if (++this.count < APPENDED_ROWS) continue;
        give(gathered, APPENDED_ROWS);
        this.count = 0;
      }
    }
    return rows;
  }
}
