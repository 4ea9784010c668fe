/** Sorts rows of one width in the kernel (src/kernel/assembly/sketch/sortRows.ts), in rooms that are used again. */
import { LEAST_ROW, type RowSorter } from './kernel.js';
import { type KernelMemory, KernelRooms } from './wasmMemory.js';

/** Bytes of sorted rows that are copied out at once: they stay in the nearest caches. */
const WINDOW = 1 << 15;

export class WasmRowSorter implements RowSorter {
  count = 0;
  private width = 0;
  private parts = 0;
  /** Addresses of the rooms of a sort; `window`: of rows on their way out. */
  private at = { rows: 0, moved: 0, keys: 0, order: 0, ends: 0, buckets: 0, window: 0 };
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
    const [rows, moved, keys, order, ends, buckets, window] = this.rooms.rooms(
      Math.max(LEAST_ROW, width) * most,
      width * most,
      8 * most,
      4 * most,
      4 * parts,
      this.memory.call.bucketBytes!(parts),
      WINDOW,
    );
    this.at = { rows, moved, keys, order, ends, buckets, window };
  }

  add(rows: Uint8Array, from: number, to: number): void {
    const { memory, width, count, at } = this;
    memory.bytes.set(rows.subarray(from, to), at.rows + width * count);
    this.count += (to - from) / width;
  }

  keepRecurring(word: number, first: number, second: number): void {
    const { memory, width, count } = this;
    // Sorting needs the room of keys later.
    const { rows, keys } = this.at;
    const slots = 2 ** Math.floor(Math.log2(8 * count));
    this.count = memory.call.keepRecurring!(rows, count, width, word, first, second, keys, slots);
  }

  sort(prefix: number): Uint32Array {
    const { memory, width, count, parts, counts } = this;
    const { rows, moved, keys, order, ends, buckets } = this.at;
    memory.call.sortRows!(rows, count, width, prefix, parts, ends, moved, keys, order, buckets, counts);
    return memory.wordsAt(ends, parts).slice();
  }

  copy(from: number, to: number, into: Uint8Array, at: number): void {
    const { memory, width } = this;
    const { moved, order, window } = this.at;
    const most = Math.floor(WINDOW / width);
    for (let next = from; next < to; next += most) {
      const count = Math.min(most, to - next);
      memory.call.copyRows!(moved, width, order + 4 * next, count, window);
      into.set(memory.bytes.subarray(window, window + width * count), at + width * (next - from));
    }
  }
}
