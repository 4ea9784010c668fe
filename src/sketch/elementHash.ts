/**
 * The 64-bit hash of an element that comes as bytes of its own: the row of the characteristic matrix in row form.
 *
 * Floor 0. An element is one token that may hold any byte, and the one shingle made of it: the hash is that of the
 * shingle `lines:1` over the same bytes (tokenHash.ts draws it). So it depends on the seed of the run, as the first
 * rounds of FSS and OPH ask.
 */
import { carryOf, multiplyHigh64, seededConstants } from './hashing.js';
import { C1_HIGH, C1_LOW, C2_HIGH, C2_LOW, C3_HIGH, C3_LOW, writeFmix64 } from './mixing.js';
import { TokenHash } from './tokenHash.js';

/** Elements of so many bytes are two words: most are, and are hashed at once. */
const TWO_WORDS = 16;

/** Four bytes (fewer at the end) as a little-endian word. */
function wordAt(bytes: Uint8Array, at: number, to: number): number {
  if (to - at >= 4)
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  let word = 0;
  for (let shift = 0; at < to; shift += 8) word |= bytes[at++]! << shift;
  return word;
}

export class ElementHash {
  private readonly token: TokenHash;
  private readonly s0Low: number;
  private readonly s0High: number;
  private readonly s1Low: number;
  private readonly s1High: number;

  constructor(seed: number) {
    this.token = new TokenHash(seed, true);
    const constants = new Int32Array(seededConstants(seed, 'word', 2));
    this.s0Low = constants[0]!;
    this.s0High = constants[1]!;
    this.s1Low = constants[2]!;
    this.s1High = constants[3]!;
  }

  /** Writes the hash of `bytes[from .. to)` (at least one byte) to `out[at], out[at+1]`. */
  write(bytes: Uint8Array, from: number, to: number, out: Uint32Array, at: number): void {
    if (to - from <= TWO_WORDS) {
      this.writeWords(bytes, from, to, out, at);
    } else {
      const { token } = this;
      for (let i = from; i < to; i++) token.add(bytes[i]!);
      token.finish(out, at);
    }
    writeFmix64(out, at, out[at]! | 0, out[at + 1]! | 0);
  }

  /**
   * h = (w(0) ^ s0) * C1, and for more than 8 bytes h ^= rotl((w(1) ^ s1) * C2, 29); then
   * h += length; h ^= h >> 32; h *= C3; h ^= h >> 29
   */
  private writeWords(bytes: Uint8Array, from: number, to: number, out: Uint32Array, at: number): void {
    let low = wordAt(bytes, from, to) ^ this.s0Low;
    let high = wordAt(bytes, from + 4, to) ^ this.s0High;
    high = multiplyHigh64(low, high, C1_LOW, C1_HIGH);
    low = Math.imul(low, C1_LOW);
    if (to - from > 8) {
      const nextLow = wordAt(bytes, from + 8, to) ^ this.s1Low;
      const nextHigh = wordAt(bytes, from + 12, to) ^ this.s1High;
      const productHigh = multiplyHigh64(nextLow, nextHigh, C2_LOW, C2_HIGH);
      const productLow = Math.imul(nextLow, C2_LOW);
      low ^= (productLow << 29) | (productHigh >>> 3);
      high ^= (productHigh << 29) | (productLow >>> 3);
    }
    const sum = (low + to - from) | 0;
    high = (high + carryOf(sum, low)) | 0;
    low = sum ^ high;
    high = multiplyHigh64(low, high, C3_LOW, C3_HIGH);
    low = Math.imul(low, C3_LOW);
    out[at] = low ^ ((low >>> 29) | (high << 3));
    out[at + 1] = high ^ (high >>> 29);
  }
}
