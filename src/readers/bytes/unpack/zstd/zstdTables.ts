/** The codes of sequences of zstd: tables of finite states (RFC 8878, 4.1), those of the format and those that a block brings. */

import { expectSound } from '../packedInput.js';
import type { PaddedBytes } from './backwardBits.js';

/**
 * A table of states. A cell says what a state means, and how the next one follows from it: a symbol in the highest byte, how
 * many bits are read in the next, and what is added to them in the low half.
 */
export interface StateTable {
  readonly log: number;
  readonly cells: Uint32Array;
}

/** Lengths of literals and of repetitions by their codes: a base, and so many bits to be added. */
export const LENGTH_BITS = Uint8Array.of(
  ...new Array<number>(16).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
);
export const LENGTH_BASES = basesOf(LENGTH_BITS, 0);
export const MATCH_BITS = Uint8Array.of(
  ...new Array<number>(32).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
);
export const MATCH_BASES = basesOf(MATCH_BITS, 3);

/** Each begins where the one before ends. */
function basesOf(bits: Uint8Array, first: number): Int32Array {
  const bases = new Int32Array(bits.length);
  let next = first;
  for (let code = 0; code < bits.length; code++) {
    bases[code] = next;
    next += 2 ** bits[code]!;
  }
  return bases;
}

/** Shares of symbols where a block brings none of its own; -1: less than one. */
const LENGTH_SHARES = [
  ...[4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1],
  ...[-1, -1, -1, -1],
];
const MATCH_SHARES = [
  ...[1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ...[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1],
];
const DISTANCE_SHARES = [
  ...[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
];

interface Kind {
  readonly standard: StateTable;
  readonly mostSymbol: number;
  readonly mostLog: number;
}

const LENGTHS: Kind = { standard: stateTable(LENGTH_SHARES, 6), mostSymbol: 35, mostLog: 9 };
const DISTANCES: Kind = { standard: stateTable(DISTANCE_SHARES, 5), mostSymbol: 31, mostLog: 8 };
const MATCHES: Kind = { standard: stateTable(MATCH_SHARES, 6), mostSymbol: 52, mostLog: 9 };

/** @throws Unreadable where the shares do not fill the table */
function stateTable(shares: readonly number[], log: number): StateTable {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const next = shares.map((share) => Math.abs(share));
  let high = size;
  shares.forEach((share, symbol) => {
    if (share < 0) symbols[--high] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  shares.forEach((share, symbol) => {
    for (let i = 0; i < share; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  });
  expectSound(at === 0);
  const cells = new Uint32Array(size);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state]!;
    const count = next[symbol]!++;
    const bits = log - (31 - Math.clz32(count));
    cells[state] = (symbol << 24) | (bits << 16) | ((count << bits) - size);
  }
  return { log, cells };
}

/** Reads shares of symbols, and makes their table. Leaves `bytes` behind them. */
export function readStateTable(bytes: PaddedBytes, mostSymbol: number, mostLog: number): StateTable {
  let bit = 8 * bytes.at;
  const read = (count: number): number => {
    const i = bit >> 3;
    const word = bytes.bytes[i]! | (bytes.bytes[i + 1]! << 8) | (bytes.bytes[i + 2]! << 16);
    bit += count;
    expectSound(bit <= 8 * bytes.end);
    return (word >> ((bit - count) & 7)) & ((1 << count) - 1);
  };
  const log = read(4) + 5;
  expectSound(log <= mostLog);
  const shares: number[] = [];
  let left = 1 << log;
  while (left > 0) {
    // So many values are possible, that the smaller ones take a bit less.
    const width = 32 - Math.clz32(left + 1);
    const short = (1 << width) - 1 - (left + 1);
    let value = read(width - 1);
    if (value >= short) {
      value += read(1) << (width - 1);
      if (value >= 1 << (width - 1)) value -= short;
    }
    left -= Math.abs(value - 1);
    shares.push(value - 1);
    for (let more = value === 1 ? 3 : 0; more === 3; ) {
      more = read(2);
      for (let i = 0; i < more; i++) shares.push(0);
    }
    expectSound(left >= 0 && shares.length <= mostSymbol + 1);
  }
  bytes.at = (bit + 7) >> 3;
  return stateTable(shares, log);
}

/** The tables of a frame: blocks may use those of the block before. */
export class Tables {
  #length: StateTable | null = null;
  #distance: StateTable | null = null;
  #match: StateTable | null = null;

  /** Reads what a block says of its tables. */
  read(bytes: PaddedBytes): Readonly<Record<'length' | 'distance' | 'match', StateTable>> {
    const modes = bytes.number(1);
    expectSound((modes & 3) === 0);
    const length = readTable(bytes, modes >> 6, LENGTHS, this.#length);
    const distance = readTable(bytes, (modes >> 4) & 3, DISTANCES, this.#distance);
    const match = readTable(bytes, (modes >> 2) & 3, MATCHES, this.#match);
    this.#length = length;
    this.#distance = distance;
    this.#match = match;
    return { length, distance, match };
  }
}

function readTable(bytes: PaddedBytes, mode: number, kind: Kind, before: StateTable | null): StateTable {
  if (mode === 0) return kind.standard;
  if (mode === 2) return readStateTable(bytes, kind.mostSymbol, kind.mostLog);
  if (mode === 3) {
    expectSound(before !== null);
    return before;
  }
  const symbol = bytes.number(1);
  expectSound(symbol <= kind.mostSymbol);
  return { log: 0, cells: Uint32Array.of(symbol << 24) };
}
