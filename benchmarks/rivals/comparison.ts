/** The raw figures of a comparison of tools, and their table. */
import type { Environment, Row, Table } from '../measure/record.js';
import { median } from '../measure/turns.js';
import type { Score } from './scoring.js';

export interface ToolResult {
  readonly name: string;
  readonly version: string;
  readonly gives: string;
  readonly runs: readonly { readonly wall: number; readonly cpu: number; readonly peakBytes: number }[];
  readonly scores: readonly Score[];
  /** Why there is no result; null if there is one. */
  readonly problem: string | null;
}

export interface Comparison {
  readonly corpus: string;
  readonly threshold: number;
  readonly threads: number;
  readonly documents: number;
  readonly textBytes: number;
  readonly truePairs: number;
  readonly identical: number;
  /** Number of documents whose pairs are known; null: all. */
  readonly sampled: number | null;
  /** Ours first. */
  readonly tools: readonly ToolResult[];
}

/** A file of raw figures. */
export type ComparisonRun = Environment & { readonly raw: Comparison };

/** Median processor seconds; null for a tool without a result. */
function cpuOf({ runs, problem }: ToolResult): number | null {
  return problem !== null || runs.length === 0 ? null : median(runs.map(({ cpu }) => cpu));
}

/** Megabytes of text per second of processor time; null for a tool without a result. */
export function megabytesACpuSecond(one: ToolResult, { textBytes }: Comparison): number | null {
  const cpu = cpuOf(one);
  return cpu === null ? null : textBytes / 1e6 / cpu;
}

function rowOf(one: ToolResult, run: Comparison, base: number): Row {
  const { name, version, gives, runs, scores, problem } = one;
  const documents = run.documents.toLocaleString('en');
  const cpu = cpuOf(one);
  if (cpu === null)
    return [`${name} ${version}`, gives, documents, problem ?? 'was not run', '', '', '', '', '', '', '', ''];
  const middle = (pick: (score: Score) => number): number => median(scores.map(pick));
  return [
    `${name} ${version}`,
    gives,
    documents,
    median(runs.map(({ wall }) => wall)).toFixed(2),
    cpu.toFixed(2),
    (cpu / base).toFixed(1),
    Math.round(median(runs.map(({ peakBytes }) => peakBytes)) / 1e6),
    megabytesACpuSecond(one, run)!.toFixed(1),
    Math.round(middle(({ pairs }) => pairs)),
    middle(({ recall }) => recall).toFixed(4),
    middle(({ precision }) => precision).toFixed(4),
    runs.length,
  ];
}

/** One row per tool and corpus; the ratio is to the processor time of the first tool on the same corpus, in the same run. */
export function comparisonTable(comparisons: readonly Comparison[]): Table {
  const heads = [
    'tool',
    'gives',
    'documents',
    'wall s',
    'CPU s',
    'CPU, ratio',
    'peak MB',
    'MB per CPU s',
    'pairs',
    'recall',
    'precision',
    'runs',
  ];
  const rows = comparisons.flatMap((run) => {
    const base = cpuOf(run.tools[0]!) ?? Number.NaN;
    return run.tools.map((one) => rowOf(one, run, base));
  });
  return { heads, rows };
}
