/**
 * Room in the kernel for many sets of hashes, used again from task to task.
 *
 * Floor 1. A task either makes sets or compares them, so both do it in one place.
 */
import type { KernelMemory } from './wasmMemory.js';

const ROOM_AT_FIRST = 8 << 20;

/**
 * The most that is taken, in bytes. A task of a second reading makes sets of about 4 MB; and since memory of the kernel
 * is never freed, what was outgrown is as much again.
 */
const ROOM_AT_MOST = 32 << 20;

export class SetArena {
  address = 0;
  private bytes = 0;
  private readonly memory: KernelMemory;
  private readonly most: number;

  /** `most`: the most bytes that are taken; tests ask for less. */
  constructor(memory: KernelMemory, most = ROOM_AT_MOST) {
    this.memory = memory;
    this.most = most;
  }

  /**
   * Whether there is room for `bytes`; the first `keep` of them stay what they are. Room may have to be made for it,
   * which detaches every view of the memory and moves the address.
   */
  fits(bytes: number, keep = 0): boolean {
    if (bytes <= this.bytes) return true;
    if (bytes > this.most) return false;
    const { memory, address } = this;
    let size = Math.min(this.most, Math.max(ROOM_AT_FIRST, this.bytes));
    while (size < bytes) size = Math.min(this.most, 2 * size);
    this.address = memory.allocate(size);
    this.bytes = size;
    memory.bytes.copyWithin(this.address, address, address + keep);
    return true;
  }

  /** Makes as much room as may be, up to `bytes`; returns how much there is. */
  enlarge(bytes: number): number {
    this.fits(Math.min(bytes, this.most));
    return this.bytes;
  }
}
