/** Bits by probabilities that learn: the range decoder of LZMA. */
import { expectSound } from '../packedInput.js';

const HALF = 1024;
const TOP = 2 ** 24;

/** Range and value stay between calls in an array: fields that hold 32 bits are slower. */
const RANGE = 0;
const VALUE = 1;

export class RangeBits {
  readonly #probabilities: Uint16Array;
  readonly #now = new Uint32Array(2);
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(probabilities: number) {
    this.#probabilities = new Uint16Array(probabilities);
  }

  /** All bits are as probable as not. */
  reset(): void {
    this.#probabilities.fill(HALF);
  }

  /** Bits come from these bytes now. */
  begin(bytes: Uint8Array): void {
    expectSound(bytes.length >= 5 && bytes[0] === 0);
    this.#bytes = bytes;
    this.#at = 5;
    this.#now[RANGE] = 0xffffffff;
    this.#now[VALUE] = (bytes[1]! << 24) | (bytes[2]! << 16) | (bytes[3]! << 8) | bytes[4]!;
  }

  /** Whether all bytes were used, and none that is not there. */
  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length && this.#now[VALUE] === 0;
  }

  bit(index: number): number {
    return this.#tree(index, 1, 2) & 1;
  }

  /** A number of so many bits, the highest first; their probabilities begin at `base` + 1. */
  tree(base: number, bits: number): number {
    return this.#tree(base + 1, 1, 1 << bits) - (1 << bits);
  }

  literal(base: number): number {
    return this.#tree(base + 1, 1, 256) & 255;
  }

  /** The probability of each further bit depends on those before: the index of the first bit stands for all before it. */
  #tree(first: number, symbol: number, end: number): number {
    const probabilities = this.#probabilities;
    const base = first - symbol;
    let range = this.#now[RANGE]!;
    let value = this.#now[VALUE]!;
    while (symbol < end) {
      const p = probabilities[base + symbol]!;
      const bound = (range >>> 11) * p;
      if (value < bound) {
        range = bound;
        probabilities[base + symbol] = p + ((2048 - p) >> 5);
        symbol <<= 1;
      } else {
        range -= bound;
        value -= bound;
        probabilities[base + symbol] = p - (p >> 5);
        symbol = (symbol << 1) | 1;
      }
      if (range < TOP) {
        range = (range << 8) >>> 0;
        value = ((value << 8) | this.#bytes[this.#at++]!) >>> 0;
      }
    }
    this.#now[RANGE] = range;
    this.#now[VALUE] = value;
    return symbol;
  }

  /** A literal where the last distance would have repeated another byte: as long as they agree, that is the context. */
  literalBeside(base: number, other: number): number {
    let symbol = 1;
    let beside = other << 1;
    while (symbol < 256) {
      const expected = beside & 256;
      const bit = this.bit(base + 256 + expected + symbol);
      symbol = (symbol << 1) | bit;
      beside <<= 1;
      if (bit !== expected >> 8) return this.#tree(base + symbol, symbol, 256) & 255;
    }
    return symbol & 255;
  }

  /** A number of so many bits, the lowest first; their probabilities begin at `base` + 1. */
  reverseTree(base: number, bits: number): number {
    let value = 0;
    let symbol = 1;
    for (let i = 0; i < bits; i++) {
      const bit = this.bit(base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  /** A number of so many bits that are as probable as not. */
  direct(bits: number): number {
    let range = this.#now[RANGE]!;
    let value = this.#now[VALUE]!;
    let number = 0;
    for (let i = 0; i < bits; i++) {
      range >>>= 1;
      const isOne = value >= range;
      if (isOne) value -= range;
      number = number * 2 + (isOne ? 1 : 0);
      if (range < TOP) {
        range = (range << 8) >>> 0;
        value = ((value << 8) | this.#bytes[this.#at++]!) >>> 0;
      }
    }
    this.#now[RANGE] = range;
    this.#now[VALUE] = value;
    return number;
  }
}
