/**
 * Writes a comparison of tools: a chart next to its raw figures, and tables in README.md and docs/benchmarks.md.
 *
 *      node dist/benchmarks/chart.js benchmarks/runs/FOLDER [--raw rivals]
 *
 * FOLDER has the raw figures of bench:rivals under their name. The chart is FOLDER/speed.svg.
 */
import './measure/plainErrors.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { barChart } from './chart/bars.js';
import { type ComparisonRun, megabytesACpuSecond } from './rivals/comparison.js';
import { comparisonSection, withComparison } from './rivals/pageTables.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { raw: { type: 'string', default: 'rivals' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('the folder of a run is needed: benchmarks/runs/...');
const run = JSON.parse(readFileSync(join(folder, `${values.raw}.json`), 'utf8')) as ComparisonRun;

const bars = run.raw.tools.flatMap((tool) => {
  const value = megabytesACpuSecond(tool, run.raw);
  return value === null ? [] : [{ title: tool.name, value, ours: tool.name.startsWith('mr-minhash') }];
});
const title = 'Megabytes of text per second of processor time (more is better)';
writeFileSync(
  join(folder, 'speed.svg'),
  barChart(
    title,
    bars.sort((a, b) => b.value - a.value),
  ),
);

const show = (page: string, section: string): void =>
  writeFileSync(page, withComparison(readFileSync(page, 'utf8'), section));
show('README.md', comparisonSection(run, true));
const chart = `![${title}](${relative('docs', join(folder, 'speed.svg'))})`;
show('docs/benchmarks.md', `${chart}\n\n${comparisonSection(run, false)}`);
