/** Columns of pairs and buckets of documents, as reducers and kernels exchange them. */
import { eachRange, type Stepwise } from '../arrays/stepwise.js';
import { type Block, encodeBlock } from './block.js';

/** Pairs a[i] < b[i] for i in [0, count); the columns may be longer than `count`. */
export interface Pairs {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly count: number;
}

/** Members of hot buckets of one band: row i says that `documents[i]` is in bucket `buckets[i]`. */
export interface HotMembers {
  /** Ascending. */
  readonly documents: Uint32Array;
  /** Buckets are numbered from 0 in the order of their first members. */
  readonly buckets: Uint32Array;
  /** Of hot fingerprints, by row: the number of the document's next frequent fingerprint, or of its first one after the last. */
  readonly next?: Uint32Array;
}

/** A slice of the sorted pairs: at most `most` pairs from number `from` on. */
export interface PairSlice {
  readonly from: number;
  readonly most: number;
}

export interface BucketPairs extends Pairs {
  /** Number of pairs of all buckets that are not hot, including those outside the slice. */
  readonly total: number;
  /** Number of buckets with at least two documents, hot ones included. */
  readonly buckets: number;
  /** Number of documents in the largest bucket; 0 when there is no document, 1 when no two share a bucket. */
  readonly largestBucket: number;
  readonly hotBuckets: number;
  readonly hot: HotMembers;
}

/** States of a document in a band: its bucket is small, large, or so large that not all of its pairs are made (capped). */
export const SMALL = 0;
export const LARGE = 1;
export const CAPPED = 2;

/** Members of buckets in rows: their documents, signatures of `stride` slots, and states, a byte per band. */
export interface MemberRows {
  readonly documents: Uint32Array;
  readonly signatures: Uint32Array;
  readonly stride: number;
  readonly states: Uint8Array;
}

/** Rows [from, to). */
export interface RowSpan {
  readonly from: number;
  readonly to: number;
}

/** Pairs of members of one bucket: every two rows of a span (`one` is `other`), or each row of one span with each row of a later span. */
export interface SpanPair {
  readonly one: RowSpan;
  readonly other: RowSpan;
}

/** The parameters by which members of buckets become pairs. */
export interface LargeRule {
  /** The band whose buckets have the members. */
  readonly band: number;
  readonly bands: number;
  readonly rows: number;
  readonly hashes: number;
  /** Least number of matching slots of a pair that is emitted. */
  readonly least: number;
}

/** Takes the first `count` pairs of columns, which are valid until it returns. */
export type TakeAgreeing = (a: Uint32Array, b: Uint32Array, agreement: Uint16Array, count: number) => void;

/**
 * Compares members of buckets. A pair is made here if its documents share no small bucket and no earlier large one. A pair that
 * agrees in `least` slots, or shares a capped bucket, is emitted, in any order; the others are counted by matching slots.
 *
 * @param counts by matching slots, the number of pairs made and not emitted, which is increased
 */
export type CompareMembers = (
  members: MemberRows,
  spans: readonly SpanPair[],
  rule: LargeRule,
  counts: Float64Array,
  take: TakeAgreeing,
) => void;

/** Bucket keys of a band: 64-bit keys as pairs (low, high), one document batch after the other. */
export interface BandKeys {
  readonly blocks: readonly Uint32Array[];
  /** Entry i of the band has the key with number `places[i]`, counted over all blocks; null: the key with number i. */
  readonly places: Uint32Array | null;
}

/**
 * The signatures of documents: document d has column `columnOf[d]` of block `blockOf[d]`, `stride` slots per
 * column.
 */
export interface SignatureBlocks {
  readonly blocks: readonly Uint32Array[];
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  readonly stride: number;
  /** Number of slots in use, at most `stride` and at most 65,535. */
  readonly hashes: number;
  /** The most bytes of signatures that are copied out of the blocks and kept; absent: as many as fit. */
  readonly copied?: number;
}

/**
 * Similarities of sketches: numbers of matching slots for signatures (u16); estimates, shares 0..1, for samples (f64).
 */
export type Agreements = Uint16Array | Float64Array;

/** A zeroed column of `count` agreements with the type of `others`. */
function agreementsFor(others: Agreements, count: number): Agreements {
  return others instanceof Float64Array ? new Float64Array(count) : new Uint16Array(count);
}

export function* pairsAt(pairs: AgreeingPairs, rows: Uint32Array): Stepwise<AgreeingPairs> {
  const count = rows.length;
  const some = {
    a: new Uint32Array(count),
    b: new Uint32Array(count),
    count,
    agreement: agreementsFor(pairs.agreement, count),
    accepted: new Uint8Array(count),
  };
  yield* eachRange(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      some.a[i] = pairs.a[row]!;
      some.b[i] = pairs.b[row]!;
      some.agreement[i] = pairs.agreement[row]!;
      some.accepted[i] = pairs.accepted[row]!;
    }
  });
  return some;
}

export interface AgreeingPairs extends Pairs {
  readonly agreement: Agreements;
  /** By pair, 1 where the similarity reaches the required least value. */
  readonly accepted: Uint8Array;
}

/** The sample of a list of at most this many rows has all rows. */
const SHORT = 4096;

/**
 * Sampling interval: every 256th row of a longer pair list is kept in memory to find range boundaries (3 % of
 * its bytes).
 */
const STEP = 256;

/** Sampling interval for a list of `rows` rows. Segments hold a multiple of it. */
export function sampleStep(rows: number): number {
  return rows <= SHORT ? 1 : STEP;
}

/**
 * A list of pairs as blocks of `segmentRows` rows, in order, so that a part of the list can be read alone.
 * The last block has the rest; no rows give no block.
 */
export function* pairSegments({ a, b, count }: Pairs, segmentRows: number): Generator<Block> {
  for (let from = 0; from < count; from += segmentRows) {
    const to = Math.min(count, from + segmentRows);
    yield encodeBlock('pairs', {}, { a: a.subarray(from, to), b: b.subarray(from, to) }, true);
  }
}

/**
 * Every `step`-th row of a list, from the first on: range boundaries are found in this sample without reading
 * the list.
 */
export function pairSample({ a, b, count }: Pairs, step: number): Pairs {
  if (step === 1) return { a: a.subarray(0, count), b: b.subarray(0, count), count };
  const rows = Math.ceil(count / step);
  const sample = { a: new Uint32Array(rows), b: new Uint32Array(rows), count: rows };
  for (let i = 0; i < rows; i++) {
    sample.a[i] = a[i * step]!;
    sample.b[i] = b[i * step]!;
  }
  return sample;
}

/** A range of high words of 64-bit keys, from `from` (inclusive) to `to`. */
export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** In place of a key: the column has none (an empty or duplicate document). */
export const NO_KEY = 0xffffffff;

/** Divides `[0, words)` into `parts` ranges of about the same width. */
export function keyRanges(parts: number, words: number): KeyRange[] {
  const cut = (part: number): number => Math.floor((words * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: cut(part), to: cut(part + 1) }));
}

/**
 * Collects the bucket keys of one band that lie in a range of high words. A bucket has one key, so the
 * documents of a range are whole buckets: ranges are bucketed one after the other, each with the memory of
 * its own documents.
 */
export class RangedKeys {
  private readonly range: KeyRange;
  private keys: Uint32Array;
  private documents: Uint32Array;
  private count = 0;
  private ascending = true;
  private largest = 0;

  /** `expected`: about how many documents are in the range. */
  constructor(range: KeyRange, expected: number) {
    this.range = range;
    this.keys = new Uint32Array(2 * expected);
    this.documents = new Uint32Array(expected);
  }

  /** Key i of `keys` belongs to `documents[at + i]`; each document is added once. */
  add(keys: Uint32Array, documents: Uint32Array, at: number): void {
    const { from, to } = this.range;
    for (let i = 0; i < keys.length / 2; i++) {
      const document = documents[at + i]!;
      const high = keys[2 * i + 1]!;
      if (document === NO_KEY || high < from || high >= to) continue;
      if (this.count === this.documents.length) this.grow();
      if (this.count > 0 && document < this.documents[this.count - 1]!) this.ascending = false;
      this.largest = Math.max(this.largest, document);
      this.keys[2 * this.count] = keys[2 * i]!;
      this.keys[2 * this.count + 1] = high;
      this.documents[this.count++] = document;
    }
  }

  /** The collected keys, by ascending document. */
  finish(): { readonly keys: BandKeys; readonly documents: Uint32Array } {
    const blocks = [this.keys.subarray(0, 2 * this.count)];
    const documents = this.documents.subarray(0, this.count);
    if (this.ascending) return { keys: { blocks, places: null }, documents };
    const ranks = new Ranks(documents, this.largest);
    const sorted = new Uint32Array(this.count);
    const places = new Uint32Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const rank = ranks.of(documents[i]!);
      sorted[rank] = documents[i]!;
      places[rank] = i;
    }
    return { keys: { blocks, places }, documents: sorted };
  }

  /** Enlarges the room by a quarter: ranges of good hashes have about the same size, so doubling would waste memory. */
  private grow(): void {
    const room = Math.ceil(1.25 * this.count) + 64;
    const keys = new Uint32Array(2 * room);
    keys.set(this.keys);
    const documents = new Uint32Array(room);
    documents.set(this.documents);
    this.keys = keys;
    this.documents = documents;
  }
}

/** Ranks of distinct numbers: one bit for every possible number, and the number of bits set before each word. */
class Ranks {
  private readonly bits: Uint32Array;
  private readonly before: Uint32Array;

  constructor(numbers: Uint32Array, largest: number) {
    const words = Math.floor(largest / 32) + 1;
    this.bits = new Uint32Array(words);
    this.before = new Uint32Array(words);
    for (let i = 0; i < numbers.length; i++) this.bits[numbers[i]! >>> 5]! |= 1 << (numbers[i]! & 31);
    for (let word = 1; word < words; word++) {
      this.before[word] = this.before[word - 1]! + bitsIn(this.bits[word - 1]!);
    }
  }

  of(number: number): number {
    const word = number >>> 5;
    const below = this.bits[word]! & ((1 << (number & 31)) - 1);
    return this.before[word]! + bitsIn(below);
  }
}

/** Number of bits set in a word (Warren, Hacker's Delight, section 5-1). */
function bitsIn(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
