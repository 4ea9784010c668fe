/**
 * Checks the options, PATHs and output folder of a run before anything else is loaded or started. Nothing is written.
 *
 * All faults are reported at once. A resumed run takes its options from the note of the earlier attempt.
 */

import { resolve } from 'node:path';
import { type Fault, MinHashError } from '../../errors.js';
import { checkOptions, type Execution, type OptionFault, type Resolved } from '../../options/check.js';
import type { RunOptions } from '../../options/runOptions.js';
import { OPTIONS } from '../../options/table.js';
import { isPath } from '../../options/values.js';
import { checkOutput } from '../../output/folder.js';
import { binaryOf } from '../../readers/list/pathIds.js';
import { resolveRoots } from '../../readers/list/roots.js';
import { realPathOf } from '../../readers/list/walk.js';
import type { ResultParams } from '../../sketch/params.js';
import type { TakenNote } from './noted.js';
import { workersFor } from './workers.js';

/** All options of a run with the results of checkOptions. */
interface FullOptions {
  readonly options: RunOptions;
  readonly resolved: Resolved;
  readonly faults: readonly OptionFault[];
}

/**
 * Checks options; a run that is resumed without PATH has the options noted in its folder, overridden by the given ones.
 *
 * @param tell is called with the options taken from a note, before any of them is used
 */
export async function checkRunOptions(
  given: RunOptions,
  tell: (note: TakenNote) => Promise<void> = async () => {},
): Promise<FullOptions> {
  const hasPaths = given.paths !== undefined && given.paths.length > 0;
  const asTyped = (): FullOptions => ({ options: given, ...checkOptions(given) });
  if (given.resume !== true || hasPaths) return asTyped();
  const out = isPath(given.out) ? given.out : String(OPTIONS.out.default);
  const { takeNote } = await import('./noted.js');
  const typed = without(given, ['paths']);
  const note = takeNote(out, typed);
  if ('faults' in note) {
    const { resolved, faults } = checkOptions(typed);
    // The note stands in the place of PATHs.
    const ofNote = note.faults.map((fault) => ({ ...fault, option: 'paths' }));
    return { options: typed, resolved, faults: [...ofNote, ...faults] };
  }
  await tell({ ...note, options: without(note.options, Object.keys(typed)) });
  const options = { ...note.options, ...typed };
  return { options, ...checkOptions(options) };
}

function without(options: RunOptions, keys: readonly string[]): RunOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !keys.includes(name))) as RunOptions;
}

export interface Checked {
  /** As given, or as noted by the run that is resumed. */
  readonly options: RunOptions;
  readonly params: ResultParams;
  /** `threads`: those that the run starts, which may be fewer than asked for. */
  readonly execution: Execution;
}

/** The faults of PATHs and output folder. Resuming a finished run is no fault. */
async function placeFaults({
  paths,
  against,
  out,
  force,
  resume,
  s3Endpoint,
  write,
}: Pick<Execution, 'paths' | 'against' | 'out' | 'force' | 'resume' | 's3Endpoint' | 'write'>): Promise<
  Fault[]
> {
  // The client of servers reads its address from the environment.
  if (s3Endpoint !== null) process.env.AWS_ENDPOINT_URL_S3 = s3Endpoint;
  const output = realPathOf(binaryOf(resolve(out)));
  const { faults, roots } = await resolveRoots(paths, output, against);
  if (write !== null) {
    const { writeFaults } = await import('../apply/target.js');
    const inputs = roots.map(({ real }) => real);
    faults.push(...writeFaults(write, { inputs, results: [out] }, { force, resume }));
  }
  const ofOutput = checkOutput(out, { force, resume });
  return [...faults, ...ofOutput.filter(({ code }) => !(resume && code === 'OUTPUT_EXISTS'))];
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
  const { options, resolved, faults } = await checkRunOptions(given);
  const { params, execution } = resolved;
  const places = await placeFaultsBeside(faults, execution);
  const found = [...faults, ...places];
  if (found.length > 0) throw new MinHashError(found);
  // Memory is asked for the threads that the run starts alone.
  const threads = workersFor(execution, options.threads === undefined ? 0 : 1);
  return { options, params, execution: { ...execution, threads } };
}
