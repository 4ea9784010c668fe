/** A comparison of tools as the pages show it: results that can be used as they are apart from those whose pairs must still be checked. */
import { markdown, type Row } from '../measure/record.js';
import { median } from '../measure/turns.js';
import type { ComparisonRun, ToolResult } from './comparison.js';

/** Ratios are to the default of the command. */
const BASE = 'mr-minhash exact';

const needsCheck = ({ gives }: ToolResult): boolean => /candidates|clusters/.test(gives);
const medianCpu = ({ runs }: ToolResult): number => median(runs.map(({ cpu }) => cpu));

function rowOf(tool: ToolResult, base: number, isShort: boolean): Row {
  const { name, version, gives, runs, scores } = tool;
  const recall = median(scores.map((score) => score.recall)).toFixed(4);
  const precision = median(scores.map((score) => score.precision)).toFixed(4);
  const ratio = (medianCpu(tool) / base).toFixed(1);
  if (isShort) return [name, gives, ratio, recall, precision];
  const peak = Math.round(median(runs.map(({ peakBytes }) => peakBytes)) / 1e6);
  return [
    `${name} ${version}`,
    gives,
    medianCpu(tool).toFixed(2),
    ratio,
    peak,
    recall,
    precision,
    runs.length,
  ];
}

/**
 * A comparison and its caption in Markdown, tools sorted by processor time; one without a result is omitted.
 *
 * @param isShort as in README.md: one table, without versions, seconds, memory and number of runs
 */
export function comparisonSection({ raw, ...where }: ComparisonRun, isShort: boolean): string {
  const tools = raw.tools
    .filter(({ problem, runs }) => problem === null && runs.length > 0)
    .sort((a, b) => medianCpu(a) - medianCpu(b));
  const base = medianCpu(tools.find(({ name }) => name === BASE)!);
  const rowsOf = (isChecked: boolean): Row[] =>
    tools
      .filter(
        (tool) => needsCheck(tool) !== isChecked && !(isShort && tool.name.includes('texts as they are')),
      )
      .map((tool) => rowOf(tool, base, isShort));
  const number = (value: number): string => value.toLocaleString('en');
  const caption =
    `${number(raw.documents)} documents, ${Math.round(raw.textBytes / 1e6)} MB, with ${number(raw.truePairs + raw.identical)} pairs ` +
    `at ${raw.threshold} or above; ${where.machine}; ${where.date}.`;
  if (isShort) {
    const heads = ['tool', 'output', 'CPU, ratio', 'recall', 'precision'];
    const parting = ['*each pair must still be checked:*', '', '', '', ''];
    return `${markdown({ heads, rows: [...rowsOf(true), parting, ...rowsOf(false)] })}\n\n${caption}`;
  }
  const heads = ['tool', 'output', 'CPU s', 'CPU, ratio', 'peak MB', 'recall', 'precision', 'runs'];
  return [
    'Pairs that can be used as they are:',
    markdown({ heads, rows: rowsOf(true) }),
    'Candidates or clusters, whose pairs must still be checked:',
    markdown({ heads, rows: rowsOf(false) }),
    `${caption} Node ${where.node}, load average ${where.loadBefore.join(' ')} at the start. Command: \`${where.command}\`.`,
  ].join('\n\n');
}

/** A page with the section between `<!-- rivals -->` and `<!-- /rivals -->` replaced. */
export function withComparison(page: string, section: string): string {
  if (!/<!-- rivals -->[\s\S]*<!-- \/rivals -->/.test(page))
    throw new Error('the page has no <!-- rivals --> ... <!-- /rivals -->');
  return page.replace(
    /<!-- rivals -->[\s\S]*<!-- \/rivals -->/,
    () => `<!-- rivals -->\n${section}\n<!-- /rivals -->`,
  );
}
