/**
 * Token hashes -> shingle hashes, for words, lines and stop words: a rolling polynomial.
 *
 * Floor 0. With t(1) .. t(k) the token hashes and b the odd seeded constant of purpose `shingle`, modulo
 * 2^64:
 *
 *      H = t(1) * b^(k-1) + t(2) * b^(k-2) + ... + t(k),     shingle = fmix64(H)
 *
 * rolled on by H = H * b + t(in) - t(out) * b^k. A document of n tokens without such a shingle has the one
 * shingle fmix64(H + n), H taken over all its tokens.
 */
import { carryOf, multiplyHigh64, seededConstants } from './hashing.js';
import { writeFmix64 } from './mixing.js';
import type { ShingleColumn } from './shingleColumn.js';
import type { TokenSet } from './tokenSet.js';

export class TokenShingles {
  /** Tokens of the document. */
  tokens = 0;

  private readonly size: number;
  private readonly column: ShingleColumn;
  /** Tokens that may start a shingle; undefined = all. */
  private readonly starts: TokenSet | undefined;
  private readonly baseLow: number;
  private readonly baseHigh: number;
  /** b^k. */
  private powerLow = 1;
  private powerHigh = 0;
  /** The last k token hashes, by token number modulo k. */
  private readonly ring: Int32Array;
  // H over the last k tokens, and over all tokens (kept up until the first shingle).
  private low = 0;
  private high = 0;
  private allLow = 0;
  private allHigh = 0;

  constructor(seed: number, size: number, column: ShingleColumn, starts?: TokenSet) {
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
    let place = this.tokens % size;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = hashes[i]! | 0;
      const high = hashes[i + 1]! | 0;
      if (column.occurrences === 0) this.takeIntoAll(low, high);
      this.roll(low, high, ring[2 * place]!, ring[2 * place + 1]!);
      ring[2 * place] = low;
      ring[2 * place + 1] = high;
      place = place + 1 === size ? 0 : place + 1;
      // `place` is now that of the window's first token.
      if (
        ++this.tokens >= size &&
        (starts === undefined || starts.has(ring[2 * place]!, ring[2 * place + 1]!))
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
    // A borrow is the carry that gave the sum back.
    this.high = (sumHigh - lostHigh - carryOf(sumLow, lostLow)) | 0;
  }
}
