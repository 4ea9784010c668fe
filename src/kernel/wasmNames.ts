/** Names of sets in the kernel; src/kernel/assembly/rows/setNames.ts has the algorithm and draws the table. */
import type { SetNames } from '../blocks/sets.js';
import { SET_ROW_WORDS } from './kernel.js';
import { type KernelMemory, once } from './wasmMemory.js';

const TABLE_WORDS = 6;
const NAME_WORDS = 8;
/** Bytes of a name that are stored with its length and hash. */
const HELD = 16;
const LEAST_PLACES = 1 << 10;
const LEAST_NAMES = 1 << 14;

// Words of the table.
const COUNT = 3;
const REST_BYTES = 5;

class WasmNames implements SetNames {
  readonly address: number;
  private readonly memory: KernelMemory;
  private places = 0;
  private names = 0;
  private rests = 0;
  /** Capacity: slots in use, names, and bytes of names after their first 16. */
  private usedPlaces = LEAST_PLACES;
  private mostPlaces = 0;
  private mostNames = 0;
  private mostRests = 0;
  private isSpread = false;
  /** Memory for one row, followed by its name. */
  private row = 0;
  private rowBytes = 0;

  constructor(memory: KernelMemory) {
    this.memory = memory;
    this.address = memory.allocate(4 * TABLE_WORDS);
  }

  /** Removes all names, and keeps the memory. */
  clear(): void {
    this.usedPlaces = LEAST_PLACES;
    this.memory.words.set([0, 0, 0, 0, 0, 0], this.address / 4);
    this.isSpread = false;
  }

  get length(): number {
    return this.word(COUNT);
  }

  get tableBytes(): number {
    return 8 * this.usedPlaces + 4 * NAME_WORDS * this.length + this.word(REST_BYTES);
  }

  /** Makes room for further names, by their number and bytes. May enlarge the memory, which detaches its views. */
  reserve(names: number, bytes: number): void {
    const count = this.length;
    const rests = this.word(REST_BYTES);
    if (count + names > this.mostNames) {
      this.mostNames = Math.max(count + names, LEAST_NAMES, 2 * this.mostNames);
      this.names = this.moved(this.names, 4 * NAME_WORDS * count, 4 * NAME_WORDS * this.mostNames);
    }
    if (rests + bytes > this.mostRests) {
      this.mostRests = Math.max(rests + bytes, 2 * this.mostRests);
      this.rests = this.moved(this.rests, rests, this.mostRests);
    }
    const isFull = !this.isSpread || 2 * (count + names) > this.usedPlaces;
    while (this.usedPlaces < 2 * (count + names)) this.usedPlaces *= 2;
    if (this.usedPlaces > this.mostPlaces) {
      this.mostPlaces = this.usedPlaces;
      this.places = this.memory.allocate(8 * this.mostPlaces);
    }
    const table = [this.places, 8 * this.usedPlaces - 1, this.names, count, this.rests];
    this.memory.words.set(table, this.address / 4);
    if (isFull) this.spread();
    this.isSpread = true;
  }

  numberOf(source: Uint8Array, from: number, to: number, low: number, high: number): number {
    const length = to - from;
    this.reserve(1, length);
    const { memory } = this;
    if (length > this.rowBytes) {
      this.rowBytes = Math.max(256, 2 * length);
      this.row = memory.allocate(4 * SET_ROW_WORDS + this.rowBytes);
    }
    const name = this.row + 4 * SET_ROW_WORDS;
    memory.bytes.set(source.subarray(from, to), name);
    memory.words.set([0, 0, name, length, 0, 0, low, high], this.row / 4);
    memory.call.numberRows!(this.address, this.row, 1);
    return memory.words[this.row / 4]!;
  }

  columnsFrom(first: number): ReturnType<SetNames['columnsFrom']> {
    const { bytes, words } = this.memory;
    const count = this.length - first;
    const offsets = new Uint32Array(count + 1);
    const hashes = new Uint32Array(2 * count);
    for (let i = 0, at = this.names / 4 + NAME_WORDS * first; i < count; i++, at += NAME_WORDS) {
      offsets[i + 1] = offsets[i]! + words[at + 4]!;
      hashes[2 * i] = words[at + 6]!;
      hashes[2 * i + 1] = words[at + 7]!;
    }
    const all = new Uint8Array(offsets[count]!);
    for (let i = 0, at = this.names + 4 * NAME_WORDS * first; i < count; i++, at += 4 * NAME_WORDS) {
      const to = offsets[i]!;
      const length = offsets[i + 1]! - to;
      for (let k = 0; k < length && k < HELD; k++) all[to + k] = bytes[at + k]!;
      if (length <= HELD) continue;
      const rest = this.rests + words[at / 4 + 5]!;
      all.set(bytes.subarray(rest, rest + length - HELD), to + HELD);
    }
    return { bytes: all, offsets, hashes };
  }

  private moved(from: number, bytes: number, room: number): number {
    const to = this.memory.allocate(room);
    this.memory.bytes.copyWithin(to, from, from + bytes);
    return to;
  }

  /** Adds all names to the slots again. */
  private spread(): void {
    const { memory, places, usedPlaces } = this;
    memory.words.fill(0, places / 4, places / 4 + 2 * usedPlaces);
    memory.call.placeNames!(this.address);
  }

  private word(place: number): number {
    return this.memory.words[this.address / 4 + place]!;
  }
}

/** The table of names in this memory. */
export function createWasmNames(memory: KernelMemory): () => SetNames {
  const names = once(() => new WasmNames(memory));
  return () => {
    names().clear();
    return names();
  };
}
