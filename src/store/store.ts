/** Named blocks in memory: what tasks read and write. */
import type { BlockBuffer } from '../blocks/block.js';
import { GarbageValve } from './garbage.js';

/** Named blocks. A name is written once, until it is deleted. */
export class Store {
  private readonly blocks = new Map<string, BlockBuffer>();
  private readonly garbage: GarbageValve | null;

  /** @param collectEvery bytes of deleted blocks after which garbage is collected */
  constructor(collectEvery = Number.POSITIVE_INFINITY) {
    this.garbage = collectEvery === Number.POSITIVE_INFINITY ? null : new GarbageValve(collectEvery);
  }

  put(name: string, buffer: BlockBuffer): void {
    if (this.blocks.has(name)) throw new Error(`the block ${name} was written twice`);
    this.blocks.set(name, buffer);
  }

  /** @throws Error for an unknown name, which is a bug */
  get(name: string): BlockBuffer {
    const buffer = this.blocks.get(name);
    if (buffer === undefined) throw new Error(`there is no block ${name}`);
    return buffer;
  }

  has(name: string): boolean {
    return this.blocks.has(name);
  }

  /** Deletes a block if it exists. */
  delete(name: string): void {
    const buffer = this.blocks.get(name);
    if (buffer === undefined) return;
    this.blocks.delete(name);
    this.released(buffer.byteLength);
  }

  /** Counts bytes of unused buffers that were not in the store. */
  released(bytes: number): void {
    this.garbage?.released(bytes);
  }
}
