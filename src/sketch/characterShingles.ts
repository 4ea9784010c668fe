/**
 * Characters or bytes -> shingle hashes: a cyclic polynomial (buzhash).
 *
 * Floor 0. With s and s' the seeded constants of purpose `character`, C1 and C2 from mixing.ts, modulo 2^64:
 *
 *      T(c) = fmix64(((c + 1) * C1) ^ s)                 c a code point or byte
 *      H    = rotl(H, 1) ^ T(in) ^ rotl(T(out), k)       so H = rotl(T(c1), k-1) ^ ... ^ T(ck)
 *      F1(x): x ^= x >> 32;  x *= C3;  x ^= x >> 32
 *
 * A shingle is F1(H + s'). A document of n < k characters has the one shingle F1(H + s' + n * C2).
 * Cohen 1997 (recursive hashing by cyclic polynomials); the finaliser repairs the k-1 bits that are not
 * independent.
 */
import { carryOf, multiplyHigh64, seededConstants } from './hashing.js';
import { C1_HIGH, C1_LOW, C2_HIGH, C2_LOW, writeFmix64, writeLightMix } from './mixing.js';
import type { ShingleColumn } from './shingleColumn.js';

const TABLE = 256;
/** Characters taken at a time. */
const RUN = 2048;

export class CharacterShingles {
  /** Characters of the document. */
  tokens = 0;

  private readonly size: number;
  private readonly column: ShingleColumn;
  private readonly constants: Int32Array;
  /** T of the code points below 256. */
  private readonly table = new Int32Array(2 * TABLE);
  private readonly mixed = new Uint32Array(2);
  /**
   * T of the k characters before the run in hand, then of the run: what goes out lies k values before what
   * comes in.
   */
  private readonly values: Int32Array;
  private low = 0;
  private high = 0;

  constructor(seed: number, size: number, column: ShingleColumn) {
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
    // Zeros: until k characters are in, nothing is taken out.
    this.values.fill(0, 0, 2 * this.size);
    this.low = 0;
    this.high = 0;
  }

  /** Takes the next code points or bytes, `characters[0 .. count)`. */
  push(characters: Uint32Array | Uint8Array, count: number): void {
    const { size, values } = this;
    for (let from = 0; from < count; ) {
      // The window fills up first; then every character ends a shingle, as many as the column has room for.
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

  /** Puts T of a run of characters behind the k values before them. */
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

  /** Takes a run into a window that does not lose anything yet. */
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
    // rotl by k: from 32 on the halves change places. (x >>> 1) >>> (31 - left) is 0 for left = 0.
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
