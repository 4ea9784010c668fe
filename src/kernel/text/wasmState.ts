/** The state of a stream of texts in kernel memory, which assembly/text/state.ts draws: its parameters, and the arenas of a block. */
import { seededConstants } from '../../arrays/hashing.js';
import { SHINGLE_COLUMN } from '../../text/rolling.js';
import { hashesOfWords, type ShingleParams } from '../../text/shingles.js';
import { type KernelMemory, PADDING } from '../wasmMemory.js';
import { TEXT_KEY_BYTES, textKeyWords, writeTextKey } from './wasmTextKey.js';

/** Bytes of source per block: all arenas that a block uses fit into the second cache. */
export const BLOCK = 32768;
/** The most tokens of a shingle, and so of a window. */
export const LONGEST_WINDOW = 64;
/** Bytes that a block can have besides its own: an unfinished word, a blank, an open segment. */
const CARRY = 4096;
/** Offset of the text's key, which is the end of the state; assembly/text/state.ts has the layout. */
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

  /**
   * Lends a scratch for one document, preferably the scratch that the owner had before. Kernel memory is never
   * freed, and every task makes streams, so streams do not own arenas.
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
export const CONTENT_KEY = 48;

const PARAMETERS = 20;
const SIZE = 40;
const SET_MASK = 41;
const SET = 42;

/** An open-addressing table of hashes in kernel memory: pairs (hash, taken) of u64, `mask` + 1 places. */
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
  set: KernelSet | null,
): void {
  const state = memory.words.subarray(address / 4);
  state.set(words.shingle, PARAMETERS);
  state[SIZE] = size;
  state[SET_MASK] = set?.mask ?? 0;
  state[SET] = set?.address ?? 0;
  writeTextKey(memory, address + TEXT_KEY, words.text);
  memory.call.textCharacterTable!(address);
}

/** Writes the set of the stop words into kernel memory; a place is four words: hash, taken, unused. */
export function installStopWords(
  memory: KernelMemory,
  { stopWords, seed }: Pick<ShingleParams, 'stopWords' | 'seed'>,
): KernelSet {
  // The reference computes the hashes, because this is set-up.
  const hashes = hashesOfWords(stopWords, seed);
  let places = 16;
  while (places < 2 * hashes.length) places *= 2;
  const address = memory.allocate(16 * places);
  const mask = places - 1;
  const table = memory.wordsAt(address, 4 * places);
  for (let i = 0; i < hashes.length; i += 2) {
    let place = hashes[i]! & mask;
    while (
      table[4 * place + 2] !== 0 &&
      (table[4 * place] !== hashes[i] || table[4 * place + 1] !== hashes[i + 1])
    ) {
      place = (place + 1) & mask;
    }
    table.set([hashes[i]!, hashes[i + 1]!, 1], 4 * place);
  }
  return { address, mask };
}
