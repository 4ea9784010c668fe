/**
 * The key of a text in the kernel: its struct as the glue sees it, and a hash for streams that are not the kernel's.
 *
 * Floor 1. assembly/textKey.ts draws the struct.
 */
import { seededConstants } from '../sketch/hashing.js';
import { looksLikeCode, SAMPLE, type TextHash } from '../sketch/textKey.js';
import { type KernelMemory, PADDING } from './wasmMemory.js';

/** Offsets in words of 32 bits. */
const LENGTH = 16;
const MARKS = 18;
const PARAMETERS = 36;
const KEY = 56;

export const TEXT_KEY_BYTES = 240;

/** What the struct is told once, as words from PARAMETERS on. */
export function textKeyWords(seed: number): Uint32Array {
  return seededConstants(seed, 'text', 10, true);
}

/** Makes the struct at `address` that of a seed. */
export function writeTextKey(memory: KernelMemory, address: number, words: Uint32Array): void {
  memory.words.set(words, address / 4 + PARAMETERS);
}

/** What is said of the text that ended. */
export interface TextFacts {
  readonly textKey: Uint32Array;
  looksLikeCode: boolean;
}

/** Takes over what the kernel found of the last text. */
export function readTextKey({ words }: KernelMemory, address: number, into: TextFacts): void {
  const struct = address / 4;
  for (let i = 0; i < 4; i++) into.textKey[i] = words[struct + KEY + i]!;
  // Beyond the sample lengths are all the same, and so is one with something in its upper half.
  const length = words[struct + LENGTH + 1] === 0 ? words[struct + LENGTH]! : SAMPLE;
  into.looksLikeCode = looksLikeCode(words[struct + MARKS]!, length);
}

/** Bytes copied into kernel memory at a time. */
const PIECE = 32768;

/** Structs and the room for bytes, lent to one text from its first byte to its end: kernel memory is never given back. */
class TextKeyPool {
  private readonly memory: KernelMemory;
  private readonly free: number[] = [];
  private room = 0;

  constructor(memory: KernelMemory) {
    this.memory = memory;
  }

  take(): number {
    return this.free.pop() ?? this.memory.allocate(TEXT_KEY_BYTES);
  }

  giveBack(address: number): void {
    this.free.push(address);
  }

  /** Where the bytes of one call lie. */
  get source(): number {
    if (this.room === 0) this.room = this.memory.allocate(PIECE + PADDING);
    return this.room;
  }
}

class WasmTextHash implements TextHash {
  readonly key = new Uint32Array(4);
  looksLikeCode = false;
  readonly textKey = this.key;
  private readonly memory: KernelMemory;
  private readonly pool: TextKeyPool;
  private readonly words: Uint32Array;
  /** 0: none is taken. */
  private address = 0;

  constructor(memory: KernelMemory, pool: TextKeyPool, seed: number) {
    this.memory = memory;
    this.pool = pool;
    this.words = textKeyWords(seed);
  }

  begin(): void {
    this.close();
  }

  push(bytes: Uint8Array): void {
    const { memory } = this;
    const { source } = this.pool;
    const address = this.open();
    for (let from = 0; from < bytes.length; from += PIECE) {
      const piece = bytes.subarray(from, from + PIECE);
      memory.bytes.set(piece, source);
      memory.call.textKeyPush!(address, source, source + piece.length);
    }
  }

  end(): void {
    const address = this.open();
    this.memory.call.textKeyEnd!(address);
    readTextKey(this.memory, address, this);
    this.close();
  }

  private open(): number {
    if (this.address !== 0) return this.address;
    this.address = this.pool.take();
    writeTextKey(this.memory, this.address, this.words);
    this.memory.call.textKeyBegin!(this.address);
    return this.address;
  }

  private close(): void {
    if (this.address !== 0) this.pool.giveBack(this.address);
    this.address = 0;
  }
}

/** A maker of hashes of texts that give what `TextKey` gives. */
export function createWasmTextHashes(memory: KernelMemory): (seed: number) => TextHash {
  const pool = new TextKeyPool(memory);
  return (seed) => new WasmTextHash(memory, pool, seed);
}
