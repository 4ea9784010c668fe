/**
 * The memory of one step of scattered rows in the kernel: where it is scattered, and where it is sketched.
 *
 * Floor 1. Taken when first asked for, once a kernel, with room for any step; what is not touched costs nothing. A task
 * either scatters or sketches, so the two share it.
 */
import { APPENDED_ROWS, STEP_COLUMNS, STEP_ROWS, STEP_RUNS } from '../sketch/rowScatter.js';
import type { KernelMemory } from './wasmMemory.js';

/** Most row chunks. */
const MOST_CHUNKS = 65536;
/** Bytes of the record of a run that is being scattered. */
const RUN = 16;
/** Bytes of signatures that are sketched at a time. */
export const SLAB = RUN * STEP_RUNS;
/** Hashes of one column that are gathered before they are sketched: 64 KB. */
export const GATHERED = 8192;

/** Addresses. */
export interface StepArenas {
  /** Hashes in the order of their row chunks. */
  readonly rows: number;
  /** Hashes as they come; partial signatures, which are never longer than the rows they stand for. */
  readonly staged: number;
  readonly runColumns: number;
  readonly runEnds: number;
  readonly chunkEnds: number;
  /** By row chunk, the run in hand, counted from 1: all 0 between two steps. */
  readonly current: number;
  /** The run of each staged hash. */
  readonly runOfRow: number;
  /** Records of runs while they are scattered; signatures. */
  readonly runs: number;
  /** By column; also numbers of runs, of which there are no more. */
  readonly totals: number;
  /** While sketching, in the place of `runOfRow`: runs by column, their partials, where columns begin. */
  readonly order: number;
  readonly forms: number;
  readonly starts: number;
  readonly gathered: number;
}

function allocate(memory: KernelMemory): StepArenas {
  const runOfRow = memory.allocate(4 * STEP_ROWS);
  return {
    rows: memory.allocate(8 * STEP_ROWS),
    staged: memory.allocate(8 * (STEP_ROWS + APPENDED_ROWS)),
    runColumns: memory.allocate(4 * STEP_RUNS),
    runEnds: memory.allocate(4 * STEP_RUNS),
    chunkEnds: memory.allocate(4 * MOST_CHUNKS),
    current: memory.allocate(4 * MOST_CHUNKS),
    runOfRow,
    runs: memory.allocate(SLAB),
    totals: memory.allocate(4 * Math.max(STEP_COLUMNS, STEP_RUNS)),
    order: runOfRow,
    forms: runOfRow + 4 * STEP_RUNS,
    // One more than columns: it takes the last two of the four parts.
    starts: runOfRow + 8 * STEP_RUNS,
    gathered: memory.allocate(8 * GATHERED),
  };
}

/** Gives the arenas of a kernel, always the same. */
export function createStepMemory(memory: KernelMemory): () => StepArenas {
  let arenas: StepArenas | undefined;
  return () => {
    arenas ??= allocate(memory);
    return arenas;
  };
}
