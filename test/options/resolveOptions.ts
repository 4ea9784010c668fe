/** The options of a run in full. */
import { MinHashError } from '../../src/errors.js';
import { checkOptions, type Resolved } from '../../src/options/check.js';
import type { RunOptions } from '../../src/options/runOptions.js';

/** @throws MinHashError with all problems at once */
export function resolveOptions(options: RunOptions): Resolved {
  const { resolved, problems } = checkOptions(options);
  if (problems.length > 0) throw new MinHashError(problems);
  return resolved;
}

/** The details of all problems as the command says them; none when the options are good. */
export function problemsOf(options: Record<string, unknown>): string[] {
  try {
    resolveOptions({ paths: ['texts'], ...options } as RunOptions);
    return [];
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
    return error.problems.map((problem) => problem.typed ?? problem.detail);
  }
}
