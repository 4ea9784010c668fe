/**
 * Stores of named blocks: the interface of every store, and the store that keeps blocks in memory (spilling.ts has the store
 * that may use the disk).
 */
import type { BlockBuffer, Json } from '../blocks/block.js';
import type { BlockPlace } from './blockPlace.js';

/**
 * How a block is kept. `memory`: in memory; `counted`: in memory, where it counts against the limit of blocks; `durable`: is also
 * written to disk for a resumed run, once checkpoints have begun, and leaves memory when that is short.
 */
export type Keep = 'memory' | 'counted' | 'durable';

/** Named blocks. A name is written once, until it is deleted. */
export interface Store {
  /**
   * Adds a block. `keep`: default `memory`. `report`: the report of the task that wrote the block; kept with a durable
   * block. `checksum`: CRC-32 of the block, where it is known.
   */
  put(name: string, buffer: BlockBuffer, keep?: Keep, report?: Json, checksum?: number): void;
  /** Whether the store writes durable blocks when they are put, so that their makers compute their checksums. Absent: it does not. */
  readonly hasCheckpoints?: boolean;
  /** The block, read from disk if necessary. @throws Error for an unknown name, which is our own defect */
  get(name: string): BlockBuffer;
  /** The block if it is in memory, else its place on disk: the input of a task. @throws Error as `get` */
  locate(name: string): BlockBuffer | BlockPlace;
  has(name: string): boolean;
  /** Deletes a block; an unknown name is no error. */
  delete(name: string): void;
  /**
   * Resolves once the blocks fit their memory limit. @throws MinHashError MEMORY_BUDGET where those that stay do not, WRITE_FAILED,
   *   DISK_FULL
   */
  room(): Promise<void>;
  /** Bytes held in memory. */
  readonly bytes: number;
  /** The folder for data too large for memory; absent: none. The first writer creates it. */
  readonly folder?: string;
  /** Names of the blocks restored from an earlier run that begin with `prefix`; absent: there are none. */
  recalled?(prefix: string): string[];
  /** What the task that wrote a durable block reported; null where nothing is known. */
  reportOf?(name: string): unknown;
}

/** A store in memory, of the buffers as given. `bytes` counts a buffer with the length that it had when it was put. */
export function createMemoryStore(): Store {
  const entries = new Map<string, { readonly buffer: BlockBuffer; readonly bytes: number }>();
  let bytes = 0;
  const get = (name: string): BlockBuffer => {
    const entry = entries.get(name);
    if (entry === undefined) throw new Error(`there is no block ${name}`);
    return entry.buffer;
  };
  return {
    put(name, buffer) {
      if (entries.has(name)) throw new Error(`the block ${name} was written twice`);
      entries.set(name, { buffer, bytes: buffer.byteLength });
      bytes += buffer.byteLength;
    },
    get,
    locate: get,
    room: () => Promise.resolve(),
    has: (name) => entries.has(name),
    delete(name) {
      bytes -= entries.get(name)?.bytes ?? 0;
      entries.delete(name);
    },
    get bytes() {
      return bytes;
    },
  };
}
