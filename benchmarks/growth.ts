/**
 * How do time and memory grow from 10^5 to 10^7 records, with the default memory and with less?
 *
 *      node dist/benchmarks/growth.js [--sizes 100000,1000000,10000000] [--memory 1GB] [--rounds 1] [--out FOLDER]
 *          [--page docs/benchmarks.md] [-- more flags of run]
 *
 * Generates JSON lines of some 450 bytes from a seed, one in ten a near copy of the previous line. Runs the built
 * command as a process with a warm page cache, with the default budget and with `--memory`. A time is printed only if
 * both gave the same bytes. `--out` also draws growth.svg, and `--page` writes drawing and table between its marks.
 */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { edited, randomFrom, wordsFrom } from '../test/data/seededTexts.js';
import { lineChart } from './chart/lines.js';
import { countOf, UsageError } from './measure/plainErrors.js';
import { type ProductRun, runProduct } from './measure/product.js';
import { environment, markdown, type Row, record, withoutFolders } from './measure/record.js';
import { medianOf } from './measure/turns.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: 'string', default: '100000,300000,1000000,3000000,10000000' },
    memory: { type: 'string', default: '1GB' },
    rounds: { type: 'string', default: '1' },
    out: { type: 'string' },
    page: { type: 'string' },
  },
});
const sizes = values.sizes.split(',').map((size) => countOf('--sizes', size));
const rounds = countOf('--rounds', values.rounds);
if (values.page !== undefined && values.out === undefined)
  throw new UsageError('--page needs --out: the drawing is there');
const where = environment();

const WORDS = 72;

async function writeRecords(path: string, count: number): Promise<void> {
  const random = randomFrom(7);
  const out = createWriteStream(path);
  let last = wordsFrom(random, WORDS);
  let piece = '';
  for (let i = 0; i < count; i++) {
    last = i % 10 === 9 ? edited(random, last, 1) : wordsFrom(random, WORDS);
    piece += `${JSON.stringify({ id: `r${i}`, text: last.join(' ') })}\n`;
    if (piece.length < 1 << 20 && i < count - 1) continue;
    if (!out.write(piece)) await once(out, 'drain');
    piece = '';
  }
  out.end();
  await once(out, 'close');
}

const SETTINGS = [
  { title: 'default memory', flags: [] },
  { title: `--memory ${values.memory}`, flags: ['--memory', values.memory] },
] as const;

interface Measured {
  readonly size: number;
  readonly setting: number;
  readonly runs: readonly ProductRun[];
}

async function measure(folder: string): Promise<readonly Measured[]> {
  const measurements: Measured[] = [];
  for (const size of sizes) {
    const path = join(folder, 'records.jsonl');
    await writeRecords(path, size);
    const ofSize = SETTINGS.map((_, setting) => ({ size, setting, runs: [] as ProductRun[] }));
    for (let round = 0; round < rounds; round++) {
      for (const { setting, runs } of ofSize) {
        const { title, flags } = SETTINGS[setting]!;
        const run = await runProduct([path, ...flags, ...positionals]);
        process.stderr.write(`${size} records ${title}: ${run.wall.toFixed(1)} s\n`);
        runs.push(run);
        if (run.answer !== ofSize[0]!.runs[0]!.answer)
          throw new Error(`the answers of ${size} records with the default memory and with ${title} differ`);
      }
    }
    measurements.push(...ofSize);
  }
  return measurements;
}

const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-growth-'));
let measurements: readonly Measured[];
try {
  measurements = await measure(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const wallOf = (one: Measured): number => medianOf(one, ({ wall }) => wall);
const cpuOf = (one: Measured): number => medianOf(one, ({ cpu }) => cpu);
const peakOf = (one: Measured): number => Math.round(medianOf(one, ({ peakBytes }) => peakBytes) / 1e6);
const costOf = (one: Measured): number => (1e6 * cpuOf(one)) / one.size;

const rows = measurements.map((one): Row => {
  const byDefault = measurements.find(({ size, setting }) => size === one.size && setting === 0)!;
  return [
    one.size.toLocaleString('en'),
    SETTINGS[one.setting]!.title,
    Math.round(one.runs[0]!.textBytes / 1e6),
    wallOf(one).toFixed(1),
    cpuOf(one).toFixed(1),
    costOf(one).toFixed(1),
    (cpuOf(one) / cpuOf(byDefault)).toFixed(2),
    peakOf(one),
  ];
});
const heads = ['records', 'memory', 'MB of text', 'wall s', 'CPU s', 'CPU us per record', 'ratio', 'peak MB'];
record('growth', 'how do time and memory grow?', where, { heads, rows }, measurements, values.out);

const MARKS = ['<!-- growth -->', '<!-- /growth -->'] as const;

/** Replaces the drawing and the table between the marks of a page. */
function show(page: string, drawing: string): void {
  const text = readFileSync(page, 'utf8');
  const [start, end] = MARKS.map((mark) => text.indexOf(mark)) as [number, number];
  if (start < 0 || end < start) throw new UsageError(`${page} has no ${MARKS.join(' ... ')}`);
  const about =
    `JSON lines of some 450 bytes, one in ten a near copy; ${where.date}, ${where.machine}, Node ${where.node}, load average ` +
    `${where.loadBefore.join(' ')} at the start; \`${withoutFolders(where.command)}\`.`;
  const picture = `![${TITLE}](${relative(dirname(page), drawing)})`;
  const section = `\n${picture}\n\n${markdown({ heads, rows })}\n\n${about}\n`;
  writeFileSync(page, text.slice(0, start + MARKS[0].length) + section + text.slice(end));
}

const TITLE = 'Growth of processor time and memory with the number of records';
if (values.out !== undefined) {
  const linesOf = (of: (one: Measured) => number) =>
    SETTINGS.map(({ title }, setting) => ({
      title,
      points: measurements
        .filter((one) => one.setting === setting)
        .map((one) => [one.size, of(one)] as const),
    }));
  const drawing = join(values.out, 'growth.svg');
  const panels = [
    { title: 'Processor time, microseconds per record', lines: linesOf(costOf) },
    { title: 'Peak memory, MB', lines: linesOf(peakOf) },
  ];
  writeFileSync(drawing, lineChart(TITLE, panels));
  if (values.page !== undefined) show(values.page, drawing);
}
