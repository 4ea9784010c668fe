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

/**
 * The faults of PATHs and output folder; no PATH at all is a fault of the options and not told again. To resume what is
 * finished is no fault: nothing is left to do.
 */
export function placeFaults({
  paths,
  out,
  force,
  resume,
}: Pick<Execution, 'paths' | 'out' | 'force' | 'resume'>): Fault[] {
  const output = realPathOf(binaryOf(resolve(out)));
  const faults = paths.length === 0 ? [] : resolveRoots(paths, output).faults;
  const ofOutput = checkOutput(out, { force, resume });
  return [...faults, ...ofOutput.filter(({ code }) => !(resume && code === 'OUTPUT_EXISTS'))];
}
