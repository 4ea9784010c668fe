/**
 * How much of bucket keys, pairs and signatures a task takes hold of at a time: what follows from the budget, in one
 * place.
 *
 * Numbers only. The results of a run are the same for every plan.
 */
import { strideOf } from '../../sketch/signature.js';
import type { Budget } from '../../store/budget.js';

export interface PairPlan {
  /** Whether bucket keys and signatures of all column blocks fit into memory, and those of a band into a task. */
  readonly keysHeld: boolean;
  /** Whether the signatures of all column blocks fit into memory. */
  readonly signaturesHeld: boolean;
  /** Bytes of blocks `bands/k` that one task regroups by band. */
  readonly keyBytes: number;
  /** Documents of a band that one task buckets, about. */
  readonly entries: number;
  /** Pairs that a task of a band hands out at a time: a multiple of `segmentRows`. */
  readonly pairs: number;
  /** Members of hot buckets whose pairs one task makes. */
  readonly hotMembers: number;
  /** Where the signatures are held, and where they are read. */
  readonly held: ComparePlan;
  readonly read: ComparePlan;
  /** Rows of a segment of a list. */
  readonly segmentRows: number;
}

/** How lists of pairs are compared. */
export interface ComparePlan {
  /** Rows of lists, repetitions counted, that are made distinct pairs at a time: a range. */
  readonly rows: number;
  /** Ranges of a task, at most. */
  readonly ranges: number;
  /** Bytes that a task gathers of pairs and signatures, or that a worker keeps copies of. */
  readonly bytes: number;
}

/** What the plan depends on beside the budget. */
interface PairSizes {
  /** Columns of all column blocks. */
  readonly columns: number;
  readonly bands: number;
  readonly hashes: number;
}

/** A document of a band in its task: key, number and place as they are gathered, and the kernel's copies of them. */
const ENTRY_BYTES = 48;

/** A pair that a task hands out: as it leaves the kernel, and in its segment. */
const PAIR_BYTES = 16;

/** A row in a task that makes pairs distinct: as it was read, in the kernel's sort, and with its agreement. */
const ROW_BYTES = 72;

/**
 * Most rows a task looks at. Enough that most of its signatures are copied for several pairs, few enough that what it
 * copies, some 30 MB, does not count.
 */
const MOST_ROWS = 1 << 18;

/** Most pairs of a task: half a gigabyte. */
const MOST_PAIRS = 1 << 25;

/** Most pairs that a member of a hot bucket is the cause of: with its predecessors and the first. */
const PAIRS_A_MEMBER = 9;

/** Every task orders all members of its band: fewer would be more work than memory. */
const LEAST_MEMBERS = 1 << 10;
const MOST_MEMBERS = 1 << 24;

/** A gigabyte; also, unlike infinity, JSON. */
const MOST_SIGNATURE_BYTES = 2 ** 30;

/** As many ranges as a task has, its result waits for. */
const MOST_RANGES = 64;

const MOST_SEGMENT_ROWS = 1 << 16;
const LEAST_SEGMENT_ROWS = 1 << 10;

/** A distinct pair that leaves its task. */
const COMPARED_BYTES = 11;

/** Signatures a task gathers at least: a batch of fewer would read all of them for next to nothing. */
const LEAST_SIGNATURES = 64;

export function pairPlan(budget: Budget, { columns, bands, hashes }: PairSizes): PairPlan {
  const stride = strideOf(hashes);
  const signatures = 4 * stride * columns;
  const { task } = budget;
  const signaturesHeld = signatures <= budget.blocks;
  const rowsIn = (bytes: number): number =>
    Math.max(LEAST_SEGMENT_ROWS, Math.min(MOST_ROWS, Math.floor(bytes / ROW_BYTES)));
  const gathered = (bytes: number): number =>
    Math.floor(Math.max(4 * stride * LEAST_SIGNATURES, Math.min(MOST_SIGNATURE_BYTES, bytes)));
  const held = { rows: rowsIn(task / 2), ranges: 1, bytes: gathered(task / 4) };
  // Every task reads the signatures once: it makes pairs distinct bit by bit, and compares many at a time.
  const rows = rowsIn(task / 12);
  const ranges = Math.max(1, Math.min(MOST_RANGES, Math.floor(task / 4 / COMPARED_BYTES / rows)));
  const read = { rows, ranges, bytes: gathered(task / 2) };
  // A range takes whole segments of every band's list: they are as much smaller than what it takes.
  const perBand = 2 ** Math.floor(Math.log2((signaturesHeld ? held : read).rows / bands));
  const segmentRows =
    signaturesHeld && held.rows === MOST_ROWS
      ? MOST_SEGMENT_ROWS
      : Math.min(MOST_SEGMENT_ROWS, Math.max(LEAST_SEGMENT_ROWS, perBand));
  const pairs = Math.min(MOST_PAIRS, budget.task / 4 / PAIR_BYTES);
  const members = budget.task / 2 / PAIRS_A_MEMBER / ROW_BYTES;
  return {
    keysHeld: signatures + 8 * bands * columns <= budget.blocks && ENTRY_BYTES * columns <= budget.task,
    signaturesHeld,
    keyBytes: budget.task / 2,
    entries: Math.max(1, Math.floor((budget.task * 3) / 4 / ENTRY_BYTES)),
    pairs: segmentRows * Math.max(1, Math.floor(pairs / segmentRows)),
    hotMembers: Math.max(LEAST_MEMBERS, Math.min(MOST_MEMBERS, Math.floor(members))),
    held,
    read,
    segmentRows,
  };
}
