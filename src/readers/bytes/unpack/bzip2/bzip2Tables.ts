/** The tables before the symbols of a block of bzip2: which bytes occur, and the codes of symbols. */

import { expectSound, type Waiting } from '../packedInput.js';
import type { BitInput } from './bzip2Bits.js';

const LONGEST = 20;
/** Codes up to this length are looked up at once. */
const SHORT = 10;
/** A length is told by steps of 2 bits from the one before; nobody goes back and forth. */
const MOST_STEPS = 64;
const STEPS_BYTES = MOST_STEPS / 4 + 1;
/** The format has no more selectors; some packers write a few that nobody needs. */
const MOST_SELECTORS = 18_002;

export interface SymbolTables {
  /** The bytes that occur in the block, ascending. */
  readonly used: readonly number[];
  readonly codes: readonly Codes[];
  /** The table of each group of 50 symbols. */
  readonly selectors: Uint8Array;
}

export function* readTables(bits: BitInput): Waiting<SymbolTables> {
  const rows = yield* bits.take(16);
  const used: number[] = [];
  for (let row = 0; row < 16; row++) {
    if (((rows >> (15 - row)) & 1) === 0) continue;
    const columns = yield* bits.take(16);
    for (let column = 0; column < 16; column++) {
      if (((columns >> (15 - column)) & 1) === 1) used.push(16 * row + column);
    }
  }
  const tables = yield* bits.take(3);
  const count = yield* bits.take(15);
  expectSound(used.length > 0 && tables >= 2 && tables <= 6 && count > 0);
  const selectors = yield* readSelectors(bits, tables, count);
  const codes: Codes[] = [];
  for (let table = 0; table < tables; table++) codes.push(yield* readCodes(bits, used.length + 2));
  return { used, codes, selectors };
}

function* readSelectors(bits: BitInput, tables: number, count: number): Waiting<Uint8Array> {
  const order = Array.from({ length: tables }, (_, table) => table);
  const selectors = new Uint8Array(Math.min(count, MOST_SELECTORS));
  for (let i = 0; i < count; i++) {
    // Each takes 6 bits at most.
    if (i % 64 === 0) yield* bits.ensure(64);
    let place = 0;
    while (bits.now(1) === 1) expectSound(++place < tables);
    const [table] = order.splice(place, 1);
    order.unshift(table!);
    if (i < MOST_SELECTORS) selectors[i] = table!;
  }
  return selectors;
}

function* readCodes(bits: BitInput, symbols: number): Waiting<Codes> {
  const lengths = new Uint8Array(symbols);
  let length = yield* bits.take(5);
  for (let symbol = 0; symbol < symbols; symbol++) {
    yield* bits.ensure(STEPS_BYTES);
    for (let steps = 0; ; steps++) {
      expectSound(length >= 1 && length <= LONGEST && steps < MOST_STEPS);
      if (bits.now(1) === 0) break;
      length += bits.now(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return new Codes(lengths);
}

/** Canonical codes of symbols. */
class Codes {
  /** By the next SHORT bits: 32 times the symbol, and the length of its code; 0: the code is longer. */
  readonly #short = new Uint16Array(1 << SHORT);
  /** By length: the code behind the last one, and what is to be added to a code to have its place in `#symbols`. */
  readonly #ends = new Int32Array(LONGEST + 1);
  readonly #shifts = new Int32Array(LONGEST + 1);
  readonly #symbols: Uint16Array;

  constructor(lengths: Uint8Array) {
    this.#symbols = new Uint16Array(lengths.length);
    let code = 0;
    let place = 0;
    for (let length = 1; length <= LONGEST; length++) {
      this.#shifts[length] = place - code;
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] !== length) continue;
        this.#symbols[place++] = symbol;
        if (length <= SHORT) this.#fill(code, length, symbol);
        code++;
      }
      expectSound(code <= 1 << length);
      this.#ends[length] = code;
      code <<= 1;
    }
  }

  #fill(code: number, length: number, symbol: number): void {
    const from = code << (SHORT - length);
    this.#short.fill((symbol << 5) | length, from, from + (1 << (SHORT - length)));
  }

  /** Reads symbols until the array is full or `end` was read; returns how many. */
  read(bits: BitInput, symbols: Uint16Array, end: number): number {
    const { input } = bits;
    const { bytes } = input;
    let { held, count } = bits;
    let { at } = input;
    let read = 0;
    let symbol = -1;
    while (read < symbols.length && symbol !== end) {
      while (count < LONGEST && at < input.end) {
        held = (held << 8) | bytes[at++]!;
        count += 8;
      }
      const next = count >= LONGEST ? held >>> (count - LONGEST) : held << (LONGEST - count);
      const entry = this.#short[(next >>> (LONGEST - SHORT)) & ((1 << SHORT) - 1)]!;
      const length = entry === 0 ? this.#longLength(next & ((1 << LONGEST) - 1)) : entry & 31;
      expectSound(length <= count, 'TRUNCATED');
      symbol = entry === 0 ? this.#longSymbol(next & ((1 << LONGEST) - 1), length) : entry >> 5;
      symbols[read++] = symbol;
      count -= length;
    }
    // Whole bytes are given back.
    at -= count >> 3;
    bits.count = count & 7;
    bits.held = count >> 3 === 0 ? held : held >>> (count & ~7);
    input.at = at;
    return read;
  }

  #longLength(next: number): number {
    for (let length = SHORT + 1; length <= LONGEST; length++) {
      if (next >> (LONGEST - length) < this.#ends[length]!) return length;
    }
    expectSound(false);
    return 0;
  }

  #longSymbol(next: number, length: number): number {
    return this.#symbols[(next >> (LONGEST - length)) + this.#shifts[length]!]!;
  }
}
