/** Sorts rows of one width in the kernel (src/kernel/assembly/sketch/sortRows.ts), in rooms that are used again. */
import type { RowSorter } from './kernel.js';
import { type KernelMemory, KernelRooms } from './wasmMemory.js';

/** Addresses of the rooms of a sort. */
interface Rooms {
  readonly rows: number;
  readonly sorted: number;
  readonly keys: number;
  readonly spare: number;
  readonly order: number;
  readonly spareOrder: number;
  readonly ends: number;
}

class WasmRowSorter implements RowSorter {
  count = 0;
  private width = 0;
  private parts = 0;
  private at: Rooms = { rows: 0, sorted: 0, keys: 0, spare: 0, order: 0, spareOrder: 0, ends: 0 };
  private readonly memory: KernelMemory;
  private readonly rooms: KernelRooms;
  private readonly counts: number;

  constructor(memory: KernelMemory) {
    this.memory = memory;
    this.rooms = new KernelRooms(memory);
    this.counts = memory.allocate(memory.call.sortCountsBytes!());
  }

  begin(width: number, most: number, parts: number): void {
    this.count = 0;
    this.width = width;
    this.parts = parts;
    const bytes = width * most;
    const lent = this.rooms.rooms(bytes, bytes, 8 * most, 8 * most, 4 * most, 4 * most, 4 * parts);
    const [rows, sorted, keys, spare, order, spareOrder, ends] = lent;
    this.at = {
      ...{ rows: rows!, sorted: sorted!, keys: keys!, spare: spare! },
      ...{ order: order!, spareOrder: spareOrder!, ends: ends! },
    };
  }

  add(rows: Uint8Array, from: number, to: number): void {
    const { memory, width, count, at } = this;
    memory.bytes.set(rows.subarray(from, to), at.rows + width * count);
    this.count += (to - from) / width;
  }

  sort(prefix: number): Uint32Array {
    const { memory, width, count, parts, counts } = this;
    const { rows, sorted, keys, spare, order, spareOrder, ends } = this.at;
    const { sortRows } = memory.call;
    sortRows!(rows, count, width, prefix, parts, ends, keys, order, spare, spareOrder, counts, sorted);
    return memory.words.slice(ends / 4, ends / 4 + parts);
  }

  get sorted(): Uint8Array {
    const from = this.at.sorted;
    return this.memory.bytes.subarray(from, from + this.width * this.count);
  }
}

export function createWasmRowSorter(memory: KernelMemory): RowSorter {
  return new WasmRowSorter(memory);
}
