/**
 * What is wrong with the places a user named: PATHs that are not there, an output folder that may not be written.
 *
 * Floor 4. Looks, changes nothing; together with the faults of the options it is all that is reported before work starts.
 */
import { resolve } from 'node:path';
import type { Fault } from './errors.js';
import type { Execution } from './options.js';
import { binaryOf } from './storage/ids.js';
import { checkOutput } from './storage/results/outputState.js';
import { realPathOf } from './storage/walk.js';
import { resolveRoots } from './storage/walkRoots.js';

/** The faults of PATHs and output folder; no PATH at all is a fault of the options and not told again. */
export function placeFaults(execution: Pick<Execution, 'paths' | 'out' | 'force'>): Fault[] {
  const output = realPathOf(binaryOf(resolve(execution.out)));
  const faults = execution.paths.length === 0 ? [] : resolveRoots(execution.paths, output).faults;
  return [...faults, ...checkOutput(execution.out, { force: execution.force })];
}
