/**
 * Rolling hashes of shingles, and the buffer of fixed size between them and the sink. If repetitions count, hashes in the buffer
 * are labelled before they are passed on.
 */

import {
  C1_HIGH,
  C1_LOW,
  C2_HIGH,
  C2_LOW,
  carryOf,
  multiplyHigh64,
  seededConstants,
  writeFmix64,
  writeLightMix,
} from '../arrays/hashing.js';
import type { FingerprintTable } from '../arrays/hashTable.js';
import type { OccurrenceLabels } from './labels.js';

/**
 * Receives the shingle hashes of the current document, in text order, in one or more calls: `hashes[0 ..
 * 2*count)`. The array is valid during the call only: a sink copies what it keeps.
 */
export type ShingleSink = (hashes: Uint32Array, count: number) => void;

/** Largest number of shingle hashes in one call of a sink. */
export const SHINGLE_COLUMN = 65536;

/** A buffer of hashes of shingles or tokens for a sink. */
export class HashColumn {
  /** The hashes, low half first. A writer puts hashes after the first `count` and then calls `added`. */
  readonly hashes: Uint32Array;
  count = 0;
  /** Number of hashes of the document, repeated ones counted every time. */
  occurrences = 0;

  private readonly sink: ShingleSink;
  private readonly labels: OccurrenceLabels | undefined;
  private readonly most: number;

  /** @param most maximum number of hashes per call of the sink */
  constructor(sink: ShingleSink, labels?: OccurrenceLabels, most = SHINGLE_COLUMN) {
    this.sink = sink;
    this.labels = labels;
    this.most = most;
    this.hashes = new Uint32Array(2 * most);
  }

  begin(): void {
    this.count = 0;
    this.occurrences = 0;
    this.labels?.begin();
  }

  /** Hashes that can be written before the next call of `added`; at least 1. */
  get room(): number {
    return this.most - this.count;
  }

  added(hashes: number): void {
    this.occurrences += hashes;
    this.count += hashes;
    if (this.count === this.most) this.flush();
  }

  end(): void {
    if (this.count > 0) this.flush();
  }

  private flush(): void {
    const { count } = this;
    this.labels?.label(this.hashes, count);
    this.count = 0;
    this.sink(this.hashes, count);
  }
}

/**
 * Token hashes -> shingle hashes, for words, lines and stop words: a rolling polynomial.
 *
 * With t(1) .. t(k) the token hashes and b the odd seeded constant of purpose `shingle`, modulo 2^64:
 *
 *      H = t(1) * b^(k-1) + t(2) * b^(k-2) + ... + t(k),     shingle = fmix64(H)
 *
 * A step computes H = H * b + t(in) - t(out) * b^k. A document of n tokens without a full shingle has one shingle, fmix64(H + n)
 * with H over all its tokens.
 */
export class TokenShingles {
  /** Number of tokens of the document. */
  tokens = 0;

  private readonly size: number;
  private readonly column: HashColumn;
  /** Tokens that may start a shingle; undefined: all. */
  private readonly starts: FingerprintTable | undefined;
  private readonly baseLow: number;
  private readonly baseHigh: number;
  /** b^k. */
  private powerLow = 1;
  private powerHigh = 0;
  /** The last k token hashes, by token number modulo k. */
  private readonly ring: Int32Array;
  // H over the last k tokens, and over all tokens (computed until the first shingle).
  private low = 0;
  private high = 0;
  private allLow = 0;
  private allHigh = 0;

  constructor(seed: number, size: number, column: HashColumn, starts?: FingerprintTable) {
    this.size = size;
    this.column = column;
    this.starts = starts;
    const constants = new Int32Array(seededConstants(seed, 'shingle', 1, true));
    this.baseLow = constants[0]!;
    this.baseHigh = constants[1]!;
    for (let i = 0; i < size; i++) {
      this.powerHigh = multiplyHigh64(this.powerLow, this.powerHigh, this.baseLow, this.baseHigh);
      this.powerLow = Math.imul(this.powerLow, this.baseLow);
    }
    this.ring = new Int32Array(2 * size);
  }

  begin(): void {
    this.tokens = 0;
    this.ring.fill(0);
    this.low = 0;
    this.high = 0;
    this.allLow = 0;
    this.allHigh = 0;
  }

  /** Takes the next token hashes, `hashes[0 .. 2*count)`. */
  push(hashes: Uint32Array, count: number): void {
    const { size, column, ring, starts } = this;
    let slot = this.tokens % size;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = hashes[i]! | 0;
      const high = hashes[i + 1]! | 0;
      if (column.occurrences === 0) this.takeIntoAll(low, high);
      this.roll(low, high, ring[2 * slot]!, ring[2 * slot + 1]!);
      ring[2 * slot] = low;
      ring[2 * slot + 1] = high;
      slot = slot + 1 === size ? 0 : slot + 1;
      // `slot` is now the slot of the first token of the window.
      if (
        ++this.tokens >= size &&
        (starts === undefined || starts.has(ring[2 * slot]!, ring[2 * slot + 1]!))
      ) {
        writeFmix64(column.hashes, 2 * column.count, this.low, this.high);
        column.added(1);
      }
    }
  }

  end(): void {
    const { column, tokens } = this;
    if (tokens === 0 || column.occurrences > 0) return;
    const low = (this.allLow + tokens) | 0;
    const high = (this.allHigh + Math.floor(tokens / 4294967296) + carryOf(low, this.allLow)) | 0;
    writeFmix64(column.hashes, 2 * column.count, low, high);
    column.added(1);
  }

  private takeIntoAll(low: number, high: number): void {
    const productHigh = multiplyHigh64(this.allLow, this.allHigh, this.baseLow, this.baseHigh);
    this.allLow = (Math.imul(this.allLow, this.baseLow) + low) | 0;
    this.allHigh = (productHigh + high + carryOf(this.allLow, low)) | 0;
  }

  private roll(low: number, high: number, outLow: number, outHigh: number): void {
    const grownHigh = multiplyHigh64(this.low, this.high, this.baseLow, this.baseHigh);
    const sumLow = (Math.imul(this.low, this.baseLow) + low) | 0;
    const sumHigh = (grownHigh + high + carryOf(sumLow, low)) | 0;
    const lostHigh = multiplyHigh64(outLow, outHigh, this.powerLow, this.powerHigh);
    const lostLow = Math.imul(outLow, this.powerLow);
    this.low = (sumLow - lostLow) | 0;
    // The borrow of the subtraction equals the carry of the sum that undoes it.
    this.high = (sumHigh - lostHigh - carryOf(sumLow, lostLow)) | 0;
  }
}

const TABLE = 256;
/** Characters processed at a time. */
const RUN = 2048;

/**
 * Characters or bytes -> shingle hashes: a cyclic polynomial (buzhash).
 *
 * With s and s' the seeded constants of purpose `character`, C1 and C2 of src/arrays/hashing.ts, modulo 2^64:
 *
 *      T(c) = fmix64(((c + 1) * C1) ^ s)                 c a code point or byte
 *      H    = rotl(H, 1) ^ T(in) ^ rotl(T(out), k)       so H = rotl(T(c1), k-1) ^ ... ^ T(ck)
 *      F1(x): x ^= x >> 32;  x *= C3;  x ^= x >> 32
 *
 * A shingle is F1(H + s'). A document of n < k characters has one shingle, F1(H + s' + n * C2). Cohen 1997 (recursive hashing by
 * cyclic polynomials); the finaliser mixes the k-1 bits that are not independent.
 */
export class CharacterShingles {
  /** Number of characters of the document. */
  tokens = 0;

  private readonly size: number;
  private readonly column: HashColumn;
  private readonly constants: Int32Array;
  /** T of the code points below 256. */
  private readonly table = new Int32Array(2 * TABLE);
  private readonly mixed = new Uint32Array(2);
  /**
   * T of the k characters before the current run, then of the run: the value that leaves is k entries before the value that
   * enters.
   */
  private readonly values: Int32Array;
  private low = 0;
  private high = 0;

  constructor(seed: number, size: number, column: HashColumn) {
    this.size = size;
    this.column = column;
    this.constants = new Int32Array(seededConstants(seed, 'character', 2));
    for (let i = 0; i < TABLE; i++) {
      this.mix(i);
      this.table.set(this.mixed, 2 * i);
    }
    this.values = new Int32Array(2 * (size + RUN));
  }

  begin(): void {
    this.tokens = 0;
    // Zeros: nothing leaves the window until it holds k characters.
    this.values.fill(0, 0, 2 * this.size);
    this.low = 0;
    this.high = 0;
  }

  /** Takes the next code points or bytes, `characters[0 .. count)`. */
  push(characters: Uint32Array | Uint8Array, count: number): void {
    const { size, values } = this;
    for (let from = 0; from < count; ) {
      // The window fills first; then every character ends a shingle, as many as the column has room for.
      const missing = size - 1 - this.tokens;
      const most = missing > 0 ? missing : this.column.room;
      const run = Math.min(count - from, RUN, most);
      this.value(characters, from, run);
      if (missing > 0) {
        this.fill(run);
      } else {
        this.write(run);
        this.column.added(run);
      }
      values.copyWithin(0, 2 * run, 2 * (run + size));
      this.tokens += run;
      from += run;
    }
  }

  end(): void {
    if (this.tokens === 0 || this.tokens >= this.size) return;
    const low = (this.low + Math.imul(this.tokens, C2_LOW)) | 0;
    const product = multiplyHigh64(this.tokens, 0, C2_LOW, C2_HIGH);
    this.writeOne(low, (this.high + product + carryOf(low, this.low)) | 0);
    this.column.added(1);
  }

  /** T of a character, into `mixed`. */
  private mix(character: number): void {
    const next = character + 1;
    const low = Math.imul(next, C1_LOW) ^ this.constants[0]!;
    writeFmix64(this.mixed, 0, low, multiplyHigh64(next, 0, C1_LOW, C1_HIGH) ^ this.constants[1]!);
  }

  /** Writes T of a run of characters after the k values before it. */
  private value(characters: Uint32Array | Uint8Array, from: number, run: number): void {
    const { table, values, mixed } = this;
    for (let i = from, at = 2 * this.size; i < from + run; i++, at += 2) {
      const character = characters[i]!;
      if (character < TABLE) {
        values[at] = table[2 * character]!;
        values[at + 1] = table[2 * character + 1]!;
      } else {
        this.mix(character);
        values[at] = mixed[0]!;
        values[at + 1] = mixed[1]!;
      }
    }
  }

  /** Adds a run of characters to a window that is not full yet. */
  private fill(run: number): void {
    const { values, size } = this;
    for (let at = 2 * size; at < 2 * (size + run); at += 2) {
      const { low, high } = this;
      this.low = ((low << 1) | (high >>> 31)) ^ values[at]!;
      this.high = ((high << 1) | (low >>> 31)) ^ values[at + 1]!;
    }
  }

  /** Rolls the window over a run and writes a shingle at every step. */
  private write(run: number): void {
    const { values, size, column, constants } = this;
    const hashes = column.hashes;
    const addLow = constants[2]!;
    const addHigh = constants[3]!;
    // rotl by k: the halves are swapped for k >= 32. (x >>> 1) >>> (31 - left) is 0 for left = 0.
    const swap = size >= 32 ? 1 : 0;
    const left = size & 31;
    let { low, high } = this;
    let to = 2 * column.count;
    for (let out = 0; out < 2 * run; out += 2) {
      const outLow = values[out + swap]!;
      const outHigh = values[out + 1 - swap]!;
      const into = out + 2 * size;
      const nextLow = (low << 1) | (high >>> 31);
      const nextHigh = (high << 1) | (low >>> 31);
      low = nextLow ^ values[into]! ^ ((outLow << left) | ((outHigh >>> 1) >>> (31 - left)));
      high = nextHigh ^ values[into + 1]! ^ ((outHigh << left) | ((outLow >>> 1) >>> (31 - left)));
      const sum = (low + addLow) | 0;
      writeLightMix(hashes, to, sum, (high + addHigh + carryOf(sum, low)) | 0);
      to += 2;
    }
    this.low = low;
    this.high = high;
  }

  /** Writes the shingle F1(value + s'). */
  private writeOne(low: number, high: number): void {
    const { column, constants } = this;
    const sum = (low + constants[2]!) | 0;
    const sumHigh = (high + constants[3]! + carryOf(sum, low)) | 0;
    writeLightMix(column.hashes, 2 * column.count, sum, sumHigh);
  }
}
