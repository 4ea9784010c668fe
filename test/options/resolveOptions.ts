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
