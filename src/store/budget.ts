/**
 * What a run may hold in memory, and how that is divided.
 *
 * Numbers only: whoever holds something asks here how much.
 *
 * A budget counts what grows with the corpus and what the workers take. What the process takes before it holds anything
 * (the program itself) comes on top.
 */

import { MinHashError } from '../errors.js';
import { LEAST_TASK_BYTES, WORKER_BYTES } from '../options/memory.js';
import { sizeText } from './disk.js';

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

/*
 * The memory of tables with an entry a document or a pair, which cannot go to disk: one place counts it.
 *
 * Who is about to make a table takes its bytes here first; a run that needs more than it may have ends with an
 * answer, before the system ends it without one.
 */

export class TableMemory {
  /** Bytes taken and not given back. */
  taken = 0;
  private readonly budget: Budget;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /**
   * Notes that a table of so many bytes is about to be made. `what` says of what and how many, as the begin of a sentence:
   * "1000 candidate pairs". `ahead`: bytes that will be taken after it as far as is known, for the advice that is given
   * when it does not fit.
   *
   * @throws MinHashError MEMORY_BUDGET when that is more than is left
   */
  take(what: string, bytes: number, ahead: () => number = () => 0): void {
    const { tables } = this.budget;
    const needed = this.taken + bytes;
    if (needed > tables) {
      const enough = Math.ceil(memoryForTables(this.budget, needed + ahead()) / 1e6);
      const left = sizeText(Math.max(0, tables - this.taken));
      const detail = `${what} take ${sizeText(bytes)}, of which ${left} are left; --memory ${enough}MB has room for them`;
      throw new MinHashError({ code: 'MEMORY_BUDGET', detail });
    }
    this.taken = needed;
  }

  /** Notes that a table of so many bytes is no longer held. */
  give(bytes: number): void {
    this.taken -= bytes;
  }
}

/*
 * What pairs take in the coordinator's tables, from their agreement to the result files.
 *
 * Bytes only: who makes a table takes them from TableMemory.
 */

/** A member of a hot bucket: document and bucket of all, of those kept, and of the pairs of those that lean. */
export const HOT_MEMBER_BYTES = 24;

/** A candidate pair: two documents, agreement, accepted or not. */
export const PAIR_BYTES = 11;

/** Exact evidence about a pair, with the row it is about. */
export const EVIDENCE_BYTES = 28;

/** A pair that gets its evidence, until it has it: its columns once more. */
export const LOOKED_AT_BYTES = 11;

/** A pair while lists become one: the widest column of both and of their union. */
export const MERGED_BYTES = 8;

/** An accepted pair in the drop lists of the rounds. */
export const NEAR_BYTES = 8;

/** An accepted pair with its resemblance, for clusters and the drop list. */
export const RESEMBLANCE_BYTES = 16;

/** An accepted pair with all its evidence, for the result files, and its row. */
export const WRITTEN_BYTES = 38;

/** What is still to be taken for accepted pairs that have their evidence. */
export function aheadOfAccepted(accepted: number): number {
  return accepted * (RESEMBLANCE_BYTES + WRITTEN_BYTES);
}

/** What is still to be taken for candidate pairs that can be accepted, at most; in exact mode they get evidence. */
export function aheadOfLikely(likely: number, exact: boolean): number {
  const evidence = exact ? EVIDENCE_BYTES + LOOKED_AT_BYTES : 0;
  // The lists of two rounds and the one that they become.
  return likely * (evidence + 2 * NEAR_BYTES) + aheadOfAccepted(likely);
}

/** A candidate pair: two documents, estimate, accepted or not. */
export const SAMPLED_BYTES = 17;
