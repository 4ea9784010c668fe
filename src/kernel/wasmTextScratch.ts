/**
 * The memory of a document in hand: state, arenas and column, lent to one stream from its first byte to its end.
 *
 * Floor 1. Kernel memory is never given back, and every task makes streams of its own: so streams do not own arenas.
 * A kernel that works on one document at a time has one scratch.
 */
import { SHINGLE_COLUMN } from '../sketch/shingleColumn.js';
import { type KernelMemory, PADDING } from './wasmMemory.js';
import { TEXT_KEY_BYTES } from './wasmTextKey.js';

/** Source bytes taken at a time: all arenas that a block touches stay within the second cache. */
export const BLOCK = 32768;
/** Most tokens of a shingle, and so of a window. */
export const LONGEST_WINDOW = 64;
/** What a block can have besides its own bytes: a word in hand, a blank, an open segment. */
const CARRY = 4096;
/** assembly/textState.ts draws it: the key of the text is its end. */
export const TEXT_KEY = 256 + 2 * 8 * 256;
export const STATE = TEXT_KEY + TEXT_KEY_BYTES;

export interface Scratch {
  readonly state: number;
  /** Room for BLOCK bytes. */
  readonly source: number;
  /** Words or characters: at most three bytes for one of the source (UAX 15, "maximum expansion factor"). */
  readonly folded: number;
  /** Token hashes or character values, 8 bytes each; the window before them ends here. */
  readonly hashes: number;
  /** Shingle hashes waiting for the sink. */
  readonly column: number;
  /** The stream whose parameters are in the state. */
  owner: object | null;
}

export class ScratchPool {
  private readonly memory: KernelMemory;
  private readonly free: Scratch[] = [];

  constructor(memory: KernelMemory) {
    this.memory = memory;
  }

  /** A scratch for one document, best one that the owner had before. */
  take(owner: object): Scratch {
    const { free } = this;
    const last = free.length - 1;
    for (let i = last - 1; i >= 0 && free[last]!.owner !== owner; i--) {
      if (free[i]!.owner === owner) [free[i], free[last]] = [free[last]!, free[i]!];
    }
    return free.pop() ?? this.make();
  }

  giveBack(scratch: Scratch): void {
    this.free.push(scratch);
  }

  private make(): Scratch {
    const { memory } = this;
    const padded = (bytes: number): number => memory.allocate(bytes + PADDING);
    return {
      state: padded(STATE),
      source: padded(BLOCK),
      folded: padded(3 * BLOCK + CARRY),
      hashes: padded(8 * (LONGEST_WINDOW + BLOCK + CARRY)) + 8 * LONGEST_WINDOW,
      column: padded(8 * SHINGLE_COLUMN),
      owner: null,
    };
  }
}
