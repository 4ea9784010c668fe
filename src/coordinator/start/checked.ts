/**
 * Checks the options, PATHs and output folder of a run before anything else is loaded or started. Nothing is written.
 * All faults are reported at once.
 */

import { resolve } from 'node:path';
import { type Fault, MinHashError } from '../../errors.js';
import { checkOptions, type Execution, type OptionFault } from '../../options/check.js';
import type { RunOptions } from '../../options/runOptions.js';
import { checkOutput } from '../../output/folder.js';
import { binaryOf } from '../../readers/list/pathIds.js';
import { resolveRoots } from '../../readers/list/roots.js';
import { realPathOf } from '../../readers/list/walk.js';
import type { ResultParams } from '../../sketch/params.js';
import { workersFor } from './workers.js';

export interface Checked {
  /** As given. */
  readonly options: RunOptions;
  readonly params: ResultParams;
  /** `threads`: those that the run starts, which may be fewer than asked for. */
  readonly execution: Execution;
}

/** The faults of PATHs and output folder. */
async function placeFaults({
  paths,
  against,
  out,
  force,
  s3Endpoint,
  write,
}: Pick<Execution, 'paths' | 'against' | 'out' | 'force' | 's3Endpoint' | 'write'>): Promise<Fault[]> {
  // The client of servers reads its address from the environment.
  if (s3Endpoint !== null) process.env.AWS_ENDPOINT_URL_S3 = s3Endpoint;
  const output = realPathOf(binaryOf(resolve(out)));
  const { faults, roots } = await resolveRoots(paths, output, against);
  if (write !== null) {
    const { writeFaults } = await import('../apply/target.js');
    const inputs = roots.map(({ real }) => real);
    faults.push(...writeFaults(write, { inputs, results: [out] }, { force }));
  }
  return [...faults, ...checkOutput(out, { force })];
}

/**
 * The faults of PATHs and output folder that do not follow from others: where the option that names them has a fault, none was looked up, or
 * the default folder.
 *
 * @param faults those found so far
 */
export async function placeFaultsBeside(
  faults: readonly OptionFault[],
  execution: Execution,
  find: (execution: Execution) => Promise<readonly Fault[]> = placeFaults,
): Promise<OptionFault[]> {
  const isFaulty = (option: string): boolean => faults.some((fault) => fault.option === option);
  const [noPaths, noOut] = [isFaulty('paths'), isFaulty('out')];
  return (await find(execution))
    .filter(({ code }) => !(noPaths && code === 'NO_INPUT') && !(noOut && code.startsWith('OUTPUT_')))
    .map((fault) => ({ ...fault, option: fault.code === 'NO_INPUT' ? 'paths' : null }));
}

/** @throws MinHashError with every fault of options, PATHs and output folder at once: wrong use */
export async function check(given: RunOptions): Promise<Checked> {
  const { resolved, faults } = checkOptions(given);
  const { params, execution } = resolved;
  const places = await placeFaultsBeside(faults, execution);
  const found = [...faults, ...places];
  if (found.length > 0) throw new MinHashError(found);
  // Memory is asked for the threads that the run starts alone.
  const threads = workersFor(execution, given.threads === undefined ? 0 : 1);
  return { options: given, params, execution: { ...execution, threads } };
}
