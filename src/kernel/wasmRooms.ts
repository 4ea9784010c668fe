/**
 * Scratch in kernel memory that several functions use one after the other, sized by what they need.
 *
 * Floor 1. Knows addresses, never what lies there.
 */
import { type KernelMemory, PADDING } from './wasmMemory.js';

const ALIGN = 64;

/** Larger by half again at each growth, since what it outgrew is never freed. */
const GROWTH = 1.5;

/** Up to an eighth more: what follows is often a little larger, and would have to move. */
function roomy(bytes: number): number {
  const step = Math.max(ALIGN, 2 ** (Math.floor(Math.log2(bytes)) - 3));
  return Math.ceil(bytes / step) * step;
}

export class KernelRooms {
  private readonly memory: KernelMemory;
  private start = 0;
  private size = 0;

  constructor(memory: KernelMemory) {
    this.memory = memory;
  }

  /**
   * Addresses of rooms of these sizes in bytes, each aligned to 64 and padded. They hold anything, and are
   * lent until the next call. May enlarge the memory, which detaches its views.
   */
  rooms(...sizes: readonly number[]): number[] {
    const offsets: number[] = [];
    let end = 0;
    for (const bytes of sizes) {
      offsets.push(end);
      end = Math.ceil((end + bytes + PADDING) / ALIGN) * ALIGN;
    }
    if (end > this.size) {
      this.size = Math.max(roomy(end), Math.ceil(GROWTH * this.size));
      this.start = this.memory.allocate(this.size);
    }
    return offsets.map((offset) => this.start + offset);
  }
}
