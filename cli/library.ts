/**
 * The types of the part of the library that commands use, which tests replace by a fake.
 *
 * Types only; the library itself is loaded when a command runs, never for help.
 */

import type { CorpusOption } from '../src/coordinator/resultPaths.js';
import type {
  LowDisk,
  OpenedResult,
  PairTexts,
  Plan,
  Progress,
  Resumption,
  RunHooks,
  RunOptions,
} from '../src/index.js';
import type { CandidateRow, ClusterRow, PairRow } from '../src/output/readResult.js';
import type { ApplyReport } from '../src/output/report.js';

export type { LowDisk, Plan, Progress, Resumption, RunHooks };

/** The part of a report that decides the exit code; `--json` and the summary use the rest. */
export interface ReportCounts {
  readonly counts: {
    /** Accepted near pairs. */
    readonly verified_pairs: number;
    readonly identical_pairs: number;
    readonly same_tokens_pairs: number;
  };
  readonly applied?: ApplyReport;
}

export interface RunLibrary<Report extends ReportCounts> {
  run(options: RunOptions, hooks?: RunHooks): Promise<Report>;
  plan(options: RunOptions, hooks?: Pick<RunHooks, 'onLeftOut'>): Promise<Plan>;
  /** The jobs of a run with --engine, as text. */
  jobs(options: RunOptions): Promise<string>;
  summaryLines(report: Report, command?: string): readonly string[] | Promise<readonly string[]>;
}

/*
 * The interface by which `inspect` reads a finished result.
 */

export type { CandidateRow, ClusterRow, PairRow, PairTexts };

export type ResultReader = Omit<OpenedResult, 'pairs' | 'candidates' | 'clusters' | 'drops' | 'skipped'>;

/** Opens a finished result. @throws MinHashError RESULT_MISSING when the folder holds none */
export type OpenResult = (folder: string, options?: CorpusOption) => Promise<ResultReader>;
