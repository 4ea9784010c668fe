/**
 * stats.json: what a run cost and where its inputs are. Differs from run to run by design.
 *
 * Floor 2. Everything that manifest.json must not know goes here. Pure: times and sizes are handed in.
 */
import type { LeftOut } from '../inputs.js';
import { TOOL } from './manifest.js';

export interface StageStats {
  readonly stage: string;
  readonly tasks: number;
  readonly milliseconds: number;
}

/** What a run that was taken up found done. */
export interface ResumedStats {
  /** Column blocks that were not read and sketched again, of how many. */
  readonly columnBlocks: number;
  readonly columnBlocksInAll: number;
  /** Pairs that were not verified again. */
  readonly verifiedPairs: number;
  /** Stretches of files in `.work` that were damaged, and therefore not believed. */
  readonly damaged: number;
}

/** What a stage took in of a kind, and what became of it. */
export interface BalanceStats {
  readonly stage: string;
  readonly what: string;
  readonly taken: number;
  readonly given: Readonly<Record<string, number>>;
}

export interface StatsFacts {
  readonly version: string;
  /** Execution parameters by name: JSON values. */
  readonly execution: Readonly<Record<string, unknown>>;
  /** The options that the run was given; paths are absolute. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** What was taken over from earlier attempts; absent: this was the first. */
  readonly resumed?: ResumedStats | undefined;
  /** PATHs as typed. */
  readonly inputs: readonly string[];
  /** Where relative PATHs start. */
  readonly directory: string;
  readonly stages: readonly StageStats[];
  readonly elapsedMilliseconds: number;
  /** Documents and bytes of text that were read. */
  readonly documents: number;
  readonly textBytes: number;
  readonly peakMemoryBytes: number;
  /** What each stage took in and gave out. */
  readonly balances: readonly BalanceStats[];
  /** What lies below the PATHs and is not read; null or absent where no place was walked. */
  readonly leftOut?: LeftOut | null;
}

export interface Stats {
  readonly tool: typeof TOOL;
  readonly version: string;
  readonly execution: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly resumed: ResumedStats | null;
  readonly inputs: { readonly paths: readonly string[]; readonly directory: string };
  readonly stages: readonly StageStats[];
  readonly elapsed_milliseconds: number;
  readonly throughput: {
    readonly documents: number;
    readonly text_bytes: number;
    /** null where no time passed. */
    readonly documents_per_second: number | null;
    readonly megabytes_per_second: number | null;
  };
  readonly memory: { readonly peak_bytes: number };
  readonly balances: readonly BalanceStats[];
  readonly left_out: LeftOut | null;
}

/** The statistics of a run; rates are rounded to two decimals, a megabyte is 10^6 bytes. */
export function statsOf(facts: StatsFacts): Stats {
  const seconds = facts.elapsedMilliseconds / 1000;
  const rate = (amount: number): number | null =>
    seconds > 0 ? Math.round((100 * amount) / seconds) / 100 : null;
  return {
    tool: TOOL,
    version: facts.version,
    execution: facts.execution,
    options: facts.options ?? {},
    resumed: facts.resumed ?? null,
    inputs: { paths: facts.inputs, directory: facts.directory },
    stages: facts.stages,
    elapsed_milliseconds: facts.elapsedMilliseconds,
    throughput: {
      documents: facts.documents,
      text_bytes: facts.textBytes,
      documents_per_second: rate(facts.documents),
      megabytes_per_second: rate(facts.textBytes / 1e6),
    },
    memory: { peak_bytes: facts.peakMemoryBytes },
    balances: facts.balances,
    left_out: facts.leftOut ?? null,
  };
}
