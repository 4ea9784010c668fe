/**
 * The 64-bit hash of a token's canonical UTF-8 bytes, computed one byte at a time.
 *
 * With w(0), w(1), ... the bytes as little-endian u64, the last one padded with zeros, `len` the number of
 * bytes, s0 and s1 the seeded constants of purpose `word`, C1..C3 from mixing.ts, all modulo 2^64:
 *
 *      len <= 8     h = (w(0) ^ s0) * C1
 *      len <= 16    h = ((w(0) ^ s0) * C1) ^ rotl((w(1) ^ s1) * C2, 29)
 *      longer       h = (w(0) ^ s0) * C1
 *                   for every word between first and last:  h = (rotl(h, 27) ^ w) * C2;  h ^= h >> 32
 *                   h ^= rotl((w(last) ^ s1) * C2, 29) + len
 *      lines        h += len if len <= 16      (a line may hold NUL, a word never: "a" and "a\0" must differ)
 *      finally      h ^= h >> 32;  h *= C3;  h ^= h >> 29
 */
import {
  C1_HIGH,
  C1_LOW,
  C2_HIGH,
  C2_LOW,
  C3_HIGH,
  C3_LOW,
  carryOf,
  multiplyHigh64,
  seededConstants,
} from '../arrays/hashing.js';

const TWO_32 = 4294967296;

export class TokenHash {
  /** Number of bytes of the token so far. */
  length = 0;

  private readonly s0Low: number;
  private readonly s0High: number;
  private readonly s1Low: number;
  private readonly s1High: number;
  private readonly withLength: boolean;
  // The current word, and the chain of the words before it.
  private low = 0;
  private high = 0;
  private chainLow = 0;
  private chainHigh = 0;

  /** `withLength` for tokens that may hold NUL bytes. */
  constructor(seed: number, withLength: boolean) {
    const constants = new Int32Array(seededConstants(seed, 'word', 2));
    this.s0Low = constants[0]!;
    this.s0High = constants[1]!;
    this.s1Low = constants[2]!;
    this.s1High = constants[3]!;
    this.withLength = withLength;
  }

  /** Discards the current token. */
  reset(): void {
    this.length = 0;
    this.low = 0;
    this.high = 0;
  }

  /** Copies the state of `other`, which has the same seed. */
  copy(other: TokenHash): void {
    this.length = other.length;
    this.low = other.low;
    this.high = other.high;
    this.chainLow = other.chainLow;
    this.chainHigh = other.chainHigh;
  }

  add(byte: number): void {
    const position = this.length & 7;
    if (position === 0 && this.length > 0) this.closeWord();
    // Shift counts are taken modulo 32.
    if (position < 4) this.low |= byte << (position << 3);
    else this.high |= byte << (position << 3);
    this.length++;
  }

  /** Adds the full word to the chain, because another byte follows. */
  private closeWord(): void {
    if (this.length === 8) {
      this.startChain();
    } else {
      const low = ((this.chainLow << 27) | (this.chainHigh >>> 5)) ^ this.low;
      const high = ((this.chainHigh << 27) | (this.chainLow >>> 5)) ^ this.high;
      this.chainHigh = multiplyHigh64(low, high, C2_LOW, C2_HIGH);
      this.chainLow = Math.imul(low, C2_LOW) ^ this.chainHigh;
    }
    this.low = 0;
    this.high = 0;
  }

  private startChain(): void {
    const low = this.low ^ this.s0Low;
    const high = this.high ^ this.s0High;
    this.chainHigh = multiplyHigh64(low, high, C1_LOW, C1_HIGH);
    this.chainLow = Math.imul(low, C1_LOW);
  }

  /** Adds the length to (low, high) and returns the high half; the low half is `low + length`. */
  private highWithLength(low: number, high: number): number {
    const sum = (low + this.length) | 0;
    return (high + Math.floor(this.length / TWO_32) + carryOf(sum, low)) | 0;
  }

  private closeLastWord(): void {
    const low = this.low ^ this.s1Low;
    const high = this.high ^ this.s1High;
    const productHigh = multiplyHigh64(low, high, C2_LOW, C2_HIGH);
    const productLow = Math.imul(low, C2_LOW);
    let lastLow = (productLow << 29) | (productHigh >>> 3);
    let lastHigh = (productHigh << 29) | (productLow >>> 3);
    if (this.length > 16) {
      lastHigh = this.highWithLength(lastLow, lastHigh);
      lastLow = (lastLow + this.length) | 0;
    }
    this.chainLow ^= lastLow;
    this.chainHigh ^= lastHigh;
  }

  /** Writes the hash of the token to `out[at], out[at+1]` and resets. */
  finish(out: Uint32Array, at: number): void {
    if (this.length <= 8) this.startChain();
    else this.closeLastWord();
    let low = this.chainLow;
    let high = this.chainHigh;
    // closeLastWord has already added the length of longer tokens.
    if (this.withLength && this.length <= 16) {
      high = this.highWithLength(low, high);
      low = (low + this.length) | 0;
    }
    low ^= high;
    high = multiplyHigh64(low, high, C3_LOW, C3_HIGH);
    low = Math.imul(low, C3_LOW);
    out[at] = low ^ ((low >>> 29) | (high << 3));
    out[at + 1] = high ^ (high >>> 29);
    this.reset();
  }
}
