/** Which recipe a run by threads takes: in memory, or sorted on this machine's disk, where its documents do not fit. */
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import type { ClusterExecution } from '../../options/check.js';
import { WORK_NAME } from '../../output/fileNames.js';
import { runFolderOf } from '../../output/folder.js';
import { RUN_NAME, readState } from '../../output/runState.js';
import type { Piece } from '../../readers/pieces.js';
import type { Budget, TableMemory } from '../../store/budget.js';
import { onDisk } from '../cluster/unreadFiles.js';
import { documentsBeyond } from '../planning/estimate.js';
import type { Prepared } from './prepare.js';

/** Why a run that may be in memory sorts on disk. */
export interface SortedOnDisk {
  /** About so many documents do not fit; null: the attempt that it takes up sorted. */
  readonly documents: number | null;
  /** `--memory`, in bytes. */
  readonly memory: number;
}

/** A run that sorts on disk though nobody asked for it. */
export interface Sorting {
  readonly why: SortedOnDisk;
  readonly prepared: Prepared;
  readonly cluster: ClusterExecution;
}

/** What a run in memory would have. */
interface InMemory {
  readonly budget: Budget;
  readonly tables: TableMemory;
  readonly workers: number;
}

/**
 * The run as it sorts; null: in memory.
 *
 * @throws MinHashError MEMORY_BUDGET where documents do not fit, and an option or a file keeps them from the disk
 */
export async function sortedInstead(
  prepared: Prepared,
  { budget, tables, workers }: InMemory,
  pieces: readonly Piece[],
): Promise<Sorting | null> {
  const { options, params, execution, inputs } = prepared;
  const engine = { parallelism: Math.max(1, workers) };
  const beyond = await documentsBeyond({ params, budget, tables, engine }, inputs.files, pieces);
  if (beyond === null && !(execution.resume && wasSorted(execution.out))) return null;
  const {
    cluster,
    faults: [fault],
  } = onDisk(options, inputs.files);
  if (cluster !== null && fault === undefined) {
    const why = { documents: beyond?.documents ?? null, memory: execution.memory };
    return { why, cluster, prepared: { ...prepared, execution: { ...execution, cluster } } };
  }
  if (beyond === null) return null;
  const { code, detail } = beyond.refusal;
  throw new MinHashError({ code, detail: `${detail}; not sorted on disk: ${fault?.detail}` });
}

/** Whether the unfinished run in an output folder noted that it sorts. */
function wasSorted(out: string): boolean {
  const state = readState(join(runFolderOf(out), WORK_NAME, RUN_NAME));
  return state !== null && !('expected' in state) && state.sorted === true;
}
