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
 * Cohen 1997 (recursive hashing by cyclic polynomials); the finaliser repairs the k-1 bits that are not independent.
 */
import { carryOf, multiplyHigh64, seededConstants } from './hashing.js';
import { C1_HIGH, C1_LOW, C2_HIGH, C2_LOW, writeFmix64, writeLightMix } from './mixing.js';
import type { ShingleColumn } from './shingleColumn.js';

const TABLE = 256;

export class CharacterShingles {
  /** Characters of the document. */
  tokens = 0;

  private readonly size: number;
  private readonly column: ShingleColumn;
  private readonly constants: Int32Array;
  /** T of the code points below 256. */
  private readonly table = new Int32Array(2 * TABLE);
  private readonly mixed = new Uint32Array(2);
  /** T of the last k characters, by character number modulo k. */
  private readonly ring: Int32Array;
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
    this.ring = new Int32Array(2 * size);
  }

  begin(): void {
    this.tokens = 0;
    // Zeros: until k characters are in, nothing is taken out.
    this.ring.fill(0);
    this.low = 0;
    this.high = 0;
  }

  /** Takes the next code points or bytes, `characters[0 .. count)`. */
  push(characters: Uint32Array | Uint8Array, count: number): void {
    const { size, table, mixed } = this;
    let place = this.tokens % size;
    for (let i = 0; i < count; i++) {
      const character = characters[i]!;
      if (character < TABLE) {
        this.roll(place, table[2 * character]!, table[2 * character + 1]!);
      } else {
        this.mix(character);
        this.roll(place, mixed[0]! | 0, mixed[1]! | 0);
      }
      place = place + 1 === size ? 0 : place + 1;
      if (++this.tokens >= size) this.write(this.low, this.high);
    }
  }

  end(): void {
    if (this.tokens === 0 || this.tokens >= this.size) return;
    const low = (this.low + Math.imul(this.tokens, C2_LOW)) | 0;
    const product = multiplyHigh64(this.tokens, 0, C2_LOW, C2_HIGH);
    this.write(low, (this.high + product + carryOf(low, this.low)) | 0);
  }

  /** T of a character, into `mixed`. */
  private mix(character: number): void {
    const next = character + 1;
    const low = Math.imul(next, C1_LOW) ^ this.constants[0]!;
    writeFmix64(this.mixed, 0, low, multiplyHigh64(next, 0, C1_LOW, C1_HIGH) ^ this.constants[1]!);
  }

  /** Takes T(in) into the window and the value at its place in the ring out. */
  private roll(place: number, inLow: number, inHigh: number): void {
    const { ring, size, low, high } = this;
    const swap = size >= 32;
    const outLow = ring[2 * place + (swap ? 1 : 0)]!;
    const outHigh = ring[2 * place + (swap ? 0 : 1)]!;
    const left = size & 31;
    // A shift by 32 would be a shift by 0: size 32 is the swap alone.
    const lostLow = left === 0 ? outLow : (outLow << left) | (outHigh >>> (32 - left));
    const lostHigh = left === 0 ? outHigh : (outHigh << left) | (outLow >>> (32 - left));
    this.low = ((low << 1) | (high >>> 31)) ^ inLow ^ lostLow;
    this.high = ((high << 1) | (low >>> 31)) ^ inHigh ^ lostHigh;
    ring[2 * place] = inLow;
    ring[2 * place + 1] = inHigh;
  }

  /** Writes the shingle F1(value + s'). */
  private write(low: number, high: number): void {
    const { column, constants } = this;
    const sum = (low + constants[2]!) | 0;
    writeLightMix(column.hashes, 2 * column.count, sum, (high + constants[3]! + carryOf(sum, low)) | 0);
    column.added();
  }
}
