/**
 * The matrix of signatures in kernel memory, a row a document, while its documents are read.
 *
 * Floor 1. It must never know how a row came to be.
 *
 * Kernel memory is never given back, so one arena serves every task: it doubles up to ARENA bytes, and beyond
 * that full arenas are copied out. A task of files has some 0.5 MB of rows, one of the shortest records a
 * hundred.
 */
import type { SignatureRows } from './documentSketches.js';
import type { KernelMemory } from './wasmMemory.js';

const FIRST = 1 << 19;
const ARENA = 1 << 23;

/** The arena of a kernel, in bytes: one for all rows, since one task runs at a time. */
export class RowArena {
  address = 0;
  bytes = 0;
  readonly memory: KernelMemory;
  private readonly most: number;

  constructor(memory: KernelMemory, most = ARENA) {
    this.memory = memory;
    this.most = most;
  }

  /** Doubles the arena, keeping its content; false when it is as large as it gets. */
  grow(): boolean {
    const bytes = Math.min(this.most, Math.max(FIRST, 2 * this.bytes));
    if (bytes <= this.bytes) return false;
    const address = this.memory.allocate(bytes);
    this.memory.bytes.copyWithin(address, this.address, this.address + this.bytes);
    this.address = address;
    this.bytes = bytes;
    return true;
  }
}

export class WasmSignatureRows implements SignatureRows {
  private readonly arena: RowArena;
  private readonly stride: number;
  /** Arenas that were full, in order. */
  private full: Uint32Array[] = [];
  /** Rows in them, and in the arena. */
  private before = 0;
  private here = 0;

  constructor(arena: RowArena, stride: number) {
    this.arena = arena;
    this.stride = stride;
  }

  get rows(): number {
    return this.before + this.here;
  }

  clear(): void {
    this.full = [];
    this.before = 0;
    this.here = 0;
  }

  /** The address of the row that `added` appends; valid until the next allocation of kernel memory by others. */
  next(): number {
    const { arena, stride } = this;
    if (4 * stride * (this.here + 1) > arena.bytes && !arena.grow()) this.moveOut();
    return arena.address + 4 * stride * this.here;
  }

  added(): void {
    this.here++;
  }

  append(signature: Uint32Array): void {
    const at = this.next() / 4;
    this.arena.memory.words.set(signature, at);
    this.here++;
  }

  copyRows(into: Uint32Array): void {
    let at = 0;
    for (const rows of this.full) {
      into.set(rows, at);
      at += rows.length;
    }
    into.set(this.inArena(), at);
  }

  private inArena(): Uint32Array {
    const { arena, stride, here } = this;
    return arena.memory.words.subarray(arena.address / 4, arena.address / 4 + stride * here);
  }

  private moveOut(): void {
    this.full.push(this.inArena().slice());
    this.before += this.here;
    this.here = 0;
  }
}
