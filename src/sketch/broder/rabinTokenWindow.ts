/**
 * Rabin fingerprints of a sliding window of k tokens of any length: of their bytes, one after the other.
 *
 * Floor 0. Tokens "ab", "c" and "a", "bc" are the same bytes: where that matters a token ends in a byte that
 * is in none. The window is the polynomial x^8L + t, L bytes. A token of n bytes appended makes t * x^8n plus
 * its own polynomial; the first one, with R bytes after it, leaves by its polynomial * x^8R. So a token costs
 * a step a byte of its own and three products modulo P, whatever k is. A product is as dear as some 60 steps:
 * it pays for windows of some 300 bytes (lines, long shingles); below, fingerprints from scratch (rabin.ts)
 * or tokens of one width (rabinWindow.ts) are faster. Memory: 8 bytes for every byte of the longest window.
 */
import { degreeOf, powerModulo } from './gf2.js';
import { RabinFingerprint, type RabinTables, rabinTablesOf, topAligned, writeFromTop } from './rabin.js';

/** Halves of values are kept at the top of 64 bits, as rabin.ts does while it reads. */
export class RabinTokenWindow {
  /** Tokens in the window, 0..k. */
  length = 0;

  private readonly tables: RabinTables;
  private readonly k: number;
  private readonly token: RabinFingerprint;
  /** P without its highest bit. */
  private readonly low: number;
  private readonly high: number;
  /** x^8n mod P for n = 0, 1, ..., as pairs; grown as windows need them. */
  private powers: Uint32Array;
  private powersKnown = 1;
  /** The tokens in the window, a ring: fingerprints (linear) and lengths in bytes. */
  private readonly fingerprints: Uint32Array;
  private readonly lengths: Uint32Array;
  private next = 0;
  private bytes = 0;
  /** What the window's bytes amount to, and the result of the latest product. */
  private readonly sum = new Uint32Array(2);
  private readonly product = new Uint32Array(2);

  /** A window of k >= 1 tokens. */
  constructor(tables: RabinTables, k: number) {
    if (!Number.isInteger(k) || k < 1)
      throw new RangeError(`k ${k}: expected an integer of at least 1 token`);
    this.tables = tables;
    this.k = k;
    const { polynomial, degree, appendedNulls } = tables;
    this.token = new RabinFingerprint(rabinTablesOf(polynomial, { leadingOne: false, appendedNulls }));
    const rest = topAligned(polynomial ^ (1n << BigInt(degreeOf(polynomial))), degree);
    this.low = rest[0]! | 0;
    this.high = rest[1]! | 0;
    this.powers = new Uint32Array(128);
    this.powers.set(topAligned(powerModulo(0, polynomial), degree));
    this.fingerprints = new Uint32Array(2 * k);
    this.lengths = new Uint32Array(k);
  }

  /** Empties the window. */
  reset(): void {
    this.length = 0;
    this.next = 0;
    this.bytes = 0;
    this.sum.fill(0);
  }

  /** Appends the token bytes[from, to); where the window is full its first token leaves. */
  push(bytes: Uint8Array, from: number, to: number): void {
    const { sum, fingerprints, lengths, product, next } = this;
    if (this.length === this.k) {
      this.bytes -= lengths[next]!;
      this.multiply(fingerprints[2 * next]!, fingerprints[2 * next + 1]!, this.bytes);
      sum[0]! ^= product[0]!;
      sum[1]! ^= product[1]!;
    } else this.length++;
    this.token.reset();
    this.token.push(bytes, from, to);
    this.token.writeTop(fingerprints, 2 * next);
    lengths[next] = to - from;
    this.multiply(sum[0]!, sum[1]!, to - from);
    sum[0] = product[0]! ^ fingerprints[2 * next]!;
    sum[1] = product[1]! ^ fingerprints[2 * next + 1]!;
    this.bytes += to - from;
    this.next = next + 1 === this.k ? 0 : next + 1;
  }

  /** Writes the fingerprint of the window's bytes, from scratch the same, to `out[at], out[at+1]`. */
  write(out: Uint32Array, at: number): void {
    const { sum, product, tables } = this;
    this.multiply(tables.start[0]!, tables.start[1]!, this.bytes);
    writeFromTop(out, at, sum[0]! ^ product[0]!, sum[1]! ^ product[1]!, tables.degree);
  }

  /** product = (low, high) * x^8n mod P, bit by bit from the highest. */
  private multiply(low: number, high: number, n: number): void {
    if (n >= this.powersKnown) this.extendPowers(n);
    const { powers, low: pLow, high: pHigh, product } = this;
    let powerLow = powers[2 * n]!;
    let powerHigh = powers[2 * n + 1]!;
    let toLow = 0;
    let toHigh = 0;
    for (let bit = this.tables.degree; bit > 0; bit--) {
      // All ones where the highest bit is set, else all zeros.
      const over = toHigh >> 31;
      const taken = powerHigh >> 31;
      toHigh = ((toHigh << 1) | (toLow >>> 31)) ^ (pHigh & over) ^ (high & taken);
      toLow = (toLow << 1) ^ (pLow & over) ^ (low & taken);
      powerHigh = (powerHigh << 1) | (powerLow >>> 31);
      powerLow <<= 1;
    }
    product[0] = toLow;
    product[1] = toHigh;
  }

  private extendPowers(n: number): void {
    if (2 * n >= this.powers.length) {
      const grown = new Uint32Array(2 * Math.max(n + 1, this.powers.length));
      grown.set(this.powers);
      this.powers = grown;
    }
    const { powers, low: pLow, high: pHigh } = this;
    for (; this.powersKnown <= n; this.powersKnown++) {
      const at = 2 * this.powersKnown;
      let low = powers[at - 2]!;
      let high = powers[at - 1]!;
      for (let bit = 0; bit < 8; bit++) {
        const over = high >> 31;
        high = ((high << 1) | (low >>> 31)) ^ (pHigh & over);
        low = (low << 1) ^ (pLow & over);
      }
      powers[at] = low;
      powers[at + 1] = high;
    }
  }
}
