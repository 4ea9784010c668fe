/**
 * Cells of ids in kernel memory: escaped once, used by any number of rows.
 *
 * Floor 1. All ids of a table, or those of some rows; ids reach the kernel in pieces, so only their cells take room.
 */
import type { Column } from '../blocks/block.js';
import type { IdTable } from '../blocks/idTable.js';
import type { CellEscapes } from './rowFormat.js';
import { Arena } from './wasmArena.js';
import type { KernelMemory } from './wasmMemory.js';

/** Bytes and ids that are made cells in one call. */
const PIECE_BYTES = 65536;
const PIECE_IDS = 8192;

/** Bytes that the cell of an id of `bytes` bytes may have: a byte takes up to 6, quotes two. */
const worst = (bytes: number, ids: number): number => 6 * bytes + 2 * ids + 16;

export class WasmCells {
  /** Bytes of the longest cell. */
  longest = 0;
  private readonly memory: KernelMemory;
  private readonly escapes: number;
  private readonly cells: Arena;
  private readonly endsArena: Arena;
  private readonly raw: Arena;
  private readonly rawOffsets: number;
  private quoted = 0;
  private runs = 0;
  private count = 0;
  private readonly run: (...values: number[]) => number;

  constructor(memory: KernelMemory) {
    this.memory = memory;
    this.escapes = memory.allocate(8 * 256);
    this.rawOffsets = memory.allocate(4 * (PIECE_IDS + 1));
    this.cells = new Arena(memory);
    this.endsArena = new Arena(memory);
    this.raw = new Arena(memory);
    this.run = memory.call.formatCells!;
  }

  get address(): number {
    return this.cells.address;
  }

  /** Address of the ends of the cells: cell i is the bytes [ends[i], ends[i + 1]). */
  get ends(): number {
    return this.endsArena.address;
  }

  /** No cells, and the way in which the next ones are made. */
  begin({ replacements, runs, quoted }: CellEscapes): void {
    const table = this.memory.bytes.subarray(this.escapes, this.escapes + 8 * 256);
    table.fill(0);
    replacements.forEach((text, byte) => {
      if (text === null) return;
      table.set(text, 8 * byte);
      table[8 * byte + 7] = text.length;
    });
    this.quoted = quoted;
    this.runs = runs ? 1 : 0;
    this.clear();
  }

  clear(): void {
    this.count = 0;
    this.longest = 0;
  }

  /** The cells of all ids: cell i is that of id i. Call it on no cells. */
  addAll({ offsets, bytes }: IdTable): void {
    const ids = offsets.length - 1;
    // Mostly ids need no escape.
    this.cells.reserve(bytes.length + 2 * ids + worst(PIECE_BYTES, PIECE_IDS));
    this.endsArena.reserve(4 * (ids + 1));
    for (let from = 0; from < ids; ) {
      const start = offsets[from]!;
      let to = Math.min(ids, from + PIECE_IDS);
      while (to > from + 1 && offsets[to]! - start > PIECE_BYTES) to = (from + to) >>> 1;
      const length = offsets[to]! - start;
      // Copied word by word out of shared memory if both ends are aligned alike, else byte by byte.
      const skew = (bytes.byteOffset + start) & 7;
      this.raw.reserve(length + 8);
      this.memory.words.set(offsets.subarray(from, to + 1), this.rawOffsets / 4);
      this.memory.bytes.set(bytes.subarray(start, start + length), this.raw.address + skew);
      this.add(this.raw.address + skew - start, to - from, length);
      from = to;
    }
  }

  /**
   * Adds the cells of ids column[from .. from + count) and writes their numbers at `numbers` (u32), one cell for equal
   * neighbours: the first column of a table is sorted.
   */
  gather({ offsets, bytes }: IdTable, column: Column, from: number, count: number, numbers: number): void {
    let pieceIds = 0;
    let length = 0;
    this.memory.words[this.rawOffsets / 4] = 0;
    for (let row = 0; row < count; row++) {
      const id = column[from + row]!;
      if (row === 0 || id !== column[from + row - 1]) {
        const start = offsets[id]!;
        const end = offsets[id + 1]!;
        if (pieceIds === PIECE_IDS || (pieceIds > 0 && length + end - start > PIECE_BYTES)) {
          this.add(this.raw.address, pieceIds, length);
          pieceIds = 0;
          length = 0;
        }
        this.raw.reserve(Math.max(PIECE_BYTES, end - start));
        const target = this.memory.bytes;
        for (let i = start, to = this.raw.address + length; i < end; i++) target[to++] = bytes[i]!;
        length += end - start;
        this.memory.words[this.rawOffsets / 4 + ++pieceIds] = length;
      }
      this.memory.words[numbers / 4 + row] = this.count + pieceIds - 1;
    }
    if (pieceIds > 0) this.add(this.raw.address, pieceIds, length);
  }

  /** Makes cells of `ids` ids, whose offsets are at `rawOffsets` and count from `origin`. */
  private add(origin: number, ids: number, length: number): void {
    const { cells, endsArena, memory } = this;
    const used = this.count === 0 ? 0 : memory.words[this.ends / 4 + this.count]!;
    endsArena.reserve(4 * (this.count + ids + 1), 4 * (this.count + 1));
    cells.reserve(used + worst(length, ids), used);
    memory.words[this.ends / 4 + this.count] = used;
    const longest = this.run(
      this.escapes,
      this.quoted,
      origin,
      this.rawOffsets,
      ids,
      cells.address,
      this.ends + 4 * this.count,
      this.runs,
    );
    this.longest = Math.max(this.longest, longest);
    this.count += ids;
  }
}
