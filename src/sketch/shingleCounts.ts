/**
 * Exact document frequencies of shingles, in bounded memory: a filter of counters rules out rare hashes, and ranges of hashes are
 * counted one after the other.
 */
import { grown } from '../arrays/growable.js';
import { FingerprintTable } from '../arrays/hashTable.js';

/** Distinct hashes (pairs low, high), with the number of documents that have each. */
export interface CountedHashes {
  readonly hashes: Uint32Array;
  readonly documents: Uint32Array;
}

/** Counters saturate at this value. */
const MOST_COUNTED = 0xffff;

/** The shift that turns the high word of a hash into the number of its counter; 2 to 2^31 counters, a power of two. */
function shiftOf(counters: Uint16Array): number {
  return 1 + Math.clz32(counters.length);
}

/** Adds the number of documents of each hash to the counter of the hash. */
export function addToFilter(counters: Uint16Array, { hashes, documents }: CountedHashes): void {
  const shift = shiftOf(counters);
  for (let i = 0; i < documents.length; i++) {
    const part = hashes[2 * i + 1]! >>> shift;
    counters[part] = Math.min(MOST_COUNTED, counters[part]! + documents[i]!);
  }
}

/**
 * Moves those of the first `count` hashes to the front that may be in more than `most` documents and whose high word is in
 * [from, below); returns their number. `counters` null: any hash may be. A counter is the sum over all hashes with the same top bits,
 * so it is never too small, and the filter excludes only hashes that need not be counted.
 */
export function keepSuspects(
  hashes: Uint32Array,
  count: number,
  counters: Uint16Array | null,
  most: number,
  from: number,
  below: number,
): number {
  if (counters === null && from === 0 && below === ALL_HASHES) return count;
  const shift = counters === null ? 0 : shiftOf(counters);
  const least = Math.min(most + 1, MOST_COUNTED);
  let kept = 0;
  for (let i = 0; i < 2 * count; i += 2) {
    const high = hashes[i + 1]!;
    if (high < from || high >= below) continue;
    if (counters !== null && counters[high >>> shift]! < least) continue;
    hashes[kept++] = hashes[i]!;
    hashes[kept++] = high;
  }
  return kept / 2;
}

/** One more than the greatest high word. */
export const ALL_HASHES = 2 ** 32;

/**
 * Exact counts of documents for the hashes of a range. The range is cut in half when it has more hashes than fit into memory.
 * Hashes are well mixed, so equal ranges have about the same number of hashes.
 */
export class RangeCounts {
  /** The range of high words that are counted: from `from` (inclusive) to `below` (exclusive). */
  readonly from: number;
  below = ALL_HASHES;
  private readonly room: number;
  private table = new FingerprintTable();
  private documents = new Uint32Array(1024);

  /** `room`: maximum number of hashes in memory, unless more have the same high word. */
  constructor(from: number, room: number) {
    this.from = from;
    this.room = room;
  }

  /** Adds counts; ignores hashes outside the range. */
  add({ hashes, documents }: CountedHashes): void {
    for (let i = 0; i < documents.length; i++) {
      const high = hashes[2 * i + 1]!;
      if (high < this.from || high >= this.below) continue;
      const before = this.table.size;
      const number = this.table.add(hashes[2 * i]!, high);
      if (number < before) {
        this.documents[number]! += documents[i]!;
        continue;
      }
      if (number === this.documents.length) this.documents = grown(this.documents);
      this.documents[number] = documents[i]!;
      if (this.table.size > this.room) this.shrink();
    }
  }

  /** Calls `visit` for the hashes in more than `most` documents, in any order. */
  eachPopular(most: number, visit: (low: number, high: number, documents: number) => void): void {
    const { keys, size } = this.table;
    for (let n = 0; n < size; n++) {
      if (this.documents[n]! <= most) continue;
      visit(keys[2 * n]!, keys[2 * n + 1]!, this.documents[n]!);
    }
  }

  /** Drops the upper half of the range, which a later pass counts. */
  private shrink(): void {
    const { table, documents } = this;
    const highs = new Uint32Array(table.size);
    for (let n = 0; n < highs.length; n++) highs[n] = table.keys[2 * n + 1]!;
    highs.sort();
    // At least one high word remains, for any number of hashes.
    const below = Math.max(highs[highs.length >>> 1]!, highs[0]! + 1);
    if (below > highs.at(-1)!) return;
    const kept = new FingerprintTable();
    for (let n = 0; n < table.size; n++) {
      if (table.keys[2 * n + 1]! >= below) continue;
      const number = kept.add(table.keys[2 * n]!, table.keys[2 * n + 1]!);
      documents[number] = documents[n]!;
    }
    this.table = kept;
    this.below = below;
  }
}
