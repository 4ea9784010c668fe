/**
 * What the commands need of the library: the seam at which tests put a fake.
 *
 * Floor 5. Types only; the library itself is loaded when a command runs, never for help.
 */
import type { LowDisk, Plan, Progress, Resumption, RunHooks, RunOptions } from '../src/index.js';

export type { LowDisk, Plan, Progress, Resumption, RunHooks };

/** The part of a report that decides the exit code; the rest is for `--json` and the summary. */
export interface ReportCounts {
  readonly counts: {
    /** Accepted near pairs. */
    readonly verified_pairs: number;
    readonly identical_pairs: number;
    readonly same_tokens_pairs: number;
  };
}

export interface RunLibrary<Report extends ReportCounts> {
  run(options: RunOptions, hooks?: RunHooks): Promise<Report>;
  plan(options: RunOptions): Promise<Plan>;
  summaryLines(report: Report): readonly string[];
}
