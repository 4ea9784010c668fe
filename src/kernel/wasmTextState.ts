/**
 * The state struct of the text kernel as the glue sees it: offsets, and the parameters that it writes there.
 *
 * Floor 1. assembly/textState.ts draws the struct.
 */
import { seededConstants } from '../sketch/hashing.js';
import type { ShingleParams } from '../sketch/params.js';
import type { KernelMemory } from './wasmMemory.js';
import { textKeyWords, writeTextKey } from './wasmTextKey.js';
import { TEXT_KEY } from './wasmTextScratch.js';

/** Offsets in bytes of polynomials: over the window, and over all tokens of a document. */
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

/** `base ** exponent` modulo 2^64 for a pair (low, high), written over it. Set-up only. */
function raise(pair: Uint32Array, exponent: number): void {
  const base = BigInt(pair[0]!) | (BigInt(pair[1]!) << 32n);
  const power = BigInt.asUintN(64, base ** BigInt(exponent));
  pair[0] = Number(power & 0xffffffffn);
  pair[1] = Number(power >> 32n);
}

/** Everything of a state that follows from the parameters. */
export interface StateWords {
  /** From PARAMETERS on. */
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

/** Makes the state at `address` that of a stream of these parameters. */
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
