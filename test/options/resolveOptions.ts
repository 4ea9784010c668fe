/** The options of a run in full. */
import { MinHashError } from '../../src/errors.js';
import { checkOptions, type Resolved } from '../../src/options/check.js';
import type { RunOptions } from '../../src/options/runOptions.js';

/** @throws MinHashError with all faults at once */
export function resolveOptions(options: RunOptions): Resolved {
  const { resolved, faults } = checkOptions(options);
  if (faults.length > 0) throw new MinHashError(faults);
  return resolved;
}

/** The details of all faults as the command says them; none when the options are good. */
export function faultsOf(options: Record<string, unknown>): string[] {
  try {
    resolveOptions({ paths: ['texts'], ...options } as RunOptions);
    return [];
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
    return error.faults.map((fault) => fault.typed ?? fault.detail);
  }
}
