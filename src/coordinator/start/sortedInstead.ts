/**
 * The run that takes the place of one that does not fit into memory: the same options and inputs, sorted on this machine's disk
 * (coordinator/cluster).
 *
 * It begins anew: what the first one had read by then is less than what is sorted. Its folder has jobs, by which a run that is
 * resumed knows it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { checkOptions } from '../../options/check.js';
import { SORTED_NAME, WORK_NAME } from '../../output/fileNames.js';
import { runFolderOf } from '../../output/folder.js';
import type { Checked } from './checked.js';
import type { Prepared } from './prepare.js';

/** The same run on the disk, or what keeps it from there: why its options do not go with `--engine disk`. */
export function onDisk({ options, params }: Checked): Checked | string {
  // Options stay as they were given: they are noted, and typed again where the run is resumed.
  const { resolved, faults } = checkOptions({ ...options, engine: 'disk' });
  return faults[0]?.detail ?? { options, params, execution: resolved.execution };
}

/** Why a run that reads standard input does not begin anew. */
const STDIN_BEGUN = 'standard input comes once: --engine disk sorts it from its beginning';

/** The run on the disk that takes the place of one in memory, and what did not fit there. */
export interface Sorted {
  readonly sorted: Checked;
  readonly why: MinHashError;
}

/** What becomes of a run in memory over these inputs that an error ended: the run on the disk where it did not fit, else the error. */
export function endOf(prepared: Prepared, error: unknown): Sorted | { readonly error: unknown } {
  if (!(error instanceof MinHashError) || error.code !== 'MEMORY_BUDGET') return { error };
  const { params, inputs } = prepared;
  const sorted = inputs.files.hasStdin && params.sql === null ? STDIN_BEGUN : onDisk(prepared);
  if (typeof sorted !== 'string') return { sorted, why: error };
  const { code, detail, typed = detail } = error.faults[0]!;
  const told = `${typed}; the disk does not take the run (${sorted})`;
  return { error: new MinHashError({ code, detail: told }, { cause: error }) };
}

/** Whether the unfinished run in an output folder sorts: what it has done is of use to such a run alone. */
export function isSorted(out: string): boolean {
  return existsSync(join(runFolderOf(out), WORK_NAME, SORTED_NAME));
}
