/**
 * What a run may hold in memory, and how that is divided.
 *
 * Floor 4. Numbers only: whoever holds something asks here how much.
 *
 * A budget counts what grows with the corpus and what the workers take. What the process takes before it holds anything
 * (the program itself) comes on top.
 */

import { LEAST_TASK_BYTES, WORKER_BYTES } from '../options/memory.js';

/** What the parts of a run may hold, in bytes. */
export interface Budget {
  /** The whole budget, as the user gave it. */
  readonly total: number;
  /** Blocks that may go to disk, in memory at a time: signatures, bucket keys, lists of pairs. */
  readonly blocks: number;
  /** What one task may gather for its own work beside its inputs: signatures, keys of a band, shingle sets. */
  readonly task: number;
  /** Shingle sets that are held at a time, over all workers. */
  readonly sets: number;
  /** Bytes of buffers let go after which a thread frees them; infinite where memory is plenty. */
  readonly collectEvery: number;
  /** Tables with an entry a document or a pair: ids, content keys, candidate pairs and their evidence. */
  readonly tables: number;
}

/** Beside so much data, what the platform frees late does not count. */
const PLENTY = 1.5e9;

/** Share of what is left for data that tables may take. */
const TABLES = 1 / 2;

/** Divides a budget that is at least `leastMemory(threads)`. */
export function budgetOf(memory: number, threads: number): Budget {
  const workers = Math.max(1, threads);
  const data = Math.max(0, memory - workers * WORKER_BYTES);
  return {
    total: memory,
    blocks: Math.floor(data / 5),
    task: Math.max(LEAST_TASK_BYTES, Math.floor(data / 4 / workers)),
    sets: Math.min(128 << 20, Math.floor(data / 8)),
    collectEvery: data < PLENTY ? Math.max(4e6, Math.floor(data / 16)) : Number.POSITIVE_INFINITY,
    tables: Math.floor(data * TABLES),
  };
}

/** The least budget for as many workers whose tables may take `bytes`. */
export function memoryForTables({ total, tables }: Budget, bytes: number): number {
  return total + Math.max(0, Math.ceil((bytes + 1 - tables) / TABLES));
}

/** For a run whose memory nobody bounds: documents in memory, which are there already. */
export const UNBOUNDED: Budget = {
  total: Number.POSITIVE_INFINITY,
  blocks: Number.POSITIVE_INFINITY,
  task: Number.POSITIVE_INFINITY,
  sets: 128 << 20,
  collectEvery: Number.POSITIVE_INFINITY,
  tables: Number.POSITIVE_INFINITY,
};
