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
   * Blocks that may go to disk, in memory at a time: signatures, bucket keys, lists of pairs. They have at least so much, and what
   * tables leave of theirs (`roomOfBlocks`).
   */
  readonly blocks: number;
  /** Working memory of one task beside its inputs: signatures, keys of a band, shingle sets. */
  readonly task: number;
  /** Shingle sets that are held at a time, over all workers. */
  readonly sets: number;
  /** Bytes of released buffers after which a thread collects garbage; infinite where memory is plentiful. */
  readonly collectEvery: number;
  /**
   * Tables with an entry per document or pair: ids, content hashes, candidate pairs and their exact
   * similarities.
   */
  readonly tables: number;
  /** The longest record that is held whole while it is read. */
  readonly record: number;
  /** Bytes that DuckDB may take for the query of `--sql`; 0 without a query. */
  readonly query: number;
  /** Bytes of the budget for every byte that the parts above share. */
  readonly perByte: number;
}

/** With a budget this large, buffers that the platform frees late do not matter. */
const PLENTY = 1.5e9;

/** Share of the data memory that tables may take. */
const TABLES = 1 / 2;

/** A record is held as it comes, as the block that a task reads, and for a while as what is no longer needed of the one before it. */
const RECORD_COPIES = 3;

/** Share of what the workers leave that DuckDB gets, where a query is read. */
const QUERY = 1 / 4;

/** Divides a budget that is at least `leastMemory(threads)`. `hasQuery`: DuckDB takes a part of it. */
export function budgetOf(memory: number, threads: number, hasQuery = false): Budget {
  const workers = Math.max(1, threads);
  const beside = Math.max(0, memory - workers * WORKER_BYTES);
  const query = hasQuery ? Math.floor(QUERY * beside) : 0;
  const data = beside - query;
  return {
    total: memory,
    blocks: Math.floor(data / 5),
    task: Math.max(LEAST_TASK_BYTES, Math.floor(data / 4 / workers)),
    sets: Math.min(128 << 20, Math.floor(data / 8)),
    collectEvery: data < PLENTY ? Math.max(4e6, Math.floor(data / 16)) : Number.POSITIVE_INFINITY,
    tables: Math.floor(data * TABLES),
    record: Math.floor(data / RECORD_COPIES),
    query,
    perByte: hasQuery ? 1 / (1 - QUERY) : 1,
  };
}

/** Whether blocks may have to leave memory, and what is held of them is copied. */
export function isScarce({ collectEvery }: Budget): boolean {
  return Number.isFinite(collectEvery);
}

/**
 * What a run takes beyond the parts that are counted, as measured for a million short records, near copies, containment and
 * two corpora: buffers that every thread frees a while later, which grow with the blocks that come and go; and the workers'
 * tokens, lists and heaps beyond `WORKER_BYTES`.
 */
const FREED_LATE = 1 / 3;
const BEYOND_WORKERS = 40e6;

/**
 * A budget with the same number of workers whose tables may take `bytes`, if this one's may not. The least one would do, but
 * would be exceeded; this one has room for what is not counted, too. It is the same for all budgets that are too small.
 */
export function memoryForTables({ total, tables, perByte }: Budget, bytes: number): number {
  if (bytes < tables) return total;
  const workers = total - (perByte * tables) / TABLES;
  return Math.ceil(workers + (perByte * (1 + FREED_LATE) * (bytes + 1)) / TABLES + BEYOND_WORKERS);
}

/** The budget of the run, and what of it a record may take. */
export type RecordRoom = Pick<Budget, 'total' | 'record' | 'perByte'>;

/** What readers are told of a budget. */
export function recordRoomOf({ total, record, perByte }: Budget): RecordRoom {
  return { total, record, perByte };
}

/** The same with room for a record of so many bytes. */
export function memoryForRecord({ total, record, perByte }: RecordRoom, bytes: number): number {
  return Math.ceil(total + Math.max(0, perByte * RECORD_COPIES * (bytes + 1 - record)));
}

/** The budget of a run over documents in memory, which is not limited: the documents are there already. */
export const UNBOUNDED: Budget = {
  total: Number.POSITIVE_INFINITY,
  blocks: Number.POSITIVE_INFINITY,
  task: Number.POSITIVE_INFINITY,
  sets: 128 << 20,
  collectEvery: Number.POSITIVE_INFINITY,
  tables: Number.POSITIVE_INFINITY,
  record: Number.POSITIVE_INFINITY,
  query: 0,
  perByte: 1,
};

/**
 * The memory of tables with an entry per document or pair, which cannot go to disk. Tables reserve their
 * bytes here before they are created; a run that would exceed its budget ends with an error message before
 * the system kills it.
 */
export class TableMemory {
  /** Bytes taken and not given back. */
  taken = 0;
  /** Bytes that the run needs beside its tables, as far as known: what is named has room for them, too. */
  beside = 0;
  private readonly budget: Budget;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /**
   * Reserves the bytes of a table that is about to be created. `what` names and counts its entries, as the
   * beginning of a sentence: "1000 candidate pairs". `ahead`: further bytes that will be reserved, as far as
   * known, for the advice in the error.
   *
   * @throws MinHashError MEMORY_BUDGET when that is more than remains
   */
  take(what: string, bytes: number, ahead: () => number = () => 0): void {
    this.expect(what, bytes, ahead);
    this.taken += bytes;
  }

  /** Refuses what `take` would refuse, and takes nothing. @throws MinHashError MEMORY_BUDGET */
  expect(what: string, bytes: number, ahead: () => number = () => 0): void {
    const { tables } = this.budget;
    const needed = this.taken + bytes;
    if (needed > tables) {
      const enough = Math.ceil((memoryForTables(this.budget, needed + ahead()) + this.beside) / 1e6);
      const left = sizeText(Math.max(0, tables - this.taken));
      const detail = `${what} take ${sizeText(bytes)}, of which ${left} are left; --memory ${enough}MB has room for them`;
      throw new MinHashError({ code: 'MEMORY_BUDGET', detail });
    }
  }

  /** Bytes that blocks may take by now. */
  get roomOfBlocks(): number {
    const { blocks, tables } = this.budget;
    return blocks + Math.max(0, tables - this.taken);
  }

  /** Releases the bytes of a table. */
  give(bytes: number): void {
    this.taken -= bytes;
  }
}

/** A document while its fingerprints are listed: those placed, those frequent, its steps. */
const LISTED_BYTES = 16;

/** Bytes of the lists of so many documents whose samples take `samples`: of a fingerprint, which has 8 there, 4 in its list and 4 for its place in it. */
export function listsOfSamples(samples: number, documents: number): number {
  return samples + LISTED_BYTES * documents;
}

/** A member of a hot bucket: document and bucket of all, of those kept, and of the pairs of dependent ones. */
export const HOT_MEMBER_BYTES = 24;

/** A candidate pair: two documents, agreement, accepted or not. */
export const PAIR_BYTES = 11;

/** The exact similarities of a pair, with the number of its row. */
export const EVIDENCE_BYTES = 28;

/** A pair during verification: a copy of its columns. */
export const LOOKED_AT_BYTES = 11;

/** A pair while lists are merged: the widest column of both and of their union. */
export const MERGED_BYTES = 8;

/** An accepted pair in the drop lists of the rounds. */
export const NEAR_BYTES = 8;

/** An accepted pair with its resemblance, for clusters and the drop list. */
export const RESEMBLANCE_BYTES = 16;

/** An accepted pair with all its similarities, for the result files, and its row. */
export const WRITTEN_BYTES = 38;

/** Bytes that will still be reserved for accepted pairs with exact similarities. */
export function aheadOfAccepted(accepted: number): number {
  return accepted * (RESEMBLANCE_BYTES + WRITTEN_BYTES);
}

/** How many pairs there are, how many of them can be accepted, and about how many are; the last two at most the one before. */
interface PairCounts {
  readonly pairs: number;
  readonly likely: number;
  readonly accepted: number;
}

/**
 * Bytes that will still be reserved for candidate pairs whose columns are; in exact mode likely ones get exact similarities. What is
 * looked at for that, lists while they are merged, and what is written are never there at once.
 */
export function aheadOfPairs({ pairs, likely, accepted }: PairCounts, exact: boolean): number {
  const [evidence, looked] = exact ? [EVIDENCE_BYTES * likely, LOOKED_AT_BYTES * likely] : [0, 0];
  // The lists of two rounds and their union.
  const compared = looked + 2 * NEAR_BYTES * accepted;
  return evidence + Math.max(compared, MERGED_BYTES * pairs, aheadOfAccepted(accepted));
}

/** The same of pairs that may all be accepted. */
export function aheadOfLikely(pairs: number, exact: boolean): number {
  return aheadOfPairs({ pairs, likely: pairs, accepted: pairs }, exact);
}

/** A candidate pair: two documents, estimate, accepted or not. */
export const SAMPLED_BYTES = 17;
