/**
 * How much of bucket keys, pairs and signatures a task takes hold of at a time: what follows from the budget, in one
 * place.
 *
 * Floor 4. Numbers only. The results of a run are the same for every plan.
 */
import { strideOf } from '../sketch/signature.js';
import type { Budget } from './budget.js';

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
  /** Rows of lists, repetitions counted, of which a task makes distinct pairs. */
  readonly rows: number;
  /** Rows of a segment of a list. */
  readonly segmentRows: number;
  /** Bytes of signatures that a task gathers, or a worker keeps copies of. */
  readonly signatureBytes: number;
}

/** What the plan depends on beside the budget. */
export interface PairSizes {
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

const MOST_SEGMENT_ROWS = 1 << 16;
const LEAST_SEGMENT_ROWS = 1 << 10;

/** Signatures a task gathers at least: a batch of fewer would read all of them for next to nothing. */
const LEAST_SIGNATURES = 64;

export function pairPlan(budget: Budget, { columns, bands, hashes }: PairSizes): PairPlan {
  const stride = strideOf(hashes);
  const signatures = 4 * stride * columns;
  const rows = Math.max(LEAST_SEGMENT_ROWS, Math.min(MOST_ROWS, Math.floor(budget.task / 2 / ROW_BYTES)));
  // A task reads whole segments of every band's list: they are as much smaller than what it takes.
  const perBand = 2 ** Math.floor(Math.log2(rows / bands));
  const segmentRows =
    rows === MOST_ROWS
      ? MOST_SEGMENT_ROWS
      : Math.min(MOST_SEGMENT_ROWS, Math.max(LEAST_SEGMENT_ROWS, perBand));
  const pairs = Math.min(MOST_PAIRS, budget.task / 4 / PAIR_BYTES);
  const members = budget.task / 2 / PAIRS_A_MEMBER / ROW_BYTES;
  return {
    keysHeld: signatures + 8 * bands * columns <= budget.blocks && ENTRY_BYTES * columns <= budget.task,
    signaturesHeld: signatures <= budget.blocks,
    keyBytes: budget.task / 2,
    entries: Math.max(1, Math.floor((budget.task * 3) / 4 / ENTRY_BYTES)),
    pairs: segmentRows * Math.max(1, Math.floor(pairs / segmentRows)),
    hotMembers: Math.max(LEAST_MEMBERS, Math.min(MOST_MEMBERS, Math.floor(members))),
    rows,
    segmentRows,
    signatureBytes: Math.max(4 * stride * LEAST_SIGNATURES, Math.min(MOST_SIGNATURE_BYTES, budget.task / 4)),
  };
}
