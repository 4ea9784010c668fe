/** The state of a stream of texts in kernel memory (layout: assembly/text/state.ts): its parameters, and the arenas of a block. */
import { seededConstants } from '../../arrays/hashing.js';
import { SHINGLE_COLUMN } from '../../text/rolling.js';
import type { ShingleParams, ShingleStream } from '../../text/shingles.js';
import { type KernelMemory, LastingView } from '../wasmMemory.js';
import { readTextKey, TEXT_KEY_BYTES, textKeyWords, writeTextKey } from './wasmTextKey.js';

/** Bytes of source per block: all arenas of a block fit into the L2 cache. */
export const BLOCK = 32768;
/** The most tokens of a shingle, and so of a window. */
const LONGEST_WINDOW = 64;
/** Additional bytes that a block can have: an unfinished word, a blank, an open segment. */
const CARRY = 4096;
/** Offset of the text's key, which is the end of the state; assembly/text/state.ts has the layout. */
export const TEXT_KEY = 256 + 2 * 8 * 256;
export const STATE = TEXT_KEY + TEXT_KEY_BYTES;

/** The arenas of a block: addresses, and a view. */
export interface BlockArenas {
  /** Room for BLOCK bytes. */
  readonly source: number;
  /** Words or characters: at most three bytes for one of the source (UAX 15, "maximum expansion factor"). */
  readonly folded: number;
  /** Token hashes or character values, 8 bytes each; the window before them ends here. */
  readonly hashes: number;
  /** Shingle hashes for the sink. */
  readonly column: LastingView;
}

/** @param carry additional bytes that a block can have. @param shingles the length of the column */
export function blockArenas(memory: KernelMemory, carry: number, shingles: number): BlockArenas {
  return {
    source: memory.allocate(BLOCK),
    folded: memory.allocate(3 * BLOCK + carry),
    hashes: memory.allocate(8 * (LONGEST_WINDOW + BLOCK + carry)) + 8 * LONGEST_WINDOW,
    column: new LastingView(memory, memory.allocate(8 * shingles), 2 * shingles),
  };
}

export interface Scratch extends BlockArenas {
  readonly state: number;
  /** The stream whose parameters are in the state. */
  owner: object | null;
}

export class ScratchPool {
  private readonly memory: KernelMemory;
  private readonly free: Scratch[] = [];

  constructor(memory: KernelMemory) {
    this.memory = memory;
  }

  /**
   * Lends a scratch for one document, preferably the scratch that the owner had before. Streams do not own arenas, because every
   * task creates streams and kernel memory is never freed.
   */
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
    return { state: memory.allocate(STATE), ...blockArenas(memory, CARRY, SHINGLE_COLUMN), owner: null };
  }
}

/**
 * Offsets in bytes of the polynomials over the window, and over all tokens of a document. assembly/text/state.ts
 * has the layout of the struct.
 */
export const ROLLING = 0;
export const ALL = 8;
/** Offsets in words of 32 bits. */
export const SOURCE = 16;
export const AFTER = 17;
export const REPAIRED = 18;
const CONTENT_KEY = 48;

const PARAMETERS = 20;
const SIZE = 40;
const SET_MASK = 41;
const SET = 42;

/** A set of hashes in kernel memory, with `mask` + 1 slots; assembly/sketch/hashSet.ts has the layout. */
export interface KernelSet {
  readonly address: number;
  readonly mask: number;
}

/** `base ** exponent` modulo 2^64 for a pair (low, high), in place. Set-up only. */
function raise(pair: Uint32Array, exponent: number): void {
  const base = BigInt(pair[0]!) | (BigInt(pair[1]!) << 32n);
  const power = BigInt.asUintN(64, base ** BigInt(exponent));
  pair[0] = Number(power & 0xffffffffn);
  pair[1] = Number(power >> 32n);
}

export interface StateWords {
  /** The words from PARAMETERS on. */
  readonly shingle: Uint32Array;
  readonly text: Uint32Array;
}

export function parameterWords(params: ShingleParams): StateWords {
  const { seed, size } = params;
  const words = new Uint32Array(SIZE - PARAMETERS);
  const base = seededConstants(seed, 'shingle', 1, true);
  words.set(seededConstants(seed, 'word', 2), 0);
  words.set(base, 4);
  raise(base, size);
  words.set(base, 6);
  words.set(seededConstants(seed, 'content', 4, true), 8);
  words.set(seededConstants(seed, 'character', 2), 16);
  return { shingle: words, text: textKeyWords(seed) };
}

/** Writes these parameters into the state at `address`. */
export function writeParameters(
  memory: KernelMemory,
  address: number,
  words: StateWords,
  size: number,
  set: KernelSet,
): void {
  const state = memory.words.subarray(address / 4);
  state.set(words.shingle, PARAMETERS);
  state[SIZE] = size;
  state[SET_MASK] = set.mask;
  state[SET] = set.address;
  writeTextKey(memory, address + TEXT_KEY, words.text);
  memory.call.textCharacterTable!(address);
}

/** No set. */
export const NO_SET: KernelSet = { address: 0, mask: 0 };

/** Writes a set of hashes, pairs (low, high), into kernel memory; at most half of its slots are used. */
export function placeSet(memory: KernelMemory, hashes: ArrayLike<number>): KernelSet {
  let places = 16;
  while (places < hashes.length) places *= 2;
  const address = memory.allocate(8 * (places + 1));
  const mask = places - 1;
  const table = memory.wordsAt(address, 2 * (places + 1));
  for (let i = 0; i < hashes.length; i += 2) {
    const low = hashes[i]!;
    const high = hashes[i + 1]!;
    if (low === 0 && high === 0) {
      table[2 * places] = 1;
      continue;
    }
    let place = low & mask;
    while (table[2 * place] !== 0 || table[2 * place + 1] !== 0) place = (place + 1) & mask;
    table[2 * place] = low;
    table[2 * place + 1] = high;
  }
  return { address, mask };
}

/** Copies the results of the document that ended, except its counts. */
export function readFacts(memory: KernelMemory, address: number, into: ShingleStream): void {
  const { words } = memory;
  const state = address / 4;
  into.repaired = words[state + REPAIRED] !== 0;
  for (let i = 0; i < 4; i++) into.contentKey[i] = words[state + CONTENT_KEY + i]!;
  readTextKey(memory, address + TEXT_KEY, into.textKey);
}
