/**
 * Shows a comparison of tools: a chart beside its raw figures, and chart and table between the marks of a page.
 *
 *     node dist/benchmarks/chart.js benchmarks/runs/FOLDER [--page README.md]
 *
 * FOLDER holds rivals.json. The chart is FOLDER/speed.svg; the page has `<!-- speed -->` and `<!-- /speed -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { barChart } from './chart/bars.js';
import { markdown } from './measure/record.js';
import { type ComparisonRun, comparisonTable, cpuOf } from './rivals/comparison.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { page: { type: 'string', default: 'README.md' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('the folder of a run is needed: benchmarks/runs/...');
const { raw, ...where } = JSON.parse(readFileSync(join(folder, 'rivals.json'), 'utf8')) as ComparisonRun;

const bars = raw.tools.flatMap((one) => {
  const cpu = cpuOf(one);
  return cpu === null ? [] : [{ title: one.name, value: cpu, ours: one.name.startsWith('mr-minhash') }];
});
const megabytes = Math.round(raw.textBytes / 1e6);
const title = `CPU seconds for ${raw.documents.toLocaleString('en')} documents, ${megabytes} MB of words (less is better)`;
writeFileSync(join(folder, 'speed.svg'), barChart(title, bars));

const MARKS = ['<!-- speed -->', '<!-- /speed -->'] as const;
const page = readFileSync(values.page, 'utf8');
const [start, end] = MARKS.map((mark) => page.indexOf(mark)) as [number, number];
if (start < 0 || end < start) throw new Error(`${values.page} has no ${MARKS.join(' ... ')}`);
const chart = relative(dirname(values.page), join(folder, 'speed.svg'));
const about =
  `${raw.documents.toLocaleString('en')} documents, ${raw.truePairs.toLocaleString('en')} pairs of different texts and ` +
  `${raw.identical.toLocaleString('en')} copies at a resemblance of ${raw.threshold} or more. ${where.machine}; ` +
  `${where.date}, Node ${where.node}, load average ${where.loadBefore.join(' ')} at the start. Made by ` +
  `\`${where.command}\` and \`node dist/benchmarks/chart.js ${folder} --page ${values.page}\`.`;
const section = `\n![${title}](${chart})\n\n${markdown(comparisonTable(raw))}\n\n${about}\n`;
writeFileSync(values.page, page.slice(0, start + MARKS[0].length) + section + page.slice(end));
