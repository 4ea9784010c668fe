/**
 * Comparing many pairs of sets in the kernel: every set is copied in once, unless it is in kernel memory anyway, and one
 * call takes thousands of pairs.
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
  /** Addresses: where every set begins and ends; numbers of sets; what is found. */
  private readonly bounds: number;
  private readonly first: number;
  private readonly second: number;
  private readonly common: number;
  private readonly used: number;
  private sets = 0;
  private end = 0;
  private limit = 0;
  /** Bytes of room to ask for; no room is made for sets that are in kernel memory, because that would move them. */
  private wanted = 0;

  constructor(memory: KernelMemory, arena: SetArena) {
    this.memory = memory;
    this.arena = arena;
    this.bounds = memory.allocate(8 * SETS);
    this.first = memory.allocate(4 * PAIRS);
    this.second = memory.allocate(4 * PAIRS);
    this.common = memory.allocate(4 * PAIRS);
    this.used = memory.allocate(8);
  }

  clear(hashes: number): void {
    this.sets = 0;
    this.end = 0;
    this.limit = 0;
    this.wanted = 8 * hashes;
  }

  place(hashes: Uint32Array, from: number, to: number): boolean {
    if (this.sets === SETS) return false;
    const size = 8 * (to - from);
    if (this.memory.holds(hashes)) {
      this.bound(hashes.byteOffset + 8 * from, size);
      return true;
    }
    if (this.end === 0) {
      this.limit = this.arena.enlarge(this.wanted);
      this.end = this.arena.address;
      this.limit += this.end;
    }
    if (this.end + size > this.limit) return false;
    this.memory.words.set(hashes.subarray(2 * from, 2 * to), this.end / 4);
    this.bound(this.end, size);
    this.end += size;
    return true;
  }

  private bound(address: number, size: number): void {
    const at = this.bounds / 4 + 2 * this.sets++;
    const { words } = this.memory;
    words[at] = address;
    words[at + 1] = address + size;
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
