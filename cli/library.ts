/**
 * What the commands need of the library: the seam at which tests put a fake.
 *
 * Floor 5. Types only; the library itself is loaded when a command runs, never for help.
 */
import type { RunOptions } from '../src/options.js';

/** How far a stage is. */
export interface Progress {
  readonly stage: string;
  readonly done: number;
  /** Null while unknown, as with standard input. */
  readonly total: number | null;
  /** What `done` counts, a plural in s: `documents`, `files`, `bands`. */
  readonly unit: string;
  /** Bytes of input the stage has worked off; 0 where it reads none. */
  readonly bytes: number;
  /** Since the stage began. */
  readonly elapsedMs: number;
}

/** What a run would do, known from the inputs and options alone. */
export interface Plan {
  readonly files: number;
  /** Bytes of the files as they are stored. */
  readonly bytes: number;
  /** Files and places that would be skipped, as far as the walk can tell. */
  readonly skipped: number;
  readonly columnBlocks: number;
  /** Of each column block. */
  readonly rowChunks: number;
  /** Null: known only once the stages before are done. */
  readonly tasks: readonly { readonly stage: string; readonly tasks: number | null }[];
  readonly threshold: number;
  readonly bands: number;
  readonly rows: number;
  /** That a pair at the threshold becomes a candidate. */
  readonly probability: number;
  readonly sCurve: readonly { readonly similarity: number; readonly probability: number }[];
  readonly memoryBytes: number;
}

export interface RunHooks {
  onProgress?(progress: Progress): void;
  readonly signal?: AbortSignal;
  readonly stdin?: NodeJS.ReadableStream;
}

/** The part of a report that decides the exit code; the rest is for `--json` and the summary. */
export interface ReportCounts {
  readonly counts: {
    /** Accepted near pairs. */
    readonly verified_pairs: number;
    readonly identical_pairs: number;
  };
}

export interface RunLibrary<Report extends ReportCounts> {
  run(options: RunOptions, hooks?: RunHooks): Promise<Report>;
  plan(options: RunOptions): Promise<Plan>;
  summaryLines(report: Report): readonly string[];
}
