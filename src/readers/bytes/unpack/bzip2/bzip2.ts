/**
 * Unpacks bzip2: streams one after the other, each of blocks that are sorted by what follows (Burrows and Wheeler).
 *
 * Written here because no package does all of this: streams behind the first, checksums of blocks and streams, pieces in
 * bounded memory, and no wait for a promise. A block is given once its checksum is right.
 */

import { expectSound, type PackedInput, type Unpacking, type Waiting } from '../packedInput.js';
import { BitInput } from './bzip2Bits.js';
import { readTables, type SymbolTables } from './bzip2Tables.js';

/** The first bits of a block, and of the end of a stream: the digits of pi, and of its root. */
const BLOCK = 0x314159265359;
const END = 0x177245385090;

/** A table of codes serves so many symbols, each of 20 bits at most. */
const GROUP = 50;
const GROUP_BYTES = 128;

/** The most that a piece holds; a block may be runs of 259 times its size. */
const PIECE_BYTES = 1 << 20;

export function* unpackBzip2(input: PackedInput): Unpacking {
  expectSound(yield* input.has(1), 'TRUNCATED');
  do {
    yield* unpackStream(input);
  } while (yield* input.has(1));
}

function* unpackStream(input: PackedInput): Unpacking {
  yield* input.expect(0x42, 0x5a, 0x68);
  const [level] = yield* input.take(1);
  expectSound(level! >= 0x31 && level! <= 0x39);
  const bits = new BitInput(input);
  const block = new SortedBlock((level! - 0x30) * 100_000);
  let combined = 0;
  for (;;) {
    const mark = (yield* bits.take(24)) * 0x1000000 + (yield* bits.take(24));
    const expected = ((yield* bits.take(16)) * 0x10000 + (yield* bits.take(16))) >>> 0;
    if (mark === END) {
      expectSound(expected === combined);
      bits.alignToByte();
      return;
    }
    expectSound(mark === BLOCK);
    yield* block.read(bits);
    const pieces = block.unsorted();
    expectSound(block.checksum === expected);
    combined = (((combined << 1) | (combined >>> 31)) ^ expected) >>> 0;
    yield* pieces;
  }
}

/** CRC-32 with the highest bit first. */
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

/** One block: sorted bytes, from which what was packed follows. */
class SortedBlock {
  checksum = 0;
  /** The byte of each row in the low 8 bits, and in the others the row that follows it. */
  readonly #rows: Uint32Array;
  readonly #counts = new Int32Array(256);
  #length = 0;
  #first = 0;

  constructor(mostBytes: number) {
    this.#rows = new Uint32Array(mostBytes);
  }

  *read(bits: BitInput): Waiting {
    // Blocks that were shuffled are of versions before 0.9.5, of 1999.
    expectSound((yield* bits.take(1)) === 0, 'FOREIGN');
    this.#first = yield* bits.take(24);
    const tables = yield* readTables(bits);
    yield* this.#readSymbols(bits, tables);
    expectSound(this.#first < this.#length);
  }

  *#readSymbols(bits: BitInput, { used, codes, selectors }: SymbolTables): Waiting {
    const symbols = new Uint16Array(GROUP);
    const front = Uint8Array.from(used);
    const state = { run: 0, weight: 1 };
    this.#length = 0;
    this.#counts.fill(0);
    const end = used.length + 1;
    for (const selector of selectors) {
      yield* bits.ensure(GROUP_BYTES);
      const count = codes[selector]!.read(bits, symbols, end);
      this.#place(symbols, count, end, front, state);
      if (symbols[count - 1] === end) return;
    }
    // The selectors end before the block does.
    expectSound(false);
  }

  /** Symbols 0 and 1 are digits of the length of a run; others say which of the bytes, the last used first, comes. */
  #place(
    symbols: Uint16Array,
    count: number,
    end: number,
    front: Uint8Array,
    state: { run: number; weight: number },
  ): void {
    const rows = this.#rows;
    for (let i = 0; i < count; i++) {
      const symbol = symbols[i]!;
      if (symbol < 2) {
        state.run += state.weight << symbol;
        state.weight <<= 1;
        expectSound(state.run <= rows.length);
        continue;
      }
      if (state.run > 0) {
        expectSound(this.#length + state.run <= rows.length);
        rows.fill(front[0]!, this.#length, this.#length + state.run);
        this.#counts[front[0]!]! += state.run;
        this.#length += state.run;
        state.run = 0;
        state.weight = 1;
      }
      if (symbol === end) return;
      const byte = front[symbol - 1]!;
      if (symbol > 16) front.copyWithin(1, 0, symbol - 1);
      else for (let k = symbol - 1; k > 0; k--) front[k] = front[k - 1]!;
      front[0] = byte;
      expectSound(this.#length < rows.length);
      rows[this.#length++] = byte;
      this.#counts[byte]!++;
    }
  }

  /** The bytes before they were sorted, runs written out; sets the checksum. */
  unsorted(): Uint8Array[] {
    const rows = this.#rows;
    const next = new Uint32Array(256);
    for (let byte = 1; byte < 256; byte++) next[byte] = next[byte - 1]! + this.#counts[byte - 1]!;
    for (let row = 0; row < this.#length; row++) {
      const byte = rows[row]! & 255;
      rows[next[byte]!++]! |= row << 8;
    }
    const pieces: Uint8Array[] = [];
    const walk: Walk = { row: rows[this.#first]! >>> 8, left: this.#length, last: -1, equal: 0, crc: -1 };
    while (walk.left > 0) pieces.push(runsWritten(rows, walk));
    this.checksum = ~walk.crc >>> 0;
    return pieces;
  }
}

interface Walk {
  row: number;
  /** Rows that were not met yet. */
  left: number;
  /** The byte before, how many of it came in a row, and the checksum of all. */
  last: number;
  equal: number;
  crc: number;
}

/** The next piece: behind four equal bytes stands how many more of them there are. */
function runsWritten(rows: Uint32Array, walk: Walk): Uint8Array {
  const piece = new Uint8Array(Math.min(PIECE_BYTES, walk.left) + 256);
  const most = piece.length - 256;
  let { row, left, last, equal, crc } = walk;
  let end = 0;
  while (left > 0 && end < most) {
    const entry = rows[row]!;
    const byte = entry & 255;
    row = entry >>> 8;
    left--;
    if (equal === 4) {
      for (let k = byte; k > 0; k--) crc = (crc << 8) ^ CRC[(crc >>> 24) ^ last]!;
      piece.fill(last, end, end + byte);
      end += byte;
      equal = 0;
      last = -1;
      continue;
    }
    equal = byte === last ? equal + 1 : 1;
    last = byte;
    piece[end++] = byte;
    crc = (crc << 8) ^ CRC[(crc >>> 24) ^ byte]!;
  }
  Object.assign(walk, { row, left, last, equal, crc });
  return piece.subarray(0, end);
}
