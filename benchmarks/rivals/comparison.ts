/** The raw figures of a comparison of tools, and what is shown of them. */
import type { Row, Surroundings, Table } from '../measure/record.js';
import { median } from '../measure/turns.js';
import type { Score } from './scoring.js';

export interface ToolResult {
  readonly name: string;
  readonly version: string;
  readonly gives: string;
  readonly runs: readonly { readonly wall: number; readonly cpu: number; readonly peakBytes: number }[];
  readonly scores: readonly Score[];
  /** Why there is no result; null where there is. */
  readonly fault: string | null;
}

export interface Comparison {
  readonly corpus: string;
  readonly threshold: number;
  readonly threads: number;
  readonly documents: number;
  readonly textBytes: number;
  readonly truePairs: number;
  readonly identical: number;
  /** Ours first: ratios are to it. */
  readonly tools: readonly ToolResult[];
}

/** A file of raw figures. */
export type ComparisonRun = Surroundings & { readonly raw: Comparison };

/** Median processor seconds; null for a tool without a result. */
export function cpuOf({ runs, fault }: ToolResult): number | null {
  return fault !== null || runs.length === 0 ? null : median(runs.map(({ cpu }) => cpu));
}

function rowOf(one: ToolResult, textBytes: number, base: number): Row {
  const { name, version, gives, runs, scores, fault } = one;
  const cpu = cpuOf(one);
  if (cpu === null)
    return [`${name} ${version}`, gives, fault ?? 'was not run', '', '', '', '', '', '', '', ''];
  const middle = (pick: (score: Score) => number): number => median(scores.map(pick));
  return [
    `${name} ${version}`,
    gives,
    median(runs.map(({ wall }) => wall)).toFixed(2),
    cpu.toFixed(2),
    (cpu / base).toFixed(1),
    Math.round(median(runs.map(({ peakBytes }) => peakBytes)) / 1e6),
    (textBytes / 1e6 / cpu).toFixed(1),
    Math.round(middle(({ pairs }) => pairs)),
    middle(({ recall }) => recall).toFixed(4),
    middle(({ precision }) => precision).toFixed(4),
    runs.length,
  ];
}

/** A row a tool; the ratio is to the processor time of the first. */
export function comparisonTable({ tools, textBytes }: Comparison): Table {
  const base = cpuOf(tools[0]!) ?? Number.NaN;
  const heads = [
    'tool',
    'gives',
    'wall s',
    'CPU s',
    'CPU, ratio',
    'peak MB',
    'MB a CPU s',
    'pairs',
    'recall',
  ];
  return { heads: [...heads, 'precision', 'runs'], rows: tools.map((one) => rowOf(one, textBytes, base)) };
}
