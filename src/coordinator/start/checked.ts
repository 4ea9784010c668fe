/**
 * Checks the options, PATHs and output folder of a run before anything else is loaded or started. Nothing is written.
 * All problems are reported at once.
 */

import { resolve } from 'node:path';
import { checkObject, MinHashError, type Problem } from '../../errors.js';
import { checkOptions, type Execution, type OptionProblem, type Resolved } from '../../options/check.js';
import type { RunOptions } from '../../options/runOptions.js';
import { binaryOf } from '../../readers/list/pathIds.js';
import { resolveRoots } from '../../readers/list/roots.js';
import { realPathOf } from '../../readers/list/walk.js';
import { lackOfResult } from '../../result/fileNames.js';
import { resultFolderProblems } from '../../result/folder.js';
import type { ResultParams } from '../../sketch/params.js';
import { workersFor } from './workers.js';

export interface Checked {
  /** The options as the caller set them. */
  readonly options: RunOptions;
  readonly params: ResultParams;
  /** `threads`: the number of workers to start, which may be lower than the option. */
  readonly execution: Execution;
  /** The folder of the index that is the reference; null: there is none. */
  readonly index: string | null;
  /** Finished results among the PATHs of the reference; `execution` has their PATHs instead. */
  readonly results: readonly string[];
}

/** The problems of PATHs and output folder. */
async function placeProblems({
  paths,
  against,
  out,
  force,
  s3Endpoint,
  write,
}: Pick<Execution, 'paths' | 'against' | 'out' | 'force' | 's3Endpoint' | 'write'>): Promise<Problem[]> {
  // The S3 client reads its address from the environment.
  if (s3Endpoint !== null) process.env.AWS_ENDPOINT_URL_S3 = s3Endpoint;
  const output = realPathOf(binaryOf(resolve(out)));
  const { problems, roots } = resolveRoots(paths, output, against);
  if (write !== null) {
    const { corpusProblems } = await import('../apply/corpusFolder.js');
    const inputs = roots.map(({ real }) => real);
    problems.push(...corpusProblems(write, { inputs, results: [out] }, force));
  }
  return [...problems, ...resultFolderProblems(out, force)];
}

/**
 * The problems of PATHs and output folder that do not follow from others. If the option that sets them is invalid, no
 * folder was checked, or the default one was.
 *
 * @param problems found so far
 */
export async function placeProblemsBeside(
  problems: readonly OptionProblem[],
  execution: Execution,
  find: (execution: Execution) => Promise<readonly Problem[]> = placeProblems,
): Promise<OptionProblem[]> {
  const isProblemy = (option: string): boolean => problems.some((problem) => problem.option === option);
  const [noPaths, noOut] = [isProblemy('paths'), isProblemy('out')];
  return (await find(execution))
    .filter(({ code }) => !(noPaths && code === 'NO_INPUT') && !(noOut && code.startsWith('OUTPUT_')))
    .map((problem) => ({ ...problem, option: problem.code === 'NO_INPUT' ? 'paths' : null }));
}

/** The options of a run with the results of checkOptions. An index as reference fixes some of them, and results are replaced by their PATHs. */
export async function checkRunOptions(
  options: RunOptions,
): Promise<
  Pick<Checked, 'index' | 'results'> & { readonly resolved: Resolved; readonly problems: OptionProblem[] }
> {
  checkObject('options', options);
  const checked = checkOptions(options);
  const { against } = checked.resolved.execution;
  const isIndex = against.length === 0 ? null : (await import('../../index/indexManifest.js')).isIndex;
  const index = isIndex === null ? null : (against.find(isIndex) ?? null);
  if (index !== null) {
    const { runBesideIndex } = await import('../index/indexOptions.js');
    const { resolved, problems } = runBesideIndex(options, against, index);
    const texts = options.measure === 'containment' ? [invalid('measure', NO_TEXTS)] : [];
    return { resolved, problems: [...problems, ...texts], index, results: [] };
  }
  let { resolved } = checked;
  const problems = [...checked.problems];
  const results = against.filter((path) => lackOfResult(path) === null);
  if (results.length > 0) {
    const { params, execution } = resolved;
    const { pathsOfReference } = await import('./againstResult.js');
    const reference = pathsOfReference(against, params);
    problems.push(...reference.problems);
    if (execution.spark !== null) problems.push(invalid('against', ON_SPARK));
    resolved = { params, execution: { ...execution, against: reference.paths } };
  }
  const { append, portion } = resolved.execution;
  if (append || portion !== null) problems.push(invalid('append', NO_INDEX));
  return { resolved, problems, index, results };
}

function invalid(option: string, detail: string): OptionProblem {
  return { code: 'OPTION_INVALID', option, detail };
}

const NO_TEXTS = '--measure containment: expected documents as --against, an index has no texts';
const NO_INDEX = '--append --portion: expected together with --against INDEX';
const ON_SPARK =
  '--against: Spark cannot read a result; type the PATHs of its documents, or run without --engine spark';

/** @throws MinHashError: a usage error with all problems of options, PATHs and output folder at once */
export async function check(options: RunOptions): Promise<Checked> {
  const { resolved, problems, index, results } = await checkRunOptions(options);
  const { params, execution } = resolved;
  const places = await placeProblemsBeside(problems, execution);
  const ignored = params.ignore === undefined ? [] : resolveRoots(params.ignore, null).problems;
  const allProblems = [...problems, ...places, ...ignored];
  if (allProblems.length > 0) throw new MinHashError(allProblems);
  // Only the threads that the run starts count for memory.
  const threads = workersFor(execution, options.threads === undefined ? 0 : 1);
  return { options, params, execution: { ...execution, threads }, index, results };
}
