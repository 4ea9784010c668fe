/**
 * Replaces a run that does not fit into memory by one with the same options and inputs that sorts on this machine's disk
 * (coordinator/cluster).
 *
 * The sorting run begins anew: reading again costs less than sorting; of standard input it reads what was kept. Its folder has jobs,
 * by which a resumed run recognizes it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { MinHashError } from '../../errors.js';
import { checkOptions } from '../../options/check.js';
import { SORTED_NAME, WORK_NAME } from '../../output/fileNames.js';
import { runFolderOf } from '../../output/folder.js';
import type { Checked } from './checked.js';
import type { Prepared } from './prepare.js';

/** The same run on the disk, or the reason why its options do not go with `--engine disk`. */
export function onDisk({ options, params }: Checked): Checked | string {
  // The options stay as given: the run notes them, or the user types them again to resume it.
  const { resolved, faults } = checkOptions({ ...options, engine: 'disk' });
  return faults[0]?.detail ?? { options, params, execution: resolved.execution };
}

/** The run on the disk that replaces a run in memory, and the error that says what did not fit. */
export interface Sorted {
  readonly sorted: Checked;
  readonly why: MinHashError;
  /**
   * Standard input from its beginning, as far as the run in memory has read it; null: it has not, or a query gives its rows anew.
   *
   * @internal no part of the library's types
   */
  readonly stdinBegun: Readable | null;
}

/** What follows the error that ended a run in memory: a run on the disk where it did not fit into memory, else the error. */
export function endOf(prepared: Prepared, error: unknown): Sorted | { readonly error: unknown } {
  if (!(error instanceof MinHashError) || error.code !== 'MEMORY_BUDGET') return { error };
  const { params, inputs } = prepared;
  const sorted = onDisk(prepared);
  if (typeof sorted !== 'string') {
    const stdinBegun = params.sql === null ? (inputs.files.spool?.handOver() ?? null) : null;
    return { sorted, why: error, stdinBegun };
  }
  const { code, detail, typed = detail } = error.faults[0]!;
  // Pairs are known once they are found: what follows may take more than any size that can be named now.
  const told = `${typed}; that is the least known so far: what follows may need more, and the disk does not take the run (${sorted})`;
  return { error: new MinHashError({ code, detail: told }, { cause: error }) };
}

/** Whether the unfinished run in an output folder is one that sorts; only such a run can continue it. */
export function isSorted(out: string): boolean {
  return existsSync(join(runFolderOf(out), WORK_NAME, SORTED_NAME));
}
