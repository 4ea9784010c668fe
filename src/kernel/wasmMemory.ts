/** The memory of a kernel instance, and the buffers, arenas and views in it. */

import { newArray, PAGE, Wasm, type WasmMemory, type WasmModule } from '../arrays/ownPages.js';

const ALIGN = 64;
/** SIMD loads read up to this far past the end of their input. */
const PADDING = 128;

/** Functions that the AssemblyScript sources export, by name; numbers only. */
type KernelExports = Record<string, (...values: (number | bigint)[]) => number>;

/**
 * The memory of one kernel instance: a bump allocator over WebAssembly memory. Memory is freed only as a whole: a kernel allocates its
 * arenas when its objects are created, and enlarges one by allocating a larger one. Growing detaches every view, so callers must get
 * views again after any call that may allocate.
 */
export class KernelMemory {
  readonly call: KernelExports;
  private readonly memory: WasmMemory;
  private readonly base: number;
  private next: number;
  private bytesView: Uint8Array;
  private wordsView: Uint32Array;

  constructor(module: WasmModule) {
    const { exports } = new Wasm.Instance(module, {
      env: {
        abort: () => {
          throw new Error('the kernel aborted');
        },
      },
    });
    this.call = exports as unknown as KernelExports;
    this.memory = exports.memory as WasmMemory;
    this.base = Math.ceil(this.call.heapBase!() / ALIGN) * ALIGN;
    this.next = this.base;
    this.bytesView = new Uint8Array(this.memory.buffer);
    this.wordsView = new Uint32Array(this.memory.buffer);
  }

  /** Reserves `bytes` (plus padding), zeroed, aligned to 64; returns the address. */
  allocate(bytes: number): number {
    const at = this.next;
    this.next = Math.ceil((at + bytes + PADDING) / ALIGN) * ALIGN;
    const missing = this.next - this.memory.buffer.byteLength;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / PAGE));
      this.bytesView = new Uint8Array(this.memory.buffer);
      this.wordsView = new Uint32Array(this.memory.buffer);
    }
    return at;
  }

  /** Frees all memory. Later allocations are not zeroed. */
  release(): void {
    this.next = this.base;
  }

  // Getting the buffer of the memory takes longer than many calls into the kernel, so views are created when it grows.

  /** All memory as bytes; valid until the next allocation. */
  get bytes(): Uint8Array {
    return this.bytesView;
  }

  /** All memory as uint32; index = address / 4. Valid until the next allocation. */
  get words(): Uint32Array {
    return this.wordsView;
  }

  /** `count` words from an address on; valid until the next allocation. */
  wordsAt(address: number, count: number): Uint32Array {
    return this.wordsView.subarray(address / 4, address / 4 + count);
  }

  /**
   * Whether an array is a view of this memory: then its byteOffset is an address and it need not be
   * copied.
   */
  holds(array: Uint8Array | Uint32Array): boolean {
    return array.buffer === this.bytesView.buffer;
  }
}

/** A view of words that outlives growth of the memory. */
export class LastingView {
  readonly address: number;
  private readonly memory: KernelMemory;
  private readonly length: number;
  private current: Uint32Array;

  constructor(memory: KernelMemory, address: number, length: number) {
    this.memory = memory;
    this.address = address;
    this.length = length;
    this.current = memory.wordsAt(address, length);
  }

  get words(): Uint32Array {
    // Growing the memory detaches views of it; a detached view has no length.
    if (this.current.length === 0) this.current = this.memory.wordsAt(this.address, this.length);
    return this.current;
  }
}

/** A function that creates an object on its first call, and returns it again: kernel memory is never freed. */
export function once<T extends object>(make: () => T): () => T {
  let object: T | undefined;
  return () => {
    object ??= make();
    return object;
  };
}

/** The same per set of parameters, compared as JSON. */
export function oncePer<Params, T extends object>(make: (params: Params) => T): (params: Params) => T {
  const objects = new Map<string, T>();
  return (params) => {
    const name = JSON.stringify(params);
    const known = objects.get(name) ?? make(params);
    objects.set(name, known);
    return known;
  };
}

/**
 * Memory for the rows of one task at a time, reused by all tasks of a kernel. It is allocated at full size at its first use, which
 * detaches every view of the memory. Pages that are never written take no physical memory.
 */
export class Arena {
  address = 0;
  readonly bytes: number;
  readonly memory: KernelMemory;
  /** Released copies that were not collected yet, for reuse. */
  private readonly spare: WeakRef<Uint32Array>[] = [];

  constructor(memory: KernelMemory, bytes: number) {
    this.memory = memory;
    this.bytes = bytes;
  }

  open(): void {
    if (this.address === 0) this.address = this.memory.allocate(this.bytes);
  }

  copyOf(words: Uint32Array): Uint32Array {
    const spare = this.spare.pop()?.deref();
    const copy = spare?.length === words.length ? spare : newArray(Uint32Array, words.length);
    copy.set(words);
    return copy;
  }

  /** Takes back a copy. */
  release(copy: Uint32Array): void {
    this.spare.push(new WeakRef(copy));
  }
}

/** Any number of rows of `stride` words in an arena: a full arena is copied out. One call adds at most one arena of rows. */
export class ArenaRows {
  readonly stride: number;
  private readonly arena: Arena;
  /** Copies of arenas that were full, in order. */
  private full: Uint32Array[] = [];
  /** Number of rows in these copies, and in the arena. */
  private before = 0;
  private here = 0;

  constructor(arena: Arena, stride: number) {
    this.arena = arena;
    this.stride = stride;
  }

  get length(): number {
    return this.before + this.here;
  }

  clear(): void {
    for (const copy of this.full) this.arena.release(copy);
    this.full = [];
    this.before = 0;
    this.here = 0;
  }

  truncate(length: number): void {
    while (length < this.before) {
      const last = this.full.pop()!;
      this.before -= last.length / this.stride;
      this.here = 0;
      const left = length - this.before;
      if (left <= 0) continue;
      this.full.push(last.subarray(0, left * this.stride));
      this.before = length;
    }
    this.here = Math.min(this.here, length - this.before);
  }

  /** An address with room for `rows` rows, which `added` appends; valid until the next allocation of kernel memory. */
  next(rows = 1): number {
    const { arena, stride } = this;
    arena.open();
    if (4 * stride * (this.here + rows) > arena.bytes) {
      this.full.push(arena.copyOf(this.inArena()));
      this.before += this.here;
      this.here = 0;
    }
    return arena.address + 4 * stride * this.here;
  }

  /** Ends the rows that were written from `next` on. */
  added(rows: number): void {
    this.here += rows;
  }

  /** The end of the memory that contains `next`. */
  get end(): number {
    return this.arena.address + this.arena.bytes;
  }

  append(row: Uint32Array): void {
    const at = this.next() / 4;
    this.arena.memory.words.set(row, at);
    this.here++;
  }

  /** All rows without a copy, divided among arrays. */
  get held(): readonly Uint32Array[] {
    return [...this.full, this.inArena()];
  }

  copyTo(into: Uint32Array): void {
    let at = 0;
    for (const rows of this.held) {
      into.set(rows, at);
      at += rows.length;
    }
  }

  private inArena(): Uint32Array {
    return this.arena.memory.wordsAt(this.arena.address, this.stride * this.here);
  }
}

/** Bytes of a room for `count` hashes, plus four for a list that does not begin at a multiple of eight. */
export function roomFor(count: number): number {
  return 8 * count + 4;
}

/**
 * The address of hashes [from, from + count) of a list in kernel memory: their own address if the list is a
 * view of it, else `room`, to which they are copied.
 *
 * The copy keeps the address modulo eight: from a SharedArrayBuffer the engine copies word by word if both
 * ends have the same alignment, else byte by byte, which takes eight times as long.
 */
export function placedHashes(
  memory: KernelMemory,
  list: Uint32Array,
  from: number,
  count: number,
  room: number,
): number {
  const start = list.byteOffset + 8 * from;
  if (memory.holds(list)) return start;
  const address = room + (start & 4);
  const isAll = from === 0 && list.length === 2 * count;
  memory.words.set(isAll ? list : list.subarray(2 * from, 2 * (from + count)), address / 4);
  return address;
}
