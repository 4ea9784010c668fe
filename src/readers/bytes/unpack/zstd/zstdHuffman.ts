/** The codes of literals of zstd (RFC 8878, 4.2): of up to 11 bits, by weights that may be packed themselves. */

import { expectSound } from '../packedInput.js';
import type { PaddedBytes } from './backwardBits.js';
import { readStateTable } from './zstdTables.js';

const LONGEST = 11;
const MOST_WEIGHTS = 255;

/** Reads the weights of symbols, and makes their table. */
export function readHuffman(bytes: PaddedBytes): SymbolTable {
  const size = bytes.number(1);
  if (size < 128) return new SymbolTable(packedWeights(bytes.part(size)));
  const count = size - 127;
  const weights: number[] = [];
  for (const byte of bytes.take((count + 1) >> 1)) weights.push(byte >> 4, byte & 15);
  return new SymbolTable(weights.slice(0, count));
}

/** Weights by two states in turn, until the bits end. */
function packedWeights(bytes: PaddedBytes): number[] {
  const table = readStateTable(bytes, 12, 6);
  const bits = bytes.backward(bytes.at, bytes.end);
  const states = [bits.read(table.log), bits.read(table.log)];
  expectSound(bits.at >= bits.start);
  const weights: number[] = [];
  for (let i = 0; ; i = 1 - i) {
    const cell = table.cells[states[i]!]!;
    weights.push(cell >>> 24);
    expectSound(weights.length < MOST_WEIGHTS);
    states[i] = (cell & 0xffff) + bits.read((cell >>> 16) & 0xff);
    if (bits.at < bits.start) {
      weights.push(table.cells[states[1 - i]!]! >>> 24);
      return weights;
    }
  }
}

export class SymbolTable {
  /** By the next bits: 16 times the symbol, and how many bits its code has. */
  readonly #cells: Uint16Array;
  readonly #longest: number;

  /** @param weights of all symbols but the last, whose weight fills the table */
  constructor(weights: readonly number[]) {
    const sum = weights.reduce((all, weight) => all + (weight > 0 ? 2 ** (weight - 1) : 0), 0);
    expectSound(sum > 0);
    const longest = 32 - Math.clz32(sum);
    const rest = 2 ** longest - sum;
    const last = 32 - Math.clz32(rest);
    expectSound(longest <= LONGEST && 2 ** (last - 1) === rest && weights.length <= MOST_WEIGHTS);
    this.#longest = longest;
    this.#cells = new Uint16Array(1 << longest);
    const all = [...weights, last];
    let at = 0;
    for (let weight = 1; weight <= longest; weight++) {
      all.forEach((of, symbol) => {
        if (of !== weight) return;
        this.#cells.fill((symbol << 4) | (longest + 1 - weight), at, at + 2 ** (weight - 1));
        at += 2 ** (weight - 1);
      });
    }
  }

  /** Unpacks so many literals from one stream of bits, or from four. */
  unpack(bytes: PaddedBytes, out: Uint8Array, size: number, streams: 1 | 4): void {
    if (streams === 1) {
      this.#stream(bytes, bytes.at, bytes.end, out, 0, size);
      return;
    }
    const sizes = [bytes.number(2), bytes.number(2), bytes.number(2)];
    const each = (size + 3) >> 2;
    expectSound(3 * each <= size);
    let from = bytes.at;
    sizes.forEach((packed, i) => {
      expectSound(from + packed <= bytes.end);
      this.#stream(bytes, from, from + packed, out, i * each, (i + 1) * each);
      from += packed;
    });
    this.#stream(bytes, from, bytes.end, out, 3 * each, size);
  }

  #stream(padded: PaddedBytes, from: number, to: number, out: Uint8Array, at: number, end: number): void {
    const bits = padded.backward(from, to);
    const { start, view } = bits;
    const cells = this.#cells;
    const longest = this.#longest;
    const mask = cells.length - 1;
    let next = bits.at;
    // Two codes of up to 11 bits are in 25.
    while (at + 1 < end && next >= start) {
      const i = (next - 25) >> 3;
      const word = view.getInt32(i, true);
      let held = next - (i << 3);
      const first = cells[(word >>> (held - longest)) & mask]!;
      held -= first & 15;
      const second = cells[(word >>> (held - longest)) & mask]!;
      out[at] = first >> 4;
      out[at + 1] = second >> 4;
      at += 2;
      next = (i << 3) + held - (second & 15);
    }
    if (at < end && next >= start) {
      const i = (next - 25) >> 3;
      const cell = cells[(view.getInt32(i, true) >>> (next - (i << 3) - longest)) & mask]!;
      out[at++] = cell >> 4;
      next -= cell & 15;
    }
    expectSound(at === end && next === start);
  }
}
