/**
 * Shows a comparison of tools: a chart beside its raw figures, and chart and table between the marks of a page.
 *
 *     node dist/benchmarks/chart.js benchmarks/runs/FOLDER [--raw rivals,rivalsSlow] [--page docs/speed.md]
 *
 * FOLDER holds the raw figures of bench:rivals by their names. Several are comparisons of other tools on a smaller corpus
 * of the same kind: the chart shows what a tool does in a second of processor time, in the first that has it. The chart
 * is FOLDER/speed.svg; the page has `<!-- speed -->` and `<!-- /speed -->`.
 */
import './measure/plainErrors.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bar, barChart } from './chart/bars.js';
import { markdown, withoutFolders } from './measure/record.js';
import { type ComparisonRun, comparisonTable, megabytesACpuSecond } from './rivals/comparison.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    page: { type: 'string', default: 'docs/speed.md' },
    raw: { type: 'string', default: 'rivals' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('the folder of a run is needed: benchmarks/runs/...');
const runs = values.raw
  .split(',')
  .map((name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as ComparisonRun);

const bars = new Map<string, Bar>();
for (const { raw } of runs) {
  for (const one of raw.tools) {
    const value = megabytesACpuSecond(one, raw);
    const ours = one.name.startsWith('mr-minhash');
    if (value !== null && !bars.has(one.name)) bars.set(one.name, { title: one.name, value, ours });
  }
}
const title = 'Megabytes of text in a second of processor time (more is better)';
const sorted = [...bars.values()].sort((a, b) => b.value - a.value);
writeFileSync(join(folder, 'speed.svg'), barChart(title, sorted));

function aboutRun({ raw, ...where }: ComparisonRun): string {
  const of = raw.sampled === null ? '' : `, of ${raw.sampled.toLocaleString('en')} sampled documents`;
  return (
    `${raw.documents.toLocaleString('en')} documents, ${Math.round(raw.textBytes / 1e6)} MB of words: ` +
    `${raw.truePairs.toLocaleString('en')} pairs of different texts and ${raw.identical.toLocaleString('en')} copies at a ` +
    `Jaccard similarity of ${raw.threshold} or more${of}; ${where.date}, Node ${where.node}, load average ` +
    `${where.loadBefore.join(' ')} at the start; \`${where.command}\`.`
  );
}

const MARKS = ['<!-- speed -->', '<!-- /speed -->'] as const;
const page = readFileSync(values.page, 'utf8');
const [start, end] = MARKS.map((mark) => page.indexOf(mark)) as [number, number];
if (start < 0 || end < start) throw new Error(`${values.page} has no ${MARKS.join(' ... ')}`);
const chart = relative(dirname(values.page), join(folder, 'speed.svg'));
const shown = `node dist/benchmarks/chart.js ${folder} --raw ${values.raw} --page ${values.page}`;
const about = [...runs.map(aboutRun), `${runs[0]!.machine}. Shown by \`${withoutFolders(shown)}\`.`];
const table = markdown(comparisonTable(runs.map(({ raw }) => raw)));
const section = `\n![${title}](${chart})\n\n${table}\n\n${about.map((line) => `- ${line}`).join('\n')}\n`;
writeFileSync(values.page, page.slice(0, start + MARKS[0].length) + section + page.slice(end));
