/**
 * Bucket keys of one band in a range of their high words, gathered from blocks in the order of reading.
 *
 * Floor 0. A bucket has one key, so the documents of a range are whole buckets: ranges can be bucketed one after the
 * other, each with the memory of its own documents.
 */
import type { BandKeys } from './pairs.js';

/** High words of 64-bit keys, from `from` (inclusive) to `to`. */
export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** In the place of a document: a column that is not bucketed. */
export const NOBODY = 0xffffffff;

/** `[0, words)` in `parts` ranges of about the same width. */
export function keyRanges(parts: number, words: number): KeyRange[] {
  const cut = (part: number): number => Math.floor((words * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: cut(part), to: cut(part + 1) }));
}

/** Takes keys with their documents, each document once, and keeps those of its range. */
export class RangedKeys {
  private readonly range: KeyRange;
  private keys: Uint32Array;
  private documents: Uint32Array;
  private count = 0;
  private ascending = true;
  private largest = 0;

  /** `expected`: how many documents are in the range, about. */
  constructor(range: KeyRange, expected: number) {
    this.range = range;
    this.keys = new Uint32Array(2 * expected);
    this.documents = new Uint32Array(expected);
  }

  /** Key i of `keys` is that of `documents[at + i]`. */
  add(keys: Uint32Array, documents: Uint32Array, at: number): void {
    const { from, to } = this.range;
    for (let i = 0; i < keys.length / 2; i++) {
      const document = documents[at + i]!;
      const high = keys[2 * i + 1]!;
      if (document === NOBODY || high < from || high >= to) continue;
      if (this.count === this.documents.length) this.grow();
      if (this.count > 0 && document < this.documents[this.count - 1]!) this.ascending = false;
      this.largest = Math.max(this.largest, document);
      this.keys[2 * this.count] = keys[2 * i]!;
      this.keys[2 * this.count + 1] = high;
      this.documents[this.count++] = document;
    }
  }

  /** What was kept, by ascending document. */
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

  /** By a quarter: the ranges of good hashes differ little, and what is not needed is memory lost. */
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

/** Ranks of distinct numbers: a bit for every number there could be, and the bits set before each word. */
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

/** Bits set in a word (Warren, Hacker's Delight, section 5-1). */
function bitsIn(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
