/**
 * Unpacks LZMA (the specification in LZMA SDK, lzma-specification.txt): bits by the probabilities that those before taught, of
 * literals and of repetitions.
 */
import type { History } from '../history.js';
import { expectSound } from '../packedInput.js';
import { RangeBits } from './rangeBits.js';

/** Where the probabilities of each kind of bit begin. */
const IS_MATCH = 0;
const IS_REP = 192;
const IS_REP0 = 204;
const IS_REP1 = 216;
const IS_REP2 = 228;
const IS_REP0_LONG = 240;
const DISTANCE_SLOT = 432;
const DISTANCE_SPECIAL = 688;
const DISTANCE_ALIGN = 816;
const LENGTH = 832;
const REP_LENGTH = 1346;
const LITERAL = 1860;
/** Of a length, from its first probability: which of the three trees, and where they begin. */
const LOW = 2;
const MIDDLE = 130;
const HIGH = 258;

/** The context of literals is of up to 4 bits. */
const PROBABILITIES = LITERAL + (0x300 << 4);

const SHORTEST = 2;

/** State after a literal, by that before. */
const AFTER_LITERAL = Uint8Array.of(0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5);

export class Lzma {
  readonly #bits = new RangeBits(PROBABILITIES);
  readonly #history: History;
  #literalContext = 0;
  #literalPosition = 0;
  #positionMask = 0;
  #state = 0;
  /** The last four distances, less 1. */
  #rep0 = 0;
  #rep1 = 0;
  #rep2 = 0;
  #rep3 = 0;

  constructor(history: History) {
    this.#history = history;
  }

  setProperties(properties: number): void {
    const literalContext = properties % 9;
    const rest = Math.floor(properties / 9);
    expectSound(properties < 225 && literalContext + (rest % 5) <= 4);
    this.#literalContext = literalContext;
    this.#literalPosition = (1 << (rest % 5)) - 1;
    this.#positionMask = (1 << Math.floor(rest / 5)) - 1;
  }

  reset(): void {
    this.#bits.reset();
    this.#state = 0;
    this.#rep0 = 0;
    this.#rep1 = 0;
    this.#rep2 = 0;
    this.#rep3 = 0;
  }

  /** Unpacks a chunk to so many bytes, for which the history has room. */
  unpack(packed: Uint8Array, size: number): void {
    const bits = this.#bits;
    const history = this.#history;
    bits.begin(packed);
    const to = history.end + size;
    // The lowest bits of how many bytes there were are a context.
    const moved = history.position - history.end;
    while (history.end < to) {
      const position = moved + history.end;
      const context = position & this.#positionMask;
      if (bits.bit(IS_MATCH + (this.#state << 4) + context) === 0) {
        this.#literal(position);
        continue;
      }
      const length = bits.bit(IS_REP + this.#state) === 0 ? this.#match(context) : this.#repetition(context);
      expectSound(length <= to - history.end);
      history.repeat(this.#rep0 + 1, length);
    }
    expectSound(bits.isAtEnd);
  }

  #literal(position: number): void {
    const history = this.#history;
    const { bytes, end } = history;
    const before = end > history.start ? bytes[end - 1]! : 0;
    const context =
      ((position & this.#literalPosition) << this.#literalContext) | (before >> (8 - this.#literalContext));
    const base = LITERAL + 0x300 * context;
    if (this.#state < 7) bytes[end] = this.#bits.literal(base);
    else {
      expectSound(this.#rep0 < end - history.start);
      bytes[end] = this.#bits.literalBeside(base, bytes[end - this.#rep0 - 1]!);
    }
    history.end = end + 1;
    this.#state = AFTER_LITERAL[this.#state]!;
  }

  /** A repetition at a new distance; returns its length. */
  #match(context: number): number {
    const bits = this.#bits;
    this.#rep3 = this.#rep2;
    this.#rep2 = this.#rep1;
    this.#rep1 = this.#rep0;
    this.#state = this.#state < 7 ? 7 : 10;
    const length = this.#length(LENGTH, context);
    const slot = bits.tree(DISTANCE_SLOT + (Math.min(length - SHORTEST, 3) << 6), 6);
    if (slot < 4) this.#rep0 = slot;
    else {
      const low = (slot >> 1) - 1;
      const base = ((2 | (slot & 1)) << low) >>> 0;
      const rest =
        slot < 14
          ? bits.reverseTree(DISTANCE_SPECIAL + base - slot, low)
          : bits.direct(low - 4) * 16 + bits.reverseTree(DISTANCE_ALIGN, 4);
      this.#rep0 = base + rest;
    }
    return length;
  }

  /** A repetition at one of the last distances. */
  #repetition(context: number): number {
    const bits = this.#bits;
    const state = this.#state;
    if (bits.bit(IS_REP0 + state) === 0) {
      if (bits.bit(IS_REP0_LONG + (state << 4) + context) === 0) {
        this.#state = state < 7 ? 9 : 11;
        return 1;
      }
    } else {
      let distance = this.#rep1;
      if (bits.bit(IS_REP1 + state) === 1) {
        distance = this.#rep2;
        if (bits.bit(IS_REP2 + state) === 1) {
          distance = this.#rep3;
          this.#rep3 = this.#rep2;
        }
        this.#rep2 = this.#rep1;
      }
      this.#rep1 = this.#rep0;
      this.#rep0 = distance;
    }
    this.#state = state < 7 ? 8 : 11;
    return this.#length(REP_LENGTH, context);
  }

  #length(base: number, context: number): number {
    const bits = this.#bits;
    if (bits.bit(base) === 0) return SHORTEST + bits.tree(base + LOW + (context << 3), 3);
    if (bits.bit(base + 1) === 0) return SHORTEST + 8 + bits.tree(base + MIDDLE + (context << 3), 3);
    return SHORTEST + 16 + bits.tree(base + HIGH, 8);
  }
}
