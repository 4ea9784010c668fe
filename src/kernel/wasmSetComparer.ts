/**
 * Comparing many pairs of sets in the kernel: every set is copied in once, and one call takes thousands of pairs.
 *
 * Floor 1.
 */
import type { SetComparer } from './kernel.js';
import type { KernelMemory } from './wasmMemory.js';
import type { SetArena } from './wasmSetArena.js';

/** Most sets at a time, and pairs a call. */
const SETS = 32768;
const PAIRS = 8192;

class WasmSetComparer implements SetComparer {
  private readonly memory: KernelMemory;
  private readonly arena: SetArena;
  /** Addresses: where sets begin, and one more for where the last ends; numbers of sets; what is found. */
  private readonly bounds: number;
  private readonly first: number;
  private readonly second: number;
  private readonly common: number;
  private readonly used: number;
  private sets = 0;
  private end = 0;
  private limit = 0;

  constructor(memory: KernelMemory, arena: SetArena) {
    this.memory = memory;
    this.arena = arena;
    this.bounds = memory.allocate(4 * (SETS + 1));
    this.first = memory.allocate(4 * PAIRS);
    this.second = memory.allocate(4 * PAIRS);
    this.common = memory.allocate(4 * PAIRS);
    this.used = memory.allocate(8);
  }

  clear(hashes: number): void {
    const room = this.arena.enlarge(8 * hashes);
    this.sets = 0;
    this.end = this.arena.address;
    this.limit = this.end + room;
    this.memory.words[this.bounds / 4] = this.end;
  }

  place(hashes: Uint32Array, from: number, to: number): boolean {
    const { words } = this.memory;
    const end = this.end + 8 * (to - from);
    if (end > this.limit || this.sets === SETS) return false;
    words.set(hashes.subarray(2 * from, 2 * to), this.end / 4);
    this.end = end;
    words[this.bounds / 4 + ++this.sets] = end;
    return true;
  }

  compare(a: Uint32Array, b: Uint32Array, from: number, to: number, common: Uint32Array): void {
    const { words, call } = this.memory;
    for (let at = from; at < to; at += PAIRS) {
      const next = Math.min(to, at + PAIRS);
      const count = next - at;
      words.set(a.subarray(at, next), this.first / 4);
      words.set(b.subarray(at, next), this.second / 4);
      call.commonSizes!(this.first, this.second, count, this.bounds, this.common, this.used);
      common.set(words.subarray(this.common / 4, this.common / 4 + count), at);
    }
  }
}

/** A comparer in this memory. */
export function createWasmSetComparer(memory: KernelMemory, arena: SetArena): SetComparer {
  return new WasmSetComparer(memory, arena);
}
