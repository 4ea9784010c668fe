/**
 * The memory budget of a run, and how it is divided.
 *
 * A budget counts data that grow with the corpus and the memory of the workers. The memory of the program
 * itself comes on top.
 */

import { MinHashError } from '../errors.js';
import { LEAST_TASK_BYTES, WORKER_BYTES } from '../options/memory.js';
import { sizeText } from './disk.js';

/** The limits of the parts of a run, in bytes. */
export interface Budget {
  /** The whole budget, as given. */
  readonly total: number;
  /**
   * Blocks in memory: signatures, which may go to disk, lists of pairs, shingle sets. They may take this much and what
   * the tables leave unused (`roomOfBlocks`).
   */
  readonly blocks: number;
  /** Working memory of one task beside its inputs: signatures, keys of a band, shingle sets. */
  readonly task: number;
  /** Bytes of released buffers after which a thread collects garbage; infinite where memory is plentiful. */
  readonly collectEvery: number;
  /**
   * Tables with an entry per document or pair: ids, content hashes, candidate pairs and their exact
   * similarities.
   */
  readonly tables: number;
  /** Length of the longest record that is held whole while it is read. */
  readonly record: number;
}

/** With a budget this large, buffers that the platform frees late do not matter. */
const PLENTY = 1.5e9;

/** Shares of the data memory: what tables may take, and what blocks may take besides what tables leave. */
const TABLES = 1 / 2;
const BLOCKS = 1 / 5;

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
    blocks: Math.floor(data * BLOCKS),
    task: Math.max(LEAST_TASK_BYTES, Math.floor(data / 4 / workers)),
    collectEvery: data < PLENTY ? Math.max(4e6, Math.floor(data / 16)) : Number.POSITIVE_INFINITY,
    tables: Math.floor(data * TABLES),
    record: Math.floor(data / RECORD_COPIES),
  };
}

/** Whether blocks may have to go to disk, so that a holder of a part of a block copies that part. */
export function isScarce({ collectEvery }: Pick<Budget, 'collectEvery'>): boolean {
  return Number.isFinite(collectEvery);
}

/**
 * Memory of a run that its budget does not count, as measured for a million short records, near copies, containment and
 * two corpora: buffers that the threads free late (a share of the memory of blocks); and the workers' tokens, lists and
 * heaps beyond `WORKER_BYTES` (bytes).
 */
const FREED_LATE = 1 / 3;
const BEYOND_WORKERS = 40e6;

/** The total, in bytes, of a budget with the same number of workers that has room for `bytes` of tables and of blocks that stay in memory. */
function memoryForShare({ total, tables }: Budget, bytes: number, share: number): number {
  const workers = total - tables / TABLES;
  return Math.ceil(workers + ((1 + FREED_LATE) * (bytes + 1)) / share + BEYOND_WORKERS);
}

/** The total, in bytes, of a budget whose tasks may take `bytes` each, with so many workers. */
export function memoryForTask({ total, task }: Budget, workers: number, bytes: number): number {
  return Math.ceil(total + 4 * Math.max(1, workers) * Math.max(0, bytes + 1 - task));
}

/** The budget of the run, and what of it a record may take. */
export type RecordRoom = Pick<Budget, 'total' | 'record'>;

/** The part of a budget that readers need. */
export function recordRoomOf({ total, record }: Budget): RecordRoom {
  return { total, record };
}

/** The total, in bytes, of a budget with room for a record of `bytes` bytes. */
export function memoryForRecord({ total, record }: RecordRoom, bytes: number): number {
  return Math.ceil(total + Math.max(0, RECORD_COPIES * (bytes + 1 - record)));
}

/** The budget of a run over documents in memory, which is not limited: the documents are there already. */
export const UNBOUNDED: Budget = {
  total: Number.POSITIVE_INFINITY,
  blocks: Number.POSITIVE_INFINITY,
  task: Number.POSITIVE_INFINITY,
  collectEvery: Number.POSITIVE_INFINITY,
  tables: Number.POSITIVE_INFINITY,
  record: Number.POSITIVE_INFINITY,
};

/**
 * The memory of tables with an entry per document or pair, which cannot go to disk. Tables reserve their
 * bytes here before they are created; a run that would exceed its budget ends with an error message before
 * the system kills it.
 */
export class TableMemory {
  /** Bytes taken and not given back. */
  taken = 0;
  /** Bytes that the run needs beside its tables, as far as known: the budget that the error names has room for them, too. */
  beside = 0;
  /** Of these, those that workers hold now: blocks have so much less room. */
  working = 0;
  private readonly budget: Budget;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /**
   * Reserves the bytes of a table that is about to be created. `what` names and counts its entries, as the
   * beginning of a sentence: "1000 candidate pairs". `ahead`: further bytes that will be reserved, as far as
   * known, for the advice in the error.
   *
   * @throws MinHashError MEMORY_BUDGET when `bytes` are more than remain
   */
  take(what: string, bytes: number, ahead: () => number = () => 0): void {
    this.expect(what, bytes, ahead);
    this.taken += bytes;
  }

  /** Throws where `take` would, and reserves nothing. @throws MinHashError MEMORY_BUDGET */
  expect(what: string, bytes: number, ahead: () => number = () => 0): void {
    const { left } = this;
    if (bytes > left) {
      throw this.error(what, bytes, left, memoryForShare(this.budget, this.taken + bytes + ahead(), TABLES));
    }
  }

  private error(what: string, bytes: number, left: number, needed: number): MinHashError {
    const enough = Math.ceil((needed + this.beside) / 1e6);
    const room = sizeText(Math.max(0, left));
    const detail = `${what} take ${sizeText(bytes)}, of which ${room} are left; --memory ${enough}MB has room for them`;
    return new MinHashError({ code: 'MEMORY_BUDGET', detail });
  }

  /** Bytes that are not taken: of the share of tables, and of what workers leave. */
  get left(): number {
    const { tables } = this.budget;
    return Math.max(0, Math.min(tables, tables / TABLES - this.working) - this.taken);
  }

  /** Bytes that blocks may take now. */
  get roomOfBlocks(): number {
    return Math.max(0, this.budget.blocks + this.left - this.working);
  }

  /**
   * Throws where blocks that stay in memory have no room. `what`: as in `take`. `ahead`: bytes of tables that will be reserved
   * before.
   *
   * @throws MinHashError MEMORY_BUDGET
   */
  expectBlocks(what: string, bytes: number, ahead = 0): void {
    const room = this.roomOfBlocks - ahead;
    if (bytes <= room) return;
    const needed = memoryForShare(this.budget, this.taken + ahead + bytes, TABLES + BLOCKS);
    throw this.error(what, bytes, room, needed);
  }

  /** Releases the bytes of a table. */
  give(bytes: number): void {
    this.taken -= bytes;
  }
}

/** Bytes of a member of a hot bucket: document and bucket of all members, of those kept, and of the pairs of dependent ones. */
export const HOT_MEMBER_BYTES = 24;

/** Bytes of a candidate pair: two documents, agreement, accepted or not. */
export const PAIR_BYTES = 11;

/** Bytes of the exact similarities of a pair, with the number of its row. */
export const EVIDENCE_BYTES = 28;

/** Bytes of a pair during verification: a copy of its columns. */
export const LOOKED_AT_BYTES = 11;

/** Bytes of a pair while two lists are merged: the widest column of both and of their union. */
export const MERGED_BYTES = 8;

/** Bytes of an accepted pair in the drop lists of the rounds. */
export const NEAR_BYTES = 8;

/** Bytes of an accepted pair with its resemblance, for clusters and the drop list. */
export const RESEMBLANCE_BYTES = 16;

/** Bytes of an accepted pair with all its similarities, for the result files, and its row. */
export const WRITTEN_BYTES = 38;

/** Bytes that will still be reserved for accepted pairs with exact similarities. */
export function aheadOfAccepted(accepted: number): number {
  return accepted * (RESEMBLANCE_BYTES + WRITTEN_BYTES);
}

/** Candidate pairs; the number of them that can be accepted; an estimate of the accepted pairs. Each is at most the one before. */
interface PairCounts {
  readonly pairs: number;
  readonly likely: number;
  readonly accepted: number;
}

/**
 * Bytes that will still be reserved for candidate pairs whose columns are reserved already; in exact mode the likely pairs get
 * exact similarities. The tables of verification, of merging and of writing are never in memory at once: the largest counts.
 */
export function aheadOfPairs({ pairs, likely, accepted }: PairCounts, exact: boolean): number {
  const [evidence, looked] = exact ? [EVIDENCE_BYTES * likely, LOOKED_AT_BYTES * likely] : [0, 0];
  // The lists of two rounds and their union.
  const compared = looked + 2 * NEAR_BYTES * accepted;
  return evidence + Math.max(compared, MERGED_BYTES * pairs, aheadOfAccepted(accepted));
}

/** `aheadOfPairs` for pairs that may all be accepted. */
export function aheadOfLikely(pairs: number, exact: boolean): number {
  return aheadOfPairs({ pairs, likely: pairs, accepted: pairs }, exact);
}
