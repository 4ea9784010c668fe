/**
 * How fast does a query read a corpus, and does its memory stay flat?
 *
 *     node dist/benchmarks/query.js --corpus PATH [--large PATH] [--runs 5] [--out FOLDER]
 *
 * The built command as a process, page cache warm, settings in turn; medians. The base is a part of a file of the corpus. A
 * time is printed only where one thread and two gave the same rows, and the first answers have the values that the library
 * counts from their texts alone.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { containment, resemblance } from '../src/index.js';
import { countOf, WrongUse } from './measure/plainErrors.js';
import { type Measured, measured } from './measure/process.js';
import { COMMAND } from './measure/product.js';
import { environment, type Row, record } from './measure/record.js';
import { medianOf } from './measure/turns.js';

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    large: { type: 'string' },
    runs: { type: 'string', default: '5' },
    out: { type: 'string' },
  },
});
const { corpus, large } = values;
if (corpus === undefined)
  throw new WrongUse('--corpus PATH is needed: a folder of texts, as corpora.js makes them');
const runs = countOf('--runs', values.runs);
const where = environment(values.out);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

interface Listed {
  readonly path: string;
  readonly bytes: number;
}

function filesBelow(path: string): Listed[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .map((file) => ({ path: file, stat: statSync(file) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ path: file, stat }) => ({ path: file, bytes: stat.size }));
}

const bytesOf = (files: readonly Listed[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

const files = filesBelow(corpus);
const middle = readFileSync(files[Math.floor(files.length / 2)]!.path);
const base = join(folder, 'base.txt');
// The beginning of a text: other texts that were copied from it resemble it, too.
writeFileSync(base, middle.subarray(0, Math.min(4000, middle.length - 1)));

interface Setting {
  readonly title: string;
  readonly path: string;
  readonly args: readonly string[];
  /** Settings with the same word have the same rows. */
  readonly answers: string;
}

const twoThreads = ['--threads', '2'];
const SETTINGS: Setting[] = ['resemblance', 'containment'].flatMap((method) =>
  [2, 1].map((threads) => ({
    title: `${method}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
    path: corpus,
    args: ['--method', method, '--threads', String(threads)],
    answers: method,
  })),
);
for (const flag of ['--explain', '--distinct']) {
  const args = ['--method', 'containment', ...twoThreads, flag];
  SETTINGS.push({ title: `containment ${flag}, 2 threads`, path: corpus, args, answers: flag });
}
if (large !== undefined) {
  SETTINGS.push({ title: 'resemblance, 2 threads, large', path: large, args: twoThreads, answers: 'large' });
}

async function once({ path, args }: Setting): Promise<Measured> {
  const all = ['query', base, path, '--quiet', '--top', '20', ...args];
  const done = await measured(process.execPath, [COMMAND, ...all], { timeout: 3600 });
  if (done.code !== 0) throw new Error(`${all.join(' ')} ended with ${done.code}: ${done.stderr}`);
  return done;
}

const found = new Map<Setting, Measured[]>(SETTINGS.map((setting) => [setting, []]));
for (let round = 0; round <= runs; round++) {
  for (const setting of SETTINGS) {
    const done = await once(setting);
    // The first round warms the page cache.
    if (round > 0) found.get(setting)!.push(done);
  }
}

/** The values of the first answers, counted anew from their texts. */
function checkValues(stdout: string, path: string): number {
  const [, ...rows] = stdout.trimEnd().split('\n');
  const text = readFileSync(base);
  for (const row of rows.slice(0, 5)) {
    const [, name, value, inDocument, inBase] = row.split('\t');
    const document = readFileSync(join(path, name!));
    const expected = [resemblance(text, document), containment(text, document), containment(document, text)];
    const told = [value, inDocument, inBase].map(Number);
    if (expected.some((one, i) => Math.abs(one - told[i]!) > 1e-6)) {
      throw new Error(`${name}: ${told.join(' ')}, counted ${expected.join(' ')}`);
    }
  }
  return rows.length;
}

const rowsOf = new Map<string, string>();
for (const [{ answers, title, path }, all] of found) {
  for (const { stdout } of all) {
    const known = rowsOf.get(answers) ?? stdout;
    if (known !== stdout) throw new Error(`${title} gave other rows than before`);
    rowsOf.set(answers, known);
    if (answers === 'resemblance') checkValues(stdout, path);
  }
}

const smallBytes = bytesOf(files);
const largeBytes = large === undefined ? 0 : bytesOf(filesBelow(large));
const rows = [...found].map(([{ title, path, answers }, all]): Row => {
  const bytes = path === large ? largeBytes : smallBytes;
  const wall = medianOf({ runs: all }, (one) => one.wall);
  const cpu = medianOf({ runs: all }, (one) => one.cpu);
  return [
    title,
    Math.round(bytes / 1e6),
    wall.toFixed(2),
    Math.round(bytes / 1e6 / wall),
    cpu.toFixed(2),
    Math.round(bytes / 1e6 / cpu),
    Math.round(medianOf({ runs: all }, (one) => one.peakBytes) / 1e6),
    rowsOf.get(answers)!.trimEnd().split('\n').length - 1,
  ];
});
const heads = ['setting', 'MB', 'wall s', 'MB/s', 'CPU s', 'MB a CPU s', 'peak MB', 'answers'];
const question = 'how fast does a query read a corpus, and does its memory stay flat?';
record('query', question, where, { heads, rows }, [...found.values()], values.out);
