/**
 * The content hash: 128 bits that are equal for equal token sequences, computed from a stream.
 *
 * Two chains over 64-bit items t with odd seeded constants k1, k2 (starts), p1, p2 (multipliers) of
 * purpose `content`, modulo 2^64:
 *
 *      k1 = (k1 ^ t) * p1;             k1 ^= k1 >> 32
 *      k2 = (k2 + rotl(t, 32)) * p2;   k2 ^= k2 >> 32
 *
 * and at the end, with n the number of units: x = k1 ^ n, y = k2 + n, key = (a, b) with a = fmix64(x +
 * y), b = fmix64(y ^ a). Every step is a bijection of its chain, so two sequences that differ in one item
 * never collide.
 *
 * Words and lines: an item is a token hash, n the number of tokens. Characters and bytes: an item is eight
 * canonical bytes as a little-endian u64, the last one padded with zeros, n the number of bytes. The bytes determine the tokens,
 * and eight bytes per item take an eighth of the steps.
 */
import { carryOf, multiplyHigh64, seededConstants, writeFmix64 } from '../../arrays/hashing.js';

const TWO_32 = 4294967296;

export class ContentKey {
  private readonly constants: Int32Array;
  private k1Low = 0;
  private k1High = 0;
  private k2Low = 0;
  private k2High = 0;
  private units = 0;
  /** The `units & 7` bytes of the current word. */
  private readonly word = new Uint8Array(8);

  constructor(seed: number) {
    this.constants = new Int32Array(seededConstants(seed, 'content', 4, true));
  }

  begin(): void {
    this.k1Low = this.constants[0]!;
    this.k1High = this.constants[1]!;
    this.k2Low = this.constants[2]!;
    this.k2High = this.constants[3]!;
    this.units = 0;
  }

  /** Takes the next token hashes, `hashes[0 .. 2*count)`. */
  takeHashes(hashes: Uint32Array, count: number): void {
    for (let i = 0; i < count; i++) this.step(hashes[2 * i]! | 0, hashes[2 * i + 1]! | 0);
    this.units += count;
  }

  /** Takes the next canonical bytes, `bytes[0 .. count)`, cut anywhere. */
  takeBytes(bytes: Uint8Array, count: number): void {
    let i = 0;
    let filled = this.units % 8;
    this.units += count;
    while (filled !== 0 && i < count) {
      this.word[filled] = bytes[i++]!;
      filled = (filled + 1) % 8;
      if (filled === 0) this.stepWord(this.word, 0);
    }
    for (; i + 8 <= count; i += 8) this.stepWord(bytes, i);
    for (; i < count; i++) this.word[filled++] = bytes[i]!;
  }

  /** Ends a document of token hashes and writes its key. The empty sequence also has a key. */
  finishHashes(out: Uint32Array): void {
    const lengthHigh = Math.floor(this.units / TWO_32);
    const xLow = this.k1Low ^ this.units;
    const xHigh = this.k1High ^ lengthHigh;
    const yLow = (this.k2Low + this.units) | 0;
    const yHigh = (this.k2High + lengthHigh + carryOf(yLow, this.k2Low)) | 0;
    const sumLow = (xLow + yLow) | 0;
    writeFmix64(out, 0, sumLow, (xHigh + yHigh + carryOf(sumLow, xLow)) | 0);
    writeFmix64(out, 2, yLow ^ out[0]!, yHigh ^ out[1]!);
  }

  /** Ends a document of bytes and writes its key. */
  finishBytes(out: Uint32Array): void {
    const filled = this.units % 8;
    if (filled > 0) {
      this.word.fill(0, filled);
      this.stepWord(this.word, 0);
    }
    this.finishHashes(out);
  }

  private stepWord(b: Uint8Array, i: number): void {
    this.step(
      b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16) | (b[i + 3]! << 24),
      b[i + 4]! | (b[i + 5]! << 8) | (b[i + 6]! << 16) | (b[i + 7]! << 24),
    );
  }

  private step(low: number, high: number): void {
    const { constants } = this;
    const p1Low = constants[4]!;
    const p2Low = constants[6]!;
    const aLow = this.k1Low ^ low;
    const aHigh = this.k1High ^ high;
    this.k1High = multiplyHigh64(aLow, aHigh, p1Low, constants[5]!);
    this.k1Low = Math.imul(aLow, p1Low) ^ this.k1High;
    // The second chain uses the item with its halves exchanged.
    const bLow = (this.k2Low + high) | 0;
    const bHigh = (this.k2High + low + carryOf(bLow, high)) | 0;
    this.k2High = multiplyHigh64(bLow, bHigh, p2Low, constants[7]!);
    this.k2Low = Math.imul(bLow, p2Low) ^ this.k2High;
  }
}
