/**
 * A stretch of kernel memory that can be enlarged: it moves then, and what it leaves behind is lost.
 *
 * Floor 1. So it doubles: all it ever left is less than what it is.
 */
import type { KernelMemory } from './wasmMemory.js';

export class Arena {
  /** Changes when the arena is enlarged, and is 0 before it first is. */
  address = 0;
  /** Bytes there is room for. */
  bytes = 0;
  private readonly memory: KernelMemory;

  constructor(memory: KernelMemory) {
    this.memory = memory;
  }

  /** Makes room for `bytes` bytes; the first `kept` stay. Views of the memory are to be asked for anew. */
  reserve(bytes: number, kept = 0): void {
    if (bytes <= this.bytes) return;
    const room = Math.max(bytes, 2 * this.bytes);
    const address = this.memory.allocate(room);
    if (kept > 0) this.memory.bytes.copyWithin(address, this.address, this.address + kept);
    this.address = address;
    this.bytes = room;
  }
}
