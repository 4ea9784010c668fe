/** Keys of texts in the kernel: the struct of one text (layout: assembly/text/key.ts), and hashes with it. */
import { seededConstants } from '../../arrays/hashing.js';
import type { TextHash } from '../../text/keys/textKey.js';
import { type KernelMemory, once } from '../wasmMemory.js';
import { TextTables } from './wasmTables.js';

/** Offsets in words of 32 bits. */
const KEY_PARAMETERS = 36;
const KEY = 56;
/** Bytes of the struct. */
export const TEXT_KEY_BYTES = 256 + 288;

/** The parameters of the struct, as words from KEY_PARAMETERS on. */
export function textKeyWords(seed: number): Uint32Array {
  return seededConstants(seed, 'text', 10, true);
}

/** Writes the parameters of a seed into the struct at `address`. */
export function writeTextKey(memory: KernelMemory, address: number, words: Uint32Array): void {
  memory.words.set(words, address / 4 + KEY_PARAMETERS);
}

/** Copies the key of the last text. */
export function readTextKey({ words }: KernelMemory, address: number, into: Uint32Array): void {
  const struct = address / 4;
  for (let i = 0; i < 4; i++) into[i] = words[struct + KEY + i]!;
}

/** Bytes copied into kernel memory at a time. */
const PIECE = 32768;

/**
 * Structs, each lent to one text at a time, and a buffer for bytes. They are reused, because kernel memory is never freed.
 */
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

  /** Address of the bytes of one call. */
  get source(): number {
    if (this.room === 0) this.room = this.memory.allocate(PIECE);
    return this.room;
  }
}

class WasmTextHash implements TextHash {
  readonly key = new Uint32Array(4);
  private readonly memory: KernelMemory;
  private readonly pool: TextKeyPool;
  private readonly words: Uint32Array;
  /** Address of the struct in use; 0: none. */
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
    readTextKey(this.memory, address, this.key);
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

/** Creates hashes of texts. Tables are made with the first one. */
export function createWasmTextHashes(
  memory: KernelMemory,
  tables: () => TextTables = once(() => new TextTables(memory)),
): (seed: number) => TextHash {
  const pool = new TextKeyPool(memory);
  return (seed) => {
    tables();
    return new WasmTextHash(memory, pool, seed);
  };
}
