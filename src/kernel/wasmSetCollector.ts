/**
 * Making sets of shingle hashes in the kernel, where the hashes are anyway.
 *
 *      arena   [ sets made so far | hashes of the document in hand | as much to spare, for sorting ]
 *
 * Floor 1. What outgrows the arena goes on in plain memory, in the same order.
 */
import type { SetCollector } from './kernel.js';
import { createSetCollector } from './plainSets.js';
import type { KernelMemory } from './wasmMemory.js';
import type { SetArena } from './wasmSetArena.js';

class WasmSetCollector implements SetCollector {
  private readonly memory: KernelMemory;
  private readonly arena: SetArena;
  private readonly counts: number;
  /** Bytes in the arena: sets, and hashes of the document in hand. */
  private made = 0;
  private hand = 0;
  /** Sets that had to leave the arena, before those that are in it. */
  private readonly left: Uint32Array[] = [];
  /** Holds the document in hand where it is too long for the arena; that is empty then. */
  private readonly outside = createSetCollector();
  private isOutside = false;

  constructor(memory: KernelMemory, arena: SetArena) {
    this.memory = memory;
    this.arena = arena;
    this.counts = memory.allocate(memory.call.sortCountsBytes!());
  }

  clear(): void {
    this.made = 0;
    this.left.length = 0;
    this.drop();
  }

  add(hashes: Uint32Array, count: number): void {
    const { memory, arena } = this;
    // Making room detaches the list where it is a view of this memory, but does not move it.
    const inside = memory.holds(hashes);
    const source = hashes.byteOffset;
    const bytes = 8 * count;
    if (this.isOutside || !this.makeRoom(this.hand + bytes)) {
      this.goOutside();
      this.outside.add(hashes, count);
      return;
    }
    const to = arena.address + this.made + this.hand;
    if (inside) memory.bytes.copyWithin(to, source, source + bytes);
    else memory.words.set(hashes.subarray(0, 2 * count), to / 4);
    this.hand += bytes;
  }

  close(): number {
    if (this.isOutside) {
      const distinct = this.outside.close();
      this.left.push(this.outside.sets().slice());
      this.drop();
      return distinct;
    }
    if (this.hand === 0) return 0;
    const at = this.arena.address + this.made;
    const distinct = this.memory.call.sortUnique!(at, this.hand / 8, at + this.hand, this.counts);
    this.made += 8 * distinct;
    this.hand = 0;
    return distinct;
  }

  drop(): void {
    this.hand = 0;
    if (this.isOutside) this.outside.clear();
    this.isOutside = false;
  }

  sets(): Uint32Array {
    if (this.left.length === 0) return this.inArena();
    this.leave();
    if (this.left.length > 1) this.left.splice(0, this.left.length, joined(this.left));
    return this.left[0]!;
  }

  private inArena(): Uint32Array {
    const from = this.arena.address / 4;
    return this.memory.words.subarray(from, from + this.made / 4);
  }

  /** Whether the document in hand, `hand` bytes so far, and as much to spare fit behind the sets. */
  private makeRoom(hand: number): boolean {
    const { arena } = this;
    if (arena.fits(this.made + 2 * hand, this.made + this.hand)) return true;
    this.leave();
    return arena.fits(2 * hand, this.hand);
  }

  /** The sets leave the arena. */
  private leave(): void {
    if (this.made === 0) return;
    const { memory, arena, made, hand } = this;
    this.left.push(this.inArena().slice());
    memory.bytes.copyWithin(arena.address, arena.address + made, arena.address + made + hand);
    this.made = 0;
  }

  /** The document in hand leaves the arena, in which there is no set any more. */
  private goOutside(): void {
    if (this.isOutside) return;
    this.isOutside = true;
    const from = this.arena.address / 4;
    const words = this.hand / 4;
    this.outside.clear();
    this.outside.add(this.memory.words.subarray(from, from + words), words / 2);
    this.hand = 0;
  }
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A collector in this memory; documents whose hashes take more than half of the arena are sorted outside. */
export function createWasmSetCollector(memory: KernelMemory, arena: SetArena): SetCollector {
  return new WasmSetCollector(memory, arena);
}
