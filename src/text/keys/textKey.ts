/**
 * The key of a text: 128 bits that are equal for equal bytes, taken as a stream, and whether the text looks
 * like code.
 *
 * Two documents with one content hash (contentKey.ts) have the same tokens; the key of the text says whether
 * they are equal byte for byte. The bytes are u64 words t, little-endian, in stripes of eight; words 2i and
 * 2i + 1 of a stripe go to two chains, i = 0 .. 3. There are eight chains, because no chain waits for another, and
 * a step takes two words, because the product takes most of the time. With seeded odd constants a_i, b_i (starts),
 * p1, p2 (multipliers) of purpose `text`, modulo 2^64:
 *
 *      A_i = rotl(((A_i ^ t) + rotl(u, 23)) * p1, 32)        t = word 2i, u = word 2i + 1
 *      B_i = rotl(((B_i ^ u) + rotl(t, 29)) * p2, 32)
 *
 * The end of the text is padded with zeros to a multiple of 16 bytes. Then, with n the number of bytes, x = n
 * ^ the sum of rotl(fmix64(A_i), 16 i), y = the sum of rotl(fmix64(B_i), 16 i), and key = (a, b) with a =
 * fmix64(x + y), b = fmix64(y ^ a). Every step is a bijection of its chain, and the rotations by 23 and 29 do not let
 * differences of few bits in t and u cancel in both chains: two texts that differ in one word have different keys.
 * Such differences can cancel in one chain, and leave a difference of few bits in the other, the same in every pair of
 * chains: so each chain is mixed by itself before it is added.
 *
 * A text looks like code (or markup, or numbers) where of its first SAMPLE bytes more than one in ten is an
 * ASCII digit or punctuation. Measured: 19 of 20 licences have less than one in eleven, 9 of 10 source files
 * without a long comment at their beginning more than one in ten.
 */
import { carryOf, multiplyHigh64, seededConstants, writeFmix64 } from '../../arrays/hashing.js';

const TWO_32 = 4294967296;

/** Bytes of a stripe. */
const STRIPE = 64;

/** Number of bytes sampled at the beginning of a text. */
export const SAMPLE = 1024;

/** Positions of chains and multipliers, as pairs (low, high). */
const B = 8;
const P1 = 16;
const P2 = 18;

/** Hashes the bytes of a document. `TextKey` is the reference; a kernel has its own implementation. */
export interface TextHash {
  begin(): void;
  /** Bytes of the text, in order, cut anywhere. */
  push(bytes: Uint8Array): void;
  /** Fills the fields below; they are valid until the next `begin`. */
  end(): void;
  /** Four uint32, each 64-bit half low word first. */
  readonly key: Uint32Array;
  readonly looksLikeCode: boolean;
}

/** Whether a text of `length` bytes looks like code, with `marks` digits and punctuation in its sample. */
export function looksLikeCode(marks: number, length: number): boolean {
  return 10 * marks > Math.min(length, SAMPLE);
}

/** By byte: 1 for an ASCII digit or punctuation. */
const MARKS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const lower = byte | 0x20;
  return Number(byte > 0x20 && byte < 0x80 && !(lower >= 0x61 && lower <= 0x7a));
});

function halfWord(b: Uint8Array, at: number): number {
  return b[at]! | (b[at + 1]! << 8) | (b[at + 2]! << 16) | (b[at + 3]! << 24);
}

/**
 * High half of the pair (low, high) rotated left by `by`, 1 .. 31. The call with the halves exchanged gives the low
 * half.
 */
function rotatedHigh(low: number, high: number, by: number): number {
  return (high << by) | (low >>> (32 - by));
}

/** Writes the sum of rotl(fmix64(chain i), 16 i) over the four chains from `from` on to `out[at], out[at+1]`. */
function sumOfChains(chains: Int32Array, from: number, out: Uint32Array, at: number): void {
  const mixed = new Uint32Array(2);
  out[at] = 0;
  out[at + 1] = 0;
  for (let i = 0; i < 4; i++) {
    writeFmix64(mixed, 0, chains[from + 2 * i]!, chains[from + 2 * i + 1]!);
    const [low, high] = i < 2 ? [mixed[0]!, mixed[1]!] : [mixed[1]!, mixed[0]!];
    const isTurned = i % 2 === 1;
    const addedLow = isTurned ? rotatedHigh(high, low, 16) : low;
    const addedHigh = isTurned ? rotatedHigh(low, high, 16) : high;
    const sum = (out[at]! + addedLow) >>> 0;
    out[at + 1] = out[at + 1]! + addedHigh + carryOf(sum, out[at]!);
    out[at] = sum;
  }
}

export class TextKey implements TextHash {
  readonly key = new Uint32Array(4);
  looksLikeCode = false;
  /** a_0..a_3, b_0..b_3, p1, p2 as pairs (low, high). */
  private readonly constants: Int32Array;
  /** A_0..A_3, B_0..B_3. */
  private readonly chains = new Int32Array(16);
  private readonly stripe = new Uint8Array(STRIPE);
  /** Low and high halves of x and y. */
  private readonly ends = new Uint32Array(4);
  private length = 0;
  private marks = 0;

  constructor(seed: number) {
    this.constants = new Int32Array(seededConstants(seed, 'text', 10, true));
    this.begin();
  }

  begin(): void {
    this.chains.set(this.constants.subarray(0, 16));
    this.length = 0;
    this.marks = 0;
  }

  push(bytes: Uint8Array): void {
    const looked = Math.min(bytes.length, SAMPLE - this.length);
    for (let i = 0; i < looked; i++) this.marks += MARKS[bytes[i]!]!;
    let filled = this.length % STRIPE;
    this.length += bytes.length;
    for (let i = 0; i < bytes.length; ) {
      if (filled === 0 && i + STRIPE <= bytes.length) {
        this.takeWords(bytes, i, 4);
        i += STRIPE;
        continue;
      }
      this.stripe[filled++] = bytes[i++]!;
      if (filled === STRIPE) {
        this.takeWords(this.stripe, 0, 4);
        filled = 0;
      }
    }
  }

  end(): void {
    const { chains, key, length } = this;
    const rest = length % STRIPE;
    this.stripe.fill(0, rest);
    this.takeWords(this.stripe, 0, Math.ceil(rest / 16));
    const { ends } = this;
    sumOfChains(chains, 0, ends, 0);
    sumOfChains(chains, B, ends, 2);
    const lengthHigh = Math.floor(length / TWO_32);
    const xLow = ends[0]! ^ length;
    const xHigh = ends[1]! ^ lengthHigh;
    const sum = (xLow + ends[2]!) | 0;
    writeFmix64(key, 0, sum, (xHigh + ends[3]! + carryOf(sum, xLow)) | 0);
    writeFmix64(key, 2, ends[2]! ^ key[0]!, ends[3]! ^ key[1]!);
    this.looksLikeCode = looksLikeCode(this.marks, length);
  }

  /** Adds 16 bytes for each of the chains 0 .. count-1 of both kinds, from `b[i ..]` on. */
  private takeWords(b: Uint8Array, i: number, count: number): void {
    for (let chain = 0; chain < count; chain++, i += 16) {
      const tLow = halfWord(b, i);
      const tHigh = halfWord(b, i + 4);
      const uLow = halfWord(b, i + 8);
      const uHigh = halfWord(b, i + 12);
      this.step(2 * chain, P1, 23, tLow, tHigh, uLow, uHigh);
      this.step(B + 2 * chain, P2, 29, uLow, uHigh, tLow, tHigh);
    }
  }

  /** Adds one word, and a second one rotated, to the chain at `at`. */
  private step(
    at: number,
    factor: number,
    rotation: number,
    low: number,
    high: number,
    otherLow: number,
    otherHigh: number,
  ): void {
    const { chains, constants } = this;
    const mixedLow = chains[at]! ^ low;
    const addedLow = rotatedHigh(otherHigh, otherLow, rotation);
    const addedHigh = rotatedHigh(otherLow, otherHigh, rotation);
    const sumLow = (mixedLow + addedLow) | 0;
    const sumHigh = ((chains[at + 1]! ^ high) + addedHigh + carryOf(sumLow, mixedLow)) | 0;
    // Rotated by 32: the halves are exchanged.
    chains[at] = multiplyHigh64(sumLow, sumHigh, constants[factor]!, constants[factor + 1]!);
    chains[at + 1] = Math.imul(sumLow, constants[factor]!);
  }
}
