/**
 * The memory budget decides how many pairs and signatures a task holds at a time, and how many bands are bucketed.
 *
 * The results of a run are the same for every plan.
 */
import { strideOf } from '../../sketch/signature.js';
import type { Budget } from '../../store/budget.js';

export interface PairPlan {
  /** Whether the signatures of all column blocks fit into memory. */
  readonly signaturesHeld: boolean;
  /** Most bands of a task, which reads all signatures once. */
  readonly bands: number;
  /** Documents that are bucketed at a time, by all tasks. */
  readonly entries: number;
  /** Most pairs that a task of a band returns, one slice. */
  readonly pairs: number;
  /** Members of hot buckets whose pairs one task makes. */
  readonly hotMembers: number;
  /** For signatures in memory. */
  readonly held: ComparePlan;
  /** For signatures that tasks read from disk. */
  readonly read: ComparePlan;
}

/** How lists of pairs are compared. */
export interface ComparePlan {
  /** Rows of all lists in a range, repeated pairs counted. */
  readonly rows: number;
  /** Most ranges of a task. */
  readonly ranges: number;
  /** Bytes of signatures, and of pairs with them, that a task gathers. */
  readonly bytes: number;
}

/** What the plan depends on beside the budget. */
interface PairSizes {
  /** Columns of all column blocks. */
  readonly columns: number;
  readonly hashes: number;
  readonly workers: number;
}

/** Bytes of a document in a task of bands: number, place, flags, and two records of the band that is sorted; and its key in each band. */
const ENTRY_BYTES = 26;
const KEY_BYTES = 8;

/** With more bands a task the keys take more memory, and reading the signatures is a small part of the work. */
const MOST_BANDS = 4;

/** Bytes of a pair that a task returns: as the kernel makes it, and in its block. */
const PAIR_BYTES = 16;

/** Bytes of a row in a task that makes pairs distinct: as read, in the kernel's sort, and with its agreement. */
const ROW_BYTES = 72;

/**
 * Most rows of a range: enough that most signatures are copied for several pairs, few enough that the copies, some 30 MB, hardly
 * add to memory.
 */
const MOST_ROWS = 1 << 18;

/** Most pairs of a task, which take half a gigabyte. */
const MOST_PAIRS = 1 << 25;
const LEAST_PAIRS = 1 << 10;

/** Most pairs that a task makes for a member of a hot bucket: with its predecessors and the first member. */
const PAIRS_A_MEMBER = 9;

/** Least members of a task: every task sorts all members of its band, so smaller slices would repeat that work too often. */
const LEAST_MEMBERS = 1 << 10;
const MOST_MEMBERS = 1 << 24;

/** A gigabyte rather than infinity, which JSON cannot hold. */
const MOST_SIGNATURE_BYTES = 2 ** 30;

/** Most ranges of a task: its result waits until all of them are compared. */
const MOST_RANGES = 64;

const LEAST_ROWS = 1 << 10;

/** Bytes of a distinct pair in the result of its task. */
const COMPARED_BYTES = 11;

/** Least signatures that a task gathers at a time: every batch reads all signatures, so smaller batches would read too often. */
const LEAST_SIGNATURES = 64;

export function pairPlan(budget: Budget, { columns, hashes, workers }: PairSizes): PairPlan {
  const stride = strideOf(hashes);
  const signatures = 4 * stride * columns;
  const { task } = budget;
  const signaturesHeld = signatures <= budget.blocks;
  const rowsIn = (bytes: number): number =>
    Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.floor(bytes / ROW_BYTES)));
  const gathered = (bytes: number): number =>
    Math.floor(Math.max(4 * stride * LEAST_SIGNATURES, Math.min(MOST_SIGNATURE_BYTES, bytes)));
  const held = { rows: rowsIn(task / 2), ranges: 1, bytes: gathered(task / 4) };
  // Every task reads all signatures once: so it makes pairs distinct in small ranges, and compares those of many ranges together.
  const rows = rowsIn(task / 12);
  const ranges = Math.max(1, Math.min(MOST_RANGES, Math.floor(task / 4 / COMPARED_BYTES / rows)));
  const read = { rows, ranges, bytes: gathered(task / 2) };
  const members = budget.task / 2 / PAIRS_A_MEMBER / ROW_BYTES;
  const ofKeys = budget.task / columns - ENTRY_BYTES;
  const bands = Math.max(1, Math.min(MOST_BANDS, Math.floor(ofKeys / KEY_BYTES)));
  return {
    signaturesHeld,
    bands,
    entries: (budget.task * workers) / (ENTRY_BYTES + KEY_BYTES * bands),
    pairs: Math.max(LEAST_PAIRS, Math.min(MOST_PAIRS, Math.floor(budget.task / 4 / PAIR_BYTES))),
    hotMembers: Math.max(LEAST_MEMBERS, Math.min(MOST_MEMBERS, Math.floor(members))),
    held,
    read,
  };
}
