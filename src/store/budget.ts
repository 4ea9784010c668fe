/**
 * The memory budget of a run, and how it is divided.
 *
 * A budget includes data that grow with the corpus, and the memory of the workers. The memory of the program itself is not included.
 */

import { LEAST_TASK_BYTES, WORKER_BYTES } from '../options/memory.js';

/** The limits of the parts of a run, in bytes. */
export interface Budget {
  /** The whole budget. */
  readonly total: number;
  /** The part that is not the memory of workers. */
  readonly data: number;
  /** Working memory of one task without its inputs: signatures, keys of a band, shingle sets. */
  readonly task: number;
  /** Bytes of released buffers after which a thread collects garbage; infinite if memory is plentiful. */
  readonly collectEvery: number;
  /** Tables with an entry per file, document or set. */
  readonly tables: number;
  /** Maximum length of a record, which is in memory while it is read. */
  readonly record: number;
}

/** With a budget of this size, late garbage collection of buffers does not matter. */
const PLENTY = 1.5e9;

/** The fraction of the data memory that tables may use. */
const TABLES = 3 / 4;

/**
 * While a record is read, memory holds its bytes, the block that a task reads, and buffers of the record before it that are not
 * yet freed.
 */
const RECORD_COPIES = 3;

/** Divides a budget that is at least `leastMemory(threads)`. */
export function budgetOf(memory: number, threads: number): Budget {
  const workers = Math.max(1, threads);
  const data = Math.max(0, memory - workers * WORKER_BYTES);
  return {
    total: memory,
    data,
    task: Math.max(LEAST_TASK_BYTES, Math.floor(data / 4 / workers)),
    collectEvery: data < PLENTY ? Math.max(4e6, Math.floor(data / 16)) : Number.POSITIVE_INFINITY,
    tables: Math.floor(data * TABLES),
    record: Math.floor(data / RECORD_COPIES),
  };
}

/** Whether unused buffers must be freed soon. */
export function isScarce({ collectEvery }: Pick<Budget, 'collectEvery'>): boolean {
  return Number.isFinite(collectEvery);
}

/** The part of a budget that readers need. */
export type RecordRoom = Pick<Budget, 'record'>;

export function recordRoomOf({ record }: Budget): RecordRoom {
  return { record };
}

/** The budget of a run over documents in memory, which is not limited. */
export const UNBOUNDED: Budget = {
  total: Number.POSITIVE_INFINITY,
  data: Number.POSITIVE_INFINITY,
  task: Number.POSITIVE_INFINITY,
  collectEvery: Number.POSITIVE_INFINITY,
  tables: Number.POSITIVE_INFINITY,
  record: Number.POSITIVE_INFINITY,
};
