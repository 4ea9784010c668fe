/** Unpacks the blocks of a frame of zstd (RFC 8878, 3.1.1.2 and 3.1.1.3): literals, and sequences that say where they go. */

import { History } from '../history.js';
import { expectSound } from '../packedInput.js';
import { bitsAt, PADDING, PaddedBytes } from './backwardBits.js';
import { readHuffman, type SymbolTable } from './zstdHuffman.js';
import { LENGTH_BASES, LENGTH_BITS, MATCH_BASES, MATCH_BITS, Tables } from './zstdTables.js';

export const MOST_BLOCK = 128 << 10;

/** The literals of the blocks of a frame: a block may use the codes of the one before. */
export class Literals {
  /** Those that were read last. */
  readonly bytes = new Uint8Array(MOST_BLOCK + PADDING);
  readonly #most: number;
  #huffman: SymbolTable | null = null;

  /** @param most bytes of a block */
  constructor(most: number) {
    this.#most = most;
  }

  /** Reads the literals of a block, with which it begins; returns how many. @throws Unreadable DAMAGED */
  read(bytes: PaddedBytes): number {
    const first = bytes.peek();
    const kind = first & 3;
    const format = (first >> 2) & 3;
    if (kind < 2) {
      const size = (format & 1) === 0 ? bytes.number(1) >> 3 : bytes.number(format === 1 ? 2 : 3) >> 4;
      expectSound(size <= this.#most);
      if (kind === 0) this.bytes.set(bytes.take(size));
      else this.bytes.fill(bytes.number(1), 0, size);
      return size;
    }
    const width = [10, 10, 14, 18][format]!;
    const header = Math.floor(bytes.number([3, 3, 4, 5][format]!) / 16);
    const size = header % 2 ** width;
    const packed = Math.floor(header / 2 ** width);
    expectSound(size <= this.#most && size > 0);
    const part = bytes.part(packed);
    if (kind === 2) this.#huffman = readHuffman(part);
    expectSound(this.#huffman !== null);
    this.#huffman.unpack(part, this.bytes, size, format === 0 ? 1 : 4);
    return size;
  }
}

export class ZstdBlocks {
  /** The most that a block holds, packed or not. */
  readonly most: number;
  readonly #history: History;
  readonly #tables = new Tables();
  readonly #literals: Literals;
  /** The last three distances. */
  readonly #distances = Int32Array.of(1, 4, 8);

  constructor(window: number, most: number) {
    this.#history = new History(window);
    this.most = most;
    this.#literals = new Literals(most);
  }

  raw(bytes: Uint8Array): Uint8Array {
    this.#history.reserve(bytes.length);
    this.#history.add(bytes);
    return bytes.slice();
  }

  run(byte: number, size: number): Uint8Array {
    const bytes = new Uint8Array(size).fill(byte);
    this.#history.reserve(size);
    this.#history.add(bytes);
    return bytes;
  }

  packed(block: Uint8Array): Uint8Array {
    const history = this.#history;
    const bytes = new PaddedBytes(block);
    const literals = this.#literals.read(bytes);
    history.reserve(this.most);
    const from = history.end;
    const count = readCount(bytes);
    if (count === 0) expectSound(bytes.at === bytes.end);
    const used = count === 0 ? 0 : this.#place(bytes, count, literals, from + this.most);
    const rest = this.#literals.bytes.subarray(used, literals);
    expectSound(history.end + rest.length <= from + this.most);
    history.add(rest);
    return history.bytes.slice(from, history.end);
  }

  /** Places literals and repetitions; returns how many literals were used. */
  #place(bytes: PaddedBytes, count: number, literals: number, limit: number): number {
    const tables = this.#tables.read(bytes);
    const [lengths, distances, matches] = [tables.length.cells, tables.distance.cells, tables.match.cells];
    const bits = bytes.backward(bytes.at, bytes.end);
    const { view, start } = bits;
    let lengthCell = lengths[bits.read(tables.length.log)]!;
    let distanceCell = distances[bits.read(tables.distance.log)]!;
    let matchCell = matches[bits.read(tables.match.log)]!;
    const history = this.#history;
    let { at } = bits;
    let used = 0;
    for (let left = count; left > 0; left--) {
      const distanceBits = distanceCell >>> 24;
      at -= distanceBits;
      const value = valueAt(view, at, distanceBits);
      const matchCode = matchCell >>> 24;
      const matchBits = MATCH_BITS[matchCode]!;
      at -= matchBits;
      const match = MATCH_BASES[matchCode]! + bitsAt(view, at, matchBits);
      const lengthCode = lengthCell >>> 24;
      const lengthBits = LENGTH_BITS[lengthCode]!;
      at -= lengthBits;
      const length = LENGTH_BASES[lengthCode]! + bitsAt(view, at, lengthBits);
      if (left > 1) {
        at -= (lengthCell >>> 16) & 0xff;
        lengthCell = lengths[(lengthCell & 0xffff) + bitsAt(view, at, (lengthCell >>> 16) & 0xff)]!;
        at -= (matchCell >>> 16) & 0xff;
        matchCell = matches[(matchCell & 0xffff) + bitsAt(view, at, (matchCell >>> 16) & 0xff)]!;
        at -= (distanceCell >>> 16) & 0xff;
        distanceCell = distances[(distanceCell & 0xffff) + bitsAt(view, at, (distanceCell >>> 16) & 0xff)]!;
      }
      expectSound(at >= start && length <= literals - used && length + match <= limit - history.end);
      history.addFrom(this.#literals.bytes, used, length);
      used += length;
      history.repeat(this.#distance(value, length), match);
    }
    expectSound(at === start);
    return used;
  }

  /** The distance that a value means: 1 to 3 stand for the last ones, shifted by one where no literals come before. */
  #distance(value: number, literals: number): number {
    const last = this.#distances;
    if (value > 3) {
      last[2] = last[1]!;
      last[1] = last[0]!;
      last[0] = value - 3;
      return value - 3;
    }
    const place = literals === 0 ? value : value - 1;
    if (place === 0) return last[0]!;
    const distance = place === 3 ? last[0]! - 1 : last[place]!;
    if (place > 1) last[2] = last[1]!;
    last[1] = last[0]!;
    last[0] = distance;
    return distance;
  }
}

/** A 1 with up to 31 bits behind it, of which a reading takes 25. */
function valueAt(view: DataView, at: number, count: number): number {
  if (count <= 25) return (1 << count) | bitsAt(view, at, count);
  return 2 ** count + bitsAt(view, at + 25, count - 25) * 2 ** 25 + bitsAt(view, at, 25);
}

/** How many sequences follow. */
function readCount(bytes: PaddedBytes): number {
  const first = bytes.number(1);
  if (first < 128) return first;
  if (first < 255) return (first - 128) * 256 + bytes.number(1);
  return bytes.number(2) + 0x7f00;
}
