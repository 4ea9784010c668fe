/**
 * What a run may hold in memory, and how that is divided.
 *
 * Floor 4. Numbers only: whoever holds something asks here how much.
 *
 * A budget counts what grows with the corpus and what the workers take. What the process takes before it holds anything
 * (the program itself) comes on top.
 */

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
  /** Tables with an entry a document or a pair: ids, content keys, candidate pairs and their evidence. */
  readonly tables: number;
}

/** Megabyte. */
const MB = 1e6;

/** Kernel, reading buffers and JavaScript heap of a worker. */
export const WORKER_BYTES = 48 * MB;

/** The least a task can work with: a column block with its signatures and bucket keys. */
const LEAST_TASK = 4 * MB;

/** The least budget with which so many workers (0: this thread works) can do any task. */
export function leastMemory(threads: number): number {
  return Math.max(1, threads) * (WORKER_BYTES + LEAST_TASK) + 8 * LEAST_TASK;
}

/** Share of what is left for data that tables may take. */
const TABLES = 3 / 8;

/** Divides a budget that is at least `leastMemory(threads)`. */
export function budgetOf(memory: number, threads: number): Budget {
  const workers = Math.max(1, threads);
  const data = Math.max(0, memory - workers * WORKER_BYTES);
  return {
    total: memory,
    blocks: Math.floor(data / 4),
    task: Math.max(LEAST_TASK, Math.floor(data / 4 / workers)),
    sets: Math.min(128 << 20, Math.floor(data / 8)),
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
  tables: Number.POSITIVE_INFINITY,
};
